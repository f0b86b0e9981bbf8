// SPDX-License-Identifier: Apache-2.0
//! Forward mode of functions and of formulas as closures: what their jvp is told.

use std::any::Any;
use std::fmt;

use tenon_sys as sys;

use crate::autograd::function::state_of;
use crate::error::{check, Error, Result};
use crate::status::Status;
use crate::value::{RawValue, Value};
use crate::value_ref::{slice, ValueRef, Values};
use crate::Tensor;

/// A call in forward mode, after it ran: its inputs' tangents are there, those of its outputs are
/// due. Inputs and outputs are as in a [`BackwardCall`](crate::autograd::BackwardCall).
pub struct JvpCall<'a> {
    context: *mut sys::tenon_function_context,
    name: &'a str,
    tangents: Values<'a>,
}

impl<'a> JvpCall<'a> {
    /// How many inputs the call has.
    pub fn input_count(&self) -> usize {
        self.tangents.len()
    }

    /// How many outputs the call has.
    pub fn output_count(&self) -> usize {
        // SAFETY: function.h: the context lives while its jvp runs.
        unsafe { sys::tenon_function_context_output_count(self.context) as usize }
    }

    /// The tangent of an input: zeros where the input has none, unless
    /// [`FunctionContext::set_materialize_grads`] asks for `None`, as of an input that can have
    /// none.
    ///
    /// [`FunctionContext::set_materialize_grads`]: crate::autograd::FunctionContext
    pub fn tangent(&self, input: usize) -> Option<&'a Tensor> {
        match self.tangents.get(input) {
            Some(ValueRef::Tensor(tangent)) => Some(tangent),
            _ => None,
        }
    }

    /// A value that forward or setup saved.
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

    /// A tensor that forward or setup saved.
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

    /// The value that forward or setup kept with
    /// [`FunctionContext::set_state`](crate::autograd::FunctionContext::set_state), if it is of
    /// this type.
    pub fn state<T: Any + Send + Sync>(&self) -> Option<&'a T> {
        // SAFETY: the context lives while its jvp runs, and nobody replaces its state meanwhile.
        unsafe { state_of(self.context) }
    }

    /// Makes a call of what C tells a jvp.
    ///
    /// # Safety
    /// Both are what a `tenon_jvp_fn` is given, for the time of its run.
    pub(crate) unsafe fn new(
        name: &'a str,
        context: *mut sys::tenon_function_context,
        tangents: *const sys::tenon_value,
    ) -> JvpCall<'a> {
        // SAFETY: function.h: as many tangents as the context has inputs.
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

    /// Hands the tangents over.
    ///
    /// # Safety
    /// `out` is where the same run's tangents go.
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
