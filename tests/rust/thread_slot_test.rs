// SPDX-License-Identifier: Apache-2.0
//! Thread slots: a value per thread, which thread states capture.

use std::sync::{Arc, Mutex};

use tenon::{Status, ThreadSlot, ThreadState};

use crate::support::fails;

#[test]
fn each_thread_has_its_own_value() {
    let slot = ThreadSlot::<String>::register("rust.own").unwrap();
    assert_eq!(slot.get().unwrap(), None);
    let before = slot.replace(Some(Arc::new("main".to_string()))).unwrap();
    assert_eq!(before, None);
    let other = std::thread::spawn(move || {
        let first = slot.get().unwrap();
        slot.replace(Some(Arc::new("other".to_string()))).unwrap();
        (first, slot.get().unwrap())
    });
    let (first, own) = other.join().unwrap();
    assert_eq!(
        (first, own.as_deref().map(String::as_str)),
        (None, Some("other"))
    );
    let before = slot.replace(None).unwrap();
    assert_eq!(before.as_deref().map(String::as_str), Some("main"));
    assert_eq!(slot.get().unwrap(), None);
}

#[test]
fn states_carry_the_value_of_their_capture() {
    let slot = ThreadSlot::<i32>::register("rust.carried").unwrap();
    slot.replace(Some(Arc::new(1))).unwrap();
    let state = ThreadState::capture().unwrap();
    slot.replace(Some(Arc::new(2))).unwrap();
    let seen = std::thread::spawn(state.bind(move || {
        let carried = slot.get().unwrap();
        slot.replace(Some(Arc::new(3))).unwrap();
        carried
    }));
    assert_eq!(seen.join().unwrap().unwrap().as_deref(), Some(&1));
    {
        let _guard = state.enter().unwrap();
        assert_eq!(slot.get().unwrap().as_deref(), Some(&1));
    }
    assert_eq!(slot.get().unwrap().as_deref(), Some(&2));
    slot.replace(None).unwrap();
}

#[test]
fn value_is_dropped_with_its_last_holder() {
    let slot = ThreadSlot::<Mutex<i32>>::register("rust.dropped").unwrap();
    let value = Arc::new(Mutex::new(5));
    let held = value.clone();
    let state = std::thread::spawn(move || {
        slot.replace(Some(held)).unwrap();
        ThreadState::capture().unwrap()
    })
    .join()
    .unwrap();
    // The thread has ended; its captured state still owns the value.
    assert_eq!(Arc::strong_count(&value), 2);
    drop(state);
    assert_eq!(Arc::strong_count(&value), 1);
}

/// Reads its own slot while `replace` drops it.
struct Nosy(ThreadSlot<Nosy>, Arc<Mutex<Vec<bool>>>);

impl Drop for Nosy {
    fn drop(&mut self) {
        let there = self.0.get().unwrap().is_some();
        self.1.lock().unwrap().push(there);
    }
}

#[test]
fn value_may_use_its_slot_while_it_is_dropped() {
    let slot = ThreadSlot::<Nosy>::register("rust.nosy").unwrap();
    let seen = Arc::new(Mutex::new(Vec::new()));
    slot.replace(Some(Arc::new(Nosy(slot, seen.clone()))))
        .unwrap();
    drop(slot.replace(None).unwrap());
    assert_eq!(*seen.lock().unwrap(), [false]);
}

#[test]
fn name_has_one_type() {
    let slot = ThreadSlot::<u32>::register("rust.typed").unwrap();
    slot.replace(Some(Arc::new(7))).unwrap();
    let again = ThreadSlot::<u32>::register("rust.typed").unwrap();
    assert_eq!(again.get().unwrap().as_deref(), Some(&7));
    fails(
        ThreadSlot::<i32>::register("rust.typed"),
        Status::ALREADY_EXISTS,
        &["ThreadSlot::register: rust.typed", "got i32"],
    );
    fails(
        ThreadSlot::<u32>::register(""),
        Status::INVALID_ARGUMENT,
        &["name"],
    );
    fails(
        ThreadSlot::<u32>::register("a\0b"),
        Status::INVALID_ARGUMENT,
        &["NUL"],
    );
    slot.replace(None).unwrap();
}
