// SPDX-License-Identifier: Apache-2.0
//! Text and arrays that the C interface allocates.

use std::ptr::{self, NonNull};

use tenon_sys as sys;

use crate::error::{check, Result};
use crate::value_ref::slice;

/// A reference to a buffer. Internal, because results are copied out of it.
pub(crate) struct Buffer(NonNull<sys::tenon_buffer>);

impl Buffer {
    /// Runs a C function whose last parameter is `tenon_buffer** out`.
    pub(crate) fn fill(
        function: impl FnOnce(*mut *mut sys::tenon_buffer) -> sys::tenon_status,
    ) -> Result<Buffer> {
        let mut out = ptr::null_mut();
        check(function(&mut out))?;
        match NonNull::new(out) {
            Some(buffer) => Ok(Buffer(buffer)),
            None => Err(crate::Error::new(
                crate::Status::INTERNAL,
                "a call returned no buffer",
            )),
        }
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(self.slice::<u8>()).into_owned()
    }

    /// Returns the buffer's memory as elements of `T`. `T` must be the element type of the function
    /// that filled the buffer.
    pub(crate) fn slice<T: Copy>(&self) -> &[T] {
        // SAFETY: value.h: data and size do not change until the buffer dies. Buffers have the
        // alignment of malloc.
        unsafe {
            let data = sys::tenon_buffer_data(self.0.as_ptr()).cast::<T>();
            let size = sys::tenon_buffer_size(self.0.as_ptr()) as usize;
            slice(data, size / std::mem::size_of::<T>())
        }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: this is our reference.
        unsafe { sys::tenon_buffer_release(self.0.as_ptr()) }
    }
}
