// SPDX-License-Identifier: Apache-2.0
//! Autocast: regions, rules by policy, and wrappers by hand.

use std::sync::{Arc, Mutex};

use tenon::autocast::{self, Autocast, CastPolicy};
use tenon::{
    DType, Device, DispatchKey, DispatchKeySet, KeyGuard, Library, Op, Status, Tensor, ThreadState,
};

use crate::support::{fails, floats, panics};

fn matrix() -> Tensor {
    Tensor::from_vec(vec![1.0f32; 4], &[2, 2]).unwrap()
}

fn product(a: &Tensor) -> DType {
    let mm = Op::find("aten::mm").unwrap();
    mm.call::<Tensor>((a, a)).unwrap().dtype()
}

fn is_on() -> bool {
    Autocast::current(Device::CPU).unwrap().is_enabled()
}

type Seen = Arc<Mutex<Vec<(DType, DType, bool)>>>;

/// An operator of two tensors that notes their dtypes, and whether autocast is on inside.
fn noting(ns: &str) -> (Library, Op, Seen) {
    let library = Library::define_namespace(ns).unwrap();
    let op = library.define("f(Tensor a, Tensor b) -> Tensor").unwrap();
    let seen = Seen::default();
    let noted = seen.clone();
    library
        .impl_fn("f", DispatchKey::CPU, move |a: &Tensor, b: &Tensor| {
            noted.lock().unwrap().push((a.dtype(), b.dtype(), is_on()));
            Ok::<_, tenon::Error>(a.clone())
        })
        .unwrap();
    (library, op, seen)
}

#[test]
fn regions_nest_and_end() {
    let a = matrix();
    assert!(!is_on());
    {
        let _outer = Autocast::new(Device::CPU)
            .dtype(DType::F16)
            .enter()
            .unwrap();
        assert_eq!(product(&a), DType::F16);
        let inner = Autocast::new(Device::CPU).enabled(false);
        assert_eq!(inner.run(|| product(&a)).unwrap(), DType::F32);
        assert_eq!(product(&a), DType::F16);
    }
    let now = Autocast::current(Device::CPU).unwrap();
    assert!(!now.is_enabled());
    assert_eq!(now.lower_precision(), Some(DType::BF16));
}

#[test]
fn regions_end_when_their_body_panics() {
    let text = panics(|| {
        let _region = Autocast::new(Device::CPU).enter().unwrap();
        panic!("{}", "as asked");
    });
    assert_eq!(text, "as asked");
    assert!(!is_on());
}

#[test]
fn thread_states_carry_regions() {
    let a = matrix();
    let _region = Autocast::new(Device::CPU).enter().unwrap();
    let under = {
        let a = a.clone();
        ThreadState::spawn(move || product(&a)).unwrap()
    };
    assert_eq!(under.join().unwrap().unwrap(), DType::BF16);
    let apart = std::thread::spawn(move || product(&a)).join().unwrap();
    assert_eq!(apart, DType::F32);
}

#[test]
fn what_is_set_stays_until_it_is_set_again() {
    let before = Autocast::current(Device::CPU).unwrap();
    Autocast::new(Device::CPU).dtype(DType::F16).set().unwrap();
    assert_eq!(product(&matrix()), DType::F16);
    before.set().unwrap();
    assert_eq!(product(&matrix()), DType::F32);
}

#[test]
fn wrong_regions_are_refused() {
    fails(
        Autocast::new(Device::META).enter(),
        Status::INVALID_ARGUMENT,
        &["device_type", "meta"],
    );
    fails(
        Autocast::new(Device::CPU).dtype(DType::I64).enter(),
        Status::TYPE,
        &["floating", "int64"],
    );
    assert!(!is_on());
}

#[test]
fn rules_by_policy_decide_the_dtypes() {
    let (library, op, seen) = noting("rust_autocast_policies");
    let (full, half) = (floats(&[1.0]), {
        let full = floats(&[1.0]);
        autocast::cached_cast(DType::BF16, &full, Device::CPU).unwrap()
    });
    for (policy, expected) in [
        (CastPolicy::LowerPrecision, DType::BF16),
        (CastPolicy::Fp32, DType::F32),
        (CastPolicy::Promote, DType::F32),
        (CastPolicy::To(DType::F16), DType::F16),
    ] {
        let rule = library
            .register_autocast("f", policy, Some(Device::CPU))
            .unwrap();
        let _region = Autocast::new(Device::CPU).enter().unwrap();
        op.call::<Tensor>((&full, &half)).unwrap();
        let last = seen.lock().unwrap().pop();
        assert_eq!(last, Some((expected, expected, false)));
        rule.remove();
    }
}

#[test]
fn banned_calls_give_the_advice() {
    let (library, op, _) = noting("rust_autocast_banned");
    let rule = CastPolicy::Banned("use g".to_owned());
    library.register_autocast("f", rule, None).unwrap();
    let x = floats(&[1.0]);
    op.call::<Tensor>((&x, &x)).unwrap();
    let _region = Autocast::new(Device::CPU).enter().unwrap();
    fails(
        op.call::<Tensor>((&x, &x)),
        Status::NOT_SUPPORTED,
        &["rust_autocast_banned::f", "autocast region of cpu", "use g"],
    );
}

#[test]
fn wrong_rules_are_refused() {
    let (library, _, _) = noting("rust_autocast_wrong");
    fails(
        library.register_autocast("f", CastPolicy::To(DType::BOOL), None),
        Status::TYPE,
        &["floating", "bool"],
    );
    fails(
        library.register_autocast("f", CastPolicy::Fp32, Some(Device::META)),
        Status::INVALID_ARGUMENT,
        &["device_type", "meta"],
    );
}

#[test]
fn a_wrapper_by_hand_casts_and_calls_again() {
    let (library, op, seen) = noting("rust_autocast_wrapper");
    // [quote.begin wrapper]
    library
        .impl_fn(
            "f",
            DispatchKey::AUTOCAST,
            move |a: &Tensor, b: &Tensor| -> tenon::Result<Tensor> {
                let _below = KeyGuard::exclude(DispatchKeySet::of(&[DispatchKey::AUTOCAST_CPU])?)?;
                let dtype = autocast::promote_type(DType::BF16, &[a, b], Device::CPU)?;
                let a = autocast::cached_cast(dtype, a, Device::CPU)?;
                let b = autocast::cached_cast(dtype, b, Device::CPU)?;
                op.call::<Tensor>((&a, &b))
            },
        )
        .unwrap();
    // [quote.end]
    let full = floats(&[1.0]);
    let half = autocast::cached_cast(DType::BF16, &full, Device::CPU).unwrap();
    let _region = Autocast::new(Device::CPU).enter().unwrap();
    op.call::<Tensor>((&half, &half)).unwrap();
    op.call::<Tensor>((&half, &full)).unwrap();
    let expected = [
        (DType::BF16, DType::BF16, false),
        (DType::F32, DType::F32, false),
    ];
    assert_eq!(*seen.lock().unwrap(), expected);
}

#[test]
fn casts_of_leaves_are_kept_in_a_region() {
    let leaf = floats(&[1.0]);
    leaf.set_requires_grad(true).unwrap();
    let cast = || autocast::cached_cast(DType::BF16, &leaf, Device::CPU).unwrap();
    assert_ne!(cast().as_raw(), cast().as_raw());
    let _region = Autocast::new(Device::CPU).enter().unwrap();
    let first = cast();
    assert_eq!(first.as_raw(), cast().as_raw());
    autocast::clear_cache();
    assert_ne!(first.as_raw(), cast().as_raw());
}
