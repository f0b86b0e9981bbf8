// SPDX-License-Identifier: Apache-2.0
//! Operators: lookup and calls.

use std::ffi::c_char;
use std::fmt;
use std::ptr;
use std::sync::OnceLock;

use tenon_sys as sys;

use crate::arg::{raw_values, Arg};
use crate::arguments::Arguments;
use crate::call_builder::CallBuilder;
use crate::dispatch::{DispatchKey, DispatchKeySet};
use crate::error::{check, Error, Result};
use crate::overrides::refuse_overriding;
use crate::returns::{with_slots, FromReturns};
use crate::schema::Schema;
use crate::status::Status;
use crate::text::{c_name, static_text};

/// An operator. Handles are plain pointers and never invalid. If the definition of an operator was
/// removed, calls return an error.
#[derive(Clone, Copy)]
pub struct Op {
    raw: *const sys::tenon_op,
    arguments: u32,
    returns: u32,
}

// SAFETY: op.h: an operator is never freed and every function on it may run on any thread.
unsafe impl Send for Op {}
// SAFETY: as above.
unsafe impl Sync for Op {}

impl Op {
    /// Finds an operator by its full name: `"ns::name"` or `"ns::name.overload"`.
    ///
    /// # Errors
    /// [`Status::NOT_FOUND`]; the message distinguishes an unknown operator, an unknown overload
    /// and an operator without schema.
    pub fn find(name: &str) -> Result<Op> {
        let name = c_name("Op::find", "name", name)?;
        let mut out = ptr::null();
        // SAFETY: the text lives for the call and `out` is ours.
        check(unsafe { sys::tenon_op_find(name.as_ptr(), &mut out) })?;
        // SAFETY: a found operator is not NULL.
        unsafe { Op::from_raw(out) }
    }

    /// Wraps an operator handle of the C interface.
    ///
    /// # Safety
    /// `raw` is an operator, not NULL.
    ///
    /// # Errors
    /// [`Status::NOT_FOUND`] if it has no schema.
    pub unsafe fn from_raw(raw: *const sys::tenon_op) -> Result<Op> {
        let mut op = Op {
            raw,
            arguments: 0,
            returns: 0,
        };
        let schema = op.schema()?;
        op.arguments = schema.argument_count() as u32;
        op.returns = schema.return_count() as u32;
        Ok(op)
    }

    /// Wraps an operator whose stack has been checked already.
    #[inline]
    pub(crate) fn running(raw: *const sys::tenon_op, arguments: u32, returns: u32) -> Op {
        Op {
            raw,
            arguments,
            returns,
        }
    }

    /// Wraps an operator without reading its schema.
    #[inline]
    pub(crate) fn unread(raw: *const sys::tenon_op) -> Op {
        Op {
            raw,
            arguments: Op::UNKNOWN,
            returns: Op::UNKNOWN,
        }
    }

    const UNKNOWN: u32 = u32::MAX;

    /// Returns the operator with the numbers of its arguments and results.
    #[inline]
    pub(crate) fn read(self) -> Result<Op> {
        if self.returns != Op::UNKNOWN {
            return Ok(self);
        }
        // SAFETY: a handle that an `Op` holds is an operator.
        unsafe { Op::from_raw(self.raw) }
    }

    /// Returns the handle.
    pub fn as_raw(self) -> *const sys::tenon_op {
        self.raw
    }

    /// Returns the full name, such as `"aten::add.Tensor"`.
    pub fn name(self) -> &'static str {
        // SAFETY: op.h: the name is never freed.
        unsafe { static_text(sys::tenon_op_name(self.raw)) }
    }

    /// Returns the number of results when the operator was found.
    pub(crate) fn return_count(self) -> usize {
        self.returns as usize
    }

    /// Returns the schema.
    ///
    /// # Errors
    /// [`Status::NOT_FOUND`] if the definition was removed.
    pub fn schema(self) -> Result<Schema> {
        let mut out = ptr::null_mut();
        // SAFETY: the operator is never freed and `out` gets a new reference.
        check(unsafe { sys::tenon_op_copy_schema(self.raw, &mut out) })?;
        // SAFETY: as above.
        Ok(unsafe { Schema::from_raw(out) })
    }

    /// Calls the operator with positional arguments. Omitted arguments have the schema's defaults.
    ///
    /// Arguments are converted if no information is lost, as in every language: for example an int
    /// to a float, or a number to a list of a fixed size in the schema. If all arguments are
    /// passed, keyword-only arguments may be passed by position, too.
    ///
    /// ```
    /// # let library = tenon::Library::define_namespace("op_call_doc")?;
    /// # library.define("scale(float x, float factor=2.0) -> float")?;
    /// # library.impl_fn("scale", "default", |x: f64, factor: f64| x * factor)?;
    /// let scale = tenon::Op::find("op_call_doc::scale")?;
    /// let doubled: f64 = scale.call((3.0,))?;
    /// let tripled: f64 = scale.call((3.0, 3.0))?;
    /// assert_eq!((doubled, tripled), (6.0, 9.0));
    /// # Ok::<(), tenon::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Status::TYPE`] naming operator and argument if the number or types do not match the
    /// schema, [`Status::NO_KERNEL`] if no kernel serves the computed key, or the kernel's error.
    #[inline]
    pub fn call<R: FromReturns>(self, args: impl Arguments) -> Result<R> {
        args.with(|args| self.call_args(args))
    }

    /// Calls the kernel or fallback of one runtime key, regardless of the keys of the arguments.
    ///
    /// # Errors
    /// [`Status::NO_KERNEL`] if the key has none; otherwise as [`Op::call`].
    pub fn call_key<R: FromReturns>(self, key: DispatchKey, args: impl Arguments) -> Result<R> {
        let op = self.read()?;
        args.with(|args| {
            op.with_bound(args, |args| {
                // SAFETY: as in `run`.
                op.run(args, |op, stack| unsafe {
                    sys::tenon_op_call_key(op, key.0, stack)
                })
            })
        })
    }

    /// Calls the kernel that serves `keys`, from inside a kernel: usually `context.keys() &
    /// DispatchKeySet::below(key)`. The thread's keys are not consulted.
    ///
    /// # Errors
    /// As [`Op::call`].
    pub fn redispatch<R: FromReturns>(
        self,
        keys: DispatchKeySet,
        args: impl Arguments,
    ) -> Result<R> {
        let op = self.read()?;
        args.with(|args| {
            op.with_bound(args, |args| {
                refuse_overriding(op, raw_values(args))?;
                check_keys(op, keys, raw_values(args))?;
                // SAFETY: as in `run`.
                op.run(args, |op, stack| unsafe {
                    sys::tenon_op_redispatch(op, keys.0, stack)
                })
            })
        })
    }

    /// Returns the key set that a call with these arguments would be dispatched with.
    ///
    /// # Errors
    /// [`Status::TYPE`] as [`Op::call`].
    pub fn compute_keys(self, args: impl Arguments) -> Result<DispatchKeySet> {
        let op = self.read()?;
        args.with(|args| {
            op.with_bound(args, |args| {
                let mut out = 0;
                // SAFETY: `Arg` is transparent over `tenon_value`; the arguments live for the call.
                check(unsafe {
                    let count = args.len() as i64;
                    sys::tenon_op_compute_keys(self.raw, args.as_ptr().cast(), count, &mut out)
                })?;
                Ok(DispatchKeySet(out))
            })
        })
    }

    /// Begins a call with named arguments.
    ///
    /// ```
    /// # let library = tenon::Library::define_namespace("op_args_doc")?;
    /// # library.define("line(float x, *, float slope=1.0, float offset=0.0) -> float")?;
    /// # library.impl_fn("line", "default", |x: f64, slope: f64, offset: f64| x * slope + offset)?;
    /// let line = tenon::Op::find("op_args_doc::line")?;
    /// let y: f64 = line.args().arg(3.0).named("offset", 0.5).call()?;
    /// assert_eq!(y, 3.5);
    /// # Ok::<(), tenon::Error>(())
    /// ```
    pub fn args<'a>(self) -> CallBuilder<'a> {
        CallBuilder::new(self)
    }

    fn check_arguments(self, args: &[Arg<'_>]) -> Result<()> {
        // SAFETY: `Arg` is transparent over `tenon_value`; the arguments live for the call.
        check(unsafe {
            sys::tenon_op_check_arguments(self.raw, args.as_ptr().cast(), args.len() as i64)
        })
    }

    #[inline(always)]
    fn call_args<R: FromReturns>(self, args: &[Arg<'_>]) -> Result<R> {
        if args.len() != self.arguments as usize {
            return self.call_named(args, &[], &[]);
        }
        // SAFETY: op.h: the stack is filled and its arguments borrowed for the call.
        let result = self.run(args, |op, stack| unsafe { sys::tenon_op_call(op, stack) });
        match result {
            Err(error) if error.status() == Status::TYPE => self.call_converted(args, error),
            result => result,
        }
    }

    /// Repeats a call whose arguments were refused before a kernel ran, with arguments converted by
    /// binding.
    #[cold]
    fn call_converted<R: FromReturns>(self, args: &[Arg<'_>], error: Error) -> Result<R> {
        if self.check_arguments(args).is_ok() {
            return Err(error);
        }
        let names = self.schema()?.names_after_positions();
        let names: Vec<*const c_char> = names.iter().map(|name| name.as_ptr()).collect();
        let (args, named) = args.split_at(args.len() - names.len());
        self.call_named(args, &names, named)
    }

    /// Binds positional and named arguments to the schema, and calls the operator.
    #[inline(never)]
    pub(crate) fn call_named<R: FromReturns>(
        self,
        args: &[Arg<'_>],
        names: &[*const c_char],
        named: &[Arg<'_>],
    ) -> Result<R> {
        let op = self.read()?;
        debug_assert_eq!(names.len(), named.len());
        with_slots(op.return_count(), |slots| {
            // SAFETY: op.h: texts and arguments live for the call; `Arg` is transparent over
            // `tenon_value`; the slots are NONE.
            check(unsafe {
                sys::tenon_op_call_named(
                    op.raw,
                    args.as_ptr().cast(),
                    args.len() as i64,
                    names.as_ptr(),
                    named.as_ptr().cast(),
                    named.len() as i64,
                    slots.as_mut_ptr(),
                    op.return_count() as i64,
                )
            })?;
            R::from_returns(op, slots)
        })
    }

    /// Calls `function` with one argument for each of the schema's: `args` if they are complete and
    /// match, otherwise the bound arguments.
    pub(crate) fn with_bound<T>(
        self,
        args: &[Arg<'_>],
        function: impl FnOnce(&[Arg<'_>]) -> Result<T>,
    ) -> Result<T> {
        let all = args.len() == self.arguments as usize;
        if all && self.check_arguments(args).is_ok() {
            return function(args);
        }
        let schema = self.schema()?;
        let names = if all {
            schema.names_after_positions()
        } else {
            Vec::new()
        };
        let names: Vec<*const c_char> = names.iter().map(|name| name.as_ptr()).collect();
        let mut bound: Vec<Arg<'_>> = Vec::new();
        // A schema that ends in `...` accepts additional arguments.
        bound.resize_with(schema.argument_count().max(args.len()), || Arg::NONE);
        let (args, named) = args.split_at(args.len() - names.len());
        // SAFETY: schema.h: there is room for all values. They borrow from the arguments and the
        // schema, which live for this call, or are owned and cleared by `Arg`.
        check(unsafe {
            sys::tenon_schema_bind(
                schema.as_raw(),
                args.as_ptr().cast(),
                args.len() as i64,
                names.as_ptr(),
                named.as_ptr().cast(),
                named.len() as i64,
                bound.as_mut_ptr().cast(),
            )
        })?;
        function(&bound)
    }

    #[inline(always)]
    fn run<R: FromReturns>(
        self,
        args: &[Arg<'_>],
        call: impl FnOnce(*const sys::tenon_op, &mut sys::tenon_stack) -> sys::tenon_status,
    ) -> Result<R> {
        debug_assert_ne!(self.returns, Op::UNKNOWN);
        with_slots(self.returns as usize, |slots| {
            // `Arg` is transparent over `tenon_value`. Nothing is marked as movable, so the
            // arguments are not written.
            let mut stack = sys::tenon_stack {
                args: args.as_ptr().cast_mut().cast(),
                rets: slots.as_mut_ptr(),
                nargs: args.len() as u32,
                nrets: self.returns,
                error: ptr::null_mut(),
                reserved: [0; 2],
            };
            let status = call(self.raw, &mut stack);
            if status != 0 {
                return Err(failure(status, &mut stack));
            }
            R::from_returns(self, slots)
        })
    }
}

/// Returns the error of a failed call: it is in the stack after a redispatch, and otherwise in the
/// thread's slot.
#[cold]
pub(crate) fn failure(status: sys::tenon_status, stack: &mut sys::tenon_stack) -> Error {
    if stack.error.is_null() {
        return Error::take(status);
    }
    let raw = std::mem::replace(&mut stack.error, ptr::null_mut());
    // SAFETY: value.h: the stack's error is owned; it moves out here.
    unsafe { Error::from_raw(raw) }
}

impl PartialEq for Op {
    fn eq(&self, other: &Op) -> bool {
        ptr::eq(self.raw, other.raw)
    }
}

impl Eq for Op {}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl fmt::Debug for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Op({})", self.name())
    }
}

/// An operator that is looked up on first use, for a `static`.
///
/// ```
/// # let library = tenon::Library::define_namespace("lazy_op_doc")?;
/// # library.define("one() -> int")?;
/// # library.impl_fn("one", "default", || 1i64)?;
/// static ONE: tenon::LazyOp = tenon::LazyOp::new("lazy_op_doc::one");
/// assert_eq!(ONE.get()?.call::<i64>(())?, 1);
/// # Ok::<(), tenon::Error>(())
/// ```
#[derive(Debug)]
pub struct LazyOp {
    name: &'static str,
    op: OnceLock<Op>,
}

impl LazyOp {
    /// Stores the operator's name. Nothing is looked up yet.
    pub const fn new(name: &'static str) -> LazyOp {
        LazyOp {
            name,
            op: OnceLock::new(),
        }
    }

    /// Returns the operator.
    ///
    /// # Errors
    /// As [`Op::find`]; a failed lookup is repeated on the next call.
    #[inline]
    pub fn get(&self) -> Result<Op> {
        match self.op.get() {
            Some(op) => Ok(*op),
            None => Ok(*self.op.get_or_init({
                let op = Op::find(self.name)?;
                move || op
            })),
        }
    }
}

/// Refuses arguments that the kernels of `keys`, which safe code chose, cannot read.
pub(crate) fn check_keys(op: Op, keys: DispatchKeySet, args: &[sys::tenon_value]) -> Result<()> {
    // SAFETY: op.h: the arguments are borrowed for the call.
    check(unsafe {
        sys::tenon_op_check_keys(op.as_raw(), keys.bits(), args.as_ptr(), args.len() as i64)
    })
}
