// SPDX-License-Identifier: Apache-2.0
//! Status codes: the reason of a failure, as a number.

use std::fmt;

use tenon_sys as sys;

use crate::text::static_text;

/// Status code of an error: one of the constants below.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Status(pub(crate) i32);

macro_rules! statuses {
    ($($(#[$doc:meta])* $name:ident = $value:ident,)*) => {
        impl Status {
            $($(#[$doc])* pub const $name: Status = Status(sys::$value as i32);)*
        }
    };
}

statuses! {
    /// A value, shape or name is invalid.
    INVALID_ARGUMENT = TENON_ERROR_INVALID_ARGUMENT,
    /// An argument has the wrong type, or the number of arguments is wrong.
    TYPE = TENON_ERROR_TYPE,
    /// An operator, overload, key, device, plugin or attribute does not exist.
    NOT_FOUND = TENON_ERROR_NOT_FOUND,
    /// The name exists already.
    ALREADY_EXISTS = TENON_ERROR_ALREADY_EXISTS,
    /// No kernel serves the computed key.
    NO_KERNEL = TENON_ERROR_NO_KERNEL,
    /// The operation exists, but not for this dtype, device or layout.
    NOT_SUPPORTED = TENON_ERROR_NOT_SUPPORTED,
    /// An index or dimension is out of range.
    INDEX = TENON_ERROR_INDEX,
    /// A text cannot be parsed.
    PARSE = TENON_ERROR_PARSE,
    /// An allocation failed.
    OUT_OF_MEMORY = TENON_ERROR_OUT_OF_MEMORY,
    /// The object was closed, or the call is not legal in this state.
    STATE = TENON_ERROR_STATE,
    /// Something is in use on another thread.
    BUSY = TENON_ERROR_BUSY,
    /// Dispatches are nested too deeply.
    RECURSION = TENON_ERROR_RECURSION,
    /// A plugin or caller was built for another ABI than the library.
    ABI = TENON_ERROR_ABI,
    /// A file operation, the dynamic loader or a device driver failed.
    SYSTEM = TENON_ERROR_SYSTEM,
    /// A kernel failed without a more specific code.
    RUNTIME = TENON_ERROR_RUNTIME,
    /// A result depends on elements that a Meta or fake tensor does not have.
    DATA_DEPENDENT = TENON_ERROR_DATA_DEPENDENT,
    /// An exception of another language, carried as the payload.
    FOREIGN = TENON_ERROR_FOREIGN,
    /// A bug in Tenon itself.
    INTERNAL = TENON_ERROR_INTERNAL,
}

impl Status {
    /// Returns the number in the C interface.
    pub fn code(self) -> i32 {
        self.0
    }

    /// Returns the symbolic name, such as `"TENON_ERROR_TYPE"`.
    pub fn name(self) -> &'static str {
        // SAFETY: tenon_status_name returns static text for any number.
        unsafe { static_text(sys::tenon_status_name(self.0)) }
    }
}

impl fmt::Debug for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
