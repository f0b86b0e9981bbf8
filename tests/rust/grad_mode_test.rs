// SPDX-License-Identifier: Apache-2.0
//! Grad modes of a thread: scopes, effects on calls, and other threads.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

use tenon::grad_mode::{self, GradMode};
use tenon::{DType, Device, DispatchKey, Kernel, Library, Op, Tensor, ThreadState};

use crate::support::{floats, panics};

#[test]
fn scopes_nest_and_end() {
    assert_eq!(grad_mode::current(), GradMode::On);
    grad_mode::no_grad(|| {
        assert_eq!(grad_mode::current(), GradMode::Off);
        grad_mode::enable_grad(|| assert!(grad_mode::is_enabled())).unwrap();
        assert!(!grad_mode::is_enabled());
    })
    .unwrap();
    grad_mode::inference_mode(|| {
        assert!(grad_mode::is_inference() && !grad_mode::is_enabled());
        grad_mode::enable_grad(|| {
            assert!(grad_mode::is_inference() && grad_mode::is_enabled());
        })
        .unwrap();
        let _guard = GradMode::Normal.enter().unwrap();
        assert_eq!(grad_mode::current(), GradMode::On);
    })
    .unwrap();
    assert!(grad_mode::is_enabled());
}

#[test]
fn a_scope_ends_when_its_body_panics() {
    let text = panics(|| grad_mode::no_grad(|| panic!("{}", "as asked")).unwrap());
    assert_eq!(text, "as asked");
    assert!(grad_mode::is_enabled());
}

#[test]
fn a_mode_that_is_set_lasts_until_the_guard_around_it_is_left() {
    let guard = GradMode::On.enter().unwrap();
    grad_mode::set_enabled(false).unwrap();
    assert!(!grad_mode::is_enabled());
    drop(guard);
    assert!(grad_mode::is_enabled());
}

#[test]
fn a_guard_dropped_out_of_order_panics_and_stays() {
    let outer = GradMode::Off.enter().unwrap();
    let inner = GradMode::On.enter().unwrap();
    assert!(panics(|| drop(outer)).contains("innermost"));
    assert!(grad_mode::is_enabled());
    drop(inner);
    assert!(!grad_mode::is_enabled());
}

#[test]
fn thread_states_carry_the_mode() {
    let worker = grad_mode::no_grad(|| ThreadState::spawn(grad_mode::current).unwrap()).unwrap();
    assert_eq!(worker.join().unwrap().unwrap(), GradMode::Off);
    let plain = std::thread::spawn(grad_mode::current);
    assert_eq!(plain.join().unwrap(), GradMode::On);
}

/// An operator whose Autograd kernel counts its calls.
fn counted(namespace: &str, when_tracked: bool) -> (Library, Op, Arc<AtomicUsize>) {
    let library = Library::define_namespace(namespace).unwrap();
    let op = library.define("f(Tensor x) -> Tensor").unwrap();
    library
        .impl_fn("f", DispatchKey::CPU, |x: &Tensor| x.clone())
        .unwrap();
    let calls = Arc::new(AtomicUsize::new(0));
    let count = calls.clone();
    let mut kernel = Kernel::on_stack(move |stack| {
        count.fetch_add(1, Ordering::SeqCst);
        stack.redispatch(stack.keys_below(DispatchKey::AUTOGRAD_CPU))
    });
    if when_tracked {
        kernel = kernel.when_tracked();
    }
    library
        .impl_kernel("f", DispatchKey::AUTOGRAD, kernel)
        .unwrap();
    (library, op, calls)
}

#[test]
fn a_kernel_for_tracked_tensors_leaves_untracked_calls_alone() {
    let (_library, op, calls) = counted("grad_mode_tracked", true);
    op.call::<Tensor>((&floats(&[1.0]),)).unwrap();
    assert_eq!(calls.load(Ordering::SeqCst), 0);
}

#[test]
fn an_autograd_kernel_of_ones_own_runs_in_every_mode() {
    let (_library, op, calls) = counted("grad_mode_own", false);
    let x = floats(&[1.0]);
    op.call::<Tensor>((&x,)).unwrap();
    grad_mode::no_grad(|| op.call::<Tensor>((&x,)).map(drop))
        .unwrap()
        .unwrap();
    assert_eq!(calls.load(Ordering::SeqCst), 2);
}
#[test]
fn tensors_made_in_inference_mode_carry_no_autograd_keys() {
    let make = || Tensor::empty(&[1], DType::F32, Device::CPU).unwrap().keys();
    let plain = make();
    let inference = grad_mode::inference_mode(make).unwrap();
    assert!(plain.has(DispatchKey::AD_INPLACE_OR_VIEW));
    assert!(!inference.has(DispatchKey::AD_INPLACE_OR_VIEW));
}
