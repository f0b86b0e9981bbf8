// SPDX-License-Identifier: Apache-2.0
//! Keys, key sets, guards, redispatch and thread states.

use tenon::{
    DispatchKey, DispatchKeySet, IntoDispatchKey, KernelContext, KeyGuard, Library, Place, Status,
    Tensor, ThreadState,
};

use crate::support::{fails, floats, panics};

fn set(keys: &[DispatchKey]) -> DispatchKeySet {
    DispatchKeySet::of(keys).unwrap()
}

#[test]
fn keys_have_names() {
    assert_eq!(
        "AutogradCUDA".parse::<DispatchKey>().unwrap(),
        DispatchKey::AUTOGRAD_CUDA
    );
    assert_eq!(
        DispatchKey::COMPOSITE_IMPLICIT_AUTOGRAD.to_string(),
        "CompositeImplicitAutograd"
    );
    assert_eq!(DispatchKey::for_device("cuda").unwrap(), DispatchKey::CUDA);
    assert_eq!("cuda".into_dispatch_key().unwrap(), DispatchKey::CUDA);
    fails(
        "Autgrad".parse::<DispatchKey>(),
        Status::NOT_FOUND,
        &["Autgrad"],
    );
    fails(
        "Autgrad".into_dispatch_key(),
        Status::NOT_FOUND,
        &["Autgrad"],
    );
    fails(
        DispatchKey::for_device("toaster"),
        Status::NOT_FOUND,
        &["toaster", "cpu"],
    );
}

#[test]
fn sets_combine() {
    let keys = set(&[
        DispatchKey::CPU,
        DispatchKey::AUTOGRAD_CPU,
        DispatchKey::TRACER,
    ]);
    assert_eq!(keys.highest(), DispatchKey::TRACER);
    assert!(keys.has(DispatchKey::CPU) && !keys.has(DispatchKey::CUDA));
    let below = keys & DispatchKeySet::below(DispatchKey::TRACER);
    assert_eq!(below.highest(), DispatchKey::AUTOGRAD_CPU);
    assert_eq!(
        below.remove(DispatchKey::AUTOGRAD_CPU).highest(),
        DispatchKey::CPU
    );
    assert_eq!(set(&[DispatchKey::CPU]).to_string(), "{CPU}");
    assert_eq!(DispatchKeySet::EMPTY.highest(), DispatchKey::UNDEFINED);
    fails(
        DispatchKeySet::of(&[DispatchKey::AUTOGRAD]),
        Status::INVALID_ARGUMENT,
        &["Autograd"],
    );
}

#[test]
fn guards_nest_and_restore() {
    let (included, excluded) = (DispatchKeySet::included(), DispatchKeySet::excluded());
    let tracer = set(&[DispatchKey::TRACER]);
    {
        let _outer = KeyGuard::include(tracer).unwrap();
        assert!(DispatchKeySet::included().has(DispatchKey::TRACER));
        {
            let _inner = KeyGuard::exclude(tracer).unwrap();
            assert!(DispatchKeySet::excluded().has(DispatchKey::TRACER));
            let _force = KeyGuard::force(DispatchKeySet::EMPTY, DispatchKeySet::EMPTY).unwrap();
            assert_eq!(DispatchKeySet::included(), DispatchKeySet::EMPTY);
        }
        assert_eq!(DispatchKeySet::excluded(), excluded);
        assert!(DispatchKeySet::included().has(DispatchKey::TRACER));
    }
    assert_eq!(
        (DispatchKeySet::included(), DispatchKeySet::excluded()),
        (included, excluded)
    );
}

#[test]
fn kernels_redispatch_below_their_key() {
    let library = Library::define_namespace("dispatch_redispatch").unwrap();
    let op = library.define("f(Tensor x, int n) -> int").unwrap();
    library
        .impl_fn("f", DispatchKey::CPU, |_: &Tensor, n: i64| n)
        .unwrap();
    library
        .impl_fn(
            "f",
            DispatchKey::TRACER,
            |context: &KernelContext, x: &Tensor, n: i64| {
                assert_eq!(context.keys().highest(), DispatchKey::TRACER);
                let keys = context.keys_below(DispatchKey::TRACER);
                let below: i64 = context.redispatch(keys, (x, 10 * n))?;
                let typed = context
                    .op()
                    .typed::<(&Tensor, i64), i64>()?
                    .redispatch(keys, x, n)?;
                Ok::<i64, tenon::Error>(below + typed)
            },
        )
        .unwrap();
    let x = floats(&[1.0]);
    assert_eq!(op.call::<i64>((&x, 1)).unwrap(), 1);
    let _guard = KeyGuard::include(set(&[DispatchKey::TRACER])).unwrap();
    assert_eq!(op.call::<i64>((&x, 1)).unwrap(), 11);
    assert_eq!(
        op.typed::<(&Tensor, i64), i64>()
            .unwrap()
            .call(&x, 1)
            .unwrap(),
        11
    );
    let _excluded = KeyGuard::exclude(set(&[DispatchKey::TRACER])).unwrap();
    assert_eq!(op.call::<i64>((&x, 1)).unwrap(), 1);
}

#[test]
fn errors_of_a_redispatch_reach_the_caller() {
    let library = Library::define_namespace("dispatch_error").unwrap();
    let op = library.define("f(Tensor x) -> int").unwrap();
    library
        .impl_fn(
            "f",
            DispatchKey::TRACER,
            |context: &KernelContext, x: &Tensor| {
                context.redispatch::<i64>(context.keys_below(DispatchKey::TRACER), (x,))
            },
        )
        .unwrap();
    let _guard = KeyGuard::include(set(&[DispatchKey::TRACER])).unwrap();
    fails(
        op.call::<i64>((&floats(&[1.0]),)),
        Status::NO_KERNEL,
        &["dispatch_error::f"],
    );
}

#[test]
fn endless_recursion_is_an_error() {
    let library = Library::define_namespace("dispatch_recursion").unwrap();
    let op = library.define("f(int x) -> int").unwrap();
    library
        .impl_fn("f", "default", move |x: i64| op.call::<i64>((x,)))
        .unwrap();
    let call = std::thread::Builder::new()
        .stack_size(64 << 20)
        .spawn(move || op.call::<i64>((1,)))
        .unwrap();
    fails(
        call.join().unwrap(),
        Status::RECURSION,
        &["dispatch_recursion::f"],
    );
}

#[test]
fn thread_states_carry_guards_to_other_threads() {
    let guard = KeyGuard::include(set(&[DispatchKey::TRACER])).unwrap();
    let state = ThreadState::capture().unwrap();
    drop(guard);
    let other = state.clone();
    std::thread::spawn(move || {
        assert!(!DispatchKeySet::included().has(DispatchKey::TRACER));
        {
            let _entered = other.enter().unwrap();
            assert!(DispatchKeySet::included().has(DispatchKey::TRACER));
        }
        assert!(!DispatchKeySet::included().has(DispatchKey::TRACER));
    })
    .join()
    .unwrap();
    drop(state);
}

#[test]
fn a_guard_dropped_out_of_order_panics_and_stays() {
    let outer = KeyGuard::include(set(&[DispatchKey::TRACER])).unwrap();
    let inner = KeyGuard::exclude(set(&[DispatchKey::BATCHED])).unwrap();
    let text = panics(|| drop(outer));
    assert!(text.contains("innermost"), "{text}");
    assert!(DispatchKeySet::included().has(DispatchKey::TRACER));
    assert!(DispatchKeySet::excluded().has(DispatchKey::BATCHED));
    drop(inner);
    assert!(!DispatchKeySet::excluded().has(DispatchKey::BATCHED));
}

#[test]
fn a_thread_state_left_out_of_order_panics_and_stays() {
    let state = ThreadState::capture().unwrap();
    let outer = state.enter().unwrap();
    let inner = KeyGuard::include(set(&[DispatchKey::TRACER])).unwrap();
    panics(|| drop(outer));
    assert!(DispatchKeySet::included().has(DispatchKey::TRACER));
    drop(inner);
}

#[test]
fn keys_are_declared_by_name() {
    let key = DispatchKey::register("RustKey", "Autograd", Place::Below, false).unwrap();
    assert_eq!("RustKey".parse::<DispatchKey>().unwrap(), key);
    assert_eq!(
        DispatchKey::register("RustKey", "Autograd", Place::Below, false).unwrap(),
        key
    );
    assert!(set(&[key, DispatchKey::AUTOGRAD_CPU]).highest() == DispatchKey::AUTOGRAD_CPU);
    let unknown = DispatchKey::register("RustKey2", "Nothing", Place::Below, false);
    fails(unknown, Status::NOT_FOUND, &["Nothing"]);
}
