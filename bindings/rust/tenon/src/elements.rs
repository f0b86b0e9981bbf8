// SPDX-License-Identifier: Apache-2.0
//! Reading and writing a tensor's elements from Rust.

use std::mem::MaybeUninit;

use tenon_sys as sys;

use crate::dims::Dims;
use crate::error::{check, Error, Result};
use crate::status::Status;
use crate::types::{DType, Device, Element};
use crate::value_ref::slice;
use crate::Tensor;

/// Returns an empty vector with room for `count` elements. A tensor's size may exceed the available
/// memory. This returns an error then, while Rust's collections would abort the process.
pub(crate) fn with_room<T>(function: &str, count: usize) -> Result<Vec<T>> {
    let mut vector = Vec::new();
    vector.try_reserve_exact(count).map_err(|_| {
        let bytes = std::mem::size_of::<T>();
        Error::new(
            Status::OUT_OF_MEMORY,
            format!(
                "{function}: memory for {count} elements of {bytes} bytes must be available, got \
                 none"
            ),
        )
    })?;
    Ok(vector)
}

fn is_row_major(shape: &[i64], strides: &[i64]) -> bool {
    let mut expected = 1;
    let dims = shape.iter().zip(strides).rev();
    shape.contains(&0)
        || dims.into_iter().all(|(&size, &stride)| {
            let fits = size == 1 || stride == expected;
            expected *= size;
            fits
        })
}

impl Tensor {
    fn info(&self) -> Result<sys::tenon_tensor_info> {
        let mut info = MaybeUninit::<sys::tenon_tensor_info>::zeroed();
        // SAFETY: the tensor is live; on success the description is filled, and a zeroed one is
        // valid too.
        unsafe {
            check(sys::tenon_tensor_describe(self.as_raw(), info.as_mut_ptr()))?;
            Ok(info.assume_init())
        }
    }

    fn readable<T: Element>(&self, function: &str) -> Result<sys::tenon_tensor_info> {
        let info = self.info()?;
        if info.dtype != T::DTYPE.0 {
            let (want, got) = (T::DTYPE, DType(info.dtype));
            return Err(Error::new(
                Status::TYPE,
                format!("{function}: dtype must be {want}, got {got}"),
            ));
        }
        let device = Device::from_raw(info.device);
        if !device.is_cpu() {
            return Err(Error::new(
                Status::NOT_SUPPORTED,
                format!("{function}: device must be cpu, got {device}"),
            ));
        }
        if info.flags & sys::TENON_TENSOR_HOLLOW != 0 {
            return Err(Error::new(
                Status::STATE,
                format!("{function}: tensor must have memory, got a wrapper or carrier"),
            ));
        }
        if info.data.is_null() && info.numel > 0 {
            return Err(Error::new(
                Status::STATE,
                format!("{function}: tensor must have memory, got a fake tensor"),
            ));
        }
        Ok(info)
    }

    #[cfg(any(
        feature = "ndarray",
        feature = "ndarray-0_15",
        feature = "ndarray-0_16"
    ))]
    pub(crate) fn readable_data<T: Element>(&self, function: &str) -> Result<*const T> {
        Ok(self.readable::<T>(function)?.data.cast::<T>().cast_const())
    }

    fn contiguous_info<T: Element>(&self, function: &str) -> Result<sys::tenon_tensor_info> {
        let info = self.readable::<T>(function)?;
        if info.flags & sys::TENON_TENSOR_CONTIGUOUS == 0 {
            return Err(Error::new(
                Status::INVALID_ARGUMENT,
                format!(
                    "{function}: tensor must be contiguous, got strides {:?} for {:?}",
                    self.strides(),
                    self.shape()
                ),
            ));
        }
        if info.numel > 0 && (info.data as usize) % std::mem::align_of::<T>() != 0 {
            return Err(Error::new(
                Status::INVALID_ARGUMENT,
                format!(
                    "{function}: data must be aligned to {} bytes, got {:p}",
                    std::mem::align_of::<T>(),
                    info.data
                ),
            ));
        }
        Ok(info)
    }

    /// Returns the elements of a contiguous CPU tensor, in place.
    ///
    /// # Safety
    /// While the slice lives, nothing may write to the storage: no operator may run with this
    /// tensor or a view of it as a written argument. A kernel may rely on that for arguments that
    /// its schema does not mark as written. For `bool`, every byte must be 0 or 1.
    ///
    /// # Errors
    /// [`Status::TYPE`] for another dtype, [`Status::NOT_SUPPORTED`] off the CPU,
    /// [`Status::INVALID_ARGUMENT`] if the tensor is not contiguous.
    pub unsafe fn as_slice<T: Element>(&self) -> Result<&[T]> {
        let info = self.contiguous_info::<T>("Tensor::as_slice")?;
        // SAFETY: tensor.h: numel elements of the checked dtype; the caller promises the rest.
        Ok(unsafe { slice(info.data.cast(), info.numel as usize) })
    }

    /// Returns the elements of a contiguous CPU tensor, in place and writable.
    ///
    /// # Safety
    /// While the slice lives, nothing else may read or write the storage. A kernel may rely on that
    /// for a new tensor and for arguments that its schema marks as written.
    ///
    /// # Errors
    /// As [`Tensor::as_slice`]; [`Status::STATE`] for read-only memory.
    #[allow(clippy::mut_from_ref)]
    pub unsafe fn as_mut_slice<T: Element>(&self) -> Result<&mut [T]> {
        let info = self.contiguous_info::<T>("Tensor::as_mut_slice")?;
        if info.flags & sys::TENON_TENSOR_READ_ONLY != 0 {
            return Err(Error::new(
                Status::STATE,
                "Tensor::as_mut_slice: tensor must be writable, got read-only memory",
            ));
        }
        if info.numel == 0 {
            return Ok(&mut []);
        }
        // SAFETY: tensor.h: numel elements of the checked dtype; the caller promises the rest.
        Ok(unsafe { std::slice::from_raw_parts_mut(info.data.cast(), info.numel as usize) })
    }

    /// Copies the elements in row-major order, with any strides.
    ///
    /// # Errors
    /// [`Status::TYPE`] for another dtype, [`Status::NOT_SUPPORTED`] off the CPU,
    /// [`Status::OUT_OF_MEMORY`].
    pub fn to_vec<T: Element>(&self) -> Result<Vec<T>> {
        Ok(self.copy_elements("Tensor::to_vec")?.1)
    }

    /// Like [`Tensor::to_vec`], but also returns the shape. `function` is the public function that
    /// errors name.
    pub(crate) fn copy_elements<T: Element>(&self, function: &str) -> Result<(Dims, Vec<T>)> {
        // The shape is copied before the address is read: a storage's memory only grows and lives
        // as long as the storage. It therefore has room for that shape even if another thread
        // resizes the tensor at the same time.
        let (shape, strides) = self.shape_and_strides();
        let info = self.readable::<T>(function)?;
        let count = shape.iter().product::<i64>() as usize;
        let mut result = with_room(function, count)?;
        let first = info.data.cast::<T>().cast_const();
        if is_row_major(&shape, &strides) {
            // SAFETY: the memory has `count` elements of the checked dtype in a row, as explained
            // above, and lives as long as the tensor.
            result.extend((0..count).map(|at| unsafe { T::read(first.add(at)) }));
            return Ok((shape, result));
        }
        let mut index = vec![0i64; shape.len()];
        let mut offset = 0i64;
        for _ in 0..count {
            // SAFETY: the memory has an element of the checked dtype for each index of the shape,
            // as explained above, and lives as long as the tensor.
            result.push(unsafe { T::read(first.offset(offset as isize)) });
            for dim in (0..shape.len()).rev() {
                index[dim] += 1;
                offset += strides[dim];
                if index[dim] < shape[dim] {
                    break;
                }
                offset -= strides[dim] * shape[dim];
                index[dim] = 0;
            }
        }
        Ok((shape, result))
    }

    /// Returns the only element of a CPU tensor.
    ///
    /// # Errors
    /// As [`Tensor::to_vec`]; [`Status::INVALID_ARGUMENT`] unless there is exactly one element.
    pub fn item<T: Element>(&self) -> Result<T> {
        let info = self.readable::<T>("Tensor::item")?;
        if info.numel != 1 {
            return Err(Error::new(
                Status::INVALID_ARGUMENT,
                format!(
                    "Tensor::item: tensor must have 1 element, got shape {:?}",
                    self.shape()
                ),
            ));
        }
        // SAFETY: the memory holds at least the one element of the checked dtype, and lives as long
        // as the tensor.
        Ok(unsafe { T::read(info.data.cast::<T>().cast_const()) })
    }
}
