// SPDX-License-Identifier: Apache-2.0
//! Conversions between tensors and arrays of the version of `ndarray` that the enclosing module
//! names.

use super::ndarray::{Array, ArrayD, ArrayViewD, Dimension, IxDyn, ShapeBuilder};
use crate::elements::with_room;
use crate::error::{Error, Result};
use crate::status::Status;
use crate::types::Element;
use crate::Tensor;

/// Makes a tensor from an array without copying it, and keeps its strides. An array with a negative
/// stride is copied, because tensors have none.
///
/// # Errors
/// [`Status::OUT_OF_MEMORY`].
pub fn from_ndarray<T: Element, D: Dimension + 'static>(array: Array<T, D>) -> Result<Tensor> {
    let shape: Vec<i64> = array.shape().iter().map(|&size| size as i64).collect();
    if array.strides().iter().any(|&stride| stride < 0) {
        let mut data = with_room("Tensor::from_ndarray", array.len())?;
        data.extend(array.iter().copied());
        return Tensor::from_vec(data, &shape);
    }
    let strides: Vec<i64> = array
        .strides()
        .iter()
        .map(|&stride| stride as i64)
        .collect();
    let mut owner = Box::new(array);
    let data = owner.as_mut_ptr();
    // SAFETY: shape and strides are the array's own, which the tensor owns from here.
    let made = unsafe { Tensor::wrap(data.cast(), T::DTYPE, &shape, Some(&strides), owner) };
    crate::tensor::fake_if_on(made?)
}

/// Copies the elements into an array.
///
/// # Errors
/// As [`Tensor::to_vec`].
pub fn to_ndarray<T: Element>(tensor: &Tensor) -> Result<ArrayD<T>> {
    let (shape, data) = tensor.copy_elements::<T>("Tensor::to_ndarray")?;
    let shape: Vec<usize> = shape.iter().map(|&size| size as usize).collect();
    ArrayD::from_shape_vec(IxDyn(&shape), data).map_err(Error::from_error)
}

/// Returns a view of the elements of a CPU tensor, with any strides.
///
/// # Safety
/// As [`Tensor::as_slice`].
///
/// # Errors
/// [`Status::TYPE`] for another dtype, [`Status::NOT_SUPPORTED`] off the CPU,
/// [`Status::INVALID_ARGUMENT`] for misaligned data.
pub unsafe fn view_ndarray<T: Element>(tensor: &Tensor) -> Result<ArrayViewD<'_, T>> {
    let data = tensor.readable_data::<T>("Tensor::view_ndarray")?;
    let count = |dims: crate::Dims| dims.iter().map(|&dim| dim as usize).collect::<Vec<_>>();
    let (shape, strides) = (count(tensor.shape()), count(tensor.strides()));
    if tensor.numel() == 0 {
        return ArrayViewD::from_shape(IxDyn(&shape), &[]).map_err(Error::from_error);
    }
    if (data as usize) % std::mem::align_of::<T>() != 0 {
        let align = std::mem::align_of::<T>();
        return Err(Error::new(
            Status::INVALID_ARGUMENT,
            format!("Tensor::view_ndarray: data must be aligned to {align} bytes, got {data:p}"),
        ));
    }
    // SAFETY: tensor.h: every index of the shape is an element; the caller promises the rest.
    Ok(unsafe { ArrayViewD::from_shape_ptr(IxDyn(&shape).strides(IxDyn(&strides)), data) })
}
