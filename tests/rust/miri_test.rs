// SPDX-License-Identifier: Apache-2.0
//! The safe layer under Miri, which finds undefined behaviour, data races and leaks:
//!
//!     cargo +nightly miri test --package tenon --test miri
//!
//! Miri cannot run libtenon. A small stand-in in Rust takes its place, with the same ownership and
//! thread rules as the headers. Without Miri, this file is empty.
#![cfg(miri)]

mod miri_stand_in;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use miri_stand_in::{backward, define, resize};
use tenon::{Object, ObjectType, Status, Tensor, ThreadSlot};

static DROPS: AtomicUsize = AtomicUsize::new(0);

fn silently<R>(body: impl FnOnce() -> R) -> R {
    std::panic::set_hook(Box::new(|_| ()));
    let result = body();
    drop(std::panic::take_hook());
    result
}

#[test]
fn tensors_are_read_cloned_and_dropped_while_another_thread_resizes() {
    let x = Tensor::from_vec(vec![1.0f32, 2.0, 3.0, 4.0], &[2, 2]).unwrap();
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let own = x.clone();
                for _ in 0..4 {
                    assert_eq!(x.shape().len(), 2);
                    assert!(own.strides().iter().all(|&stride| stride >= 1));
                    let elements = own.to_vec::<f32>().unwrap();
                    assert!([4, 6, 8].contains(&elements.len()));
                    assert_eq!(elements[..4], [1.0, 2.0, 3.0, 4.0]);
                }
            });
        }
        resize(&x, &[3, 2]);
        resize(&x, &[2, 4]);
    });
    let y = x.clone();
    thread::spawn(move || drop(x)).join().unwrap();
    assert_eq!(y.to_vec::<f32>().unwrap().len(), 8);
    assert_eq!(y.to_vec::<i64>().unwrap_err().status(), Status::TYPE);
}

#[test]
fn elements_of_every_stride_are_read() {
    let x = Tensor::from_vec(vec![1i64, 2, 3, 4, 5, 6], &[2, 3]).unwrap();
    miri_stand_in::restride(&x, &[3, 2], &[1, 3]);
    assert_eq!(x.to_vec::<i64>().unwrap(), [1, 4, 2, 5, 3, 6]);
    let bytes = Tensor::from_vec(vec![true, false], &[2]).unwrap();
    assert_eq!(bytes.to_vec::<bool>().unwrap(), [true, false]);
}

struct Owner(Vec<f32>);
impl Drop for Owner {
    fn drop(&mut self) {
        DROPS.fetch_add(1, Ordering::Relaxed);
        panic!("an owner's drop");
    }
}

#[test]
fn owner_whose_drop_panics_does_not_unwind_into_c() {
    let mut owner = Box::new(Owner(vec![1.0]));
    let data = owner.0.as_mut_ptr();
    // SAFETY: the owner holds one element, and is dropped with the last tensor on it.
    let x = unsafe { Tensor::wrap(data.cast(), tenon::DType::F32, &[1], None, owner) }.unwrap();
    let y = x.clone();
    silently(|| {
        drop(x);
        assert_eq!(y.to_vec::<f32>().unwrap(), [1.0]);
        drop(y);
    });
    assert_eq!(DROPS.load(Ordering::Relaxed), 1);
}

#[test]
fn hook_that_drops_its_own_handle_runs_to_its_end() {
    let x = Tensor::from_vec(vec![1.0f32], &[1]).unwrap();
    let kept = Arc::new(Mutex::new(None));
    let (text, own) = (String::from("captured"), kept.clone());
    let hook = x
        .register_hook(move |grad| {
            drop(own.lock().unwrap().take()); // removes this very hook
            assert_eq!(text, "captured");
            Ok(Some(grad.clone()))
        })
        .unwrap();
    *kept.lock().unwrap() = Some(hook.scoped());
    assert_eq!(backward(&x).unwrap(), 1);
    assert_eq!(backward(&x).unwrap(), 0);
}

#[test]
fn hooks_are_removed_on_one_thread_while_another_one_runs_them() {
    let x = Tensor::from_vec(vec![1.0f32], &[1]).unwrap();
    let runs = Arc::new(AtomicUsize::new(0));
    let hooks: Vec<_> = (0..3)
        .map(|_| {
            let runs = runs.clone();
            x.register_hook(move |_| {
                runs.fetch_add(1, Ordering::Relaxed);
                Ok(None)
            })
            .unwrap()
            .scoped()
        })
        .collect();
    thread::scope(|scope| {
        scope.spawn(|| backward(&x).unwrap());
        scope.spawn(move || drop(hooks));
    });
    assert_eq!(backward(&x).unwrap(), 0);
    assert!(runs.load(Ordering::Relaxed) <= 3);
    assert_eq!(Arc::strong_count(&runs), 1);
}

#[test]
fn panic_in_a_hook_comes_back_as_an_error() {
    let x = Tensor::from_vec(vec![1.0f32], &[1]).unwrap();
    let place = String::from("hook");
    let _hook = x
        .register_hook(move |_| panic!("in a {place}"))
        .unwrap()
        .scoped();
    let error = silently(|| backward(&x).unwrap_err());
    assert!(error.is_panic());
    assert_eq!(error.message(), "in a hook");
    let payload = error.into_panic().unwrap();
    assert_eq!(payload.downcast_ref::<String>().unwrap(), "in a hook");
}

#[test]
fn listener_that_drops_its_own_registration_runs_to_its_end() {
    let kept = Arc::new(Mutex::new(None));
    let seen = Arc::new(AtomicUsize::new(0));
    let (own, count) = (kept.clone(), seen.clone());
    let listener = tenon::listen(move |_, name| {
        drop(own.lock().unwrap().take());
        assert_eq!(name, "stand_in::f");
        count.fetch_add(1, Ordering::Relaxed);
    });
    *kept.lock().unwrap() = Some(listener.unwrap());
    define();
    define();
    assert_eq!(seen.load(Ordering::Relaxed), 1);
}

struct Palette(Vec<u32>);
impl ObjectType for Palette {
    const NAME: &'static str = "stand_in.Palette";
}

#[test]
fn objects_are_cloned_and_dropped_on_threads() {
    let object = Object::new(Palette(vec![7])).unwrap();
    let threads: Vec<_> = (0..3)
        .map(|_| {
            let own = object.clone();
            thread::spawn(move || own.downcast_ref::<Palette>().unwrap().0[0])
        })
        .collect();
    drop(object);
    for thread in threads {
        assert_eq!(thread.join().unwrap(), 7);
    }
}

struct Reentrant(ThreadSlot<Reentrant>);
impl Drop for Reentrant {
    fn drop(&mut self) {
        drop(self.0.replace(None)); // reads the slot while its value is being replaced
    }
}

#[test]
fn value_of_a_slot_may_use_the_slot_while_it_is_dropped() {
    let slot = ThreadSlot::<Reentrant>::register("stand_in.slot").unwrap();
    drop(slot.replace(Some(Arc::new(Reentrant(slot)))));
    assert!(slot.get().unwrap().is_some());
    drop(slot.replace(Some(Arc::new(Reentrant(slot)))));
    drop(slot.replace(None));
    assert!(slot.get().unwrap().is_none());
}
