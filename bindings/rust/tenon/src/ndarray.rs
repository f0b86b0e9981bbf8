// SPDX-License-Identifier: Apache-2.0
//! Conversions between tensors and arrays of the newest `ndarray` (feature `ndarray`).

use ndarray::{self, Array, ArrayD, ArrayViewD, Dimension};

use crate::error::Result;
use crate::types::Element;
use crate::Tensor;

#[path = "arrays.rs"]
mod arrays;

impl Tensor {
    /// Makes a tensor from an array without copying it, and keeps its strides. An array with a
    /// negative stride is copied, because tensors have none.
    ///
    /// ```
    /// let array = ndarray::arr2(&[[1.0f32, 2.0], [3.0, 4.0]]).reversed_axes();
    /// let x = tenon::Tensor::from_ndarray(array)?;
    /// assert_eq!(x.strides(), [1, 2]);
    /// assert_eq!(x.to_ndarray::<f32>()?[[0, 1]], 3.0);
    /// # Ok::<(), tenon::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Status::OUT_OF_MEMORY`](crate::Status::OUT_OF_MEMORY).
    pub fn from_ndarray<T: Element, D: Dimension + 'static>(array: Array<T, D>) -> Result<Tensor> {
        arrays::from_ndarray(array)
    }

    /// Copies the elements into an array.
    ///
    /// # Errors
    /// As [`Tensor::to_vec`].
    pub fn to_ndarray<T: Element>(&self) -> Result<ArrayD<T>> {
        arrays::to_ndarray(self)
    }

    /// Returns a view of the elements of a CPU tensor, with any strides.
    ///
    /// # Safety
    /// As [`Tensor::as_slice`].
    ///
    /// # Errors
    /// [`Status::TYPE`](crate::Status::TYPE) for another dtype,
    /// [`Status::NOT_SUPPORTED`](crate::Status::NOT_SUPPORTED) off the CPU,
    /// [`Status::INVALID_ARGUMENT`](crate::Status::INVALID_ARGUMENT) for misaligned data.
    pub unsafe fn view_ndarray<T: Element>(&self) -> Result<ArrayViewD<'_, T>> {
        // SAFETY: the caller's promise is the same.
        unsafe { arrays::view_ndarray(self) }
    }
}
