// SPDX-License-Identifier: Apache-2.0
//! Fake tensors: shape, strides, dtype and a claimed device, without memory.
//!
//! ```
//! use tenon::{fake::FakeMode, Device, Op, Tensor};
//! let mode = FakeMode::new()?;
//! let x = Tensor::from_vec(vec![1.0f32; 6], &[2, 3])?;
//! let fake = mode.from_tensor(&x)?;
//! let sum: Tensor = Op::find("aten::sum")?.call((&fake,))?;
//! assert!(sum.is_fake() && sum.shape().is_empty());
//! # Ok::<(), tenon::Error>(())
//! ```
//!
//! [`Library::register_fake`](crate::Library::register_fake) registers a kernel that creates an
//! operator's results without computing their elements.

use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ptr::{self, NonNull};

use tenon_sys as sys;

use crate::error::{check, Result};
use crate::guard::left;
use crate::returns::FromValue;
use crate::symbol::{ShapeEnv, SymInt};
use crate::text::c_name;
use crate::value::{RawValue, Value};
use crate::{Error, Op, Status, Tensor};

/// A mode in which operators create fake tensors. Clones refer to the same mode.
#[derive(Debug)]
pub struct FakeMode(NonNull<sys::tenon_fake_mode>);

// SAFETY: fake.h: a mode may be in use on several threads.
unsafe impl Send for FakeMode {}
// SAFETY: as above.
unsafe impl Sync for FakeMode {}

impl FakeMode {
    /// Creates a mode that refuses real tensors, except 0-dim CPU tensors, which are used as
    /// numbers.
    ///
    /// # Errors
    /// [`Status::OUT_OF_MEMORY`](crate::Status::OUT_OF_MEMORY).
    pub fn new() -> Result<FakeMode> {
        FakeMode::with_flags(0)
    }

    /// Creates a mode that converts real tensors to fake ones when operators receive them.
    ///
    /// # Errors
    /// As [`FakeMode::new`].
    pub fn allowing_real() -> Result<FakeMode> {
        FakeMode::with_flags(sys::TENON_FAKE_ALLOW_REAL)
    }

    /// Creates a mode in which data-dependent sizes become symbols of an environment, also for
    /// operators that ship with Tenon.
    ///
    /// # Errors
    /// As [`FakeMode::new`].
    pub fn with_shape_env(env: &ShapeEnv) -> Result<FakeMode> {
        let mode = FakeMode::new()?;
        // SAFETY: both are live; the mode retains the environment.
        check(unsafe { sys::tenon_fake_mode_set_shape_env(mode.0.as_ptr(), env.as_raw()) })?;
        Ok(mode)
    }

    /// Returns the environment of data-dependent sizes, with the guards on them.
    ///
    /// # Errors
    /// As [`FakeMode::new`].
    pub fn shape_env(&self) -> Result<ShapeEnv> {
        let mut out = ptr::null_mut();
        // SAFETY: the mode is live; `out` gets a new reference.
        unsafe {
            check(sys::tenon_fake_mode_shape_env(self.0.as_ptr(), &mut out))?;
            Ok(ShapeEnv::from_raw(out))
        }
    }

    fn with_flags(flags: u32) -> Result<FakeMode> {
        let mut out = ptr::null_mut();
        // SAFETY: `out` gets a new reference.
        check(unsafe { sys::tenon_fake_mode_new(flags, &mut out) })?;
        // SAFETY: as above, and not NULL.
        Ok(FakeMode(unsafe { NonNull::new_unchecked(out) }))
    }

    /// Enters the mode on the calling thread until the guard is dropped.
    ///
    /// # Errors
    /// As [`FakeMode::new`].
    pub fn enter(&self) -> Result<FakeModeGuard> {
        let mut raw = MaybeUninit::uninit();
        // SAFETY: the guard is plain memory of ours, left on this thread: it is not Send.
        check(unsafe { sys::tenon_fake_mode_enter(self.0.as_ptr(), raw.as_mut_ptr()) })?;
        Ok(FakeModeGuard {
            // SAFETY: fake.h: the function that enters fills it.
            raw: unsafe { raw.assume_init() },
            owner_thread: PhantomData,
        })
    }

    /// Runs a closure in the mode.
    ///
    /// # Errors
    /// As [`FakeMode::enter`].
    pub fn run<T>(&self, body: impl FnOnce() -> T) -> Result<T> {
        let _guard = self.enter()?;
        Ok(body())
    }

    /// Makes a fake tensor like a real one, which is always the same for a given real tensor. Views
    /// become views of their base's fake tensor.
    ///
    /// # Errors
    /// [`Status::NOT_SUPPORTED`](crate::Status::NOT_SUPPORTED) for a hollow tensor, for example in
    /// a transform.
    pub fn from_tensor(&self, tensor: &Tensor) -> Result<Tensor> {
        let mut out = ptr::null_mut();
        // SAFETY: both live for the call; `out` gets a new reference.
        unsafe {
            check(sys::tenon_tensor_copy_fake(
                tensor.as_raw(),
                self.0.as_ptr(),
                &mut out,
            ))?;
            Ok(Tensor::from_raw(out))
        }
    }

    /// Makes a fake tensor with symbolic sizes. `dims` has an entry for each dim: `None` keeps the
    /// number, `""` makes a new symbol, and a name is the same size in all tensors of the mode. If
    /// `dims` is empty, all sizes stay numbers.
    ///
    /// # Errors
    /// [`Status::INVALID_ARGUMENT`](crate::Status::INVALID_ARGUMENT) for a wrong number of entries,
    /// and for a named size that is 0 or 1 or differs from before.
    pub fn from_tensor_with(&self, tensor: &Tensor, dims: &[Option<&str>]) -> Result<Tensor> {
        const FUNCTION: &str = "FakeMode::from_tensor_with";
        let ndim = tensor.shape().len();
        if !dims.is_empty() && dims.len() != ndim {
            return Err(Error::new(
                Status::INVALID_ARGUMENT,
                format!(
                    "{FUNCTION}: dims must be as many as the tensor has, {ndim}, got {}",
                    dims.len()
                ),
            ));
        }
        let texts = dims
            .iter()
            .map(|name| name.map(|text| c_name(FUNCTION, "dims", text)).transpose())
            .collect::<Result<Vec<_>>>()?;
        let mut names = vec![ptr::null(); ndim];
        for (name, text) in names.iter_mut().zip(&texts) {
            *name = text.as_ref().map_or(ptr::null(), |text| text.as_ptr());
        }
        let mut out = ptr::null_mut();
        // SAFETY: fake.h: as many names as dims, which live for the call; `out` gets a new
        // reference.
        unsafe {
            check(sys::tenon_fake_mode_copy_dynamic(
                self.0.as_ptr(),
                tensor.as_raw(),
                names.as_ptr(),
                &mut out,
            ))?;
            Ok(Tensor::from_raw(out))
        }
    }
}

impl Clone for FakeMode {
    fn clone(&self) -> FakeMode {
        // SAFETY: the mode is live.
        FakeMode(unsafe { NonNull::new_unchecked(sys::tenon_fake_mode_retain(self.0.as_ptr())) })
    }
}

impl Drop for FakeMode {
    fn drop(&mut self) {
        // SAFETY: this is our reference.
        unsafe { sys::tenon_fake_mode_release(self.0.as_ptr()) }
    }
}

/// A guard of the mode that the calling thread is in. Dropping it leaves the mode. It stays on its
/// thread.
///
/// # Panics
/// Like [`KeyGuard`](crate::KeyGuard), panics if a guard that was entered later is still alive.
#[must_use = "the mode is left when the guard is dropped"]
#[derive(Debug)]
pub struct FakeModeGuard {
    raw: sys::tenon_fake_guard,
    owner_thread: PhantomData<*const ()>,
}

impl Drop for FakeModeGuard {
    fn drop(&mut self) {
        // SAFETY: fake.h: filled by the function that entered it.
        left(unsafe { sys::tenon_fake_mode_leave(&self.raw) })
    }
}

/// Returns the operator whose fake kernel runs on fake tensors on the calling thread.
pub fn running() -> Option<Op> {
    // SAFETY: no precondition; operators are never freed.
    unsafe {
        let op = sys::tenon_fake_running();
        (!op.is_null()).then(|| Op::from_raw(op).ok()).flatten()
    }
}

/// Creates a data-dependent size from `min` to `max`, for the fake kernel that runs on fake
/// tensors.
///
/// # Errors
/// [`Status::STATE`] if none runs, [`Status::INVALID_ARGUMENT`] for a `min` below 0 or above `max`.
pub fn new_dynamic_size(min: i64, max: Option<i64>) -> Result<SymInt> {
    let mut out = RawValue::NONE;
    // SAFETY: fake.h: `out` is overwritten and ours to clear.
    check(unsafe { sys::tenon_fake_new_size(min, max.unwrap_or(i64::MAX), &mut out) })?;
    SymInt::from_value(Value::from_owned(RawValue(out))?).ok_or_else(|| {
        Error::new(
            Status::INTERNAL,
            "new_dynamic_size: a call returned no size",
        )
    })
}
