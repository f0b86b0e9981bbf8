// SPDX-License-Identifier: Apache-2.0
//! Grad mode: whether the calling thread's calls may be recorded for gradients.
//!
//! A thread begins with [`GradMode::On`]; a [`ThreadState`](crate::ThreadState) carries its mode to
//! other threads.
//!
//! ```
//! use tenon::grad_mode;
//! assert!(grad_mode::is_enabled());
//! let inside = grad_mode::no_grad(grad_mode::is_enabled)?;
//! assert!(!inside && grad_mode::is_enabled());
//! {
//!     let _guard = grad_mode::GradMode::Inference.enter()?;
//!     assert!(grad_mode::is_inference());
//! }
//! # Ok::<(), tenon::Error>(())
//! ```

use tenon_sys as sys;

use crate::error::{check, Result};
use crate::guard::KeyGuard;

/// Grad modes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum GradMode {
    /// Calls are not recorded.
    Off,
    /// Calls are recorded if a tensor requires grad.
    On,
    /// Calls are not recorded, and tensors that are created in this mode can never be recorded.
    Inference,
    /// The mode that `On` inside `Inference` sets: like `Inference`, but [`is_enabled`] returns
    /// true.
    InferenceOn,
    /// `On`, which also ends an enclosing `Inference` for its scope. It can only be entered;
    /// [`current`] then returns `On`.
    Normal,
}

impl GradMode {
    fn code(self) -> u32 {
        match self {
            GradMode::Off => sys::TENON_GRAD_MODE_OFF,
            GradMode::On => sys::TENON_GRAD_MODE_ON,
            GradMode::Inference => sys::TENON_GRAD_MODE_INFERENCE,
            GradMode::InferenceOn => sys::TENON_GRAD_MODE_INFERENCE_ON,
            GradMode::Normal => sys::TENON_GRAD_MODE_NORMAL,
        }
    }

    /// Enters the mode on the calling thread until the guard is dropped.
    ///
    /// # Errors
    /// [`Status::OUT_OF_MEMORY`](crate::Status::OUT_OF_MEMORY) on a thread's first use.
    pub fn enter(self) -> Result<GradModeGuard> {
        // SAFETY: the guard is plain memory of ours, left on this thread: it is not Send.
        let guard = KeyGuard::enter(|out| unsafe { sys::tenon_grad_mode_enter(self.code(), out) })?;
        Ok(GradModeGuard(guard))
    }
}

/// Returns the calling thread's mode.
pub fn current() -> GradMode {
    // SAFETY: no precondition.
    match unsafe { sys::tenon_grad_mode_get() } {
        sys::TENON_GRAD_MODE_OFF => GradMode::Off,
        sys::TENON_GRAD_MODE_INFERENCE => GradMode::Inference,
        sys::TENON_GRAD_MODE_INFERENCE_ON => GradMode::InferenceOn,
        _ => GradMode::On,
    }
}

/// Restores the previous grad mode when it is dropped. The guard stays on its thread.
///
/// # Panics
/// Like [`KeyGuard`], panics if a guard that was entered later is still alive.
#[must_use = "the mode ends when the guard is dropped"]
#[derive(Debug)]
pub struct GradModeGuard(#[allow(dead_code)] KeyGuard);

/// Runs `body` without recording.
///
/// # Errors
/// As [`GradMode::enter`].
pub fn no_grad<T>(body: impl FnOnce() -> T) -> Result<T> {
    let _guard = GradMode::Off.enter()?;
    Ok(body())
}

/// Runs `body` with recording, also inside [`no_grad`]. Inside [`inference_mode`] nothing is
/// recorded.
///
/// # Errors
/// As [`GradMode::enter`].
pub fn enable_grad<T>(body: impl FnOnce() -> T) -> Result<T> {
    let _guard = GradMode::On.enter()?;
    Ok(body())
}

/// Runs `body` without recording. Tensors created in it can never be recorded later.
///
/// # Errors
/// As [`GradMode::enter`].
pub fn inference_mode<T>(body: impl FnOnce() -> T) -> Result<T> {
    let _guard = GradMode::Inference.enter()?;
    Ok(body())
}

/// Returns true if grad mode is enabled on the calling thread.
pub fn is_enabled() -> bool {
    matches!(current(), GradMode::On | GradMode::InferenceOn)
}

/// Returns true if the calling thread is in inference mode.
pub fn is_inference() -> bool {
    matches!(current(), GradMode::Inference | GradMode::InferenceOn)
}

/// Turns recording on or off for the calling thread, until it is set again or an enclosing guard is
/// left.
///
/// # Errors
/// [`Status::OUT_OF_MEMORY`](crate::Status::OUT_OF_MEMORY) on a thread's first use.
pub fn set_enabled(enabled: bool) -> Result<()> {
    let mode = if enabled { GradMode::On } else { GradMode::Off };
    // SAFETY: no precondition.
    check(unsafe { sys::tenon_grad_mode_set(mode.code()) })
}
