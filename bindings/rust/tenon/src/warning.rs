// SPDX-License-Identifier: Apache-2.0
//! Warnings: passed to a handler of the program, and dropped if there is none.
//!
//! ```
//! use std::sync::{Arc, Mutex};
//! use tenon::warning;
//! let seen = Arc::new(Mutex::new(Vec::new()));
//! let told = seen.clone();
//! warning::set_handler(move |warning| {
//!     told.lock().unwrap().push(warning.message.to_string());
//!     Ok(())
//! })?;
//! warning::emit("UserWarning", "mind the gap")?;
//! assert_eq!(*seen.lock().unwrap(), ["mind the gap"]);
//! warning::clear_handler()?;
//! # Ok::<(), tenon::Error>(())
//! ```

use std::borrow::Cow;
use std::ffi::{c_char, c_void};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::ptr;
use std::sync::atomic::AtomicU8;

use tenon_sys as sys;

use crate::error::{check, Error, Result};
use crate::kernel::contain;
use crate::text::{c_text, text};

/// A warning, as passed to a handler.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Warning<'a> {
    /// The category, such as `"UserWarning"` or `"DeprecationWarning"`.
    pub category: Cow<'a, str>,
    /// The text.
    pub message: Cow<'a, str>,
    /// The operator that is running; empty outside of calls.
    pub op: Cow<'a, str>,
}

/// Sets the process's handler, for warnings of every language. It runs on the thread that warns. If
/// it returns an error or panics, the operation that warned fails.
///
/// # Errors
/// [`Status::OUT_OF_MEMORY`](crate::Status::OUT_OF_MEMORY).
pub fn set_handler<F>(handler: F) -> Result<()>
where
    F: Fn(&Warning<'_>) -> Result<()> + Send + Sync + 'static,
{
    let ctx = Box::into_raw(Box::new(handler));
    // SAFETY: warning.h: the box is taken over, also on failure, and deleted once.
    check(unsafe {
        sys::tenon_warning_set_handler(Some(handle::<F>), ctx.cast(), Some(delete::<F>))
    })
}

/// Removes the handler, so that warnings are dropped again.
///
/// # Errors
/// [`Status::OUT_OF_MEMORY`](crate::Status::OUT_OF_MEMORY).
pub fn clear_handler() -> Result<()> {
    // SAFETY: warning.h: NULL is no handler.
    check(unsafe { sys::tenon_warning_set_handler(None, ptr::null_mut(), None) })
}

/// Passes a warning to the handler.
///
/// # Errors
/// What the handler returned.
pub fn emit(category: &str, message: &str) -> Result<()> {
    let (category, message) = (c_text(category), c_text(message));
    // SAFETY: the texts live for the call.
    check(unsafe { sys::tenon_warning_emit(category.as_ptr(), message.as_ptr()) })
}

/// Passes a warning to the handler, but only once per place in the program, which the address of a
/// static identifies: see [`warn_once!`](crate::warn_once).
///
/// # Errors
/// What the handler returned.
pub fn emit_once(site: &'static AtomicU8, category: &str, message: &str) -> Result<()> {
    let (category, message) = (c_text(category), c_text(message));
    let site: *const AtomicU8 = site;
    // SAFETY: the texts live for the call; only the address of the site is used.
    check(unsafe { sys::tenon_warning_emit_once(site.cast(), category.as_ptr(), message.as_ptr()) })
}

/// Passes a warning to the handler the first time that the process reaches this place in the
/// program.
///
/// ```
/// tenon::warn_once!("UserWarning", "{} is slow without threads", "mm")?;
/// # Ok::<(), tenon::Error>(())
/// ```
#[macro_export]
macro_rules! warn_once {
    ($category:expr, $($message:tt)+) => {{
        static SITE: ::core::sync::atomic::AtomicU8 = ::core::sync::atomic::AtomicU8::new(0);
        $crate::warning::emit_once(&SITE, $category, &::std::format!($($message)+))
    }};
}

unsafe extern "C" fn handle<F>(
    ctx: *mut c_void,
    category: *const c_char,
    message: *const c_char,
    op: *const c_char,
) -> sys::tenon_status
where
    F: Fn(&Warning<'_>) -> Result<()> + Send + Sync + 'static,
{
    let run = || {
        // SAFETY: warning.h: the context lives while its handler runs, the texts for the call.
        let (handler, warning) = unsafe {
            let warning = Warning {
                category: text(category),
                message: text(message),
                op: text(op),
            };
            (&*ctx.cast::<F>(), warning)
        };
        handler(&warning)
    };
    let error = match catch_unwind(AssertUnwindSafe(run)) {
        Ok(Ok(())) => return 0,
        Ok(Err(error)) => error,
        Err(panic) => Error::from_panic(panic),
    };
    error.leave()
}

unsafe extern "C" fn delete<F>(ctx: *mut c_void) {
    contain(|| {
        // SAFETY: warning.h: the deleter runs exactly once, on the box of `set_handler`.
        drop(unsafe { Box::from_raw(ctx.cast::<F>()) })
    });
}
