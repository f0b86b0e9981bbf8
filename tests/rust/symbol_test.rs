// SPDX-License-Identifier: Apache-2.0
//! Symbolic sizes: numbers, guards with locations, tensors, kernels, data-dependent sizes.

use tenon::fake::{self, FakeMode};
use tenon::symbol::{self, ShapeEnv, SymBool, SymFloat, SymFunction, SymInt, SymbolOptions};
use tenon::{DType, DispatchKey, Kernel, Library, Op, Status, Tensor, Value};

fn sizes(tensor: &Tensor) -> String {
    format!("{:?}", tensor.sym_shape().unwrap())
}

#[test]
fn arithmetic_stays_symbolic() {
    let env = ShapeEnv::new().unwrap();
    let (a, b) = (env.new_size(4).unwrap(), env.new_size(5).unwrap());
    assert_eq!((&a * &b + 1).to_string(), "s0*s1 + 1");
    assert_eq!((3 - &a).to_string(), "-s0 + 3");
    assert_eq!((&a / 3).to_string(), "s0 // 3");
    assert_eq!((&a % 3).to_string(), "s0 % 3");
    assert_eq!((-&a).to_string(), "-s0");
    assert_eq!(a.max(&b).unwrap().to_string(), "max(s0, s1)");
    assert_eq!(a.true_div(2).unwrap().to_string(), "s0 / 2");
    assert_eq!(a.sqrt().unwrap().hint(), Some(2.0));
    let either = a.sym_lt(&b).unwrap() | !a.sym_eq(2).unwrap();
    assert_eq!(either.to_string(), "(s0 < s1) or (not (s0 == 2))");
    assert_eq!((&a * 2).hint(), Some(8));
    assert!(env.guards().unwrap().is_empty());
}

#[test]
fn a_number_is_one() {
    let seven = SymInt::from(7);
    assert!(!seven.is_symbolic());
    assert_eq!((seven * 2 - 1).as_int(), Some(13));
    assert_eq!((SymInt::from(-7) / 2).as_int(), Some(-4));
    assert_eq!((SymInt::from(-7) % 2).as_int(), Some(1));
    assert_eq!(ShapeEnv::new().unwrap().new_size(1).unwrap(), 1.into());
    assert_eq!(SymFloat::from(2.5).hint(), Some(2.5));
    assert!(SymBool::from(true).guard().unwrap());
}

#[test]
fn equality_decides_nothing() {
    let env = ShapeEnv::new().unwrap();
    let (a, b) = (env.new_size(4).unwrap(), env.new_size(4).unwrap());
    assert_eq!(&a + &b, &b + &a);
    assert_ne!(a, b);
    assert!(env.guards().unwrap().is_empty());
}

#[test]
fn a_decision_is_a_guard_with_its_place() {
    let env = ShapeEnv::new().unwrap();
    let a = env.new_size(4).unwrap();
    let line = line!() + 1;
    assert!(a.sym_lt(10).unwrap().guard().unwrap());
    let guards = env.guards().unwrap();
    assert_eq!(guards.len(), 1);
    assert_eq!((guards[0].text.as_str(), guards[0].line), ("s0 < 10", line));
    assert!(guards[0]
        .file
        .as_deref()
        .unwrap()
        .ends_with("symbol_test.rs"));
    assert_eq!(guards[0].op, None);
    assert_eq!(a.guard().unwrap(), 4);
    assert_eq!(a.to_string(), "4");
}

#[test]
fn other_numbers_tell_the_first_failure() {
    // [quote.begin guards]
    let env = ShapeEnv::new().unwrap();
    let batch = env.new_size(4).unwrap();
    let x = Tensor::empty_symbolic(&[batch.clone(), 3.into()], DType::F32).unwrap();
    let turned: Tensor = Op::find("aten::t").unwrap().call((&x,)).unwrap();
    assert_eq!(sizes(&turned), "[3, s0]");
    let rows = &x.sym_shape().unwrap()[0];
    assert!(rows.sym_lt(10).unwrap().guard().unwrap()); // decided by the hint: a guard
    assert_eq!(env.first_failure(&[(&batch, 7)]).unwrap(), None);
    let failure = env.first_failure(&[(&batch, 12)]).unwrap().unwrap();
    assert!(failure.starts_with("s0 < 10"));
    // [quote.end]
    assert_eq!((&batch * &batch).evaluate(&[(&batch, 7)]).unwrap(), 49);
    assert!(env.to_string().contains("s0: hint 4"));
    let error = env.first_failure(&[(&3.into(), 7)]).unwrap_err();
    assert_eq!(error.status(), Status::TYPE);
    assert!(error.message().contains("keys must be symbols, got 3"));
}

#[test]
fn symbols_outlive_their_environment() {
    let options = SymbolOptions {
        name: Some("rows"),
        min: Some(0),
        max: Some(9),
        ..Default::default()
    };
    let size = ShapeEnv::new().unwrap().new_symbol(options).unwrap();
    assert_eq!((&size + 1).to_string(), "rows + 1");
    assert_eq!(size.bounds().unwrap(), (Some(0), Some(9)));
    assert_eq!(size.hint(), None);
}

#[test]
fn wrong_use_is_an_error() {
    let (first, second) = (ShapeEnv::new().unwrap(), ShapeEnv::new().unwrap());
    let (a, b) = (first.new_size(4).unwrap(), second.new_size(4).unwrap());
    let error = SymInt::calculate(SymFunction::Add, &a, &b).unwrap_err();
    assert!(error.message().contains("one shape environment"));
    assert!(SymInt::calculate(SymFunction::FloorDiv, &a, 0).is_err());
    assert!(std::panic::catch_unwind(|| &a + &b).is_err());
    assert!(first.new_size(-1).is_err());
    let name = |name| SymbolOptions {
        name: Some(name),
        ..Default::default()
    };
    assert!(first.new_symbol(name("a\0b")).is_err());
    first.new_symbol(name("n")).unwrap();
    assert!(first.new_symbol(name("n")).is_err());
    assert!(Tensor::empty_strided_symbolic(&[a], &[], DType::F32).is_err());
    assert_eq!(
        fake::new_dynamic_size(0, None).unwrap_err().status(),
        Status::STATE
    );
}

#[test]
fn only_bounds_decide_what_data_tells() {
    let options = SymbolOptions {
        min: Some(2),
        max: Some(5),
        ..Default::default()
    };
    let count = ShapeEnv::new().unwrap().new_symbol(options).unwrap();
    assert!(count.sym_ge(2).unwrap().guard().unwrap());
    let error = count.sym_gt(3).unwrap().guard().unwrap_err();
    assert_eq!(error.status(), Status::DATA_DEPENDENT);
    assert!(error
        .message()
        .contains("u0 > 3 must be true or false for all values"));
    assert!(error.message().contains("symbol_test.rs"));
}

#[test]
fn tensors_have_symbolic_shapes() {
    let env = ShapeEnv::new().unwrap();
    let n = env.new_size(4).unwrap();
    let x = Tensor::empty_symbolic(&[n.clone(), 3.into()], DType::F32).unwrap();
    assert_eq!(x.sym_numel().unwrap().to_string(), "3*s0");
    assert_eq!(x.sym_strides().unwrap(), [3.into(), 1.into()]);
    assert_eq!(x.sym_storage_offset().unwrap(), 0.into());
    let view: Tensor = Op::find("aten::view")
        .unwrap()
        .call((&x, &[3.into(), n.clone()]))
        .unwrap();
    assert_eq!(sizes(&view), "[3, s0]");
    let turned =
        Tensor::empty_strided_symbolic(&[n.clone(), 3.into()], &[1.into(), n.clone()], DType::F64);
    assert_eq!(turned.unwrap().sym_strides().unwrap()[1], n);
    assert_eq!(sizes(&Tensor::scalar(1.0f32).unwrap()), "[]");
    assert!(env.guards().unwrap().is_empty());
}

#[test]
fn a_symbolic_kernel_gets_symbols() {
    let env = ShapeEnv::new().unwrap();
    let library = Library::define_namespace("symbols_rust").unwrap();
    library
        .define("grow(Tensor x, SymInt n, SymInt[] more) -> (Tensor, SymInt)")
        .unwrap();
    let kernel = Kernel::boxed(|_, args| {
        let tenon::ValueRef::Tensor(x) = args[0] else {
            return Err(tenon::Error::new(Status::TYPE, "x"));
        };
        let rows = &x.sym_shape()?[0] * SymInt::try_from(args[1])?;
        let more = symbol::sizes(args[2])?;
        let made = x.new_empty_symbolic(&[rows.clone(), more[0].clone()])?;
        Ok(vec![made.into(), Value::from(rows)])
    });
    library
        .impl_kernel("grow", DispatchKey::META, kernel.symbolic())
        .unwrap();
    let n = env.new_size(4).unwrap();
    let x = Tensor::empty_symbolic(std::slice::from_ref(&n), DType::F32).unwrap();
    let grow = Op::find("symbols_rust::grow").unwrap();
    let (made, rows): (Tensor, SymInt) = grow.call((&x, &n, &[n.clone(), 2.into()])).unwrap();
    assert_eq!(sizes(&made), "[s0*s0, s0]");
    assert_eq!(rows, &n * &n);
    assert!(env.guards().unwrap().is_empty());
    let (made, rows): (Tensor, SymInt) = grow.call((&x, 2, &[5i64])).unwrap();
    assert_eq!(sizes(&made), "[2*s0, 5]");
    assert_eq!(rows.to_string(), "2*s0");
}

#[test]
fn other_kernels_get_numbers_by_a_guard() {
    let env = ShapeEnv::new().unwrap();
    let library = Library::define_namespace("symbols_rust_plain").unwrap();
    library.define("plain(Tensor x) -> int").unwrap();
    library
        .impl_fn("plain", DispatchKey::META, |x: &Tensor| x.shape()[0])
        .unwrap();
    let x = Tensor::empty_symbolic(&[env.new_size(4).unwrap()], DType::F32).unwrap();
    let op = Op::find("symbols_rust_plain::plain").unwrap();
    assert_eq!(op.call::<i64>((&x,)).unwrap(), 4);
    let guard = &env.guards().unwrap()[0];
    assert_eq!(guard.text, "s0 == 4");
    assert_eq!(guard.op.as_deref(), Some("symbols_rust_plain::plain"));
}

#[test]
fn a_fake_kernel_makes_sizes_that_data_tells() {
    // [quote.begin dynamic]
    let library = Library::define_namespace("symbols_rust_fake").unwrap();
    library.define("positive(Tensor x) -> Tensor").unwrap();
    library
        .register_fake("positive", |x: &Tensor| {
            let found = fake::new_dynamic_size(0, Some(x.numel() as i64))?;
            x.new_empty_symbolic(&[found])
        })
        .unwrap();
    let env = ShapeEnv::new().unwrap();
    let mode = FakeMode::with_shape_env(&env).unwrap();
    let x = Tensor::from_vec(vec![1.0f32, 2.0], &[2]).unwrap();
    let positive = Op::find("symbols_rust_fake::positive").unwrap();
    let found: Tensor = positive.call((&mode.from_tensor(&x).unwrap(),)).unwrap();
    assert_eq!(sizes(&found), "[u0]");
    assert!(found.sym_shape().unwrap()[0]
        .sym_le(2)
        .unwrap()
        .guard()
        .unwrap());
    // [quote.end]
    assert!(found.is_fake());
    assert!(mode.shape_env().unwrap() == env);
}
