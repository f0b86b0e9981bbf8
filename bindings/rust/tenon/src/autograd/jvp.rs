// SPDX-License-Identifier: Apache-2.0
//! Forward mode of functions and of formulas as closures: the argument of their jvp.

use std::any::Any;
use std::fmt;

use tenon_sys as sys;

use crate::autograd::function::state_of;
use crate::error::{check, Error, Result};
use crate::status::Status;
use crate::value::{RawValue, Value};
use crate::value_ref::{slice, ValueRef, Values};
use crate::Tensor;

/// A call in forward mode, after it ran. It has the tangents of its inputs; the jvp computes those
/// of its outputs. Inputs and outputs are as in a [`BackwardCall`](crate::autograd::BackwardCall).
pub struct JvpCall<'a> {
    context: *mut sys::tenon_function_context,
    name: &'a str,
    tangents: Values<'a>,
}

impl<'a> JvpCall<'a> {
    /// Returns the number of inputs of the call.
    pub fn input_count(&self) -> usize {
        self.tangents.len()
    }

    /// Returns the number of outputs of the call.
    pub fn output_count(&self) -> usize {
        // SAFETY: function.h: the context lives while its jvp runs.
        unsafe { sys::tenon_function_context_output_count(self.context) as usize }
    }

    /// Returns the tangent of an input. If the input has none, the tangent is zeros, or `None`
    /// after [`FunctionContext::set_materialize_grads`] was set to false, and for an input that
    /// cannot have a tangent.
    ///
    /// [`FunctionContext::set_materialize_grads`]: crate::autograd::FunctionContext
    pub fn tangent(&self, input: usize) -> Option<&'a Tensor> {
        match self.tangents.get(input) {
            Some(ValueRef::Tensor(tangent)) => Some(tangent),
            _ => None,
        }
    }

    /// Returns a value that forward or setup saved.
    ///
    /// # Errors
    /// [`Status::INDEX`] for a value that was not saved, [`Status::STATE`] for a tensor that was
    /// written since.
    pub fn saved(&self, index: usize) -> Result<Value> {
        let mut out = RawValue::NONE;
        // SAFETY: the context is live; `out` is overwritten, and ours to clear.
        check(unsafe {
            sys::tenon_function_context_copy_saved(self.context, index as i64, &mut out)
        })?;
        Value::from_owned(RawValue(out))
    }

    /// Returns a tensor that forward or setup saved.
    ///
    /// # Errors
    /// As [`JvpCall::saved`]; [`Status::TYPE`] for a value that is no tensor.
    pub fn saved_tensor(&self, index: usize) -> Result<Tensor> {
        match self.saved(index)? {
            Value::Tensor(tensor) => Ok(tensor),
            other => Err(Error::new(
                Status::TYPE,
                format!(
                    "{}: saved value {index} must be a Tensor, got {}",
                    self.name,
                    other.actual()
                ),
            )),
        }
    }

    /// Returns the value that forward or setup kept with
    /// [`FunctionContext::set_state`](crate::autograd::FunctionContext::set_state), if it has this
    /// type.
    pub fn state<T: Any + Send + Sync>(&self) -> Option<&'a T> {
        // SAFETY: the context lives while its jvp runs, and its state is not replaced during that
        // time.
        unsafe { state_of(self.context) }
    }

    /// Makes a call from the arguments of a `tenon_jvp_fn`.
    ///
    /// # Safety
    /// Both are arguments of a `tenon_jvp_fn`, for the duration of its call.
    pub(crate) unsafe fn new(
        name: &'a str,
        context: *mut sys::tenon_function_context,
        tangents: *const sys::tenon_value,
    ) -> JvpCall<'a> {
        // SAFETY: function.h: one tangent per input of the context.
        let tangents = unsafe {
            let count = sys::tenon_function_context_input_count(context);
            Values(slice(tangents, count as usize))
        };
        JvpCall {
            context,
            name,
            tangents,
        }
    }

    /// Passes the tangents to C.
    ///
    /// # Safety
    /// `out` is the array for the tangents of the same call.
    pub(crate) unsafe fn finish(
        &self,
        tangents: Vec<Option<Tensor>>,
        out: *mut sys::tenon_value,
    ) -> Result<()> {
        let count = self.output_count();
        if tangents.len() != count {
            return Err(Error::new(
                Status::INVALID_ARGUMENT,
                format!(
                    "{}: tangents must be {count}, one for each output, got {}",
                    self.name,
                    tangents.len()
                ),
            ));
        }
        for (index, tangent) in tangents.into_iter().enumerate() {
            if let Some(tangent) = tangent {
                let value = Value::Tensor(tangent).into_owned_raw()?;
                // SAFETY: autograd.h: room for `count` owned values, NONE so far.
                unsafe { out.add(index).write(value.into_raw()) };
            }
        }
        Ok(())
    }
}

impl fmt::Debug for JvpCall<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "JvpCall({}, {:?})", self.name, self.tangents)
    }
}
