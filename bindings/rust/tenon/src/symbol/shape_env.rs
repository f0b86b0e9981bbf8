// SPDX-License-Identifier: Apache-2.0
//! Shape environments: symbols and the guards on them.

use std::fmt;
use std::ptr::{self, NonNull};

use tenon_sys as sys;

use super::{symbol_of, SymInt};
use crate::arg::IntoArg;
use crate::buffer::Buffer;
use crate::error::{check, Error, Result};
use crate::status::Status;
use crate::text::{c_name, text};
use crate::value::RawValue;

/// Variables and their numbers, in the layout of the C interface.
#[allow(clippy::type_complexity)]
pub(super) fn put_in(
    numbers: &[(&SymInt, i64)],
) -> Result<(Vec<*const sys::tenon_symbol>, Vec<i64>)> {
    let mut variables = Vec::with_capacity(numbers.len());
    for (variable, _) in numbers {
        let symbol = symbol_of(&variable.0).ok_or_else(|| {
            Error::new(
                Status::TYPE,
                format!("numbers: keys must be symbols, got {variable}"),
            )
        })?;
        variables.push(symbol.cast_const());
    }
    Ok((
        variables,
        numbers.iter().map(|(_, number)| *number).collect(),
    ))
}

/// A relation that must hold for the numbers of variables, and what caused it.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ShapeGuard {
    /// The relation, such as `"s0 == s1"`.
    pub text: String,
    /// The operator whose kernel caused it.
    pub op: Option<String>,
    /// The file of the place that caused it.
    pub file: Option<String>,
    /// The line; 0: unknown.
    pub line: u32,
}

/// Options of a new variable.
#[derive(Clone, Copy, Default, Debug)]
pub struct SymbolOptions<'a> {
    /// The name; by default `s0` and so on, or `u0` and so on without a hint.
    pub name: Option<&'a str>,
    /// The number in the current example; `None` if the value depends on data.
    pub hint: Option<i64>,
    /// The lower bound.
    pub min: Option<i64>,
    /// The upper bound.
    pub max: Option<i64>,
}

/// Owns symbols and the guards on them. Clones refer to the same environment.
pub struct ShapeEnv(NonNull<sys::tenon_shape_env>);

// SAFETY: symbol.h: several threads may use one environment at once.
unsafe impl Send for ShapeEnv {}
// SAFETY: as above.
unsafe impl Sync for ShapeEnv {}

impl ShapeEnv {
    /// Creates an empty environment.
    ///
    /// # Errors
    /// [`Status::OUT_OF_MEMORY`].
    pub fn new() -> Result<ShapeEnv> {
        let mut out = ptr::null_mut();
        // SAFETY: `out` gets a new reference.
        unsafe {
            check(sys::tenon_shape_env_new(0, &mut out))?;
            Ok(ShapeEnv::from_raw(out))
        }
    }

    /// Takes over a reference.
    ///
    /// # Safety
    /// `raw` is a live environment, and the caller owns one reference to it.
    pub(crate) unsafe fn from_raw(raw: *mut sys::tenon_shape_env) -> ShapeEnv {
        // SAFETY: the caller's promise.
        ShapeEnv(unsafe { NonNull::new_unchecked(raw) })
    }

    /// Returns the handle, borrowed.
    pub fn as_raw(&self) -> *mut sys::tenon_shape_env {
        self.0.as_ptr()
    }

    /// Creates a size: the number itself for 0 and 1, which shape rules treat specially, and
    /// otherwise a variable that is at least 2.
    ///
    /// # Errors
    /// [`Status::INVALID_ARGUMENT`] for a negative hint.
    pub fn new_size(&self, hint: i64) -> Result<SymInt> {
        let mut out = RawValue::NONE;
        // SAFETY: symbol.h: `out` is overwritten and ours to clear.
        check(unsafe { sys::tenon_shape_env_new_size(self.as_raw(), hint, &mut out) })?;
        Ok(SymInt(RawValue(out)))
    }

    /// Creates a variable.
    ///
    /// # Errors
    /// [`Status::INVALID_ARGUMENT`] for a name that is taken, `min` above `max` and a hint outside
    /// of the bounds.
    pub fn new_symbol(&self, options: SymbolOptions<'_>) -> Result<SymInt> {
        let name = options
            .name
            .map(|name| c_name("ShapeEnv::new_symbol", "name", name))
            .transpose()?;
        let hint = options.hint.map(IntoArg::into_arg);
        let mut raw = RawValue::NONE;
        // SAFETY: symbol.h: text and hint live for the call; `out` gets a new reference.
        unsafe {
            check(sys::tenon_symbol_new(
                self.as_raw(),
                sys::TENON_TAG_SYMINT as u16,
                name.as_ref().map_or(ptr::null(), |name| name.as_ptr()),
                hint.as_ref().map_or(ptr::null(), |hint| hint.as_raw()),
                options.min.unwrap_or(i64::MIN),
                options.max.unwrap_or(i64::MAX),
                &mut raw.as_.symbol,
            ))?;
        }
        raw.tag = sys::TENON_TAG_SYMINT as u16;
        raw.flags = sys::TENON_VALUE_OWNED as u16;
        Ok(SymInt(RawValue(raw)))
    }

    /// Returns the guards that no other guard implies, in the order in which they were recorded.
    ///
    /// # Errors
    /// [`Status::OUT_OF_MEMORY`].
    pub fn guards(&self) -> Result<Vec<ShapeGuard>> {
        // SAFETY: the environment is live.
        let count = unsafe { sys::tenon_shape_env_guard_count(self.as_raw()) };
        (0..count).map(|index| self.guard(index)).collect()
    }

    fn guard(&self, index: i64) -> Result<ShapeGuard> {
        // SAFETY: plain data; all-zero is valid.
        let mut raw: sys::tenon_shape_guard = unsafe { std::mem::zeroed() };
        raw.struct_size = std::mem::size_of::<sys::tenon_shape_guard>() as u32;
        // SAFETY: symbol.h: fills it; the texts live with the owner, which is released here.
        unsafe {
            check(sys::tenon_shape_env_guard(self.as_raw(), index, &mut raw))?;
            let given =
                |raw: *const std::ffi::c_char| (!raw.is_null()).then(|| text(raw).into_owned());
            let guard = ShapeGuard {
                text: text(raw.text).into_owned(),
                op: given(raw.op),
                file: given(raw.file),
                line: raw.line.max(0) as u32,
            };
            sys::tenon_buffer_release(raw.owner);
            Ok(guard)
        }
    }

    /// Returns the first guard or bound that does not hold with numbers for variables, if any.
    ///
    /// # Errors
    /// [`Status::INVALID_ARGUMENT`] if a guard has a variable without number.
    pub fn first_failure(&self, numbers: &[(&SymInt, i64)]) -> Result<Option<String>> {
        let (variables, numbers) = put_in(numbers)?;
        let (mut holds, mut out) = (0, ptr::null_mut());
        // SAFETY: symbol.h: one live symbol per number; `out` gets a new reference or NULL.
        check(unsafe {
            sys::tenon_shape_env_check(
                self.as_raw(),
                variables.as_ptr(),
                numbers.as_ptr(),
                numbers.len() as i64,
                &mut holds,
                &mut out,
            )
        })?;
        if out.is_null() {
            return Ok(None);
        }
        let text = Buffer::fill(|to| {
            // SAFETY: `to` is a local for the reference from above.
            unsafe { *to = out };
            0
        })?;
        Ok(Some(text.text()))
    }
}

impl Clone for ShapeEnv {
    fn clone(&self) -> ShapeEnv {
        // SAFETY: the environment is live.
        unsafe { ShapeEnv::from_raw(sys::tenon_shape_env_retain(self.as_raw())) }
    }
}

impl Drop for ShapeEnv {
    fn drop(&mut self) {
        // SAFETY: this is our reference.
        unsafe { sys::tenon_shape_env_release(self.as_raw()) }
    }
}

impl PartialEq for ShapeEnv {
    fn eq(&self, other: &ShapeEnv) -> bool {
        self.0 == other.0
    }
}

impl Eq for ShapeEnv {}

/// Formats the variables with hints, bounds and replacements, then the guards, one per line.
impl fmt::Display for ShapeEnv {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // SAFETY: the environment is live and `out` gets a new reference.
        let text = Buffer::fill(|out| unsafe { sys::tenon_shape_env_print(self.as_raw(), out) });
        f.write_str(&text.map_err(|_| fmt::Error)?.text())
    }
}

impl fmt::Debug for ShapeEnv {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
