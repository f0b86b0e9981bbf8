// SPDX-License-Identifier: Apache-2.0
//! Conversion of text to and from C.

use std::borrow::Cow;
use std::ffi::{CStr, CString};

use tenon_sys as sys;

use crate::error::{Error, Result};
use crate::status::Status;

/// Converts text for C. C text cannot contain a NUL, so a NUL is written as `\0`.
pub(crate) fn c_text(text: &str) -> CString {
    CString::new(text)
        .or_else(|_| CString::new(text.replace('\0', "\\0")))
        .unwrap_or_default()
}

/// Converts a name for C. A NUL in it is a mistake of the caller.
pub(crate) fn c_name(function: &str, argument: &str, text: &str) -> Result<CString> {
    CString::new(text).map_err(|_| {
        Error::new(
            Status::INVALID_ARGUMENT,
            format!("{function}: {argument} must be text without NUL, got {text:?}"),
        )
    })
}

/// Reads C text that lives as long as `'a`.
///
/// # Safety
/// `raw` is NULL or NUL-terminated text that lives and stays unchanged for `'a`.
pub(crate) unsafe fn text<'a>(raw: *const std::ffi::c_char) -> Cow<'a, str> {
    if raw.is_null() {
        return Cow::Borrowed("");
    }
    // SAFETY: the caller's promise.
    unsafe { CStr::from_ptr(raw) }.to_string_lossy()
}

/// Reads static ASCII text of the library.
///
/// # Safety
/// `raw` is NULL or static NUL-terminated text.
pub(crate) unsafe fn static_text(raw: *const std::ffi::c_char) -> &'static str {
    if raw.is_null() {
        return "";
    }
    // SAFETY: the caller's promise.
    unsafe { CStr::from_ptr(raw) }.to_str().unwrap_or("?")
}

pub(crate) fn language_name(language: u32) -> &'static str {
    // SAFETY: language.h: static text, NULL for an unknown number.
    unsafe { static_text(sys::tenon_language_name(language)) }
}
