// SPDX-License-Identifier: Apache-2.0
//! Gradients: leaves, passes, nodes, and formulas as texts and closures.

use std::collections::HashSet;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

use tenon::autograd::{self, BackwardCall, BackwardOptions, Formula, GradientPolicy, Node};
use tenon::{
    grad_mode, DType, Device, DispatchKey, Error, Library, Op, Policy, Result, Status, Tensor,
    ValueRef,
};

use crate::support::{fails, floats, read};

fn leaf(data: &[f32]) -> Tensor {
    let tensor = floats(data);
    tensor.set_requires_grad(true).unwrap();
    tensor
}

fn cube_sum(x: &Tensor) -> Tensor {
    (&(x * x).unwrap() * x).unwrap().sum().unwrap()
}

// ---- Tensors ------------------------------------------------------------------------------------

#[test]
fn leaves_ask_for_gradients_and_stop() {
    let x = floats(&[1.0]);
    assert!(!x.requires_grad() && x.is_leaf() && x.grad().is_none());
    assert!(x.gradient_edge().unwrap().is_none());
    x.set_requires_grad(true).unwrap();
    assert!(x.requires_grad() && x.is_leaf() && x.grad_fn().unwrap().is_none());
    let edge = x.gradient_edge().unwrap().unwrap();
    assert_eq!((&*edge.node.name(), edge.output), ("AccumulateGrad", 0));
    x.set_requires_grad(false).unwrap();
    assert!(!x.requires_grad() && x.gradient_edge().unwrap().is_none());
}

#[test]
fn gradients_are_set_and_cleared() {
    let x = leaf(&[1.0, 2.0]);
    let given = floats(&[5.0, 7.0]);
    x.set_grad(Some(&given)).unwrap();
    assert_eq!(x.grad().unwrap().as_raw(), given.as_raw());
    x.set_grad(None).unwrap();
    assert!(x.grad().is_none());
    let longer = floats(&[1.0; 3]);
    fails(
        x.set_grad(Some(&longer)),
        Status::INVALID_ARGUMENT,
        &["[2]", "[3]"],
    );
    let made = (&x * 2.0).unwrap();
    fails(made.set_grad(Some(&given)), Status::STATE, &["leaf"]);
}

#[test]
fn what_cannot_have_gradients_is_refused() {
    let ints = Tensor::from_slice(&[1i64], &[1]).unwrap();
    fails(ints.set_requires_grad(true), Status::TYPE, &["int64"]);
    let made = (&leaf(&[1.0]) * 2.0).unwrap();
    fails(made.set_requires_grad(false), Status::STATE, &["leaf"]);
    let inference =
        grad_mode::inference_mode(|| Tensor::empty(&[1], DType::F32, Device::CPU).unwrap());
    fails(
        inference.unwrap().set_requires_grad(true),
        Status::STATE,
        &["inference"],
    );
}

#[test]
fn views_know_their_base() {
    let x = leaf(&[1.0, 2.0, 3.0]);
    assert!(x.base().is_none());
    let view = x.slice(0, Some(1), None, 1).unwrap();
    let inner = view.slice(0, Some(1), None, 1).unwrap();
    assert_eq!(inner.base().unwrap().as_raw(), x.as_raw());
    inner.sum().unwrap().backward().unwrap();
    assert_eq!(read(&x.grad().unwrap()), [0.0, 0.0, 1.0]);
}

// ---- Passes -------------------------------------------------------------------------------------

#[test]
fn backward_adds_to_the_gradients_of_leaves() {
    let (x, w) = (leaf(&[2.0, 3.0]), leaf(&[5.0, 7.0]));
    let sum = (&x * &w).unwrap().sum().unwrap();
    BackwardOptions::new()
        .retain_graph(true)
        .backward(&[&sum])
        .unwrap();
    sum.backward().unwrap();
    assert_eq!(read(&x.grad().unwrap()), [10.0, 14.0]);
    assert_eq!(read(&w.grad().unwrap()), [4.0, 6.0]);
    fails(sum.backward(), Status::STATE, &["second time"]);
}

#[test]
fn inputs_choose_the_tensors_that_gradients_are_for() {
    let (x, w) = (leaf(&[2.0]), leaf(&[5.0]));
    let y = (&x * &w).unwrap();
    let z = (&y * 3.0).unwrap();
    let to = |inputs: &[&Tensor]| {
        BackwardOptions::new()
            .retain_graph(true)
            .inputs(inputs)
            .backward(&[&z])
    };
    fails(to(&[]), Status::INVALID_ARGUMENT, &["inputs", "empty"]);
    to(&[&w]).unwrap();
    assert!(x.grad().is_none());
    assert_eq!(read(&w.grad().unwrap()), [6.0]);
    // The gradient of a result is retained.
    to(&[&y]).unwrap();
    assert_eq!(read(&y.grad().unwrap()), [3.0]);
    assert_eq!(read(&w.grad().unwrap()), [6.0]);
}

#[test]
fn grad_returns_and_leaves_leaves_alone() {
    let (x, w) = (leaf(&[2.0]), leaf(&[5.0]));
    let y = (&x * &w).unwrap();
    let grads = autograd::grad(&[&y], &[&w, &x]).unwrap();
    assert_eq!((read(&grads[0]), read(&grads[1])), (vec![2.0], vec![5.0]));
    assert!(x.grad().is_none() && !grads[0].requires_grad());
}

#[test]
fn unused_inputs_are_errors_or_none() {
    let (x, apart) = (leaf(&[2.0]), leaf(&[1.0]));
    let y = || (&x * &x).unwrap();
    let texts = ["input 1", "used"];
    fails(
        autograd::grad(&[&y()], &[&x, &apart]),
        Status::STATE,
        &texts,
    );
    let grads = BackwardOptions::new()
        .allow_unused(true)
        .grad(&[&y()], &[&x, &apart])
        .unwrap();
    assert_eq!(read(grads[0].as_ref().unwrap()), [4.0]);
    assert!(grads[1].is_none());
    let options = BackwardOptions::new().allow_unused(true);
    let strict = options.allow_unused(false).grad(&[&y()], &[&apart]);
    fails(strict, Status::STATE, &["used"]);
}

#[test]
fn outputs_of_many_elements_need_a_gradient() {
    let x = leaf(&[2.0, 3.0]);
    let y = (&x * &x).unwrap();
    fails(y.backward(), Status::INVALID_ARGUMENT, &["scalar", "[2]"]);
    let (one, two) = (floats(&[1.0, 10.0]), floats(&[1.0]));
    let with =
        |grads: &[Option<&Tensor>]| BackwardOptions::new().grad_tensors(grads).backward(&[&y]);
    fails(
        with(&[]),
        Status::INVALID_ARGUMENT,
        &["grad_tensors", "1", "0"],
    );
    fails(with(&[Some(&two)]), Status::INVALID_ARGUMENT, &["shape"]);
    fails(with(&[None]), Status::INVALID_ARGUMENT, &["scalar"]);
    with(&[Some(&one)]).unwrap();
    assert_eq!(read(&x.grad().unwrap()), [4.0, 60.0]);
}

#[test]
fn passes_without_their_tensors_are_refused() {
    let x = leaf(&[2.0]);
    fails(
        autograd::backward(&[]),
        Status::INVALID_ARGUMENT,
        &["outputs"],
    );
    fails(
        autograd::grad(&[&x], &[]),
        Status::INVALID_ARGUMENT,
        &["inputs"],
    );
    let untracked = floats(&[1.0]);
    fails(untracked.backward(), Status::STATE, &["require grad"]);
    fails(
        autograd::grad(&[&x], &[&untracked]),
        Status::STATE,
        &["input 0", "require grad"],
    );
    let twice = BackwardOptions::new().inputs(&[&x]).grad(&[&x], &[&x]);
    fails(twice, Status::INVALID_ARGUMENT, &["inputs", "option"]);
}

#[test]
fn a_recorded_pass_is_derived_again() {
    let x = leaf(&[2.0, 3.0]);
    let slope = BackwardOptions::new()
        .create_graph(true)
        .grad(&[&cube_sum(&x)], &[&x])
        .unwrap()
        .remove(0)
        .unwrap();
    assert_eq!(read(&slope), [12.0, 27.0]);
    let curve = autograd::grad(&[&slope.sum().unwrap()], &[&x]).unwrap();
    assert_eq!(read(&curve[0]), [12.0, 18.0]);
}

#[test]
fn no_grad_records_nothing() {
    let x = leaf(&[2.0]);
    let y = grad_mode::no_grad(|| (&x * &x).unwrap()).unwrap();
    assert!(!y.requires_grad() && y.is_leaf());
}

#[test]
fn threads_run_passes_over_shared_leaves() {
    let x = leaf(&[3.0]);
    let workers: Vec<_> = (0..4)
        .map(|_| {
            let x = x.clone();
            std::thread::spawn(move || {
                for _ in 0..100 {
                    (&x * &x).unwrap().backward().unwrap();
                }
            })
        })
        .collect();
    for worker in workers {
        worker.join().unwrap();
    }
    assert_eq!(read(&x.grad().unwrap()), [2400.0]);
}

// ---- Nodes --------------------------------------------------------------------------------------

#[test]
fn nodes_lead_to_older_nodes() {
    let (x, w) = (leaf(&[2.0]), floats(&[5.0]));
    let y = (&x * &w).unwrap();
    let node = y.grad_fn().unwrap().unwrap();
    assert_eq!(node.name(), "MulBackward0");
    assert!(format!("{node:?}").starts_with("Node(MulBackward0 "));
    let next: Vec<_> = node.next_functions().collect();
    assert_eq!(next.len(), 2);
    let leaf_edge = next[0].clone().unwrap();
    assert!(next[1].is_none()); // no gradient is wanted for w
    assert_eq!(Some(&leaf_edge), x.gradient_edge().unwrap().as_ref());
    assert!(leaf_edge.node.sequence() < node.sequence());
    assert_eq!(leaf_edge.node.next_functions().count(), 0);
}

#[test]
fn equal_nodes_are_the_same_node() {
    let x = leaf(&[2.0]);
    let (y, z) = ((&x * 2.0).unwrap(), (&x * 2.0).unwrap());
    let node = |tensor: &Tensor| tensor.grad_fn().unwrap().unwrap();
    assert_eq!(node(&y), node(&y).clone());
    assert_ne!(node(&y), node(&z));
    let set: HashSet<Node> = [node(&y), node(&z), node(&y)].into();
    assert_eq!(set.len(), 2);
    let kept = node(&y);
    drop(y);
    assert_eq!(kept.name(), "MulBackward0");
}

// ---- Formulas -----------------------------------------------------------------------------------

/// An operator `f(Tensor a, Tensor b) -> Tensor` that multiplies.
fn product(namespace: &str) -> (Library, Op) {
    let library = Library::define_namespace(namespace).unwrap();
    let op = library.define("f(Tensor a, Tensor b) -> Tensor").unwrap();
    library
        .impl_fn("f", DispatchKey::CPU, |a: &Tensor, b: &Tensor| a * b)
        .unwrap();
    (library, op)
}

fn of_product(call: &BackwardCall<'_>) -> Result<Vec<Option<Tensor>>> {
    let (a, b) = (call.saved_tensor(0)?, call.saved_tensor(1)?);
    let grad = call.grad(0)?;
    Ok(vec![Some((grad * b)?), Some((grad * a)?)])
}

#[test]
fn operators_without_formula_follow_their_policy() {
    let (library, op) = product("autograd_policy");
    let all = Library::implement("_", DispatchKey::NONE).unwrap();
    let (x, w) = (leaf(&[2.0]), floats(&[5.0]));
    let call = || op.call::<Tensor>((&x, &w)).unwrap();
    fails(
        call().backward(),
        Status::NOT_SUPPORTED,
        &["autograd_policy::f"],
    );
    let policy = all.set_gradient_policy("_", GradientPolicy::Stop).unwrap();
    assert!(!call().requires_grad());
    library
        .set_gradient_policy("f", GradientPolicy::Warn)
        .unwrap();
    call().backward().unwrap();
    assert!(x.grad().is_none());
    let second = all.set_gradient_policy("_", GradientPolicy::Error);
    fails(second, Status::ALREADY_EXISTS, &["fallback"]);
    policy.remove();
    let of_all = library.set_gradient_policy("_", GradientPolicy::Error);
    fails(of_all, Status::INVALID_ARGUMENT, &["\"_\""]);
}

#[test]
fn texts_are_formulas() {
    let (library, op) = product("autograd_text");
    library
        .register_autograd("f", "a: grad * b; b: grad * a")
        .unwrap();
    let (x, w) = (leaf(&[2.0]), leaf(&[5.0]));
    let y: Tensor = op.call((&x, &w)).unwrap();
    assert_eq!(y.grad_fn().unwrap().unwrap().name(), "FBackward0");
    y.backward().unwrap();
    assert_eq!(read(&x.grad().unwrap()), [5.0]);
    assert_eq!(read(&w.grad().unwrap()), [2.0]);
}

#[test]
fn closures_are_formulas_and_can_be_derived() {
    let (library, op) = product("autograd_closure");
    library
        .register_autograd("f", Formula::new(of_product).saves(&["a", "b"]))
        .unwrap();
    let x = leaf(&[2.0, 3.0]);
    let square: Tensor = op.call((&x, &x)).unwrap();
    let cube: Tensor = op.call((&square, &x)).unwrap();
    let slope = BackwardOptions::new()
        .create_graph(true)
        .grad(&[&cube.sum().unwrap()], &[&x])
        .unwrap()
        .remove(0)
        .unwrap();
    assert_eq!(read(&slope), [12.0, 27.0]);
    let curve = autograd::grad(&[&slope.sum().unwrap()], &[&x]).unwrap();
    assert_eq!(read(&curve[0]), [12.0, 18.0]);
}

#[test]
fn untracked_calls_do_not_reach_the_closure() {
    let (library, op) = product("autograd_untracked");
    let calls = Arc::new(AtomicUsize::new(0));
    let count = calls.clone();
    let formula = Formula::new(move |call| {
        count.fetch_add(1, Ordering::SeqCst);
        of_product(call)
    });
    library
        .register_autograd("f", formula.saves(&["a", "b"]))
        .unwrap();
    let (x, w) = (leaf(&[2.0]), floats(&[5.0]));
    op.call::<Tensor>((&w, &w)).unwrap();
    let y: Tensor = op.call((&x, &w)).unwrap();
    assert_eq!(calls.load(Ordering::SeqCst), 0);
    y.backward().unwrap();
    assert_eq!(calls.load(Ordering::SeqCst), 1);
    assert_eq!(read(&x.grad().unwrap()), [5.0]);
}

#[test]
fn closures_see_what_was_saved_and_wanted() {
    let library = Library::define_namespace("autograd_saved").unwrap();
    let op = library
        .define("f(Tensor a, Tensor[] more, str s, int[] sizes) -> (Tensor, Tensor, Tensor)")
        .unwrap();
    type Three = (Tensor, Tensor, Tensor);
    let kernel = |a: &Tensor, _: &[Tensor], _: &str, _: &[i64]| -> Result<Three> {
        Ok(((a * 2.0)?, (a * 3.0)?, Tensor::scalar(1i64)?))
    };
    library.impl_fn("f", DispatchKey::CPU, kernel).unwrap();
    let formula = Formula::new(|call: &BackwardCall<'_>| {
        assert_eq!(call.input_count(), 3);
        let needs: Vec<bool> = (0..4).map(|index| call.needs(index)).collect();
        assert_eq!(needs, [true, false, true, false]);
        assert_eq!(call.grads().len(), 3);
        assert_eq!(read(call.grad(0)?), [0.0]); // its result is unused
        assert_eq!(read(call.grad(1)?), [1.0]);
        assert!(call.grads()[2].is_none()); // integers have no gradient
        fails(call.grad(2), Status::STATE, &["FBackward0", "output 2"]);
        fails(call.grad(3), Status::INDEX, &["FBackward0", "3"]);
        assert!(matches!(call.saved().get(0), Some(ValueRef::Str("text"))));
        assert!(matches!(
            call.saved().get(1),
            Some(ValueRef::IntList([4, 5]))
        ));
        assert_eq!(read(call.saved_tensor(2)?), [6.0]);
        fails(call.saved_tensor(0), Status::TYPE, &["Tensor", "str"]);
        fails(call.saved_tensor(3), Status::INDEX, &["below 3"]);
        assert_eq!(call.node().name(), "FBackward0");
        Ok(vec![Some(floats(&[7.0])), None, Some(floats(&[8.0]))])
    });
    library
        .register_autograd("f", formula.saves(&["s", "sizes", "result1"]))
        .unwrap();
    let (a, b, c) = (leaf(&[2.0]), floats(&[1.0]), leaf(&[1.0]));
    let more = [b, c.clone()];
    let results: Three = op.call((&a, &more[..], "text", &[4i64, 5][..])).unwrap();
    assert!(!results.2.requires_grad());
    results.1.backward().unwrap();
    assert_eq!(read(&a.grad().unwrap()), [7.0]);
    assert_eq!(read(&c.grad().unwrap()), [8.0]);
}

#[derive(Debug, PartialEq)]
struct Lost(u32);

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "lost {}", self.0)
    }
}

impl std::error::Error for Lost {}

/// Returns the error of a backward pass over a closure.
fn failure_of(
    namespace: &str,
    closure: impl Fn(&BackwardCall<'_>) -> Result<Vec<Option<Tensor>>> + Send + Sync + 'static,
) -> Error {
    let (library, op) = product(namespace);
    library
        .register_autograd("f", Formula::new(closure))
        .unwrap();
    let x = leaf(&[2.0]);
    let y: Tensor = op.call((&x, &x)).unwrap();
    let error = (&y * 3.0).unwrap().backward().unwrap_err();
    assert!(x.grad().is_none());
    error
}

#[test]
fn error_values_come_home() {
    let error = failure_of("autograd_error", |_| Err(Error::from_error(Lost(42))));
    assert_eq!(error.downcast_ref::<Lost>(), Some(&Lost(42)));
    let frame = &error.frames()[0];
    assert_eq!(frame.language, "Rust");
    assert!(frame.file.ends_with("autograd_test.rs"), "{}", frame.file);
}

#[test]
fn panics_come_home() {
    let error = failure_of("autograd_panic", |_| std::panic::panic_any(7i32));
    assert!(error.is_panic());
    let payload = error.into_panic().unwrap();
    assert_eq!(payload.downcast_ref::<i32>(), Some(&7));
}

#[test]
fn wrong_numbers_of_gradients_are_named() {
    let error = failure_of("autograd_count", |_| Ok(vec![None]));
    let texts = ["FBackward0", "must be 2", "got 1"];
    fails::<()>(Err(error), Status::INVALID_ARGUMENT, &texts);
}

#[test]
fn formulas_go_with_their_registration_and_nodes_keep_them() {
    struct Counted(Arc<AtomicUsize>);
    impl Drop for Counted {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }
    let drops = Arc::new(AtomicUsize::new(0));
    let formula = |counted: Counted| {
        Formula::new(move |call| {
            let _keep = &counted;
            of_product(call)
        })
        .saves(&["a", "b"])
    };
    drop(formula(Counted(drops.clone())));
    assert_eq!(drops.load(Ordering::SeqCst), 1);
    let (library, op) = product("autograd_drop");
    let closed = Library::implement("autograd_drop", DispatchKey::NONE).unwrap();
    closed.close();
    let refused = closed.register_autograd("f", formula(Counted(drops.clone())));
    fails(refused, Status::STATE, &["closed"]);
    assert_eq!(drops.load(Ordering::SeqCst), 2);
    let registration = library
        .register_autograd("f", formula(Counted(drops.clone())))
        .unwrap();
    let x = leaf(&[2.0]);
    let y: Tensor = op.call((&x, &x)).unwrap();
    registration.remove();
    tenon::reap();
    assert_eq!(drops.load(Ordering::SeqCst), 2);
    y.backward().unwrap();
    assert_eq!(read(&x.grad().unwrap()), [4.0]);
    drop(y);
    tenon::reap();
    assert_eq!(drops.load(Ordering::SeqCst), 3);
}

#[test]
fn bad_formulas_are_refused() {
    let (library, op) = product("autograd_bad");
    let refused = |name: &str, formula: Formula, status, texts: &[&str]| {
        fails(library.register_autograd(name, formula), status, texts);
    };
    refused("f", "a".into(), Status::PARSE, &["FBackward0", "':'"]);
    let saving = Formula::text("a: grad").saves(&["a"]);
    refused("f", saving, Status::INVALID_ARGUMENT, &["saves"]);
    refused(
        "f",
        "a: \0".into(),
        Status::INVALID_ARGUMENT,
        &["gradient", "NUL"],
    );
    refused(
        "f\0",
        "a: grad".into(),
        Status::INVALID_ARGUMENT,
        &["name", "NUL"],
    );
    refused(
        "other::f",
        "a: grad".into(),
        Status::INVALID_ARGUMENT,
        &["other"],
    );
    library.register_autograd("f", "a: grad; b: grad").unwrap();
    let second = Formula::text("a: grad").policy(Policy::Error);
    refused("f", second, Status::ALREADY_EXISTS, &["autograd_test.rs"]);
    assert!(format!("{:?}", Formula::from("a: grad")).contains("a: grad"));
    // Argument names in a formula are resolved at the first backward call.
    let x = leaf(&[1.0]);
    library
        .register_autograd("f", Formula::new(of_product).saves(&["c"]))
        .unwrap();
    let call = op.call::<Tensor>((&x, &x));
    fails(call, Status::INVALID_ARGUMENT, &["FBackward0", "c"]);
}
