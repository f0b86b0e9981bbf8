// SPDX-License-Identifier: Apache-2.0
//! Introspection: operators, dispatch tables with provenance, explanations of calls, live handles,
//! profiles, and a simulator of registrations.

mod profile;
mod simulator;

use std::fmt;
use std::ptr;

use tenon_sys as sys;

use crate::arguments::Arguments;
use crate::buffer::Buffer;
use crate::dispatch::DispatchKey;
use crate::error::{check, Result};
use crate::op::Op;
use crate::text::{language_name, static_text};

pub use profile::{profile, ProfileEvent};
pub use simulator::Simulator;

/// Numbers of live handles of each kind in the process.
#[derive(Clone, PartialEq, Eq)]
pub struct LiveHandles(Vec<(&'static str, i64)>);

/// Counts the live handles of every kind.
///
/// ```
/// let before = tenon::introspect::live_handles();
/// let x = tenon::Tensor::scalar(1.0f32)?;
/// assert_eq!(tenon::introspect::live_handles().count("tensor"), before.count("tensor") + 1);
/// drop(x);
/// assert_eq!(tenon::introspect::live_handles(), before);
/// # Ok::<(), tenon::Error>(())
/// ```
pub fn live_handles() -> LiveHandles {
    // SAFETY: no precondition; names are static text.
    let count = |kind| unsafe {
        (
            static_text(sys::tenon_introspect_handle_name(kind)),
            sys::tenon_introspect_live_count(kind),
        )
    };
    // SAFETY: no precondition.
    let kinds = unsafe { sys::tenon_introspect_handle_count() };
    LiveHandles((0..kinds).map(count).collect())
}

impl LiveHandles {
    /// Returns the number of handles of a kind such as `"tensor"`; 0 for an unknown kind.
    pub fn count(&self, kind: &str) -> i64 {
        self.0
            .iter()
            .find(|(name, _)| *name == kind)
            .map_or(0, |(_, count)| *count)
    }

    /// Returns all kinds and their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, i64)> + '_ {
        self.0.iter().copied()
    }
}

impl fmt::Debug for LiveHandles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

fn text(function: impl FnOnce(*mut *mut sys::tenon_buffer) -> sys::tenon_status) -> Result<String> {
    Ok(Buffer::fill(function)?.text())
}

fn ops(
    function: unsafe extern "C" fn(*mut *mut sys::tenon_buffer) -> sys::tenon_status,
) -> Result<Vec<Op>> {
    // SAFETY: `out` gets a new reference to a buffer of operators, which are never freed.
    let buffer = Buffer::fill(|out| unsafe { function(out) })?;
    Ok(buffer
        .slice::<*const sys::tenon_op>()
        .iter()
        .map(|&op| Op::unread(op))
        .collect())
}

fn names(ops: Vec<Op>) -> Vec<String> {
    ops.into_iter().map(|op| op.name().to_owned()).collect()
}

/// Returns the names of the defined operators, sorted.
///
/// # Errors
/// [`Status::OUT_OF_MEMORY`](crate::Status::OUT_OF_MEMORY).
pub fn operators() -> Result<Vec<String>> {
    ops(sys::tenon_introspect_list_ops).map(names)
}

/// Returns the names of the operators that have kernels but no definition.
///
/// # Errors
/// [`Status::OUT_OF_MEMORY`](crate::Status::OUT_OF_MEMORY).
pub fn dangling_operators() -> Result<Vec<String>> {
    ops(sys::tenon_introspect_list_dangling).map(names)
}

/// Returns the operators of [`dangling_operators`], to print their kernels with [`Op::dump`].
/// [`Op::find`] finds defined operators only.
///
/// # Errors
/// [`Status::OUT_OF_MEMORY`](crate::Status::OUT_OF_MEMORY).
pub fn dangling() -> Result<Vec<Op>> {
    ops(sys::tenon_introspect_list_dangling)
}

/// Returns all runtime keys that have slots, highest last.
///
/// # Errors
/// [`Status::OUT_OF_MEMORY`](crate::Status::OUT_OF_MEMORY).
pub fn keys() -> Result<Vec<DispatchKey>> {
    // SAFETY: `out` gets a new reference to a buffer of keys.
    let buffer = Buffer::fill(|out| unsafe { sys::tenon_key_list(out) })?;
    Ok(buffer
        .slice::<sys::tenon_key>()
        .iter()
        .map(|&key| DispatchKey::from_code(key))
        .collect())
}

/// Recomputes all dispatch tables and compares them with those in use.
///
/// # Errors
/// [`Status::INTERNAL`](crate::Status::INTERNAL) naming operator and slot that differ.
pub fn check_invariants() -> Result<()> {
    // SAFETY: NULL means all operators.
    check(unsafe { sys::tenon_introspect_check(ptr::null()) })
}

/// A slot of an operator's dispatch table.
#[derive(Clone, Debug)]
pub struct Slot {
    /// Provenance of the kernel.
    pub provenance: Provenance,
    /// The key or alias that the kernel was registered on.
    pub source_key: DispatchKey,
    /// True if calls skip this key.
    pub fallthrough: bool,
    /// The kernel's language, such as `"Rust"`.
    pub language: &'static str,
    /// The kernel's name; empty if unknown.
    pub name: &'static str,
    /// File of the registration; empty if unknown.
    pub file: &'static str,
    /// Line of the registration; 0 if unknown.
    pub line: i32,
    /// True if the kernel has a typed form.
    pub typed: bool,
}

/// Provenance of the kernel in a slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Provenance {
    /// No kernel serves the key.
    Missing,
    /// A kernel for the key itself.
    Kernel,
    /// A CompositeExplicit alias.
    DefaultBackendKernel,
    /// CompositeImplicitAutograd.
    MathKernel,
    /// The Autograd or Autocast alias.
    AutogradKernel,
    /// BatchedDecomposition.
    BatchedKernel,
    /// A fallback for all operators.
    BackendFallback,
    /// A provenance that this package does not have.
    Other(u32),
}

impl Provenance {
    fn from_code(code: u32) -> Provenance {
        match code {
            sys::TENON_PROVENANCE_MISSING => Provenance::Missing,
            sys::TENON_PROVENANCE_KERNEL => Provenance::Kernel,
            sys::TENON_PROVENANCE_DEFAULT_BACKEND_KERNEL => Provenance::DefaultBackendKernel,
            sys::TENON_PROVENANCE_MATH_KERNEL => Provenance::MathKernel,
            sys::TENON_PROVENANCE_AUTOGRAD_KERNEL => Provenance::AutogradKernel,
            sys::TENON_PROVENANCE_BATCHED_KERNEL => Provenance::BatchedKernel,
            sys::TENON_PROVENANCE_BACKEND_FALLBACK => Provenance::BackendFallback,
            other => Provenance::Other(other),
        }
    }
}

impl Slot {
    /// Fills a slot with a C function.
    fn fill(function: impl FnOnce(*mut sys::tenon_slot_info) -> sys::tenon_status) -> Result<Slot> {
        // SAFETY: plain data; the all-zero description is valid.
        let mut info: sys::tenon_slot_info = unsafe { std::mem::zeroed() };
        info.struct_size = std::mem::size_of::<sys::tenon_slot_info>() as u32;
        check(function(&mut info))?;
        // SAFETY: introspect.h: its texts are never freed.
        let (name, file) = unsafe { (static_text(info.name), static_text(info.file)) };
        Ok(Slot {
            provenance: Provenance::from_code(info.provenance),
            source_key: DispatchKey::from_code(info.source_key),
            fallthrough: info.fallthrough != 0,
            language: language_name(info.language),
            name,
            file,
            line: info.line,
            typed: info.typed != 0,
        })
    }
}

/// Returns the filled slots of an operator or simulator, Undefined first.
fn table(slot: impl Fn(DispatchKey) -> Result<Slot>) -> Result<Vec<(DispatchKey, Slot)>> {
    let mut table = Vec::new();
    let undefined = DispatchKey::from_code(sys::TENON_KEY_UNDEFINED);
    for key in std::iter::once(undefined).chain(keys()?) {
        let slot = slot(key)?;
        if slot.provenance != Provenance::Missing {
            table.push((key, slot));
        }
    }
    Ok(table)
}

impl Op {
    /// Returns the slot of a runtime key.
    ///
    /// # Errors
    /// [`Status::INVALID_ARGUMENT`](crate::Status::INVALID_ARGUMENT) for an alias or unknown key.
    pub fn slot(self, key: DispatchKey) -> Result<Slot> {
        // SAFETY: the operator is never freed and the description is ours.
        Slot::fill(|info| unsafe {
            sys::tenon_introspect_get_slot(self.as_raw(), key.code(), info)
        })
    }

    /// Returns the computed table: the slots that are not missing, Undefined first.
    ///
    /// # Errors
    /// [`Status::OUT_OF_MEMORY`](crate::Status::OUT_OF_MEMORY).
    pub fn table(self) -> Result<Vec<(DispatchKey, Slot)>> {
        table(|key| self.slot(key))
    }

    /// Explains in words what a call with these arguments would do on this thread, without making
    /// it: which key it is dispatched to, which kernel serves it and why, and which kernels
    /// redispatches reach.
    ///
    /// # Errors
    /// [`Status::TYPE`](crate::Status::TYPE) as [`Op::call`].
    pub fn explain(self, args: impl Arguments) -> Result<String> {
        args.with(|args| {
            self.with_bound(args, |args| {
                let (values, count) = (args.as_ptr().cast(), args.len() as i64);
                // SAFETY: `Arg` is transparent over `tenon_value`; the arguments live for the call.
                text(|out| unsafe { sys::tenon_op_explain(self.as_raw(), values, count, out) })
            })
        })
    }

    /// Recomputes its table and compares it with the one in use.
    ///
    /// # Errors
    /// [`Status::INTERNAL`](crate::Status::INTERNAL) naming the slot that differs.
    pub fn check_invariants(self) -> Result<()> {
        // SAFETY: the operator is never freed.
        check(unsafe { sys::tenon_introspect_check(self.as_raw()) })
    }

    /// Returns the registrations as text: name, schema and one line per kernel.
    ///
    /// # Errors
    /// [`Status::OUT_OF_MEMORY`](crate::Status::OUT_OF_MEMORY).
    pub fn dump(self) -> Result<String> {
        // SAFETY: the operator is never freed and `out` gets a new reference.
        text(|out| unsafe { sys::tenon_introspect_dump(self.as_raw(), out) })
    }

    /// Returns the computed table as text: one line per slot that is not missing.
    ///
    /// # Errors
    /// [`Status::OUT_OF_MEMORY`](crate::Status::OUT_OF_MEMORY).
    pub fn dump_table(self) -> Result<String> {
        // SAFETY: as in `dump`.
        text(|out| unsafe { sys::tenon_introspect_dump_table(self.as_raw(), out) })
    }

    /// Returns the operator's tags.
    ///
    /// # Errors
    /// [`Status::OUT_OF_MEMORY`](crate::Status::OUT_OF_MEMORY).
    pub fn tags(self) -> Result<Vec<String>> {
        // SAFETY: as in `dump`.
        let tags = text(|out| unsafe { sys::tenon_op_copy_tags(self.as_raw(), out) })?;
        Ok(tags.lines().map(str::to_owned).collect())
    }
}
