// SPDX-License-Identifier: Apache-2.0
//! Functions of Rust types as kernels, and the two C functions generated around each: a boxed one,
//! which reads its arguments from the stack, and a lowered one, which has the C signature of
//! kernel.h.

use std::ffi::c_void;

use tenon_sys as sys;

use crate::dispatch::DispatchKeySet;
use crate::error::{Error, Result};
use crate::kernel::{guarded, keep_in_stack, Cell};
use crate::op::Op;
use crate::parameter::Parameter;
use crate::results::Results;
use crate::signature::{signature, RustType};
use crate::stack::{decode, KernelContext};
use crate::status::Status;
use crate::value::RawValue;
use crate::value_ref::slice;

/// The return type of a kernel: results, or a `Result` of them with any error that converts to
/// [`Error`].
pub trait KernelResult {
    #[doc(hidden)]
    type Results: Results;

    #[doc(hidden)]
    fn into_result(self) -> Result<Self::Results>;
}

impl<R: Results> KernelResult for R {
    type Results = R;

    #[inline(always)]
    fn into_result(self) -> Result<R> {
        Ok(self)
    }
}

impl<R: Results, E: Into<Error>> KernelResult for Result<R, E> {
    type Results = R;

    #[inline(always)]
    fn into_result(self) -> Result<R> {
        self.map_err(Into::into)
    }
}

/// A parameter of a typed kernel: one of the schema's, or the context.
///
/// # Safety
/// As [`Parameter`]; `LETTER` 0 with zero-sized words means no argument.
#[doc(hidden)]
pub unsafe trait KernelParameter {
    type Item<'a>;
    type First: Copy;
    type Second: Copy;
    const LETTER: u8;

    fn describe(parameters: &mut Vec<RustType>);

    /// Reads the next boxed argument.
    fn unbox<'a>(
        context: &'a KernelContext,
        args: &'a [sys::tenon_value],
        index: &mut usize,
    ) -> Result<Self::Item<'a>>;

    /// Reads a lowered argument.
    ///
    /// # Safety
    /// The words obey kernel.h for `'a`.
    unsafe fn lift<'a>(
        context: &'a KernelContext,
        index: &mut usize,
        first: &'a Self::First,
        second: &'a Self::Second,
    ) -> Result<Self::Item<'a>>;
}

// SAFETY: `Parameter`'s.
unsafe impl<P: Parameter> KernelParameter for P {
    type Item<'a> = P::Item<'a>;
    type First = P::First;
    type Second = P::Second;
    const LETTER: u8 = P::LETTER;

    fn describe(parameters: &mut Vec<RustType>) {
        parameters.push((P::PATTERN, P::TYPE));
    }

    #[inline(always)]
    fn unbox<'a>(
        context: &'a KernelContext,
        args: &'a [sys::tenon_value],
        index: &mut usize,
    ) -> Result<P::Item<'a>> {
        let item = decode::<P>(context.op.as_raw(), args, *index);
        *index += 1;
        item
    }

    #[inline(always)]
    unsafe fn lift<'a>(
        context: &'a KernelContext,
        index: &mut usize,
        first: &'a P::First,
        second: &'a P::Second,
    ) -> Result<P::Item<'a>> {
        let at = *index;
        *index += 1;
        // SAFETY: the caller's promise.
        unsafe { P::lift(first, second) }
            .ok_or_else(|| lifted_error(context.op.as_raw(), at, P::TYPE))
    }
}

// SAFETY: no argument, and zero-sized words.
unsafe impl KernelParameter for &KernelContext {
    type Item<'a> = &'a KernelContext;
    type First = ();
    type Second = ();
    const LETTER: u8 = 0;

    fn describe(_: &mut Vec<RustType>) {}

    #[inline(always)]
    fn unbox<'a>(
        context: &'a KernelContext,
        _: &'a [sys::tenon_value],
        _: &mut usize,
    ) -> Result<&'a KernelContext> {
        Ok(context)
    }

    #[inline(always)]
    unsafe fn lift<'a>(
        context: &'a KernelContext,
        _: &mut usize,
        _: &'a (),
        _: &'a (),
    ) -> Result<&'a KernelContext> {
        Ok(context)
    }
}

#[cold]
#[inline(never)]
fn lifted_error(op: *const sys::tenon_op, index: usize, expected: &'static str) -> Error {
    let op = Op::unread(op);
    Error::new(
        Status::TYPE,
        format!(
            "{}: argument {index} must be {expected}, got a value of another type",
            op.name()
        ),
    )
}

#[cold]
pub(crate) fn wrong_result_count(op: Op, want: usize, got: usize) -> Error {
    Error::new(
        Status::TYPE,
        format!(
            "{}: results of the kernel must be {want}, got {got}",
            op.name()
        ),
    )
}

/// Writes a kernel's results into the stack. A return that the schema annotates as a written
/// argument is that argument, unless the kernel returns it itself.
#[inline(always)]
fn place<R: Results>(
    op: *const sys::tenon_op,
    results: R,
    stack: &mut sys::tenon_stack,
) -> Result<()> {
    let count = stack.nrets as usize;
    let given = R::LETTERS.len();
    if given == count {
        let mut index = 0;
        return results.into_raws(|value| {
            // SAFETY: value.h: `nrets` results, NONE so far, written owned.
            unsafe { stack.rets.add(index).write(value.into_raw()) };
            index += 1;
            Ok(())
        });
    }
    place_written(op, results, stack)
}

#[cold]
#[inline(never)]
fn place_written<R: Results>(
    op: *const sys::tenon_op,
    results: R,
    stack: &mut sys::tenon_stack,
) -> Result<()> {
    let op = Op::unread(op);
    let schema = op.schema()?;
    let mut values = Vec::new();
    results.into_raws(|value| {
        values.push(value);
        Ok(())
    })?;
    let given = values.len();
    let returns = schema.returns();
    let written = returns
        .iter()
        .filter(|one| one.written && one.aliased_argument.is_some())
        .count();
    if returns.len() != stack.nrets as usize || returns.len() - written != given {
        return Err(wrong_result_count(op, returns.len() - written, given));
    }
    let mut values = values.into_iter();
    for (index, one) in returns.iter().enumerate() {
        let value = match one.aliased_argument.filter(|_| one.written) {
            Some(argument) if argument < stack.nargs as usize => {
                // SAFETY: value.h: `nargs` arguments, borrowed for the call.
                RawValue::copy_of(unsafe { &*stack.args.add(argument) })?
            }
            _ => values.next().unwrap_or(RawValue(RawValue::NONE)),
        };
        // SAFETY: as in `place`.
        unsafe { stack.rets.add(index).write(value.into_raw()) };
    }
    Ok(())
}

/// A function that can serve as a typed kernel: up to eight parameters (see
/// [`Kernel::typed`](crate::Kernel::typed)) and a [`KernelResult`].
pub trait TypedKernel<A, R>: Send + Sync + 'static {
    #[doc(hidden)]
    const BOXED: unsafe extern "C" fn(
        *mut c_void,
        *const sys::tenon_op,
        sys::tenon_keyset,
        *mut sys::tenon_stack,
    ) -> sys::tenon_status;
    #[doc(hidden)]
    const SIGNATURE: u64;
    #[doc(hidden)]
    const RESULTS: &'static [RustType];

    #[doc(hidden)]
    fn typed_fn() -> unsafe extern "C" fn();

    #[doc(hidden)]
    fn parameters() -> Vec<RustType>;
}

macro_rules! typed_kernel {
    ($boxed:ident $lowered:ident $($param:ident $item:ident $first:ident $second:ident),*) => {
        impl<Func, Ret, $($param),*> TypedKernel<($($param,)*), Ret> for Func
        where
            Func: Fn($($param),*) -> Ret
                + for<'a> Fn($($param::Item<'a>),*) -> Ret
                + Send + Sync + 'static,
            Ret: KernelResult,
            $($param: KernelParameter),*
        {
            const BOXED: unsafe extern "C" fn(
                *mut c_void,
                *const sys::tenon_op,
                sys::tenon_keyset,
                *mut sys::tenon_stack,
            ) -> sys::tenon_status = $boxed::<Func, Ret, $($param),*>;
            const SIGNATURE: u64 = signature(&[$($param::LETTER),*], Ret::Results::LETTERS);
            const RESULTS: &'static [RustType] = Ret::Results::TYPES;

            fn typed_fn() -> unsafe extern "C" fn() {
                let function: unsafe extern "C" fn(
                    *const sys::tenon_frame,
                    $($param::First, $param::Second,)*
                    <Ret::Results as Results>::O0,
                    <Ret::Results as Results>::O1,
                    <Ret::Results as Results>::O2,
                    <Ret::Results as Results>::O3,
                ) -> sys::tenon_status = $lowered::<Func, Ret, $($param),*>;
                // SAFETY: kernel.h: a typed kernel is cast to tenon_typed_fn and back to be called.
                unsafe { std::mem::transmute(function) }
            }

            fn parameters() -> Vec<RustType> {
                #[allow(unused_mut)]
                let mut parameters = Vec::new();
                $($param::describe(&mut parameters);)*
                parameters
            }
        }

        unsafe extern "C" fn $boxed<Func, Ret, $($param),*>(
            cell: *mut c_void,
            op: *const sys::tenon_op,
            keys: sys::tenon_keyset,
            stack: *mut sys::tenon_stack,
        ) -> sys::tenon_status
        where
            Func: for<'a> Fn($($param::Item<'a>),*) -> Ret + Send + Sync + 'static,
            Ret: KernelResult,
            $($param: KernelParameter),*
        {
            guarded(
                cell.cast::<Cell<Func>>(),
                |function| {
                    // SAFETY: value.h: the stack is the call's own while its kernel runs.
                    let stack = unsafe { &mut *stack };
                    #[allow(unused_variables)]
                    let context = KernelContext {
                        op: Op::running(op, stack.nargs, stack.nrets),
                        keys: DispatchKeySet(keys),
                    };
                    // SAFETY: value.h: `nargs` values, borrowed for the call.
                    let _args = unsafe { slice(stack.args, stack.nargs as usize) };
                    #[allow(unused_mut, unused_variables)]
                    let mut index = 0usize;
                    $(let $item = $param::unbox(&context, _args, &mut index)?;)*
                    place(op, function($($item),*).into_result()?, stack)
                },
                // SAFETY: as above.
                |error| unsafe { keep_in_stack(error, stack) },
            )
        }

        #[allow(clippy::too_many_arguments)]
        unsafe extern "C" fn $lowered<Func, Ret, $($param),*>(
            frame: *const sys::tenon_frame,
            $($first: $param::First, $second: $param::Second,)*
            o0: <Ret::Results as Results>::O0,
            o1: <Ret::Results as Results>::O1,
            o2: <Ret::Results as Results>::O2,
            o3: <Ret::Results as Results>::O3,
        ) -> sys::tenon_status
        where
            Func: for<'a> Fn($($param::Item<'a>),*) -> Ret + Send + Sync + 'static,
            Ret: KernelResult,
            $($param: KernelParameter),*
        {
            // SAFETY: kernel.h: the frame is the call's own while its kernel runs.
            let frame = unsafe { &*frame };
            guarded(
                frame.ctx.cast::<Cell<Func>>(),
                |function| {
                    let op = Op::unread(frame.op);
                    #[allow(unused_variables)]
                    let context = KernelContext { op, keys: DispatchKeySet(frame.keys) };
                    #[allow(unused_mut, unused_variables)]
                    let mut index = 0usize;
                    // SAFETY: kernel.h: the signature says that these are the words' types.
                    $(let $item = unsafe {
                        $param::lift(&context, &mut index, &$first, &$second)
                    }?;)*
                    let results = function($($item),*).into_result()?;
                    // SAFETY: kernel.h: outs are the caller's, written on success only.
                    unsafe { results.write(o0, o1, o2, o3) }
                },
                Error::leave, // the dispatcher takes it from the slot, because frames are const
                              // here
            )
        }
    };
}

typed_kernel!(boxed0 lowered0);
typed_kernel!(boxed1 lowered1 A a a0 a1);
typed_kernel!(boxed2 lowered2 A a a0 a1, B b b0 b1);
typed_kernel!(boxed3 lowered3 A a a0 a1, B b b0 b1, C c c0 c1);
typed_kernel!(boxed4 lowered4 A a a0 a1, B b b0 b1, C c c0 c1, D d d0 d1);
typed_kernel!(boxed5 lowered5 A a a0 a1, B b b0 b1, C c c0 c1, D d d0 d1, E e e0 e1);
typed_kernel!(boxed6 lowered6 A a a0 a1, B b b0 b1, C c c0 c1, D d d0 d1, E e e0 e1, F f f0 f1);
typed_kernel!(boxed7 lowered7
    A a a0 a1, B b b0 b1, C c c0 c1, D d d0 d1, E e e0 e1, F f f0 f1, G g g0 g1);
typed_kernel!(boxed8 lowered8
    A a a0 a1, B b b0 b1, C c c0 c1, D d d0 d1, E e e0 e1, F f f0 f1, G g g0 g1, H h h0 h1);
