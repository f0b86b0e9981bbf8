// SPDX-License-Identifier: Apache-2.0
//! Autocast: regions in which operators choose the precision in which they compute.
//!
//! ```
//! use tenon::{autocast::Autocast, DType, Device, Op, Tensor};
//! let a = Tensor::from_vec(vec![1.0f32; 4], &[2, 2])?;
//! let mm = Op::find("aten::mm")?;
//! let inside = Autocast::new(Device::CPU).run(|| mm.call::<Tensor>((&a, &a)))??;
//! assert_eq!(inside.dtype(), DType::BF16);
//! assert_eq!(mm.call::<Tensor>((&a, &a))?.dtype(), DType::F32);
//! # Ok::<(), tenon::Error>(())
//! ```
//!
//! [`Library::register_autocast`] registers the cast rule of an operator. A kernel on
//! [`DispatchKey::AUTOCAST`](crate::DispatchKey::AUTOCAST) casts by hand with [`cached_cast`] and
//! [`promote_type`].

use std::ffi::CString;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::panic::Location;
use std::ptr;

use tenon_sys as sys;

use crate::error::{check, Result};
use crate::guard::left;
use crate::library::Library;
use crate::registration::Registration;
use crate::text::{c_name, c_text};
use crate::{DType, Device, Tensor};

/// Autocast settings of a device type on this thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Autocast {
    device_type: i32,
    enabled: Option<bool>,
    caches: Option<bool>,
    dtype: Option<DType>,
}

fn raw_state(device_type: i32) -> Result<sys::tenon_autocast_state> {
    // SAFETY: plain data; all-zero is a state.
    let mut state: sys::tenon_autocast_state = unsafe { std::mem::zeroed() };
    state.struct_size = std::mem::size_of::<sys::tenon_autocast_state>() as u32;
    // SAFETY: the state is ours and its size is set.
    check(unsafe { sys::tenon_autocast_get(device_type, &mut state) })?;
    Ok(state)
}

fn change(flags: &mut u32, bit: u32, wanted: Option<bool>) {
    match wanted {
        Some(true) => *flags |= bit,
        Some(false) => *flags &= !bit,
        None => {}
    }
}

impl Autocast {
    /// Returns the settings of an enabled region of a device's type, with the thread's lower
    /// precision and cache setting.
    pub fn new(device: Device) -> Autocast {
        Autocast {
            device_type: device.kind,
            enabled: Some(true),
            caches: None,
            dtype: None,
        }
    }

    /// Returns the calling thread's settings.
    ///
    /// # Errors
    /// [`Status::INVALID_ARGUMENT`](crate::Status::INVALID_ARGUMENT) for a device type that has no
    /// autocast.
    pub fn current(device: Device) -> Result<Autocast> {
        let state = raw_state(device.kind)?;
        Ok(Autocast {
            device_type: device.kind,
            enabled: Some(state.flags & sys::TENON_AUTOCAST_ENABLED != 0),
            caches: Some(state.flags & sys::TENON_AUTOCAST_CACHE != 0),
            dtype: Some(DType(state.dtype)),
        })
    }

    /// Sets whether calls are cast. A region that is not enabled suspends an outer one.
    pub fn enabled(mut self, enabled: bool) -> Autocast {
        self.enabled = Some(enabled);
        self
    }

    /// Sets the lower precision.
    pub fn dtype(mut self, dtype: DType) -> Autocast {
        self.dtype = Some(dtype);
        self
    }

    /// Sets whether casts of leaves are cached until the outermost region ends.
    pub fn caches(mut self, caches: bool) -> Autocast {
        self.caches = Some(caches);
        self
    }

    /// Returns true if calls are cast.
    pub fn is_enabled(&self) -> bool {
        self.enabled == Some(true)
    }

    /// Returns the lower precision, if it is known.
    pub fn lower_precision(&self) -> Option<DType> {
        self.dtype
    }

    fn raw(&self) -> Result<sys::tenon_autocast_state> {
        let mut state = raw_state(self.device_type)?;
        change(&mut state.flags, sys::TENON_AUTOCAST_ENABLED, self.enabled);
        change(&mut state.flags, sys::TENON_AUTOCAST_CACHE, self.caches);
        state.dtype = self.dtype.map_or(state.dtype, DType::code);
        Ok(state)
    }

    /// Enters a region on the calling thread until the guard is dropped.
    ///
    /// # Errors
    /// [`Status::INVALID_ARGUMENT`](crate::Status::INVALID_ARGUMENT) for a device type that has no
    /// autocast, [`Status::TYPE`](crate::Status::TYPE) for a dtype that is not floating.
    pub fn enter(self) -> Result<AutocastGuard> {
        let state = self.raw()?;
        let mut raw = MaybeUninit::uninit();
        // SAFETY: the guard is plain memory of ours, left on this thread: it is not Send.
        check(unsafe { sys::tenon_autocast_enter(self.device_type, &state, raw.as_mut_ptr()) })?;
        Ok(AutocastGuard {
            // SAFETY: autocast.h: the function that enters fills it.
            raw: unsafe { raw.assume_init() },
            owner_thread: PhantomData,
        })
    }

    /// Runs a closure inside a region.
    ///
    /// # Errors
    /// As [`Autocast::enter`].
    pub fn run<T>(self, body: impl FnOnce() -> T) -> Result<T> {
        let _guard = self.enter()?;
        Ok(body())
    }

    /// Sets the thread's settings, until they are set again or an enclosing guard is dropped.
    ///
    /// # Errors
    /// As [`Autocast::enter`].
    pub fn set(self) -> Result<()> {
        let state = self.raw()?;
        // SAFETY: the state is ours.
        check(unsafe { sys::tenon_autocast_set(self.device_type, &state) })
    }
}

/// A region of the calling thread, which ends when the guard is dropped. The guard stays on its
/// thread.
///
/// # Panics
/// Like [`KeyGuard`](crate::KeyGuard), panics if a guard that was entered later is still alive.
#[must_use = "the region ends when the guard is dropped"]
#[derive(Debug)]
pub struct AutocastGuard {
    raw: sys::tenon_autocast_guard,
    owner_thread: PhantomData<*const ()>,
}

impl Drop for AutocastGuard {
    fn drop(&mut self) {
        // SAFETY: autocast.h: filled by the function that entered it.
        left(unsafe { sys::tenon_autocast_leave(&self.raw) })
    }
}

/// Empties the calling thread's cache of casts.
pub fn clear_cache() {
    // SAFETY: no precondition.
    unsafe { sys::tenon_autocast_clear_cache() }
}

/// Converts a tensor if it is eligible: on the device's type, and with a floating dtype other than
/// float64. All other tensors are returned unchanged. Casts of float32 leaves that require grad to
/// the region's dtype are cached until the outermost region ends.
///
/// # Errors
/// [`Status::INVALID_ARGUMENT`](crate::Status::INVALID_ARGUMENT) for a device type that has no
/// autocast, [`Status::TYPE`](crate::Status::TYPE) for a dtype that is not floating.
pub fn cached_cast(dtype: DType, tensor: &Tensor, device: Device) -> Result<Tensor> {
    // SAFETY: plain data; all-zero is NONE.
    let mut given: sys::tenon_value = unsafe { std::mem::zeroed() };
    given.tag = sys::TENON_TAG_TENSOR as u16;
    given.as_.tensor = tensor.as_raw();
    let mut out = MaybeUninit::uninit();
    // SAFETY: the value borrows a live tensor; `out` is an owned tensor on success.
    unsafe {
        check(sys::tenon_autocast_cast(
            device.kind,
            dtype.code(),
            &given,
            out.as_mut_ptr(),
        ))?;
        Ok(Tensor::from_raw(out.assume_init().as_.tensor))
    }
}

/// Returns the widest dtype among `initial` and the dtypes of the eligible tensors.
///
/// # Errors
/// [`Status::TYPE`](crate::Status::TYPE) for a floating dtype that is neither float32 nor the lower
/// precision.
pub fn promote_type(initial: DType, tensors: &[&Tensor], device: Device) -> Result<DType> {
    let handles: Vec<_> = tensors.iter().map(|tensor| tensor.as_raw()).collect();
    // SAFETY: plain data; all-zero is NONE.
    let mut list: sys::tenon_value = unsafe { std::mem::zeroed() };
    list.tag = sys::TENON_TAG_TENSOR_LIST as u16;
    list.count = handles.len() as u32;
    list.as_.list.data = handles.as_ptr().cast();
    let mut widest = sys::TENON_DTYPE_NONE;
    // SAFETY: the list borrows live tensors for the call.
    check(unsafe {
        sys::tenon_autocast_promote(device.kind, initial.code(), &list, 1, &mut widest)
    })?;
    Ok(DType(widest))
}

/// The cast rule of an operator in regions: see [`Library::register_autocast`].
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum CastPolicy {
    /// Converts eligible arguments to the region's dtype.
    LowerPrecision,
    /// Converts eligible arguments to float32.
    Fp32,
    /// Adds `dtype=float32` if the first argument is eligible and no dtype is passed.
    Fp32SetOptDtype,
    /// Calls the overload that takes a `dtype` as well, with float32.
    Fp32AppendDtype,
    /// Converts eligible arguments to the widest of their dtypes.
    Promote,
    /// The call fails, with this advice in its error.
    Banned(String),
    /// Converts eligible arguments to a dtype.
    To(DType),
}

impl CastPolicy {
    fn number(&self) -> u32 {
        match self {
            CastPolicy::LowerPrecision => sys::TENON_CAST_LOWER,
            CastPolicy::Fp32 => sys::TENON_CAST_FP32,
            CastPolicy::Fp32SetOptDtype => sys::TENON_CAST_FP32_DTYPE,
            CastPolicy::Fp32AppendDtype => sys::TENON_CAST_FP32_OVERLOAD,
            CastPolicy::Promote => sys::TENON_CAST_PROMOTE,
            CastPolicy::Banned(_) => sys::TENON_CAST_BANNED,
            CastPolicy::To(_) => sys::TENON_CAST_TO,
        }
    }
}

impl Library {
    /// Registers the cast rule of an operator in autocast regions: for a device's type, or with
    /// `None` for all device types without a rule of their own.
    ///
    /// ```
    /// use tenon::autocast::{Autocast, CastPolicy};
    /// use tenon::{DType, Device, DispatchKey, Library, Op, Tensor};
    /// let library = Library::define_namespace("autocast_doc")?;
    /// library.define("same(Tensor x) -> Tensor")?;
    /// library.impl_fn("same", DispatchKey::CPU, |x: &Tensor| Ok::<_, tenon::Error>(x.clone()))?;
    /// library.register_autocast("same", CastPolicy::To(DType::F16), Some(Device::CPU))?;
    /// let same = Op::find("autocast_doc::same")?;
    /// let x = Tensor::scalar(1.0f32)?;
    /// let _region = Autocast::new(Device::CPU).enter()?;
    /// assert_eq!(same.call::<Tensor>((&x,))?.dtype(), DType::F16);
    /// # Ok::<(), tenon::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Status::INVALID_ARGUMENT`](crate::Status::INVALID_ARGUMENT) for a bad name and a device
    /// type that has no autocast; [`Status::TYPE`](crate::Status::TYPE) for a dtype that is not
    /// floating; [`Status::STATE`](crate::Status::STATE) for a closed library.
    #[track_caller]
    pub fn register_autocast(
        &self,
        name: &str,
        policy: CastPolicy,
        device: Option<Device>,
    ) -> Result<Registration> {
        const FUNCTION: &str = "Library::register_autocast";
        let location = Location::caller();
        let name = c_name(FUNCTION, "name", name)?;
        let file = c_text(location.file());
        let advice: Option<CString> = match &policy {
            CastPolicy::Banned(advice) => Some(c_name(FUNCTION, "advice", advice)?),
            _ => None,
        };
        // SAFETY: plain data; all-zero is a rule without texts.
        let mut rule: sys::tenon_cast_rule = unsafe { std::mem::zeroed() };
        rule.struct_size = std::mem::size_of::<sys::tenon_cast_rule>() as u32;
        rule.kind = policy.number();
        rule.device_type = device.map_or(-1, |device| device.kind);
        rule.dtype = match policy {
            CastPolicy::To(dtype) => dtype.code(),
            _ => sys::TENON_DTYPE_NONE,
        };
        rule.advice = advice.as_ref().map_or(ptr::null(), |text| text.as_ptr());
        rule.language = sys::TENON_LANGUAGE_RUST;
        rule.file = file.as_ptr();
        rule.line = location.line() as i32;
        let mut out = ptr::null_mut();
        // SAFETY: all texts live for the call, which copies them; `out` gets a new reference.
        check(unsafe {
            sys::tenon_library_register_autocast(self.as_raw(), name.as_ptr(), &rule, &mut out)
        })?;
        // SAFETY: as above.
        Ok(unsafe { Registration::from_raw(out) })
    }
}
