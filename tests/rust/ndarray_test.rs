// SPDX-License-Identifier: Apache-2.0
//! Tensors from and to `ndarray` arrays (feature `ndarray`).

use ndarray::{arr2, s, Array, Array3, ArrayD, IxDyn};
use tenon::{Status, Tensor};

mod support;
use support::fails;

#[test]
fn arrays_become_tensors_without_copying() {
    let array = arr2(&[[1.0f32, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    let address = array.as_ptr();
    let x = Tensor::from_ndarray(array).unwrap();
    assert_eq!(x.data_ptr().unwrap().cast_const().cast(), address);
    assert_eq!(
        (x.to_vec::<f32>().unwrap(), x.ndim()),
        (vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 2)
    );
}

#[test]
fn strides_are_kept_and_backward_ones_copied() {
    let columns = arr2(&[[1i64, 2], [3, 4]]).reversed_axes();
    let x = Tensor::from_ndarray(columns).unwrap();
    assert_eq!(x.strides(), [1, 2]);
    assert_eq!(x.to_vec::<i64>().unwrap(), [1, 3, 2, 4]);
    let mut backward = Array::from_vec(vec![1i64, 2, 3]);
    backward.invert_axis(ndarray::Axis(0));
    let y = Tensor::from_ndarray(backward).unwrap();
    assert_eq!(
        (y.strides(), y.to_vec::<i64>().unwrap()),
        (y.strides(), vec![3, 2, 1])
    );
    assert_eq!(y.strides(), [1]);
    let every_other = Array::from_vec((0..6i64).collect()).slice_move(s![..;2]);
    assert_eq!(
        Tensor::from_ndarray(every_other)
            .unwrap()
            .to_vec::<i64>()
            .unwrap(),
        [0, 2, 4]
    );
}

#[test]
fn tensors_become_arrays() {
    let x = Tensor::from_vec((0..24i32).collect(), &[2, 3, 4]).unwrap();
    let array: ArrayD<i32> = x.to_ndarray().unwrap();
    assert_eq!(array[[1, 2, 3]], 23);
    let view = unsafe { x.view_ndarray::<i32>() }.unwrap();
    assert_eq!(
        (view.as_ptr().cast(), view[[1, 0, 1]]),
        (x.data_ptr().unwrap().cast_const(), 13)
    );
    fails(x.to_ndarray::<f32>(), Status::TYPE, &["float32", "int32"]);
    let swapped = x.alias(&[4, 2], &[1, 12], 4).unwrap();
    assert_eq!(
        unsafe { swapped.view_ndarray::<i32>() }.unwrap()[[3, 1]],
        19
    );
}

#[test]
fn empty_and_scalar_arrays_work() {
    let empty = Tensor::from_ndarray(Array3::<f64>::zeros((0, 2, 3))).unwrap();
    assert_eq!(empty.shape(), [0, 2, 3]);
    assert_eq!(unsafe { empty.view_ndarray::<f64>() }.unwrap().len(), 0);
    let scalar = Tensor::from_ndarray(ndarray::arr0(2.5f64)).unwrap();
    assert_eq!(
        scalar.to_ndarray::<f64>().unwrap(),
        ArrayD::from_elem(IxDyn(&[]), 2.5)
    );
}

#[test]
fn copies_that_memory_is_too_short_for_are_errors() {
    let one = Tensor::from_slice(&[1.0f32], &[1]).unwrap();
    let huge = one.alias(&[1 << 45], &[0], 0).unwrap();
    fails(
        huge.to_ndarray::<f32>(),
        Status::OUT_OF_MEMORY,
        &["Tensor::to_ndarray"],
    );
}

#[test]
fn arrays_of_older_versions_share_memory() {
    let older = ndarray_0_15::arr2(&[[1.0f32, 2.0], [3.0, 4.0]]);
    let address = older.as_ptr();
    let x = tenon::ndarray_0_15::from_ndarray(older).unwrap();
    let view = unsafe { tenon::ndarray_0_16::view_ndarray::<f32>(&x) }.unwrap();
    assert_eq!((view.as_ptr(), view[[1, 0]]), (address, 3.0));
    let oldest = unsafe { tenon::ndarray_0_15::view_ndarray::<f32>(&x) }.unwrap();
    assert_eq!((oldest.as_ptr(), oldest[[0, 1]]), (address, 2.0));
    let y = tenon::ndarray_0_16::from_ndarray(ndarray_0_16::arr1(&[5i64])).unwrap();
    assert_eq!(
        tenon::ndarray_0_16::to_ndarray::<i64>(&y).unwrap(),
        ndarray_0_16::arr1(&[5i64]).into_dyn()
    );
    fails(
        tenon::ndarray_0_15::to_ndarray::<f32>(&y),
        Status::TYPE,
        &["float32", "int64"],
    );
}
