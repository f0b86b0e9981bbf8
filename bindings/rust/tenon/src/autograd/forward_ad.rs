// SPDX-License-Identifier: Apache-2.0
//! Forward mode: dual levels, in which calls propagate tangents of tensors.
//!
//! ```
//! use tenon::{autograd::forward_ad::DualLevel, Tensor};
//! let level = DualLevel::enter()?;
//! let (x, direction) = (Tensor::scalar(3.0f32)?, Tensor::scalar(1.0f32)?);
//! let dual = level.make_dual(&x, &direction)?;
//! let (square, tangent) = level.unpack_dual(&(&dual * &dual)?)?;
//! assert_eq!(square.to_vec::<f32>()?, [9.0]);
//! assert_eq!(tangent.unwrap().to_vec::<f32>()?, [6.0]);
//! # Ok::<(), tenon::Error>(())
//! ```

use std::marker::PhantomData;
use std::ptr;

use tenon_sys as sys;

use crate::error::{check, Result};
use crate::guard::left;
use crate::Tensor;

/// A dual level of this thread, which is open until it is dropped. Tensors made by
/// [`DualLevel::make_dual`] have a tangent, and so have results of calls with them, in no_grad mode
/// too. A thread has only one level at a time.
#[must_use = "tangents are gone when the level is dropped"]
#[derive(Debug)]
pub struct DualLevel {
    number: i64,
    owner_thread: PhantomData<*const ()>,
}

impl DualLevel {
    /// Opens a level on the calling thread.
    ///
    /// # Errors
    /// [`Status::STATE`](crate::Status::STATE) inside of another level.
    pub fn enter() -> Result<DualLevel> {
        let mut number = -1;
        // SAFETY: `number` is ours; the level stays on this thread: the guard is not Send.
        check(unsafe { sys::tenon_dual_enter(&mut number) })?;
        Ok(DualLevel {
            number,
            owner_thread: PhantomData,
        })
    }

    /// Makes a view of a tensor that has a tangent, of the tensor's sizes, dtype and device.
    ///
    /// # Errors
    /// [`Status::TYPE`](crate::Status::TYPE) for a dtype that is neither floating nor complex, and
    /// for a tangent of another dtype; [`Status::STATE`](crate::Status::STATE) for sizes that
    /// differ, and for tensors that have a tangent.
    pub fn make_dual(&self, primal: &Tensor, tangent: &Tensor) -> Result<Tensor> {
        let mut out = ptr::null_mut();
        // SAFETY: both are live, and `out` gets a new reference.
        check(unsafe {
            sys::tenon_dual_make(self.number, primal.as_raw(), tangent.as_raw(), &mut out)
        })?;
        // SAFETY: as above.
        Ok(unsafe { Tensor::from_raw(out) })
    }

    /// Returns the two parts of a tensor: an alias without tangent, and its tangent, if it has one.
    ///
    /// # Errors
    /// [`Status::INVALID_ARGUMENT`](crate::Status::INVALID_ARGUMENT) for the undefined tensor.
    pub fn unpack_dual(&self, dual: &Tensor) -> Result<(Tensor, Option<Tensor>)> {
        let (mut primal, mut tangent) = (ptr::null_mut(), ptr::null_mut());
        // SAFETY: the tensor is live; both get a new reference, the second may be NULL.
        check(unsafe {
            sys::tenon_dual_unpack(self.number, dual.as_raw(), &mut primal, &mut tangent)
        })?;
        // SAFETY: as above.
        unsafe {
            let tangent = (!tangent.is_null()).then(|| Tensor::from_raw(tangent));
            Ok((Tensor::from_raw(primal), tangent))
        }
    }
}

impl Drop for DualLevel {
    fn drop(&mut self) {
        // SAFETY: opened by this guard, on this thread.
        left(unsafe { sys::tenon_dual_leave(self.number) })
    }
}
