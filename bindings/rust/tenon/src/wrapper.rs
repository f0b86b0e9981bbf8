// SPDX-License-Identifier: Apache-2.0
//! Wrapper tensors: tensors without memory, with a Rust value that runs operators on them.

use std::ptr;

use tenon_sys as sys;

use crate::dispatch::DispatchKeySet;
use crate::error::{check, Error, Result};
use crate::overrides::{dispatching_type, Dispatches};
use crate::status::Status;
use crate::types::{DType, Device};
use crate::Tensor;

/// Describes the tensor that a wrapper claims to be; by default a row-major CPU tensor.
///
/// ```
/// use tenon::{DType, Device, WrapperOptions};
/// let transposed = WrapperOptions::new(&[2, 3], DType::F32).strides(&[1, 2]).device(Device::META);
/// # let _ = transposed;
/// ```
#[derive(Clone, Debug)]
pub struct WrapperOptions<'a> {
    shape: &'a [i64],
    strides: Option<&'a [i64]>,
    storage_offset: i64,
    dtype: DType,
    device: Device,
    keys: DispatchKeySet,
    alias_of: Option<&'a Tensor>,
}

impl<'a> WrapperOptions<'a> {
    /// Returns the options of a row-major CPU tensor.
    pub fn new(shape: &'a [i64], dtype: DType) -> Self {
        WrapperOptions {
            shape,
            strides: None,
            storage_offset: 0,
            dtype,
            device: Device::CPU,
            keys: DispatchKeySet::EMPTY,
            alias_of: None,
        }
    }

    /// Sets the strides in elements, one for each dim.
    pub fn strides(mut self, strides: &'a [i64]) -> Self {
        self.strides = Some(strides);
        self
    }

    /// Sets the storage offset of the first element, in elements.
    pub fn storage_offset(mut self, offset: i64) -> Self {
        self.storage_offset = offset;
        self
    }

    /// Sets the device.
    pub fn device(mut self, device: Device) -> Self {
        self.device = device;
        self
    }

    /// Sets the functionality keys that it carries besides Wrapper.
    pub fn keys(mut self, keys: DispatchKeySet) -> Self {
        self.keys = keys;
        self
    }

    /// Sets the tensor whose version counter it shares.
    pub fn alias_of(mut self, tensor: &'a Tensor) -> Self {
        self.alias_of = Some(tensor);
        self
    }
}

impl Tensor {
    /// Creates a wrapper tensor with a shape and dtype but no memory. The type of `value` runs
    /// operators on it.
    ///
    /// # Errors
    /// [`Status::INVALID_ARGUMENT`] for a bad shape.
    pub fn wrapper<T: Dispatches>(
        value: T,
        shape: &[i64],
        dtype: DType,
        device: Device,
    ) -> Result<Tensor> {
        Tensor::wrapper_with(value, &WrapperOptions::new(shape, dtype).device(device))
    }

    /// Like [`Tensor::wrapper`], with all options of a wrapper.
    ///
    /// # Errors
    /// [`Status::INVALID_ARGUMENT`] for a bad shape, stride or
    /// offset, and for a key that wrappers cannot carry.
    pub fn wrapper_with<T: Dispatches>(value: T, options: &WrapperOptions<'_>) -> Result<Tensor> {
        let ndim = options.shape.len();
        if let Some(strides) = options.strides.filter(|strides| strides.len() != ndim) {
            return Err(Error::new(
                Status::INVALID_ARGUMENT,
                format!("Tensor::wrapper_with: strides must be {ndim} numbers, got {strides:?}"),
            ));
        }
        let device = options.device.to_raw();
        let raw = sys::tenon_wrapper_options {
            struct_size: std::mem::size_of::<sys::tenon_wrapper_options>() as u32,
            reserved0: 0,
            ndim: ndim as i64,
            sizes: options.shape.as_ptr(),
            strides: options.strides.map_or(ptr::null(), <[i64]>::as_ptr),
            storage_offset: options.storage_offset,
            dtype: options.dtype.0,
            reserved1: 0,
            device: &device,
            keys: options.keys.0,
            alias_of: options
                .alias_of
                .map_or(ptr::null(), |tensor| tensor.as_raw().cast_const()),
            reserved: [0; 4],
        };
        let value = Box::into_raw(Box::new(value));
        let mut out = ptr::null_mut();
        // SAFETY: the type record is never freed, and the data of the options lives for the call;
        // on success `release` frees the box.
        let status = unsafe {
            sys::tenon_wrapper_new(dispatching_type::<T>(), value.cast(), &raw, &mut out)
        };
        if let Err(error) = check(status) {
            // SAFETY: a failed call does not take over the box.
            drop(unsafe { Box::from_raw(value) });
            return Err(error);
        }
        // SAFETY: a new reference.
        Ok(unsafe { Tensor::from_raw(out) })
    }

    /// Returns the value of a wrapper tensor, if it is a `T`.
    pub fn wrapped<T: Dispatches>(&self) -> Option<&T> {
        // SAFETY: overrides.h: borrowed until the tensor dies; an equal type record means a `T`.
        unsafe {
            let object = sys::tenon_wrapper_object(self.as_raw());
            if object.is_null()
                || !ptr::eq(sys::tenon_object_get_type(object), dispatching_type::<T>())
            {
                return None;
            }
            Some(&*sys::tenon_object_self(object).cast::<T>())
        }
    }
}
