// SPDX-License-Identifier: Apache-2.0
//! Introspection: registrations, recorded calls, and explanations.

use std::sync::{Mutex, MutexGuard, PoisonError};

use tenon::introspect::{self, Provenance, Simulator};
use tenon::{
    DispatchKey, DispatchKeySet, Error, Kernel, KernelContext, KeyGuard, Library, Status, Tensor,
};

use crate::support::floats;

/// Profiles and simulators are counted per process: their tests run one at a time.
static ALONE: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The live handles that no other test of this program makes.
fn own_handles() -> [i64; 2] {
    ["simulator", "profile"].map(|kind| introspect::live_handles().count(kind))
}

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
fn profiles_show_nested_dispatches() {
    let _alone = alone();
    let library = Library::define_namespace("introspect_profile").unwrap();
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
            DispatchKey::AD_INPLACE_OR_VIEW,
            |context: &KernelContext, x: &Tensor| {
                context
                    .redispatch::<Tensor>(context.keys_below(DispatchKey::AD_INPLACE_OR_VIEW), (x,))
            },
        )
        .unwrap();
    let x = floats(&[1.0]);
    let (result, events) = introspect::profile(|| {
        let writes = DispatchKeySet::of(&[DispatchKey::AD_INPLACE_OR_VIEW]).unwrap();
        let _guard = KeyGuard::include(writes).unwrap();
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
            (
                "introspect_profile::outer",
                DispatchKey::AD_INPLACE_OR_VIEW,
                false,
                0
            ),
            ("introspect_profile::outer", DispatchKey::CPU, true, 1),
            ("introspect_profile::inner", DispatchKey::CPU, false, 2),
        ]
    );
    let line = events[2].to_string();
    assert!(
        line.starts_with("    call introspect_profile::inner [CPU] Rust inner_cpu ")
            && line.ends_with(" us"),
        "{line}"
    );
    let parents: Vec<_> = events.iter().map(|e| e.parent).collect();
    assert_eq!(parents, [None, Some(0), Some(1)]);
    for event in &events {
        assert!(event.file.ends_with("introspect_test.rs") && event.line > 0);
        assert_eq!(event.error, None);
    }
    for pair in events.windows(2) {
        let (outer, inner) = (&pair[0], &pair[1]);
        let end = |e: &introspect::ProfileEvent| e.begin + e.duration.unwrap();
        assert!(outer.begin <= inner.begin && end(inner) <= end(outer));
    }
    let (_, events) = introspect::profile(|| ()).unwrap();
    assert!(events.is_empty());
}

#[test]
fn profiles_nest_and_tell_of_failures() {
    let library = Library::define_namespace("introspect_nested").unwrap();
    let op = library.define("f(bool good) -> int").unwrap();
    library
        .impl_fn("f", "default", |good: bool| -> tenon::Result<i64> {
            if good {
                Ok(1)
            } else {
                Err(Error::new(Status::INVALID_ARGUMENT, "not good"))
            }
        })
        .unwrap();
    let _alone = alone();
    let before = own_handles();
    let (inner, outer) = introspect::profile(|| {
        op.call::<i64>((true,)).unwrap();
        let (_, inner) = introspect::profile(|| op.call::<i64>((false,)).unwrap_err()).unwrap();
        inner
    })
    .unwrap();
    assert_eq!(own_handles(), before);
    assert_eq!((outer.len(), inner.len()), (2, 1));
    assert_eq!(inner[0].error, Some(Status::INVALID_ARGUMENT));
    assert!(inner[0].to_string().contains(" failed "), "{}", inner[0]);
    assert!(inner[0].duration.is_some());
}

#[test]
fn calls_are_explained_and_not_made() {
    let library = Library::define_namespace("introspect_explain").unwrap();
    let op = library.define("f(Tensor x, int n=2) -> Tensor").unwrap();
    let kernel = Kernel::typed(|_: &Tensor, _: i64| -> Tensor { panic!("called") });
    library
        .impl_kernel("f", DispatchKey::CPU, kernel.named("f_cpu"))
        .unwrap();
    let text = op.explain((&floats(&[1.0]),)).unwrap();
    assert!(
        text.starts_with("introspect_explain::f(Tensor x, int n=2) -> Tensor\n"),
        "{text}"
    );
    assert!(
        text.contains("the highest key is CPU: f_cpu (Rust at "),
        "{text}"
    );
    assert!(text.contains("introspect_test.rs:"), "{text}");
    assert!(
        text.ends_with("nothing is below CPU: its kernel ends the call\n"),
        "{text}"
    );
    let error = op.explain((3i64,)).unwrap_err();
    assert_eq!(error.status(), Status::TYPE);
}

#[test]
fn tables_list_the_filled_slots() {
    let library = Library::define_namespace("introspect_table").unwrap();
    let op = library.define("f(Tensor x) -> Tensor").unwrap();
    library
        .impl_fn("f", DispatchKey::AUTOGRAD, |x: &Tensor| x.clone())
        .unwrap();
    let table = op.table().unwrap();
    let slot = |key| {
        table
            .iter()
            .find(|(each, _)| *each == key)
            .map(|(_, slot)| slot)
    };
    let autograd = slot(DispatchKey::AUTOGRAD_CPU).unwrap();
    assert_eq!(autograd.provenance, Provenance::AutogradKernel);
    assert_eq!(autograd.source_key, DispatchKey::AUTOGRAD);
    assert!(slot(DispatchKey::CPU).is_none());
    assert!(slot(DispatchKey::AUTOCAST_CPU).unwrap().fallthrough);
    op.check_invariants().unwrap();
}

#[test]
fn dangling_operators_tell_their_kernels() {
    let library = Library::implement("introspect_dangling", DispatchKey::NONE).unwrap();
    library.impl_fn("f", "default", |x: i64| x).unwrap();
    let dangling = introspect::dangling().unwrap();
    let op = dangling
        .iter()
        .find(|op| op.name() == "introspect_dangling::f")
        .unwrap();
    let dump = op.dump().unwrap();
    assert!(
        dump.contains("schema: (none)") && dump.contains("introspect_test.rs"),
        "{dump}"
    );
}

#[test]
fn simulators_compute_tables_of_imagined_operators() {
    let _alone = alone();
    let before = own_handles();
    let simulator = Simulator::new("f(Tensor x) -> Tensor").unwrap();
    simulator
        .register(&["CPU", "CompositeImplicitAutograd"])
        .unwrap();
    let slot = simulator.slot(DispatchKey::AUTOGRAD_CPU).unwrap();
    assert_eq!(slot.provenance, Provenance::BackendFallback);
    let table = simulator.dispatch_table().unwrap();
    assert!(
        table.contains("fn_CompositeImplicitAutograd [math kernel]"),
        "{table}"
    );
    assert!(!table.contains("fallback"), "{table}");
    assert!(simulator
        .raw_dispatch_table()
        .unwrap()
        .contains("[backend fallback]"));
    assert!(simulator.registrations().unwrap().contains("CPU"));
    let raw = simulator.raw_registrations().unwrap();
    assert!(raw.contains("simulated::f(Tensor x) -> Tensor"), "{raw}");
    let keys = DispatchKeySet::of(&[DispatchKey::CPU]).unwrap();
    let text = simulator.explain(keys).unwrap();
    assert!(
        text.contains("the highest key is CPU: fn_CPU runs [kernel]"),
        "{text}"
    );
    simulator.remove("CPU").unwrap();
    let slot = simulator.slot(DispatchKey::AUTOGRAD_CPU).unwrap();
    assert_eq!(slot.provenance, Provenance::MathKernel);
    simulator.register_fallthrough(&["Tracer"]).unwrap();
    assert!(simulator
        .table()
        .unwrap()
        .iter()
        .any(|(_, slot)| slot.fallthrough));
    drop(simulator);
    assert_eq!(own_handles(), before);
}

#[test]
fn simulators_refuse_bad_registrations_whole() {
    let _alone = alone();
    let simulator = Simulator::new("f(Tensor x) -> Tensor").unwrap();
    let refused = |keys: &[&str]| simulator.register(keys).unwrap_err();
    let unknown = refused(&["CPU", "NoSuchKey"]);
    assert_eq!(unknown.status(), Status::NOT_FOUND);
    assert!(unknown.message().contains("NoSuchKey"), "{unknown}");
    assert_eq!(refused(&["CPU", "CPU"]).status(), Status::INVALID_ARGUMENT);
    assert_eq!(
        simulator.slot(DispatchKey::CPU).unwrap().provenance,
        Provenance::Missing
    );
    assert_eq!(
        simulator.remove("CPU").unwrap_err().status(),
        Status::NOT_FOUND
    );
    assert_eq!(
        Simulator::new("f(Tensor").unwrap_err().status(),
        Status::PARSE
    );
}

#[test]
fn a_panic_ends_the_profile() {
    let _alone = alone();
    let panicked = std::panic::catch_unwind(|| introspect::profile(|| panic!("inside")));
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
