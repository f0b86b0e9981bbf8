// SPDX-License-Identifier: Apache-2.0
//! A call of a function through C, with other tensors in place of its arguments.

use std::any::Any;
use std::ffi::c_void;
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::ptr;

use tenon_sys as sys;

use crate::error::{check, Error, Result};
use crate::func::function::Apply;
use crate::func::tree::{leaves_of, tree_like, TensorTree};
use crate::kernel::keep_in_stack;
use crate::returns::FromValue;
use crate::value::{RawValue, Value};
use crate::value_ref::{slice, ValueRef, Values};
use crate::Tensor;

struct FlatCall<'a, R> {
    function: &'a Apply<'a, R>,
    output: Option<R>,
    panic: Option<Box<dyn Any + Send>>,
}

/// Calls a function through `transform`, which is called with the arguments of C's transforms of
/// functions. Returns a tree with the structure of the function's output for the stack's result,
/// and another one for the additional value of `transform` (NONE if there is none).
pub(super) fn call_by<R: TensorTree>(
    function: &Apply<'_, R>,
    args: &[Tensor],
    transform: impl FnOnce(
        sys::tenon_callable,
        *mut c_void,
        &mut sys::tenon_stack,
        &mut RawValue,
    ) -> sys::tenon_status,
) -> Result<(R, Option<R>)> {
    let mut values: Vec<sys::tenon_value> = args.iter().map(borrowed).collect();
    let mut ret = RawValue(RawValue::NONE);
    let mut other = RawValue(RawValue::NONE);
    let mut call = FlatCall {
        function,
        output: None,
        panic: None,
    };
    let mut stack = sys::tenon_stack {
        args: values.as_mut_ptr(),
        rets: &mut ret.0,
        nargs: values.len() as u32,
        nrets: 1,
        error: ptr::null_mut(),
        reserved: [0; 2],
    };
    let ctx: *mut FlatCall<'_, R> = &mut call;
    let result = check(transform(
        Some(run::<R>),
        ctx.cast(),
        &mut stack,
        &mut other,
    ));
    if let Some(panic) = call.panic {
        resume_unwind(panic);
    }
    result?;
    let output = call
        .output
        .ok_or_else(|| Error::new(crate::Status::INTERNAL, "func: the function was not called"))?;
    let has_other = u32::from(other.0.tag) != sys::TENON_TAG_NONE;
    let other = if has_other {
        Some(output_like(&output, other)?)
    } else {
        None
    };
    Ok((output_like(&output, ret)?, other))
}

fn borrowed(tensor: &Tensor) -> sys::tenon_value {
    let mut value = RawValue::NONE;
    value.tag = sys::TENON_TAG_TENSOR as u16;
    value.as_.tensor = tensor.as_raw();
    value
}

fn output_like<R: TensorTree>(output: &R, given: RawValue) -> Result<R> {
    let leaves = match Value::from_owned(given)? {
        Value::Tensor(tensor) => vec![tensor],
        list => Vec::<Tensor>::from_value(list).unwrap_or_default(),
    };
    tree_like(output, leaves)
}

unsafe extern "C" fn run<R: TensorTree>(
    ctx: *mut c_void,
    stack: *mut sys::tenon_stack,
) -> sys::tenon_status {
    // SAFETY: check.h: the context is the call's own, used by one thread at a time.
    let call = unsafe { &mut *ctx.cast::<FlatCall<'_, R>>() };
    let body = || {
        // SAFETY: value.h: arguments are borrowed for the call.
        let args = unsafe { slice((*stack).args, (*stack).nargs as usize) };
        let args: Vec<Tensor> = Values(args)
            .iter()
            .filter_map(|value| match value {
                ValueRef::Tensor(tensor) => Some(tensor.clone()),
                _ => None,
            })
            .collect();
        let output = (call.function)(&args)?;
        let mut leaves = leaves_of(&output);
        let value = match leaves.pop() {
            Some(tensor) if R::IS_TENSOR => Value::Tensor(tensor),
            last => {
                leaves.extend(last);
                Value::from(leaves)
            }
        };
        Ok((output, value.into_owned_raw()?))
    };
    let error = match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok((output, value))) => {
            call.output = Some(output);
            // SAFETY: check.h: room for one result, NONE so far, written owned.
            unsafe { (*stack).rets.write(value.into_raw()) };
            return 0;
        }
        Ok(Err(error)) => error,
        Err(panic) => {
            call.panic = Some(panic);
            Error::new(crate::Status::FOREIGN, "func: the function panicked")
        }
    };
    // SAFETY: the stack is the running call's; its caller takes the error over.
    unsafe { keep_in_stack(error, stack) }
}
