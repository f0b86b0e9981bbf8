// SPDX-License-Identifier: Apache-2.0
//! Libraries: definitions, kernels, fallbacks, and their lifetimes.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{mpsc, Arc, Mutex, OnceLock};
use std::time::Duration;

use tenon::{
    DefineOptions, DispatchKey, Kernel, KernelContext, Library, LibraryKind, Op, Policy,
    Registration, RegistryEvent, Schema, Stack, Status, Tensor, ValueRef,
};

use crate::support::{fails, floats};

/// Counts its drops, to show when a closure that owns it is dropped.
struct Counted(Arc<AtomicUsize>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

#[test]
fn a_second_def_library_is_refused() {
    let first = Library::define_namespace("library_def").unwrap();
    let error = Library::define_namespace("library_def");
    fails(
        error,
        Status::ALREADY_EXISTS,
        &["library_def", "library_test.rs"],
    );
    drop(first);
    drop(Library::define_namespace("library_def").unwrap());
}

#[test]
fn fragments_define_and_impl_libraries_do_not() {
    let fragment = Library::fragment("library_fragment").unwrap();
    fragment.define("f(int x) -> int").unwrap();
    let implement = Library::implement("library_fragment", "default").unwrap();
    fails(
        implement.define("g(int x) -> int"),
        Status::INVALID_ARGUMENT,
        &["library_fragment"],
    );
    implement
        .impl_fn("f", DispatchKey::NONE, |x: i64| x + 1)
        .unwrap();
    assert_eq!(
        Op::find("library_fragment::f")
            .unwrap()
            .call::<i64>((1,))
            .unwrap(),
        2
    );
    assert_eq!(fragment.namespace(), "library_fragment");
}

#[test]
fn kernels_may_come_before_the_definition() {
    let implement = Library::implement("library_early", DispatchKey::NONE).unwrap();
    implement.impl_fn("f", "default", |x: i64| x + 1).unwrap();
    fails(
        Op::find("library_early::f"),
        Status::NOT_FOUND,
        &["library_early::f"],
    );
    let library = Library::define_namespace("library_early").unwrap();
    let op = library.define("f(int x) -> int").unwrap();
    assert_eq!(op.call::<i64>((1,)).unwrap(), 2);
}

#[test]
fn an_early_kernel_is_checked_when_it_is_called() {
    let library = Library::define_namespace("library_early_bad").unwrap();
    library.impl_fn("f", "default", |x: i64| x + 1).unwrap();
    let op = library.define("f(float weight) -> int").unwrap();
    let texts = ["library_early_bad::f", "'weight'", "int", "float"];
    fails(op.call::<i64>((1.0,)), Status::TYPE, &texts);
}

#[test]
fn dropping_a_library_removes_its_operators_and_drops_its_closures() {
    let drops = Arc::new(AtomicUsize::new(0));
    let counted = Counted(drops.clone());
    let library = Library::define_namespace("library_drop").unwrap();
    let op = library.define("f(int x) -> int").unwrap();
    library
        .impl_fn("f", "default", move |x: i64| {
            let _keep = &counted;
            x
        })
        .unwrap();
    assert_eq!(op.call::<i64>((1,)).unwrap(), 1);
    drop(library);
    assert_eq!(drops.load(Ordering::SeqCst), 1);
    fails(
        op.call::<i64>((1,)),
        Status::NOT_FOUND,
        &["library_drop::f"],
    );
    fails(
        Op::find("library_drop::f"),
        Status::NOT_FOUND,
        &["library_drop::f"],
    );
}

#[test]
fn a_refused_kernel_is_dropped_once() {
    let drops = Arc::new(AtomicUsize::new(0));
    let library = Library::define_namespace("library_refused").unwrap();
    library.define("f(int x) -> int").unwrap();
    let kernel = |counted: Counted| {
        move |x: i64| {
            let _keep = &counted;
            x
        }
    };
    let result = library.impl_fn("f", DispatchKey::UNDEFINED, kernel(Counted(drops.clone())));
    fails(result, Status::INVALID_ARGUMENT, &[]);
    assert_eq!(drops.load(Ordering::SeqCst), 1);
    let result = library.impl_fn("f", "Autgrad", kernel(Counted(drops.clone())));
    fails(result, Status::NOT_FOUND, &["Autgrad"]);
    assert_eq!(drops.load(Ordering::SeqCst), 2);
    library.close();
    let result = library.impl_fn("f", "default", kernel(Counted(drops.clone())));
    fails(result, Status::STATE, &["library_refused"]);
    assert_eq!(drops.load(Ordering::SeqCst), 3);
}

#[test]
fn a_closed_library_refuses_definitions() {
    let library = Library::define_namespace("library_closed").unwrap();
    library.close();
    library.close();
    fails(
        library.define("f(int x) -> int"),
        Status::STATE,
        &["library_closed"],
    );
}

#[test]
fn newer_kernels_win_and_give_way_again() {
    let library = Library::define_namespace("library_layers").unwrap();
    let op = library.define("f(int x) -> int").unwrap();
    library.impl_fn("f", "default", |x: i64| x).unwrap();
    let newer = library.impl_fn("f", "default", |x: i64| 10 * x).unwrap();
    assert_eq!(op.call::<i64>((2,)).unwrap(), 20);
    newer.remove();
    newer.remove();
    assert_eq!(op.call::<i64>((2,)).unwrap(), 2);
    {
        let _scoped = library
            .impl_fn("f", "default", |x: i64| -x)
            .unwrap()
            .scoped();
        assert_eq!(op.call::<i64>((2,)).unwrap(), -2);
    }
    assert_eq!(op.call::<i64>((2,)).unwrap(), 2);
    let refused = Kernel::typed(|x: i64| x).policy(Policy::Error);
    fails(
        library.impl_kernel("f", "default", refused),
        Status::ALREADY_EXISTS,
        &[],
    );
    assert_eq!(op.call::<i64>((2,)).unwrap(), 2);
}

#[test]
fn a_second_definition_is_refused_and_changes_nothing() {
    let library = Library::define_namespace("library_twice").unwrap();
    let op = library.define("f(int x) -> int").unwrap();
    let texts = ["library_twice::f", "library_test.rs"];
    fails(
        library.define("f(float x) -> float"),
        Status::ALREADY_EXISTS,
        &texts,
    );
    assert_eq!(
        op.schema().unwrap().to_string(),
        "library_twice::f(int x) -> int"
    );
}

#[test]
fn malformed_schemas_and_names_are_refused() {
    let library = Library::define_namespace("library_malformed").unwrap();
    fails(library.define("f(int x -> int"), Status::PARSE, &[]);
    fails(
        library.define("f(int\0 x)"),
        Status::INVALID_ARGUMENT,
        &["schema", "NUL"],
    );
    fails(
        library.define("other::f(int x) -> int"),
        Status::INVALID_ARGUMENT,
        &["other"],
    );
    fails(
        Library::define_namespace("no spaces"),
        Status::INVALID_ARGUMENT,
        &["no spaces"],
    );
}

#[test]
fn options_carry_tags() {
    let library = Library::define_namespace("library_tags").unwrap();
    let options = DefineOptions {
        tags: &["pointwise", "core"],
        ..DefineOptions::default()
    };
    let op = library.define_with("f(int x) -> int", options).unwrap();
    let mut tags = op.tags().unwrap();
    tags.sort();
    assert_eq!(tags, ["core", "pointwise"]);
}

#[test]
fn device_names_and_default_are_keys() {
    let library = Library::define_namespace("library_keys").unwrap();
    let op = library.define("f(Tensor x) -> str").unwrap();
    library
        .impl_fn("f", "cpu", |_: &Tensor| "cpu".to_owned())
        .unwrap();
    library
        .impl_fn("f", "default", |_: &Tensor| "default".to_owned())
        .unwrap();
    assert_eq!(op.call::<String>((&floats(&[1.0]),)).unwrap(), "cpu");
    let meta = Tensor::empty(&[1], tenon::DType::F32, tenon::Device::META).unwrap();
    assert_eq!(op.call::<String>((&meta,)).unwrap(), "default");
}

#[test]
fn fallthrough_skips_a_key() {
    let library = Library::define_namespace("library_fallthrough").unwrap();
    let op = library.define("f(Tensor x) -> str").unwrap();
    library
        .impl_fn("f", DispatchKey::CPU, |_: &Tensor| "cpu".to_owned())
        .unwrap();
    let tracer = tenon::DispatchKeySet::of(&[DispatchKey::TRACER]).unwrap();
    let _guard = tenon::KeyGuard::include(tracer).unwrap();
    let kernel = library
        .impl_fn("f", DispatchKey::TRACER, |_: &Tensor| "tracer".to_owned())
        .unwrap();
    assert_eq!(op.call::<String>((&floats(&[1.0]),)).unwrap(), "tracer");
    kernel.remove();
    library.impl_fallthrough("f", DispatchKey::TRACER).unwrap();
    assert_eq!(op.call::<String>((&floats(&[1.0]),)).unwrap(), "cpu");
}

#[test]
fn fallbacks_serve_all_operators_that_they_select() {
    let key =
        DispatchKey::register("RustFallback", "Autograd", tenon::Place::Above, false).unwrap();
    let library = Library::define_namespace("library_fallback").unwrap();
    let plain = library.define("plain(Tensor x, int n) -> Tensor").unwrap();
    let written = library
        .define("written_(Tensor(a!) x) -> Tensor(a!)")
        .unwrap();
    library
        .impl_fn("plain", DispatchKey::CPU, |x: &Tensor, _: i64| x.clone())
        .unwrap();
    library
        .impl_fn("written_", DispatchKey::CPU, |_: &Tensor| ())
        .unwrap();

    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = seen.clone();
    let fallbacks = Library::implement("_", DispatchKey::NONE).unwrap();
    fallbacks
        .fallback_select(
            key,
            |schema: &Schema| !schema.is_mutable(),
            move |stack: &mut Stack| {
                let keys = stack.keys_below(key);
                stack.redispatch(keys)?;
                let what = format!("{} {:?}", stack.op(), stack.args().get(1).unwrap());
                log.lock().unwrap().push(what);
                assert!(matches!(stack.results().get(0), Some(ValueRef::Tensor(_))));
                Ok(())
            },
        )
        .unwrap();
    let set = tenon::DispatchKeySet::of(&[key]).unwrap();
    let _guard = tenon::KeyGuard::include(set).unwrap();
    let x = floats(&[1.0]);
    let y: Tensor = plain.call((&x, 3)).unwrap();
    assert_eq!(y.as_raw(), x.as_raw());
    written.call::<()>((&x,)).unwrap();
    assert_eq!(*seen.lock().unwrap(), ["library_fallback::plain Int(3)"]);
    let again = Library::implement("_", DispatchKey::NONE).unwrap();
    fails(
        again.fallback(key, |_: &mut Stack| Ok(())),
        Status::ALREADY_EXISTS,
        &["library_test.rs"],
    );
    let elsewhere = library.fallback(key, |_: &mut Stack| Ok(()));
    fails(elsewhere, Status::INVALID_ARGUMENT, &[]);
}

#[test]
fn stacks_change_arguments_for_one_redispatch() {
    let library = Library::define_namespace("library_stack").unwrap();
    let op = library.define("double(Tensor x, int n) -> int").unwrap();
    library
        .impl_fn("double", DispatchKey::CPU, |_: &Tensor, n: i64| 2 * n)
        .unwrap();
    let kernel = Kernel::on_stack(|stack: &mut Stack| {
        let (x, n) = (stack.arg::<&Tensor>(0)?.clone(), stack.arg::<i64>(1)?);
        let keys = stack.keys_below(DispatchKey::TRACER);
        stack.redispatch_with(keys, (&x, n + 1))?;
        assert_eq!(stack.arg::<i64>(1)?, n);
        assert!(stack.arg::<f64>(1).is_err());
        stack.set(0, 1000 * n)?;
        assert_eq!(stack.set(1, 0i64).unwrap_err().status(), Status::INDEX);
        Ok(())
    });
    library
        .impl_kernel("double", DispatchKey::TRACER, kernel)
        .unwrap();
    let tracer = tenon::DispatchKeySet::of(&[DispatchKey::TRACER]).unwrap();
    let _guard = tenon::KeyGuard::include(tracer).unwrap();
    assert_eq!(op.call::<i64>((&floats(&[0.0]), 3)).unwrap(), 3000);
}

#[test]
fn a_library_closed_inside_its_kernel_ends_after_it() {
    let drops = Arc::new(AtomicUsize::new(0));
    let counted = Counted(drops.clone());
    let library = Arc::new(Library::define_namespace("library_self_close").unwrap());
    let op = library.define("f(int x) -> int").unwrap();
    let (weak, seen) = (Arc::downgrade(&library), drops.clone());
    library
        .impl_fn("f", "default", move |x: i64| {
            let _keep = &counted;
            let library = weak.upgrade().unwrap();
            library.close();
            assert_eq!(seen.load(Ordering::SeqCst), 0);
            let error = library.drain(Some(Duration::ZERO)).unwrap_err();
            assert_eq!(error.status(), Status::STATE);
            x
        })
        .unwrap();
    assert_eq!(op.call::<i64>((5,)).unwrap(), 5);
    library.drain(Some(Duration::from_secs(5))).unwrap();
    assert_eq!(drops.load(Ordering::SeqCst), 1);
}

#[test]
fn drain_names_the_operator_that_still_runs() {
    let library = Library::define_namespace("library_drain").unwrap();
    let op = library.define("wait(int x) -> int").unwrap();
    let (started, running) = mpsc::channel();
    let (finish, finished) = mpsc::channel::<()>();
    let (started, finished) = (Mutex::new(started), Mutex::new(finished));
    library
        .impl_boxed(
            "wait",
            "default",
            move |_: &KernelContext, args: &[ValueRef]| {
                started.lock().unwrap().send(()).unwrap();
                finished.lock().unwrap().recv().unwrap();
                Ok(vec![args[0].to_value()?])
            },
        )
        .unwrap();
    let state = library.drain(None);
    fails(state, Status::STATE, &[]);
    let caller = std::thread::spawn(move || op.call::<i64>((7,)));
    running.recv().unwrap();
    library.close();
    fails(
        library.drain(Some(Duration::from_millis(10))),
        Status::BUSY,
        &["library_drain::wait"],
    );
    finish.send(()).unwrap();
    assert_eq!(caller.join().unwrap().unwrap(), 7);
    library.drain(Some(Duration::from_secs(5))).unwrap();
}

#[test]
fn listeners_hear_of_operators() {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let log = heard.clone();
    let listener = tenon::listen(move |event, name: &str| {
        if name.starts_with("library_listen::") {
            log.lock().unwrap().push((event, name.to_owned()));
        }
    })
    .unwrap();
    let library = Library::define_namespace("library_listen").unwrap();
    library.define("f() -> ()").unwrap();
    drop(library);
    let name = "library_listen::f".to_owned();
    let want = [
        (RegistryEvent::Defined, name.clone()),
        (RegistryEvent::Removed, name),
    ];
    assert_eq!(*heard.lock().unwrap(), want);
    drop(listener);
    let library = Library::define_namespace("library_listen").unwrap();
    library.define("g() -> ()").unwrap();
    assert_eq!(heard.lock().unwrap().len(), 2);
}

#[test]
fn kinds_and_keys_of_libraries_are_checked() {
    let fallbacks = Library::open(LibraryKind::Def, "_", DispatchKey::NONE);
    fails(fallbacks, Status::INVALID_ARGUMENT, &["_"]);
    let library = Library::open(LibraryKind::Impl, "library_kinds", DispatchKey::CPU).unwrap();
    assert_eq!(library.namespace(), "library_kinds");
}

#[test]
fn a_kernel_calls_the_one_that_it_replaced() {
    let library = Library::define_namespace("library_older").unwrap();
    let op = library.define("f(Tensor x, int n) -> int").unwrap();
    library
        .impl_fn("f", DispatchKey::CPU, |_: &Tensor, n: i64| n + 1)
        .unwrap();
    static MINE: OnceLock<Registration> = OnceLock::new();
    let kernel = Kernel::on_stack(|stack| {
        MINE.get().unwrap().call_older(stack)?;
        let older = match stack.results().get(0) {
            Some(ValueRef::Int(n)) => n,
            other => panic!("{other:?}"),
        };
        stack.set(0, 10 * older)
    });
    let mine = library.impl_kernel("f", DispatchKey::CPU, kernel).unwrap();
    assert!(MINE.set(mine).is_ok());
    let x = floats(&[1.0]);
    assert_eq!(op.call::<i64>((&x, 4)).unwrap(), 50);
    MINE.get().unwrap().remove();
    assert_eq!(op.call::<i64>((&x, 4)).unwrap(), 5);
}

#[test]
fn a_kernel_that_replaced_none_has_no_older_one() {
    let library = Library::define_namespace("library_no_older").unwrap();
    let op = library.define("f(Tensor x) -> int").unwrap();
    static MINE: OnceLock<Registration> = OnceLock::new();
    let kernel = Kernel::on_stack(|stack| MINE.get().unwrap().call_older(stack));
    let mine = library.impl_kernel("f", DispatchKey::CPU, kernel).unwrap();
    assert!(MINE.set(mine).is_ok());
    fails(
        op.call::<i64>((&floats(&[1.0]),)),
        Status::NO_KERNEL,
        &["library_no_older::f"],
    );
}
