// SPDX-License-Identifier: Apache-2.0
//! Hooks of saved tensors and of new nodes, and anomaly mode.

use std::sync::{Arc, Mutex};

use tenon::autograd::{AnomalyMode, NodeCreationHook, SavedTensorsHooks};
use tenon::{Error, Result, Status, Tensor, ThreadState, Value, ValueRef};

use crate::support::{fails, floats, panics, read, resume};

fn leaf(element: f32) -> Tensor {
    let leaf = floats(&[element]);
    leaf.set_requires_grad(true).unwrap();
    leaf
}

fn pack_tensor(tensor: &Tensor) -> Result<Value> {
    Ok(Value::Tensor((tensor * 2.0)?))
}

fn unpack_tensor(packed: ValueRef<'_>) -> Result<Tensor> {
    match packed {
        ValueRef::Tensor(tensor) => Ok(tensor.clone()),
        _ => Err(Error::new(Status::TYPE, "packed must be a Tensor")),
    }
}

#[test]
fn hooks_pack_and_unpack() {
    let (x, five) = (leaf(3.0), floats(&[5.0]));
    let hooks = SavedTensorsHooks::enter(pack_tensor, unpack_tensor).unwrap();
    let y = (&x * &five).unwrap();
    drop(hooks);
    let plain = (&x * &five).unwrap();
    y.backward().unwrap();
    assert_eq!(read(&x.grad().unwrap()), [10.0]);
    plain.backward().unwrap();
    assert_eq!(read(&x.grad().unwrap()), [15.0]);
}

#[test]
fn innermost_hooks_pack_and_thread_states_carry_them() {
    let (x, five) = (leaf(3.0), floats(&[5.0]));
    let _outer = SavedTensorsHooks::enter(
        |_| Err(Error::new(Status::RUNTIME, "the outer ones")),
        unpack_tensor,
    )
    .unwrap();
    let _inner = SavedTensorsHooks::enter(pack_tensor, unpack_tensor).unwrap();
    let task = {
        let (x, five) = (x.clone(), five.clone());
        move || (&x * &five).unwrap()
    };
    let y = ThreadState::spawn(task).unwrap().join().unwrap().unwrap();
    y.backward().unwrap();
    assert_eq!(read(&x.grad().unwrap()), [10.0]);
}

#[test]
fn errors_and_panics_of_hooks_come_home() {
    let (x, five) = (leaf(3.0), floats(&[5.0]));
    let asked = |text: &'static str| move || Error::new(Status::RUNTIME, text);
    let (pack, unpack) = (asked("in pack"), asked("in unpack"));
    let hooks = SavedTensorsHooks::enter(move |_| Err(pack()), unpack_tensor).unwrap();
    fails(&x * &five, Status::RUNTIME, &["in pack"]);
    drop(hooks);
    let hooks = SavedTensorsHooks::enter(|_| panic!("{}", "pack panics"), unpack_tensor).unwrap();
    let text = panics(|| resume(&x * &five));
    assert_eq!(text, "pack panics");
    drop(hooks);
    let hooks = SavedTensorsHooks::enter(pack_tensor, move |_| Err(unpack())).unwrap();
    let y = (&x * &five).unwrap();
    drop(hooks);
    fails(y.backward(), Status::RUNTIME, &["in unpack"]);
    let hooks = SavedTensorsHooks::enter(pack_tensor, |_| panic!("{}", "unpack panics")).unwrap();
    let y = (&x * &five).unwrap();
    drop(hooks);
    let text = panics(|| resume(y.backward()));
    assert_eq!(text, "unpack panics");
    assert!(x.grad().is_none());
}

#[test]
fn hooks_are_refused_with_a_message() {
    let enter = || SavedTensorsHooks::enter(pack_tensor, unpack_tensor).map(drop);
    let outer = SavedTensorsHooks::disable("not in here").unwrap();
    let inner = SavedTensorsHooks::disable("nor in here").unwrap();
    assert_eq!(enter().unwrap_err().message(), "nor in here");
    drop(inner);
    assert_eq!(enter().unwrap_err().message(), "not in here");
    drop(outer);
    let hooks = SavedTensorsHooks::enter(pack_tensor, unpack_tensor).unwrap();
    fails(
        SavedTensorsHooks::disable("too late"),
        Status::STATE,
        &["too late"],
    );
    drop(hooks);
    let nul = SavedTensorsHooks::disable("a\0b");
    fails(nul, Status::INVALID_ARGUMENT, &["message"]);
}

#[test]
fn hooks_end_in_reverse() {
    let outer = SavedTensorsHooks::enter(pack_tensor, unpack_tensor).unwrap();
    let inner = SavedTensorsHooks::enter(pack_tensor, unpack_tensor).unwrap();
    let text = panics(move || drop(outer));
    assert!(text.contains("reverse"), "{text}");
    drop(inner);
    // The remaining hooks are dropped when the thread ends.
}

#[test]
fn creation_hooks_see_nodes() {
    let x = leaf(3.0);
    let names = Arc::new(Mutex::new(Vec::new()));
    let seen = names.clone();
    let hook = NodeCreationHook::enter(move |node| {
        seen.lock().unwrap().push(node.name().into_owned());
        Ok(())
    })
    .unwrap();
    let y = (&x * &x).unwrap().sum().unwrap();
    drop(hook);
    (&y * 2.0).unwrap();
    assert_eq!(
        *names.lock().unwrap(),
        ["AccumulateGrad", "MulBackward0", "SumBackward0"]
    );
    let no = |_: &_| Err(Error::new(Status::RUNTIME, "no nodes"));
    let _hook = NodeCreationHook::enter(no).unwrap();
    fails(&x * &x, Status::RUNTIME, &["no nodes"]);
}

#[test]
fn anomaly_mode_finds_nan() {
    let x = leaf(0.0);
    let run = || -> Result<()> { (&(&x / &x)? * 1.0)?.backward() };
    let mode = AnomalyMode::enter(true).unwrap();
    let error = fails(run(), Status::STATE, &["DivBackward0", "nan"]);
    assert!(
        format!("{error:?}").contains("was created by this call"),
        "{error:?}"
    );
    let quiet = AnomalyMode::enter(false).unwrap();
    run().unwrap();
    drop(quiet);
    assert!(run().is_err());
    drop(mode);
    run().unwrap();
}
