// SPDX-License-Identifier: Apache-2.0
//! Tensor methods over the operators of libtenon_cpu, which is found beside libtenon.

use tenon::{DType, Device, LazyOp, Op, Status, Tensor};

mod support;
use support::{fails, floats, read};

static ADD: LazyOp = LazyOp::new("aten::add.Tensor");

/// Returns true if the kernels are available; in a full build they must be.
fn kernels() -> bool {
    let found = ADD.get().is_ok();
    if !found {
        assert!(
            std::env::var_os("TENON_BUILD_DIR").is_none(),
            "libtenon_cpu must be found in a full build, got {:?}",
            ADD.get()
        );
        eprintln!("skipped: no libtenon_cpu beside libtenon");
    }
    found
}

fn matrix() -> Tensor {
    Tensor::from_vec((0..6).map(|v| v as f32).collect(), &[2, 3]).unwrap()
}

#[test]
fn arithmetic_operators_broadcast_and_promote() {
    if !kernels() {
        return;
    }
    let (x, y) = (floats(&[1.0, 2.0]), floats(&[10.0, 20.0]));
    assert_eq!(read(&(&x + &y).unwrap()), [11.0, 22.0]);
    assert_eq!(read(&(&y - &x).unwrap()), [9.0, 18.0]);
    assert_eq!(read(&(&x * 2.5).unwrap()), [2.5, 5.0]);
    assert_eq!(read(&(&y / &x).unwrap()), [10.0, 10.0]);
    assert_eq!(read(&(-&x).unwrap()), [-1.0, -2.0]);
    let ints = Tensor::from_vec(vec![1i64, 2], &[2]).unwrap();
    assert_eq!((&ints * 2).unwrap().to_vec::<i64>().unwrap(), [2, 4]);
    assert_eq!((&ints * 2.5).unwrap().dtype(), DType::F32);
}

#[test]
fn operators_take_names_and_defaults() {
    if !kernels() {
        return;
    }
    let (x, y) = (floats(&[1.0, 2.0]), floats(&[10.0, 20.0]));
    let z: Tensor = ADD
        .get()
        .unwrap()
        .args()
        .arg(&x)
        .arg(&y)
        .named("alpha", 2)
        .call()
        .unwrap();
    assert_eq!(read(&z), [21.0, 42.0]);
    let out = floats(&[0.0, 0.0]);
    let add_out = Op::find("aten::add.out").unwrap();
    let back: Tensor = add_out
        .args()
        .arg(&x)
        .arg(&y)
        .named("out", &out)
        .call()
        .unwrap();
    assert_eq!(
        (back.as_raw(), read(&out)),
        (out.as_raw(), vec![11.0, 22.0])
    );
}

#[test]
fn mismatched_shapes_name_the_operator() {
    if !kernels() {
        return;
    }
    let error = &floats(&[1.0, 2.0]) + &floats(&[1.0, 2.0, 3.0]);
    let error = fails(error, Status::INVALID_ARGUMENT, &["add"]);
    assert!(
        error.message().contains('2') && error.message().contains('3'),
        "{error}"
    );
}

#[test]
fn views_share_memory() {
    if !kernels() {
        return;
    }
    let x = matrix();
    let views = [
        x.view(&[3, 2]).unwrap(),
        x.transpose(0, 1).unwrap(),
        x.slice(1, Some(1), None, 1).unwrap(),
        x.select(0, -1).unwrap(),
        x.unsqueeze(0).unwrap(),
        x.permute(&[1, 0]).unwrap(),
    ];
    assert!(views.iter().all(|view| view.shares_storage(&x)));
    assert_eq!(views[1].shape(), [3, 2]);
    assert_eq!(read(&views[1]), [0.0, 3.0, 1.0, 4.0, 2.0, 5.0]);
    assert_eq!(read(&views[2]), [1.0, 2.0, 4.0, 5.0]);
    assert_eq!(read(&views[3]), [3.0, 4.0, 5.0]);
    assert!(!x.copy().unwrap().shares_storage(&x));
}

#[test]
fn in_place_operators_bump_the_shared_version() {
    if !kernels() {
        return;
    }
    let x = matrix();
    let row = x.select(0, 0).unwrap();
    let version = x.version();
    row.fill_(7.0).unwrap();
    assert_eq!(read(&x), [7.0, 7.0, 7.0, 3.0, 4.0, 5.0]);
    assert_eq!((x.version(), row.version()), (version + 1, version + 1));
    x.copy_(&Tensor::zeros(&[2, 3], DType::F32, Device::CPU).unwrap())
        .unwrap();
    assert_eq!(read(&row), [0.0; 3]);
}

#[test]
fn reductions_products_and_joins() {
    if !kernels() {
        return;
    }
    let x = matrix();
    assert_eq!(x.sum().unwrap().item::<f32>().unwrap(), 15.0);
    assert_eq!(read(&x.sum_dims(&[1], false).unwrap()), [3.0, 12.0]);
    assert_eq!(x.mean_dims(&[0], true).unwrap().shape(), [1, 3]);
    let product = x.mm(&x.transpose(0, 1).unwrap()).unwrap();
    assert_eq!(read(&product), [5.0, 14.0, 14.0, 50.0]);
    let joined = Tensor::cat(&[&x, &x], 0).unwrap();
    assert_eq!(joined.shape(), [4, 3]);
    let big = x.lt(&floats(&[3.0, 3.0, 3.0])).unwrap();
    let chosen = big.where_(&x, &(&x * -1.0).unwrap()).unwrap();
    assert_eq!(read(&chosen), [0.0, 1.0, 2.0, -3.0, -4.0, -5.0]);
}

#[test]
fn factories_and_casts() {
    if !kernels() {
        return;
    }
    let ones = Tensor::ones(&[2], DType::I32, Device::CPU).unwrap();
    assert_eq!(ones.to_vec::<i32>().unwrap(), [1, 1]);
    let full = Tensor::full(&[2], 2.5, DType::F64, Device::CPU).unwrap();
    assert_eq!(full.to_vec::<f64>().unwrap(), [2.5, 2.5]);
    let cast = full.to(Some(DType::I64), None).unwrap();
    assert_eq!(cast.to_vec::<i64>().unwrap(), [2, 2]);
    let meta = Tensor::zeros(&[2, 3], DType::F32, Device::META).unwrap();
    assert_eq!((&meta + &meta).unwrap().device().to_string(), "meta");
}

#[test]
fn typed_calls_reach_the_kernels() {
    if !kernels() {
        return;
    }
    let add = ADD
        .get()
        .unwrap()
        .typed::<(&Tensor, &Tensor, tenon::Scalar), Tensor>()
        .unwrap();
    let (x, y) = (floats(&[1.0]), floats(&[2.0]));
    assert_eq!(read(&add.call(&x, &y, 3i64.into()).unwrap()), [7.0]);
}
