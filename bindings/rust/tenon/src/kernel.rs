// SPDX-License-Identifier: Apache-2.0
//! Kernels: functions ready to be registered, and the C functions that wrap boxed ones.

use std::ffi::{c_char, c_void};
use std::fmt;
use std::panic::{catch_unwind, AssertUnwindSafe, Location};
use std::ptr;

use tenon_sys as sys;

use crate::dispatch::DispatchKeySet;
use crate::error::{check, Error, Result};
use crate::schema::Schema;
use crate::signature::{fit, RustTypes};
use crate::stack::{KernelContext, Stack};
use crate::text::c_text;
use crate::typed::LOWERS;
use crate::typed_kernel::{wrong_result_count, TypedKernel};
use crate::value::Value;
use crate::value_ref::ValueRef;

/// A function ready to be registered, with its options.
///
/// ```
/// use tenon::{DispatchKey, Kernel, Library, Policy};
/// let library = Library::define_namespace("kernel_doc")?;
/// library.define("twice(float x) -> float")?;
/// let kernel = Kernel::typed(|x: f64| 2.0 * x).named("twice_default").policy(Policy::Error);
/// library.impl_kernel("twice", DispatchKey::COMPOSITE_EXPLICIT_AUTOGRAD, kernel)?;
/// # Ok::<(), tenon::Error>(())
/// ```
#[must_use = "a kernel does nothing before it is registered"]
pub struct Kernel {
    pub(crate) raw: sys::tenon_kernel,
    header: *mut Header,
    types: Option<RustTypes>,
}

// SAFETY: the function inside is Send + Sync, and nothing else refers to it before registration.
unsafe impl Send for Kernel {}

/// Policy for an operator that already has a kernel for the key.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Policy {
    /// The new kernel takes precedence; removing it restores the older kernel.
    #[default]
    Layer,
    /// The registration fails.
    Error,
    /// Like `Layer`, but dumps mark the new kernel as an intended override.
    Override,
}

impl Policy {
    pub(crate) fn number(self) -> u32 {
        match self {
            Policy::Layer => sys::TENON_REPLACE_LAYER,
            Policy::Error => sys::TENON_REPLACE_ERROR,
            Policy::Override => sys::TENON_REPLACE_OVERRIDE,
        }
    }
}

/// The first fields of every cell, for any function type.
struct Header {
    name: String,
    location: &'static Location<'static>,
}

/// The target of a kernel's context pointer.
#[repr(C)]
pub(crate) struct Cell<F> {
    header: Header,
    function: F,
}

impl<F> Cell<F> {
    /// Allocates a context, which [`delete`] of the same type frees.
    pub(crate) fn allocate(
        name: &str,
        location: &'static Location<'static>,
        function: F,
    ) -> *mut Cell<F> {
        let header = Header {
            name: name.to_owned(),
            location,
        };
        Box::into_raw(Box::new(Cell { header, function }))
    }
}

impl Kernel {
    fn new<F: Send + Sync + 'static>(
        function: F,
        boxed: sys::tenon_kernel_fn,
        location: &'static Location<'static>,
    ) -> Kernel {
        let cell = Cell::allocate(std::any::type_name::<F>(), location, function);
        let mut kernel = Kernel::empty();
        kernel.raw.boxed = boxed;
        kernel.raw.ctx = cell.cast();
        kernel.raw.deleter = Some(delete::<F>);
        kernel.header = cell.cast();
        kernel
    }

    fn empty() -> Kernel {
        // SAFETY: plain data; all-zero is a kernel without functions and options.
        let mut raw: sys::tenon_kernel = unsafe { std::mem::zeroed() };
        raw.struct_size = std::mem::size_of::<sys::tenon_kernel>() as u32;
        raw.language = sys::TENON_LANGUAGE_RUST;
        Kernel {
            raw,
            header: ptr::null_mut(),
            types: None,
        }
    }

    /// Makes a kernel of a function that takes the schema's arguments as Rust types and returns its
    /// results or a `Result` of them. It is called unboxed if caller and target support that.
    #[track_caller]
    pub fn typed<A, R, F: TypedKernel<A, R>>(function: F) -> Kernel {
        let mut kernel = Kernel::new(function, Some(F::BOXED), Location::caller());
        if LOWERS {
            kernel.raw.typed = Some(F::typed_fn());
            kernel.raw.signature = F::SIGNATURE;
        }
        kernel.types = Some(RustTypes {
            parameters: F::parameters(),
            results: F::RESULTS,
            signature: F::SIGNATURE,
        });
        kernel
    }

    /// Makes a kernel of a function that takes values.
    #[track_caller]
    pub fn boxed<F>(function: F) -> Kernel
    where
        F: Fn(&KernelContext, &[ValueRef<'_>]) -> Result<Vec<Value>> + Send + Sync + 'static,
    {
        let on_stack = move |stack: &mut Stack<'_>| {
            let context = KernelContext {
                op: stack.op(),
                keys: stack.keys,
            };
            let args: Vec<ValueRef<'_>> = stack.args().iter().collect();
            let values = function(&context, &args)?;
            if values.len() != stack.raw.nrets as usize {
                return Err(wrong_result_count(
                    stack.op(),
                    stack.raw.nrets as usize,
                    values.len(),
                ));
            }
            for (index, value) in values.into_iter().enumerate() {
                stack.set(index, value)?;
            }
            Ok(())
        };
        let mut kernel = Kernel::on_stack(on_stack);
        kernel = kernel.named(std::any::type_name::<F>());
        kernel
    }

    /// Makes a kernel of a function that takes the call's stack.
    #[track_caller]
    pub fn on_stack<F>(function: F) -> Kernel
    where
        F: Fn(&mut Stack<'_>) -> Result<()> + Send + Sync + 'static,
    {
        Kernel::new(function, Some(stack_kernel::<F>), Location::caller())
    }

    /// Makes a kernel of a function that takes the call's stack, and a selector with the same
    /// context.
    #[track_caller]
    pub(crate) fn selected<F, S>(function: F, select: S) -> (Kernel, sys::tenon_fallback_select)
    where
        F: Fn(&mut Stack<'_>) -> Result<()> + Send + Sync + 'static,
        S: Fn(&Schema) -> bool + Send + Sync + 'static,
    {
        let pair = SelectiveFallback { function, select };
        let kernel = Kernel::new(pair, Some(selected_kernel::<F, S>), Location::caller());
        (
            kernel.named(std::any::type_name::<F>()),
            Some(select_of::<F, S>),
        )
    }

    /// Makes a kernel that makes calls skip its key.
    pub fn fallthrough() -> Kernel {
        let mut kernel = Kernel::empty();
        kernel.raw.flags = sys::TENON_KERNEL_FALLTHROUGH;
        kernel
    }

    /// Sets the name in dumps, profiles and errors. The default is the function's type.
    pub fn named(self, name: &str) -> Kernel {
        if !self.header.is_null() {
            // SAFETY: nothing else uses the cell until it is registered.
            unsafe { (*self.header).name = name.to_owned() };
        }
        self
    }

    /// Sets the policy for an operator that has a kernel already.
    pub fn policy(mut self, policy: Policy) -> Kernel {
        self.raw.policy = policy.number();
        self
    }

    /// Promises that the kernel is fast and never waits for up to `max_numel` elements. Bindings
    /// then keep their language's lock.
    pub fn no_block(mut self, max_numel: i64) -> Kernel {
        self.raw.flags |= sys::TENON_KERNEL_NOBLOCK;
        self.raw.noblock_max_numel = max_numel;
        self
    }

    /// Accepts tensors and lists with symbolic sizes unchanged. Other kernels receive numbers, and
    /// guards are recorded (see [`symbol`](crate::symbol)).
    pub fn symbolic(mut self) -> Kernel {
        self.raw.flags |= sys::TENON_KERNEL_SYMBOLIC;
        self
    }

    /// For kernels on Autograd: the kernel runs for tracked tensors only, at no cost to calls with
    /// untracked tensors.
    pub fn when_tracked(mut self) -> Kernel {
        self.raw.flags |= sys::TENON_KERNEL_WHEN_TRACKED;
        self
    }

    /// Promises that the kernel calls no operators: typed calls of operators that write an argument
    /// then stay typed.
    pub fn leaf(mut self) -> Kernel {
        self.raw.flags |= sys::TENON_KERNEL_LEAF;
        self
    }

    /// Compares the function's types with the schema, and drops the typed form if it does not
    /// match.
    pub(crate) fn fit(&mut self, schema: Option<&Schema>) -> Result<()> {
        let typed = match (&self.types, schema) {
            (Some(types), Some(schema)) => fit("kernel", schema, types)?,
            // Without a schema it is not known which results are written arguments.
            _ => false,
        };
        if !typed {
            self.raw.typed = None;
            self.raw.signature = 0;
        }
        Ok(())
    }

    /// Passes the kernel to a registration function, which takes over its context even if it fails.
    pub(crate) fn register(
        mut self,
        function: impl FnOnce(&sys::tenon_kernel) -> sys::tenon_status,
    ) -> Result<()> {
        let (mut name, mut file) = (c_text(""), c_text(""));
        if !self.header.is_null() {
            // SAFETY: nothing else uses the cell until it is registered; texts are copied there.
            let header = unsafe { &*self.header };
            name = c_text(&header.name);
            file = c_text(header.location.file());
            self.raw.line = header.location.line() as i32;
        }
        let text = |text: &std::ffi::CStr| -> *const c_char {
            if text.to_bytes().is_empty() {
                ptr::null()
            } else {
                text.as_ptr()
            }
        };
        self.raw.name = text(&name);
        self.raw.file = text(&file);
        let status = function(&self.raw);
        self.raw.deleter = None;
        check(status)
    }
}

impl Drop for Kernel {
    fn drop(&mut self) {
        if let Some(deleter) = self.raw.deleter {
            // SAFETY: the kernel was never registered, so the cell is still ours.
            unsafe { deleter(self.raw.ctx) }
        }
    }
}

impl fmt::Debug for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.header.is_null() {
            return f.write_str("Kernel(fallthrough)");
        }
        // SAFETY: the cell lives as long as `self`.
        write!(f, "Kernel({})", unsafe { &(*self.header).name })
    }
}

pub(crate) unsafe extern "C" fn delete<F>(cell: *mut c_void) {
    contain(|| {
        // SAFETY: kernel.h: the deleter runs exactly once, on the box made in `Cell::allocate`.
        drop(unsafe { Box::from_raw(cell.cast::<Cell<F>>()) })
    });
}

/// Runs code that C calls and that cannot report a failure: a panic is dropped.
pub(crate) fn contain(function: impl FnOnce()) {
    if let Err(panic) = catch_unwind(AssertUnwindSafe(function)) {
        // Dropping the payload may panic as well. The payload of that second panic is leaked.
        if let Err(second) = catch_unwind(AssertUnwindSafe(|| drop(panic))) {
            std::mem::forget(second);
        }
    }
}

/// Runs a kernel's body; a panic becomes an error that carries it.
#[inline(always)]
pub(crate) fn guarded<F>(
    cell: *const Cell<F>,
    body: impl FnOnce(&F) -> Result<()>,
    keep: impl FnOnce(Error) -> sys::tenon_status,
) -> sys::tenon_status {
    // SAFETY: the registry keeps the context alive while a thread runs its kernel.
    let cell = unsafe { &*cell };
    match catch_unwind(AssertUnwindSafe(|| body(&cell.function))) {
        Ok(Ok(())) => 0,
        Ok(Err(error)) => keep(with_frame(error, &cell.header)),
        Err(panic) => keep(with_frame(Error::from_panic(panic), &cell.header)),
    }
}

#[cold]
fn with_frame(mut error: Error, header: &Header) -> Error {
    error.add_frame(&header.name, header.location.file(), header.location.line());
    error
}

unsafe extern "C" fn stack_kernel<F>(
    cell: *mut c_void,
    op: *const sys::tenon_op,
    keys: sys::tenon_keyset,
    stack: *mut sys::tenon_stack,
) -> sys::tenon_status
where
    F: Fn(&mut Stack<'_>) -> Result<()> + Send + Sync + 'static,
{
    guarded(
        cell.cast::<Cell<F>>(),
        |function| {
            // SAFETY: value.h: the stack is the call's own while its kernel runs.
            let raw = unsafe { &mut *stack };
            function(&mut Stack {
                raw,
                op,
                keys: DispatchKeySet(keys),
            })
        },
        // SAFETY: as above; the dispatcher takes the error over.
        |error| unsafe { keep_in_stack(error, stack) },
    )
}

struct SelectiveFallback<F, S> {
    function: F,
    select: S,
}

unsafe extern "C" fn selected_kernel<F, S>(
    cell: *mut c_void,
    op: *const sys::tenon_op,
    keys: sys::tenon_keyset,
    stack: *mut sys::tenon_stack,
) -> sys::tenon_status
where
    F: Fn(&mut Stack<'_>) -> Result<()> + Send + Sync + 'static,
    S: Fn(&Schema) -> bool + Send + Sync + 'static,
{
    guarded(
        cell.cast::<Cell<SelectiveFallback<F, S>>>(),
        |pair| {
            // SAFETY: value.h: the stack is the call's own while its kernel runs.
            let raw = unsafe { &mut *stack };
            (pair.function)(&mut Stack {
                raw,
                op,
                keys: DispatchKeySet(keys),
            })
        },
        // SAFETY: as above; the dispatcher takes the error over.
        |error| unsafe { keep_in_stack(error, stack) },
    )
}

unsafe extern "C" fn select_of<F, S>(cell: *mut c_void, schema: *const sys::tenon_schema) -> i32
where
    S: Fn(&Schema) -> bool + Send + Sync + 'static,
{
    let mut choice = sys::TENON_SELECT_KERNEL as i32;
    contain(|| {
        // SAFETY: library.h: the context lives while its fallback is registered; the schema is
        // borrowed for the call, so that the reference is never dropped.
        let (pair, schema) = unsafe {
            let schema = Schema::from_raw(schema.cast_mut());
            (
                &*cell.cast::<Cell<SelectiveFallback<F, S>>>(),
                std::mem::ManuallyDrop::new(schema),
            )
        };
        if !(pair.function.select)(&schema) {
            choice = sys::TENON_SELECT_FALLTHROUGH as i32;
        }
    });
    choice
}

/// Stores the error in the stack of the running call.
#[cold]
pub(crate) unsafe fn keep_in_stack(
    error: Error,
    stack: *mut sys::tenon_stack,
) -> sys::tenon_status {
    let code = error.status().code();
    // SAFETY: the caller passes the stack of the running call; its error is owned.
    unsafe { (*stack).error = error.into_raw() };
    code
}
