// SPDX-License-Identifier: Apache-2.0
//! Fake tensors: modes, conversions, and fake kernels of Rust closures.

use std::sync::{Arc, Mutex};

use tenon::fake::{self, FakeMode};
use tenon::{DType, Device, Library, Op, Status, Tensor};

fn real() -> Tensor {
    Tensor::from_vec(vec![1.0f32; 6], &[2, 3]).unwrap()
}

fn apply(op: &str, x: &Tensor) -> tenon::Result<Tensor> {
    Op::find(op)?.call::<Tensor>((x,))
}

#[test]
fn a_mode_makes_fakes_on_its_thread() {
    let mode = FakeMode::new().unwrap();
    let ones = || {
        Op::find("aten::ones")
            .unwrap()
            .call::<Tensor>((&[2i64, 3][..],))
            .unwrap()
    };
    let inside = mode.run(ones).unwrap();
    assert!(inside.is_fake());
    assert_eq!(inside.device(), Device::CPU);
    assert!(!ones().is_fake());
    let elsewhere = mode.run(|| std::thread::spawn(move || ones().is_fake()).join());
    assert!(!elsewhere.unwrap().unwrap());
}

#[test]
fn a_tensor_is_made_fake_once() {
    let mode = FakeMode::new().unwrap();
    let x = real();
    let fake = mode.from_tensor(&x).unwrap();
    assert!(fake.is_fake());
    assert_eq!(fake.shape(), [2, 3]);
    assert_eq!(fake.dtype(), DType::F32);
    let again = mode.clone().from_tensor(&x).unwrap();
    assert_eq!(again.as_raw(), fake.as_raw());
    assert!(apply("aten::t", &fake).unwrap().is_fake());
    assert!(fake.to_vec::<f32>().is_err());
}

#[test]
fn real_tensors_are_refused_or_made_fake() {
    let x = real();
    let strict = FakeMode::new().unwrap();
    let error = strict.run(|| apply("aten::sum", &x)).unwrap().unwrap_err();
    assert_eq!(error.status(), Status::INVALID_ARGUMENT);
    assert!(error
        .message()
        .contains("must be a fake tensor in a fake mode"));
    let mild = FakeMode::allowing_real().unwrap();
    assert!(mild
        .run(|| apply("aten::sum", &x))
        .unwrap()
        .unwrap()
        .is_fake());
}

#[test]
fn a_closure_is_a_fake_kernel() {
    let library = Library::define_namespace("fakes_rust").unwrap();
    library.define("row(Tensor x) -> Tensor").unwrap();
    let running = Arc::new(Mutex::new(None));
    let noted = running.clone();
    library
        .register_fake("row", move |x: &Tensor| {
            *noted.lock().unwrap() = fake::running().map(|op| op.name().to_owned());
            Op::find("aten::empty_like")?.call::<Tensor>((x,))
        })
        .unwrap();
    let x = FakeMode::new().unwrap().from_tensor(&real()).unwrap();
    assert!(apply("fakes_rust::row", &x).unwrap().is_fake());
    assert_eq!(running.lock().unwrap().as_deref(), Some("fakes_rust::row"));
    assert!(fake::running().is_none());
    let twice = library.register_fake("row", |x: &Tensor| x.clone());
    assert_eq!(twice.unwrap_err().status(), Status::ALREADY_EXISTS);
}

#[test]
fn what_is_made_in_a_mode_is_fake() {
    let mode = FakeMode::new().unwrap();
    let made = mode
        .run(|| {
            vec![
                Tensor::from_vec(vec![1.0f32; 6], &[2, 3]),
                Tensor::from_slice(&[1i64, 2], &[2]),
                Tensor::filled(true, &[4]),
                Tensor::scalar(1.0f64),
                Tensor::empty(&[1 << 40], DType::F32, Device::CPU),
            ]
        })
        .unwrap();
    for tensor in made {
        let tensor = tensor.unwrap();
        assert!(tensor.is_fake(), "{tensor}");
        assert_eq!(tensor.device(), Device::CPU);
    }
    assert!(!real().is_fake());
}
