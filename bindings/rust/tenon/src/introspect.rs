// SPDX-License-Identifier: Apache-2.0
//! Introspection: operators, dispatch tables with provenance, live handles, traces.

use std::any::Any;
use std::ffi::c_void;
use std::fmt;
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::ptr;

use tenon_sys as sys;

use crate::buffer::Buffer;
use crate::dispatch::{DispatchKey, DispatchKeySet};
use crate::error::{check, Result};
use crate::op::Op;
use crate::text::{language_name, static_text};

/// How many handles of each kind live in the process.
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
            static_text(sys::tenon_live_name(kind)),
            sys::tenon_live_count(kind),
        )
    };
    LiveHandles((0..sys::TENON_HANDLE_COUNT).map(count).collect())
}

impl LiveHandles {
    /// The count of a kind such as `"tensor"`; 0 for an unknown one.
    pub fn count(&self, kind: &str) -> i64 {
        self.0
            .iter()
            .find(|(name, _)| *name == kind)
            .map_or(0, |(_, count)| *count)
    }

    /// All kinds and counts.
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
) -> Result<Vec<String>> {
    // SAFETY: `out` gets a new reference to a buffer of operators, which are valid for ever.
    let buffer = Buffer::fill(|out| unsafe { function(out) })?;
    let name = |op: &*const sys::tenon_op| Op::unread(*op).name().to_owned();
    Ok(buffer
        .slice::<*const sys::tenon_op>()
        .iter()
        .map(name)
        .collect())
}

/// Names of the operators that are defined now, sorted.
///
/// # Errors
/// [`Status::OUT_OF_MEMORY`](crate::Status::OUT_OF_MEMORY).
pub fn operators() -> Result<Vec<String>> {
    ops(sys::tenon_op_list)
}

/// Names of the operators that have kernels but no definition.
///
/// # Errors
/// [`Status::OUT_OF_MEMORY`](crate::Status::OUT_OF_MEMORY).
pub fn dangling_operators() -> Result<Vec<String>> {
    ops(sys::tenon_op_list_dangling)
}

/// All runtime keys that have slots, highest last.
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
    // SAFETY: NULL stands for all operators.
    check(unsafe { sys::tenon_op_check_invariants(ptr::null()) })
}

/// One slot of an operator's dispatch table.
#[derive(Clone, Debug)]
pub struct Slot {
    /// Where the kernel comes from.
    pub provenance: Provenance,
    /// The key or alias that the kernel was registered on.
    pub source_key: DispatchKey,
    /// Whether calls skip this key.
    pub fallthrough: bool,
    /// The kernel's language, such as `"Rust"`.
    pub language: &'static str,
    /// The kernel's name; empty if unknown.
    pub name: &'static str,
    /// Where it was registered; empty if unknown.
    pub file: &'static str,
    /// Line there; 0 if unknown.
    pub line: i32,
    /// Whether it has a typed form.
    pub typed: bool,
}

/// Where the kernel of a slot comes from.
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
    /// One that this package does not know yet.
    Other(u32),
}

impl Op {
    /// The slot of a runtime key: what would run there.
    ///
    /// # Errors
    /// [`Status::INVALID_ARGUMENT`](crate::Status::INVALID_ARGUMENT) for an alias or unknown key.
    pub fn slot(self, key: DispatchKey) -> Result<Slot> {
        // SAFETY: plain data; the all-zero description is valid.
        let mut info: sys::tenon_slot_info = unsafe { std::mem::zeroed() };
        info.struct_size = std::mem::size_of::<sys::tenon_slot_info>() as u32;
        // SAFETY: the description is ours; its texts are valid for ever.
        unsafe {
            check(sys::tenon_op_get_slot(self.as_raw(), key.code(), &mut info))?;
            Ok(Slot {
                provenance: match info.provenance {
                    sys::TENON_PROVENANCE_MISSING => Provenance::Missing,
                    sys::TENON_PROVENANCE_KERNEL => Provenance::Kernel,
                    sys::TENON_PROVENANCE_DEFAULT_BACKEND_KERNEL => {
                        Provenance::DefaultBackendKernel
                    }
                    sys::TENON_PROVENANCE_MATH_KERNEL => Provenance::MathKernel,
                    sys::TENON_PROVENANCE_AUTOGRAD_KERNEL => Provenance::AutogradKernel,
                    sys::TENON_PROVENANCE_BATCHED_KERNEL => Provenance::BatchedKernel,
                    sys::TENON_PROVENANCE_BACKEND_FALLBACK => Provenance::BackendFallback,
                    other => Provenance::Other(other),
                },
                source_key: DispatchKey::from_code(info.source_key),
                fallthrough: info.fallthrough != 0,
                language: language_name(info.language),
                name: static_text(info.name),
                file: static_text(info.file),
                line: info.line,
                typed: info.typed != 0,
            })
        }
    }

    /// What is registered: name, schema and one line a kernel.
    ///
    /// # Errors
    /// [`Status::OUT_OF_MEMORY`](crate::Status::OUT_OF_MEMORY).
    pub fn dump(self) -> Result<String> {
        // SAFETY: the operator is valid for ever and `out` gets a new reference.
        text(|out| unsafe { sys::tenon_op_dump(self.as_raw(), out) })
    }

    /// The computed table: one line a slot that is not missing.
    ///
    /// # Errors
    /// [`Status::OUT_OF_MEMORY`](crate::Status::OUT_OF_MEMORY).
    pub fn dump_table(self) -> Result<String> {
        // SAFETY: as in `dump`.
        text(|out| unsafe { sys::tenon_op_dump_table(self.as_raw(), out) })
    }

    /// Its tags.
    ///
    /// # Errors
    /// [`Status::OUT_OF_MEMORY`](crate::Status::OUT_OF_MEMORY).
    pub fn tags(self) -> Result<Vec<String>> {
        // SAFETY: as in `dump`.
        let tags = text(|out| unsafe { sys::tenon_op_tags(self.as_raw(), out) })?;
        Ok(tags.lines().map(str::to_owned).collect())
    }
}

/// One dispatch, as a tracer is told of it before the kernel runs.
#[derive(Clone, Debug)]
pub struct TraceEvent {
    /// The operator.
    pub op: &'static str,
    /// The key whose slot is called.
    pub key: DispatchKey,
    /// Whether this is a redispatch from inside a kernel.
    pub redispatch: bool,
    /// The call's key set.
    pub keys: DispatchKeySet,
    /// Dispatches that run on this thread already.
    pub depth: usize,
    /// The kernel's language, such as `"Rust"`.
    pub language: &'static str,
    /// The kernel's name; empty if unknown.
    pub kernel: String,
}

/// One line, indented by depth.
impl fmt::Display for TraceEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (op, key, language) = (self.op, self.key, self.language);
        let what = if self.redispatch {
            "redispatch"
        } else {
            "call"
        };
        write!(
            f,
            "{:indent$}{what} {op} [{key}] {language}",
            "",
            indent = 2 * self.depth
        )?;
        if !self.kernel.is_empty() {
            write!(f, " {}", self.kernel)?;
        }
        Ok(())
    }
}

struct Tracing {
    events: Vec<TraceEvent>,
    panic: Option<Box<dyn Any + Send>>,
}

/// Runs `body` and collects each dispatch of the calling thread meanwhile. An outer trace of this
/// thread ends there.
///
/// ```
/// use tenon::{introspect, DispatchKey, Library, Op, Tensor};
/// let library = Library::define_namespace("trace_doc")?;
/// library.define("same(Tensor x) -> Tensor")?;
/// library.impl_fn("same", DispatchKey::CPU, |x: &Tensor| x.clone())?;
/// let x = Tensor::scalar(1.0f32)?;
/// let (y, events) = introspect::trace(|| Op::find("trace_doc::same")?.call::<Tensor>((&x,)))?;
/// assert_eq!((events.len(), events[0].op), (1, "trace_doc::same"));
/// assert_eq!(events[0].key, DispatchKey::CPU);
/// # y?;
/// # Ok::<(), tenon::Error>(())
/// ```
///
/// # Errors
/// [`Status::OUT_OF_MEMORY`](crate::Status::OUT_OF_MEMORY) on a thread's first use.
pub fn trace<T>(body: impl FnOnce() -> T) -> Result<(T, Vec<TraceEvent>)> {
    let mut tracing = Tracing {
        events: Vec::new(),
        panic: None,
    };
    let ctx: *mut Tracing = &mut tracing;
    // SAFETY: introspect.h: the context is borrowed until tracing stops, below on every path.
    check(unsafe { sys::tenon_trace_set(Some(record), ctx.cast()) })?;
    let result = catch_unwind(AssertUnwindSafe(body));
    // SAFETY: NULL stops; the thread has its record by now, so that this cannot fail.
    let stopped = check(unsafe { sys::tenon_trace_set(None, ptr::null_mut()) });
    match (result, tracing.panic.take()) {
        (Ok(result), None) => stopped.map(|()| (result, tracing.events)),
        (Err(panic), _) | (_, Some(panic)) => resume_unwind(panic),
    }
}

unsafe extern "C" fn record(ctx: *mut c_void, event: *const sys::tenon_trace_event) {
    // SAFETY: introspect.h: told on the tracing thread only; both live for the call.
    let (tracing, event) = unsafe { (&mut *ctx.cast::<Tracing>(), &*event) };
    let recorded = catch_unwind(AssertUnwindSafe(|| {
        tracing.events.push(TraceEvent {
            op: Op::unread(event.op).name(),
            key: DispatchKey::from_code(event.key),
            redispatch: event.redispatch != 0,
            keys: DispatchKeySet::from_bits(event.keys),
            depth: usize::try_from(event.depth).unwrap_or(0),
            language: language_name(event.language),
            // SAFETY: the text lives for the call.
            kernel: unsafe { crate::text::text(event.kernel) }.into_owned(),
        });
    }));
    if let Err(panic) = recorded {
        tracing.panic = Some(panic);
    }
}
