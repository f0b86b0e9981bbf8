// SPDX-License-Identifier: Apache-2.0
//! Hooks of tensors and nodes: arguments and replacements, order, and removal.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use tenon::autograd::{self, when_done, BackwardOptions};
use tenon::{Error, Status, Tensor};

use crate::support::{fails, floats, read};

fn leaf(data: &[f32]) -> Tensor {
    let tensor = floats(data);
    tensor.set_requires_grad(true).unwrap();
    tensor
}

#[test]
fn gradients_are_seen_and_replaced() {
    let x = leaf(&[3.0]);
    let seen = Arc::new(Mutex::new(Vec::new()));
    let told = seen.clone();
    let look = x
        .register_hook(move |grad| {
            told.lock().unwrap().push(read(grad)[0]);
            Ok(None)
        })
        .unwrap();
    let twice = x.register_hook(|grad| Ok(Some((grad * 2.0)?))).unwrap();
    let y = || (&x * &x).unwrap();
    y().backward().unwrap();
    assert_eq!(*seen.lock().unwrap(), [6.0]);
    assert_eq!(read(&x.grad().unwrap()), [12.0]);
    twice.remove();
    twice.remove();
    y().backward().unwrap();
    assert_eq!(read(&x.grad().unwrap()), [18.0]);
    drop(look); // it stays
    y().backward().unwrap();
    assert_eq!(seen.lock().unwrap().len(), 3);
}

#[test]
fn scoped_hooks_end_with_their_guard() {
    let x = leaf(&[3.0]);
    {
        let _twice = x
            .register_hook(|grad| Ok(Some((grad * 2.0)?)))
            .unwrap()
            .scoped();
        (&x * &x).unwrap().backward().unwrap();
    }
    (&x * &x).unwrap().backward().unwrap();
    assert_eq!(read(&x.grad().unwrap()), [18.0]);
}

#[test]
fn accumulated_leaves_are_shown() {
    let x = leaf(&[3.0]);
    let seen = Arc::new(Mutex::new(Vec::new()));
    let told = seen.clone();
    x.register_post_accumulate_grad_hook(move |leaf| {
        told.lock().unwrap().push(read(&leaf.grad().unwrap())[0]);
        leaf.set_grad(None)
    })
    .unwrap();
    (&x * &x).unwrap().backward().unwrap();
    (&x * 2.0).unwrap().backward().unwrap();
    assert_eq!(*seen.lock().unwrap(), [6.0, 2.0]);
    assert!(x.grad().is_none());
    let made = (&x * 2.0).unwrap();
    let refused = made.register_post_accumulate_grad_hook(|_| Ok(()));
    fails(refused, Status::STATE, &["leaf"]);
}

#[test]
fn nodes_have_hooks_before_and_after() {
    let (x, w) = (leaf(&[3.0]), leaf(&[5.0]));
    let y = (&x * &w).unwrap();
    let node = y.grad_fn().unwrap().unwrap();
    node.register_prehook(|grads| {
        assert_eq!(grads.len(), 1);
        Ok(Some(vec![Some((grads[0].as_ref().unwrap() * 10.0)?)]))
    })
    .unwrap();
    node.register_hook(|inputs, outputs| {
        assert_eq!((inputs.len(), outputs.len()), (2, 1));
        assert_eq!(read(outputs[0].as_ref().unwrap()), [10.0]);
        let second = inputs[1].as_ref().unwrap();
        Ok(Some(vec![inputs[0].clone(), Some((second + 1.0)?)]))
    })
    .unwrap();
    y.backward().unwrap();
    assert_eq!(read(&x.grad().unwrap()), [50.0]);
    assert_eq!(read(&w.grad().unwrap()), [31.0]);
}

#[test]
fn leaves_know_their_variable() {
    let x = leaf(&[3.0]);
    let node = x.gradient_edge().unwrap().unwrap().node;
    assert_eq!(node.variable().unwrap().as_raw(), x.as_raw());
    let made = (&x * 2.0).unwrap().grad_fn().unwrap().unwrap();
    assert!(made.variable().is_none());
    drop(x);
    drop(made);
    assert!(node.variable().is_none());
}

#[test]
fn retained_gradients_stay_with_results() {
    let x = leaf(&[3.0]);
    let y = (&x * &x).unwrap();
    assert!(!y.retains_grad());
    y.retain_grad().unwrap();
    assert!(y.retains_grad());
    (&y * 2.0).unwrap().backward().unwrap();
    assert_eq!(read(&y.grad().unwrap()), [2.0]);
    fails(floats(&[1.0]).retain_grad(), Status::STATE, &["require"]);
}

#[test]
fn failures_of_hooks_come_home() {
    let x = leaf(&[3.0]);
    let failing = x
        .register_hook(|_| Err(Error::from_error(std::fmt::Error)))
        .unwrap();
    let y = || (&x * &x).unwrap();
    let error = y().backward().unwrap_err();
    assert!(error.downcast_ref::<std::fmt::Error>().is_some());
    assert!(error.frames()[0].file.ends_with("hook_test.rs"));
    failing.remove();
    let panicking = x
        .register_hook(|_| std::panic::panic_any(7i32))
        .unwrap()
        .scoped();
    let payload = y().backward().unwrap_err().into_panic().unwrap();
    assert_eq!(payload.downcast_ref::<i32>(), Some(&7));
    drop(panicking);
    let product = y();
    let node = product.grad_fn().unwrap().unwrap();
    node.register_prehook(|_| Ok(Some(Vec::new()))).unwrap();
    let texts = ["MulBackward0", "hook", "1", "0"];
    fails(product.backward(), Status::INVALID_ARGUMENT, &texts);
    assert!(x.grad().is_none());
}

#[test]
fn what_cannot_have_hooks_is_refused_and_drops_the_closure() {
    struct Counted(Arc<AtomicUsize>);
    impl Drop for Counted {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }
    let drops = Arc::new(AtomicUsize::new(0));
    let hook = || {
        let counted = Counted(drops.clone());
        move |_: &Tensor| {
            let _keep = &counted;
            Ok(None)
        }
    };
    let refused = floats(&[1.0]).register_hook(hook());
    fails(refused, Status::STATE, &["require"]);
    assert_eq!(drops.load(Ordering::SeqCst), 1);
    let x = leaf(&[1.0]);
    x.register_hook(hook()).unwrap().remove();
    assert_eq!(drops.load(Ordering::SeqCst), 2);
    x.register_hook(hook()).unwrap();
    drop(x);
    assert_eq!(drops.load(Ordering::SeqCst), 3);
}

#[test]
fn tasks_run_when_the_pass_is_done() {
    fails(when_done(|| Ok(())), Status::STATE, &["pass"]);
    let x = leaf(&[3.0]);
    let order = Arc::new(Mutex::new(Vec::new()));
    let (first, last) = (order.clone(), order.clone());
    x.register_hook(move |_| {
        let last = last.clone();
        when_done(move || {
            last.lock().unwrap().push("done");
            Ok(())
        })?;
        first.lock().unwrap().push("hook");
        Ok(None)
    })
    .unwrap();
    (&x * &x).unwrap().backward().unwrap();
    assert_eq!(*order.lock().unwrap(), ["hook", "done"]);
    let w = leaf(&[1.0]);
    w.register_hook(|_| {
        when_done(|| Err(Error::new(Status::BUSY, "at the end")))?;
        Ok(None)
    })
    .unwrap();
    fails(
        (&w * 2.0).unwrap().backward(),
        Status::BUSY,
        &["at the end"],
    );
}

#[test]
fn hooks_of_recorded_passes_are_recorded() {
    let x = leaf(&[3.0]);
    x.register_hook(|grad| Ok(Some((grad * grad)?))).unwrap();
    let y = (&(&x * &x).unwrap() * &x).unwrap();
    let options = BackwardOptions::new().create_graph(true);
    let slope = options.grad(&[&y], &[&x]).unwrap().remove(0).unwrap();
    assert_eq!(read(&slope), [729.0]); // (3 x^2)^2
    let curve = autograd::grad(&[&slope], &[&x]).unwrap();
    // d(9 x^4)/dx = 36 x^3 = 972, which the hook squares.
    assert_eq!(read(&curve[0]), [972.0 * 972.0]);
}
