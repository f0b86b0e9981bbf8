// SPDX-License-Identifier: Apache-2.0
//! Modes: Rust values that see all calls of a thread.

use std::marker::PhantomData;

use tenon_sys as sys;

use crate::error::{check, Result};
use crate::guard::left;
use crate::object::Object;
use crate::overrides::{Dispatches, Overrides};

/// A mode of this thread, which is on until it is dropped. Its value sees every call. Modes must be
/// dropped in reverse order, as scopes do.
///
/// # Panics
/// Panics, and leaves the mode on, if it is not the innermost mode of its kind.
#[must_use = "the mode ends when it is dropped"]
#[derive(Debug)]
pub struct Mode {
    kind: u32,
    object: Object,
    owner_thread: PhantomData<*const ()>,
}

impl Mode {
    /// Turns on a mode that sees calls before dispatch. The mode is off while its handler runs.
    ///
    /// # Errors
    /// [`Status::OUT_OF_MEMORY`](crate::Status::OUT_OF_MEMORY).
    pub fn overriding<T: Overrides>(value: T) -> Result<Mode> {
        Mode::push(sys::TENON_MODE_OVERRIDE, Object::overriding(value)?)
    }

    /// Turns on a mode that sees calls below autograd.
    ///
    /// # Errors
    /// [`Status::OUT_OF_MEMORY`](crate::Status::OUT_OF_MEMORY).
    pub fn dispatching<T: Dispatches>(value: T) -> Result<Mode> {
        Mode::push(sys::TENON_MODE_WRAPPER, Object::dispatching(value)?)
    }

    fn push(kind: u32, object: Object) -> Result<Mode> {
        // SAFETY: the object is live and retained by push; the guard stays on this thread.
        check(unsafe { sys::tenon_mode_push(kind, object.as_raw()) })?;
        Ok(Mode {
            kind,
            object,
            owner_thread: PhantomData,
        })
    }
}

impl Drop for Mode {
    fn drop(&mut self) {
        // SAFETY: mode.h: pushed by this guard, on this thread; the object is live.
        left(unsafe { sys::tenon_mode_pop(self.kind, self.object.as_raw()) })
    }
}
