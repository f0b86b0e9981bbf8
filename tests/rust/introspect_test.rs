// SPDX-License-Identifier: Apache-2.0
//! What is registered, what runs, and how it is told.

use tenon::introspect::{self, Provenance};
use tenon::{DispatchKey, DispatchKeySet, Kernel, KernelContext, KeyGuard, Library, Tensor};

use crate::support::floats;

#[test]
fn operators_are_listed_while_they_are_defined() {
    let implement = Library::implement("introspect_list", DispatchKey::NONE).unwrap();
    implement.impl_fn("f", "default", |x: i64| x).unwrap();
    let name = "introspect_list::f".to_owned();
    assert!(introspect::dangling_operators().unwrap().contains(&name));
    let library = Library::define_namespace("introspect_list").unwrap();
    library.define("f(int x) -> int").unwrap();
    assert!(introspect::operators().unwrap().contains(&name));
    assert!(!introspect::dangling_operators().unwrap().contains(&name));
    drop(library);
    assert!(!introspect::operators().unwrap().contains(&name));
}

#[test]
fn slots_tell_where_kernels_come_from() {
    let library = Library::define_namespace("introspect_slot").unwrap();
    let op = library.define("f(Tensor x) -> Tensor").unwrap();
    let kernel = Kernel::typed(|x: &Tensor| x.clone()).named("f_cpu");
    library.impl_kernel("f", DispatchKey::CPU, kernel).unwrap();
    let slot = op.slot(DispatchKey::CPU).unwrap();
    assert_eq!(
        (slot.name, slot.language, slot.provenance),
        ("f_cpu", "Rust", Provenance::Kernel)
    );
    assert!(slot.file.ends_with("introspect_test.rs") && slot.line > 0 && slot.typed);
    assert_eq!(
        op.slot(DispatchKey::CUDA).unwrap().provenance,
        Provenance::Missing
    );
    assert!(op.slot(DispatchKey::AUTOGRAD).is_err());
    let (dump, table) = (op.dump().unwrap(), op.dump_table().unwrap());
    assert!(
        dump.contains("introspect_slot::f(Tensor x) -> Tensor"),
        "{dump}"
    );
    assert!(table.contains("CPU: f_cpu at "), "{table}");
    introspect::check_invariants().unwrap();
    assert!(introspect::keys()
        .unwrap()
        .contains(&DispatchKey::AUTOGRAD_CUDA));
}

#[test]
fn traces_show_nested_dispatches() {
    let library = Library::define_namespace("introspect_trace").unwrap();
    let inner = library.define("inner(Tensor x) -> Tensor").unwrap();
    let outer = library.define("outer(Tensor x) -> Tensor").unwrap();
    let kernel = Kernel::typed(|x: &Tensor| x.clone()).named("inner_cpu");
    library
        .impl_kernel("inner", DispatchKey::CPU, kernel)
        .unwrap();
    library
        .impl_fn("outer", DispatchKey::CPU, move |x: &Tensor| {
            inner.call::<Tensor>((x,))
        })
        .unwrap();
    library
        .impl_fn(
            "outer",
            DispatchKey::TRACER,
            |context: &KernelContext, x: &Tensor| {
                context.redispatch::<Tensor>(context.keys_below(DispatchKey::TRACER), (x,))
            },
        )
        .unwrap();
    let x = floats(&[1.0]);
    let (result, events) = introspect::trace(|| {
        let tracer = DispatchKeySet::of(&[DispatchKey::TRACER]).unwrap();
        let _guard = KeyGuard::include(tracer).unwrap();
        outer.call::<Tensor>((&x,))
    })
    .unwrap();
    result.unwrap();
    let told: Vec<_> = events
        .iter()
        .map(|e| (e.op, e.key, e.redispatch, e.depth))
        .collect();
    assert_eq!(
        told,
        [
            ("introspect_trace::outer", DispatchKey::TRACER, false, 0),
            ("introspect_trace::outer", DispatchKey::CPU, true, 1),
            ("introspect_trace::inner", DispatchKey::CPU, false, 2),
        ]
    );
    let line = events[2].to_string();
    assert_eq!(
        line,
        "    call introspect_trace::inner [CPU] Rust inner_cpu"
    );
    let (_, events) = introspect::trace(|| ()).unwrap();
    assert!(events.is_empty());
}

#[test]
fn a_panic_ends_the_trace() {
    let panicked = std::panic::catch_unwind(|| introspect::trace(|| panic!("inside")));
    assert_eq!(
        *panicked.unwrap_err().downcast_ref::<&str>().unwrap(),
        "inside"
    );
}

#[test]
fn the_library_and_this_package_agree_on_the_abi() {
    assert_eq!(tenon::abi_version(), tenon::ABI_VERSION);
    assert_eq!(tenon::version(), env!("CARGO_PKG_VERSION"));
}
