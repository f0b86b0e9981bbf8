// SPDX-License-Identifier: Apache-2.0
//! A simulator: computes dispatch tables from names of keys, without an operator or kernel.

use std::ffi::CString;
use std::fmt;
use std::ptr::{self, NonNull};

use tenon_sys as sys;

use super::{table, text, Slot};
use crate::dispatch::{DispatchKey, DispatchKeySet};
use crate::error::{check, Error, Result};
use crate::status::Status;
use crate::text::c_name;

/// An operator outside the registry, to try registrations on. It is not listed, changes no kernel
/// of a real operator, and leaves nothing behind. The process's fallbacks serve it like a real
/// operator.
///
/// ```
/// use tenon::introspect::{Provenance, Simulator};
/// use tenon::DispatchKey;
/// let simulator = Simulator::new("f(Tensor x) -> Tensor")?;
/// simulator.register(&["CPU", "Autograd"])?;
/// assert_eq!(simulator.slot(DispatchKey::AUTOGRAD_CPU)?.name, "fn_Autograd");
/// assert_eq!(simulator.slot(DispatchKey::CUDA)?.provenance, Provenance::Missing);
/// # Ok::<(), tenon::Error>(())
/// ```
pub struct Simulator(NonNull<sys::tenon_simulator>);

// SAFETY: simulator.h: all its functions may run on any thread.
unsafe impl Send for Simulator {}
// SAFETY: as above.
unsafe impl Sync for Simulator {}

impl Simulator {
    /// Creates a simulator with a schema, which fallbacks may select by.
    ///
    /// # Errors
    /// [`Status::PARSE`] for a malformed schema.
    pub fn new(schema: &str) -> Result<Simulator> {
        let schema = c_name("Simulator::new", "schema", schema)?;
        let mut out = ptr::null_mut();
        // SAFETY: the text lives for the call; `out` gets a new reference.
        check(unsafe { sys::tenon_simulator_new(schema.as_ptr(), &mut out) })?;
        let missing = || {
            Error::new(
                Status::INTERNAL,
                "tenon_simulator_new returned no simulator",
            )
        };
        NonNull::new(out).map(Simulator).ok_or_else(missing)
    }

    /// Registers a kernel `fn_KEY` on each key, given by the name of a runtime key or alias; all or
    /// none.
    ///
    /// # Errors
    /// [`Status::NOT_FOUND`] naming the text that is no key, [`Status::INVALID_ARGUMENT`] for a key
    /// that is registered already, and for registering both composites on one operator.
    pub fn register(&self, keys: &[&str]) -> Result<()> {
        self.register_with(keys, 0)
    }

    /// Registers fallthroughs on these keys, so that calls skip them.
    ///
    /// # Errors
    /// As [`Simulator::register`].
    pub fn register_fallthrough(&self, keys: &[&str]) -> Result<()> {
        self.register_with(keys, sys::TENON_KERNEL_FALLTHROUGH)
    }

    fn register_with(&self, keys: &[&str], flags: u32) -> Result<()> {
        let name = |key: &&str| c_name("Simulator::register", "key", key);
        let names: Vec<CString> = keys.iter().map(name).collect::<Result<_>>()?;
        let texts: Vec<_> = names.iter().map(|name| name.as_ptr()).collect();
        let count = texts.len() as i64;
        // SAFETY: simulator and texts live for the call.
        check(unsafe {
            sys::tenon_simulator_register(self.0.as_ptr(), texts.as_ptr(), count, flags)
        })
    }

    /// Removes the registration on a key.
    ///
    /// # Errors
    /// [`Status::NOT_FOUND`] for a text that is no key or a key without registration.
    pub fn remove(&self, key: &str) -> Result<()> {
        let key = c_name("Simulator::remove", "key", key)?;
        // SAFETY: simulator and text live for the call.
        check(unsafe { sys::tenon_simulator_remove(self.0.as_ptr(), key.as_ptr()) })
    }

    /// Returns the slot of a runtime key.
    ///
    /// # Errors
    /// [`Status::INVALID_ARGUMENT`] for an alias or unknown key.
    pub fn slot(&self, key: DispatchKey) -> Result<Slot> {
        let raw = self.0.as_ptr();
        // SAFETY: the simulator lives and the description is the caller's.
        Slot::fill(|info| unsafe { sys::tenon_simulator_get_slot(raw, key.code(), info) })
    }

    /// Returns the computed table: the slots that are not missing, Undefined first.
    ///
    /// # Errors
    /// [`Status::OUT_OF_MEMORY`].
    pub fn table(&self) -> Result<Vec<(DispatchKey, Slot)>> {
        table(|key| self.slot(key))
    }

    /// Returns the registered keys and their kernels, one per line.
    ///
    /// # Errors
    /// [`Status::OUT_OF_MEMORY`].
    pub fn registrations(&self) -> Result<String> {
        self.print(sys::TENON_SIMULATOR_REGISTRATIONS)
    }

    /// Returns the slots that the registrations serve, one per line, without fallbacks.
    ///
    /// # Errors
    /// [`Status::OUT_OF_MEMORY`].
    pub fn dispatch_table(&self) -> Result<String> {
        self.print(sys::TENON_SIMULATOR_TABLE)
    }

    /// Returns the registrations in the format of [`Op::dump`](crate::Op::dump).
    ///
    /// # Errors
    /// [`Status::OUT_OF_MEMORY`].
    pub fn raw_registrations(&self) -> Result<String> {
        self.print(sys::TENON_SIMULATOR_RAW_REGISTRATIONS)
    }

    /// Returns every filled slot, including fallbacks, in the format of
    /// [`Op::dump_table`](crate::Op::dump_table).
    ///
    /// # Errors
    /// [`Status::OUT_OF_MEMORY`].
    pub fn raw_dispatch_table(&self) -> Result<String> {
        self.print(sys::TENON_SIMULATOR_RAW_TABLE)
    }

    /// Explains in words what a call with this key set would do.
    ///
    /// # Errors
    /// [`Status::OUT_OF_MEMORY`].
    pub fn explain(&self, keys: DispatchKeySet) -> Result<String> {
        // SAFETY: the simulator lives and `out` gets a new reference.
        text(|out| unsafe { sys::tenon_simulator_explain(self.0.as_ptr(), keys.bits(), out) })
    }

    fn print(&self, what: u32) -> Result<String> {
        // SAFETY: as in `explain`.
        text(|out| unsafe { sys::tenon_simulator_print(self.0.as_ptr(), what, out) })
    }
}

impl fmt::Debug for Simulator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Simulator").finish_non_exhaustive()
    }
}

impl Drop for Simulator {
    fn drop(&mut self) {
        // SAFETY: this is our reference.
        unsafe { sys::tenon_simulator_release(self.0.as_ptr()) }
    }
}
