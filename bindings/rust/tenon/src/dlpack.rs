// SPDX-License-Identifier: Apache-2.0
//! Exchange of tensors with other libraries by DLPack (<https://dmlc.github.io/dlpack>), without
//! copying.

use std::ffi::c_void;
use std::ptr::{self, NonNull};

use tenon_sys as sys;

use crate::error::{check, Result};
use crate::Tensor;

/// Device of a DLPack tensor, as in DLPack's header.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DLDevice {
    /// 1 is the CPU, 2 CUDA.
    pub device_type: i32,
    /// Index of the device.
    pub device_id: i32,
}

/// Element type of a DLPack tensor.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DLDataType {
    /// 0 int, 1 uint, 2 float, 4 bfloat, 5 complex, 6 bool.
    pub code: u8,
    /// Bits of one lane.
    pub bits: u8,
    /// Lanes; 1 for all dtypes that Tenon has.
    pub lanes: u16,
}

/// A DLPack tensor's description.
#[repr(C)]
#[derive(Debug)]
pub struct DLTensor {
    /// Memory; the first element is at `byte_offset`.
    pub data: *mut c_void,
    /// Device.
    pub device: DLDevice,
    /// Number of dims.
    pub ndim: i32,
    /// Element type.
    pub dtype: DLDataType,
    /// `ndim` sizes.
    pub shape: *mut i64,
    /// `ndim` strides in elements; NULL is row-major.
    pub strides: *mut i64,
    /// Offset of the first element in bytes.
    pub byte_offset: u64,
}

/// DLPack's exchange struct with version and flags.
#[repr(C)]
#[derive(Debug)]
pub struct DLManagedTensorVersioned {
    /// Major and minor version of DLPack.
    pub version: [u32; 2],
    /// Private data of the producer.
    pub manager_ctx: *mut c_void,
    /// Frees the struct and everything that it owns.
    pub deleter: Option<unsafe extern "C" fn(*mut DLManagedTensorVersioned)>,
    /// Bit 0 read-only, bit 1 copied.
    pub flags: u64,
    /// The description.
    pub dl_tensor: DLTensor,
}

/// DLPack's older exchange struct.
#[repr(C)]
#[derive(Debug)]
pub struct DLManagedTensor {
    /// The description.
    pub dl_tensor: DLTensor,
    /// Private data of the producer.
    pub manager_ctx: *mut c_void,
    /// Frees the struct and everything that it owns.
    pub deleter: Option<unsafe extern "C" fn(*mut DLManagedTensor)>,
}

/// An exported tensor that has not been passed to a consumer yet. Its deleter runs when it is
/// dropped.
#[derive(Debug)]
pub struct Exported(NonNull<DLManagedTensorVersioned>);

// SAFETY: tensor.h: the deleter may run on any thread; nothing else is done with it here.
unsafe impl Send for Exported {}

impl Exported {
    /// Returns the struct, still owned by `self`.
    pub fn as_ptr(&self) -> *mut DLManagedTensorVersioned {
        self.0.as_ptr()
    }

    /// Passes ownership of the struct to a consumer, which calls its deleter.
    pub fn into_raw(self) -> *mut DLManagedTensorVersioned {
        std::mem::ManuallyDrop::new(self).0.as_ptr()
    }
}

impl Drop for Exported {
    fn drop(&mut self) {
        // SAFETY: DLPack: the owner of the struct calls its deleter once.
        unsafe {
            if let Some(deleter) = (*self.as_ptr()).deleter {
                deleter(self.as_ptr());
            }
        }
    }
}

impl Tensor {
    /// Exports the tensor without copying, for a consumer on the default stream.
    ///
    /// # Errors
    /// [`Status::NOT_SUPPORTED`](crate::Status::NOT_SUPPORTED) for a dtype or device that DLPack
    /// does not have.
    pub fn to_dlpack(&self) -> Result<Exported> {
        let mut out = ptr::null_mut();
        // SAFETY: the tensor is live; the result holds a reference of its own.
        check(unsafe { sys::tenon_tensor_to_dlpack(self.as_raw(), ptr::null_mut(), &mut out) })?;
        // SAFETY: a successful export is not NULL.
        Ok(Exported(unsafe { NonNull::new_unchecked(out.cast()) }))
    }

    /// Exports the tensor as the older struct. The consumer calls its deleter.
    ///
    /// # Errors
    /// As [`Tensor::to_dlpack`]; also fails for read-only memory.
    pub fn to_dlpack_legacy(&self) -> Result<*mut DLManagedTensor> {
        let mut out = ptr::null_mut();
        let stream = ptr::null_mut();
        // SAFETY: the tensor is live; the result holds a reference of its own.
        check(unsafe { sys::tenon_tensor_to_dlpack_legacy(self.as_raw(), stream, &mut out) })?;
        Ok(out.cast())
    }

    /// Imports a tensor without copying. The struct is consumed on success only, with one exception
    /// that DLPack requires: a struct of an unknown major version is deleted and refused.
    ///
    /// # Safety
    /// `managed` obeys DLPack: a live struct whose memory stays valid until its deleter runs, on
    /// any thread.
    ///
    /// # Errors
    /// [`Status::ABI`](crate::Status::ABI) for an unknown major version,
    /// [`Status::INVALID_ARGUMENT`](crate::Status::INVALID_ARGUMENT) for a malformed description,
    /// [`Status::NOT_SUPPORTED`](crate::Status::NOT_SUPPORTED) for a dtype or device that Tenon
    /// does not have.
    pub unsafe fn from_dlpack(managed: *mut DLManagedTensorVersioned) -> Result<Tensor> {
        let mut out = ptr::null_mut();
        // SAFETY: the caller's promise; `out` gets a new reference.
        check(unsafe { sys::tenon_tensor_from_dlpack(managed.cast(), &mut out) })?;
        // SAFETY: as above.
        Ok(unsafe { Tensor::from_raw(out) })
    }

    /// Imports the older struct, which is consumed on success only.
    ///
    /// # Safety
    /// As [`Tensor::from_dlpack`].
    ///
    /// # Errors
    /// As [`Tensor::from_dlpack`], except for versions.
    pub unsafe fn from_dlpack_legacy(managed: *mut DLManagedTensor) -> Result<Tensor> {
        let mut out = ptr::null_mut();
        // SAFETY: the caller's promise; `out` gets a new reference.
        check(unsafe { sys::tenon_tensor_from_dlpack_legacy(managed.cast(), &mut out) })?;
        // SAFETY: as above.
        Ok(unsafe { Tensor::from_raw(out) })
    }
}
