// SPDX-License-Identifier: Apache-2.0
//! Schemas: operators' signatures, parsed from text and printed as text.

use std::borrow::Cow;
use std::ffi::CString;
use std::fmt;
use std::ptr::{self, NonNull};
use std::str::FromStr;

use tenon_sys as sys;

use crate::error::{check, Error, Result};
use crate::text::{c_text, text};
use crate::value_ref::ValueRef;

/// An operator's signature.
///
/// ```
/// let schema: tenon::Schema = "vision::blur(Tensor image, float sigma=1.5) -> Tensor".parse()?;
/// assert_eq!(schema.name(), "vision::blur");
/// assert_eq!(schema.arguments()[1].name, "sigma");
/// assert_eq!(schema.to_string(), "vision::blur(Tensor image, float sigma=1.5) -> Tensor");
/// # Ok::<(), tenon::Error>(())
/// ```
pub struct Schema(NonNull<sys::tenon_schema>);

// SAFETY: schema.h: a schema never changes, and any thread may read, retain and release it.
unsafe impl Send for Schema {}
// SAFETY: as above.
unsafe impl Sync for Schema {}

/// One argument or return of a schema.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Argument<'a> {
    /// The name; empty for an unnamed return.
    pub name: Cow<'a, str>,
    /// The type as printed, without alias annotation.
    pub type_text: Cow<'a, str>,
    /// The alias annotation, such as `"(a!)"`, or empty.
    pub alias_text: Cow<'a, str>,
    /// The default, if there is one.
    pub default: Option<ValueRef<'a>>,
    /// True for a keyword-only argument.
    pub kwarg_only: bool,
    /// True for an `out` argument.
    pub out: bool,
    /// True if the alias annotation has a `!`.
    pub written: bool,
    /// Returns: index of the argument in the same alias set.
    pub aliased_argument: Option<usize>,
    pub(crate) raw_default: *const sys::tenon_value,
    pub(crate) raw_type: *const sys::tenon_type,
}

impl Schema {
    /// Takes over a reference.
    ///
    /// # Safety
    /// `raw` is a live schema, not NULL, that the caller owns a reference to.
    pub unsafe fn from_raw(raw: *mut sys::tenon_schema) -> Schema {
        // SAFETY: the caller's promise.
        Schema(unsafe { NonNull::new_unchecked(raw) })
    }

    /// Returns the handle, borrowed.
    pub fn as_raw(&self) -> *mut sys::tenon_schema {
        self.0.as_ptr()
    }

    /// Returns the name without overload, such as `"aten::add"`.
    pub fn name(&self) -> Cow<'_, str> {
        // SAFETY: borrowed until the schema dies.
        unsafe { text(sys::tenon_schema_name(self.as_raw())) }
    }

    /// Returns the overload name; empty for the default overload.
    pub fn overload(&self) -> Cow<'_, str> {
        // SAFETY: borrowed until the schema dies.
        unsafe { text(sys::tenon_schema_overload(self.as_raw())) }
    }

    /// Returns the name with overload, such as `"aten::add.Tensor"`.
    pub fn full_name(&self) -> String {
        match self.overload() {
            overload if overload.is_empty() => self.name().into_owned(),
            overload => format!("{}.{overload}", self.name()),
        }
    }

    /// Returns the canonical text, which parses back to an equal schema.
    pub fn text(&self) -> Cow<'_, str> {
        // SAFETY: borrowed until the schema dies.
        unsafe { text(sys::tenon_schema_text(self.as_raw())) }
    }

    /// Returns the number of arguments.
    pub fn argument_count(&self) -> usize {
        // SAFETY: the schema is live.
        unsafe { sys::tenon_schema_argument_count(self.as_raw()) as usize }
    }

    /// Returns the number of returns.
    pub fn return_count(&self) -> usize {
        // SAFETY: the schema is live.
        unsafe { sys::tenon_schema_return_count(self.as_raw()) as usize }
    }

    /// Returns the arguments.
    pub fn arguments(&self) -> Vec<Argument<'_>> {
        (0..self.argument_count())
            .filter_map(|index| self.argument(index))
            .collect()
    }

    /// Returns the returns.
    pub fn returns(&self) -> Vec<Argument<'_>> {
        let get = sys::tenon_schema_get_return;
        (0..self.return_count())
            .filter_map(|index| self.describe(index, get))
            .collect()
    }

    /// Returns argument `index`, if it is in range.
    pub fn argument(&self, index: usize) -> Option<Argument<'_>> {
        self.describe(index, sys::tenon_schema_get_argument)
    }

    fn describe(
        &self,
        index: usize,
        get: unsafe extern "C" fn(
            *const sys::tenon_schema,
            i64,
            *mut sys::tenon_argument_info,
        ) -> sys::tenon_status,
    ) -> Option<Argument<'_>> {
        // SAFETY: plain data; the all-zero description is valid.
        let mut info: sys::tenon_argument_info = unsafe { std::mem::zeroed() };
        info.struct_size = std::mem::size_of::<sys::tenon_argument_info>() as u32;
        // SAFETY: the description is ours; what it points to is borrowed until the schema dies.
        unsafe {
            check(get(self.as_raw(), index as i64, &mut info)).ok()?;
            Some(Argument {
                name: text(info.name),
                type_text: text(info.type_text),
                alias_text: text(info.alias_text),
                default: info
                    .default_value
                    .as_ref()
                    .map(|raw| ValueRef::from_raw(raw)),
                kwarg_only: info.flags & sys::TENON_ARGUMENT_KWARG_ONLY != 0,
                out: info.flags & sys::TENON_ARGUMENT_OUT != 0,
                written: info.flags & sys::TENON_ARGUMENT_WRITTEN != 0,
                aliased_argument: usize::try_from(info.aliased_argument).ok(),
                raw_default: info.default_value,
                raw_type: info.type_,
            })
        }
    }

    /// Returns the names of the keyword-only arguments, which follow all others.
    pub(crate) fn names_after_positions(&self) -> Vec<CString> {
        let arguments = self.arguments().into_iter();
        let by_name = arguments.skip_while(|argument| !argument.kwarg_only);
        by_name.map(|argument| c_text(&argument.name)).collect()
    }

    /// Returns true if an argument is written.
    pub fn is_mutable(&self) -> bool {
        // SAFETY: the schema is live.
        unsafe { sys::tenon_schema_flags(self.as_raw()) & sys::TENON_SCHEMA_MUTABLE != 0 }
    }

    /// Checks that callers of `older` can call `self`; with `forward`, also the reverse.
    ///
    /// # Errors
    /// [`Status::INVALID_ARGUMENT`](crate::Status::INVALID_ARGUMENT) with the reason.
    pub fn check_compatible(&self, older: &Schema, forward: bool) -> Result<()> {
        // SAFETY: both are live.
        check(unsafe {
            let forward = i32::from(forward);
            sys::tenon_schema_check_compatible(self.as_raw(), older.as_raw(), forward)
        })
    }

    /// Returns the letters of the typed signature, such as `"TTv>T"`; empty if there is no typed
    /// form.
    pub fn signature(&self) -> Cow<'_, str> {
        // SAFETY: schema.h: borrowed until the schema dies.
        unsafe { text(sys::tenon_schema_signature(self.as_raw())) }
    }

    /// Returns the hash of the typed signature; 0 without one.
    pub fn signature_hash(&self) -> u64 {
        // SAFETY: the schema is live.
        unsafe { sys::tenon_schema_signature_hash(self.as_raw()) }
    }
}

impl FromStr for Schema {
    type Err = Error;

    fn from_str(text: &str) -> Result<Schema> {
        let mut out = ptr::null_mut();
        // SAFETY: the text lives for the call and `out` gets a new reference.
        check(unsafe {
            sys::tenon_schema_parse(text.as_ptr().cast(), text.len() as i64, &mut out)
        })?;
        // SAFETY: as above.
        Ok(unsafe { Schema::from_raw(out) })
    }
}

impl Clone for Schema {
    fn clone(&self) -> Schema {
        // SAFETY: retain returns a new reference to the live schema.
        unsafe { Schema::from_raw(sys::tenon_schema_retain(self.as_raw())) }
    }
}

impl Drop for Schema {
    fn drop(&mut self) {
        // SAFETY: this is our reference.
        unsafe { sys::tenon_schema_release(self.as_raw()) }
    }
}

impl PartialEq for Schema {
    fn eq(&self, other: &Schema) -> bool {
        // SAFETY: both are live.
        unsafe { sys::tenon_schema_equal(self.as_raw(), other.as_raw()) != 0 }
    }
}

impl fmt::Display for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

impl fmt::Debug for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}
