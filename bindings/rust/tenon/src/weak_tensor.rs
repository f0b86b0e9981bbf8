// SPDX-License-Identifier: Apache-2.0
//! Weak tensors: references that do not keep a tensor alive.

use std::fmt;
use std::ptr::{self, NonNull};

use tenon_sys as sys;

use crate::error::{check, Result};
use crate::Tensor;

/// A reference that keeps a tensor's header allocated, but neither the tensor nor its data alive.
///
/// ```
/// let x = tenon::Tensor::scalar(1.0f32)?;
/// let weak = x.downgrade()?;
/// assert!(weak.upgrade().is_some());
/// drop(x);
/// assert!(weak.upgrade().is_none());
/// # Ok::<(), tenon::Error>(())
/// ```
pub struct WeakTensor(NonNull<sys::tenon_weak_tensor>);

// SAFETY: weak_tensor.h: any thread may copy, retain and release.
unsafe impl Send for WeakTensor {}
// SAFETY: as above.
unsafe impl Sync for WeakTensor {}

impl Tensor {
    /// Makes a weak reference.
    ///
    /// # Errors
    /// [`Status::OUT_OF_MEMORY`](crate::Status::OUT_OF_MEMORY).
    pub fn downgrade(&self) -> Result<WeakTensor> {
        let mut out = ptr::null_mut();
        // SAFETY: weak_tensor.h: the tensor is borrowed, `out` gets a new reference.
        check(unsafe { sys::tenon_weak_tensor_new(self.as_raw(), &mut out) })?;
        // SAFETY: as above, and not NULL.
        Ok(WeakTensor(unsafe { NonNull::new_unchecked(out) }))
    }
}

impl WeakTensor {
    /// Returns the tensor, or `None` if it has died.
    pub fn upgrade(&self) -> Option<Tensor> {
        // SAFETY: weak_tensor.h: NULL or a new reference.
        unsafe {
            let tensor = sys::tenon_weak_tensor_copy(self.0.as_ptr());
            (!tensor.is_null()).then(|| Tensor::from_raw(tensor))
        }
    }
}

impl Clone for WeakTensor {
    fn clone(&self) -> WeakTensor {
        // SAFETY: retain returns a new reference to the live weak tensor.
        unsafe {
            let raw = sys::tenon_weak_tensor_retain(self.0.as_ptr());
            WeakTensor(NonNull::new_unchecked(raw))
        }
    }
}

impl Drop for WeakTensor {
    fn drop(&mut self) {
        // SAFETY: this is our reference.
        unsafe { sys::tenon_weak_tensor_release(self.0.as_ptr()) }
    }
}

impl fmt::Debug for WeakTensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(WeakTensor)")
    }
}
