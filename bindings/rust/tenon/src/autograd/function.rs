// SPDX-License-Identifier: Apache-2.0
//! Custom functions: forward and backward in one type, recorded as one node.

use std::any::Any;
use std::ffi::c_void;
use std::fmt;
use std::marker::PhantomData;
use std::panic::Location;
use std::ptr;

use tenon_sys as sys;

use crate::arg::raw_values;
use crate::arguments::Arguments;
use crate::autograd::formula::BackwardCall;
use crate::autograd::jvp::JvpCall;
use crate::error::{check, Error, Result};
use crate::kernel::{contain, delete, guarded, Cell};
use crate::object::Object;
use crate::status::Status;
use crate::text::c_name;
use crate::value::{RawValue, Value};
use crate::value_ref::{slice, ValueRef, Values};
use crate::Tensor;

/// A function with a custom gradient, regardless of the operators that it calls. [`function`] makes
/// it callable from Rust and from any other language.
///
/// ```
/// use tenon::autograd::{self, BackwardCall, Function, FunctionContext};
/// use tenon::{Result, Tensor, Value, ValueRef};
///
/// struct Cube;
///
/// impl Function for Cube {
///     const NAME: &'static str = "Cube";
///
///     fn forward(&self, ctx: &FunctionContext, args: &[ValueRef]) -> Result<Value> {
///         let [ValueRef::Tensor(x)] = args else {
///             return Err(tenon::Error::new(tenon::Status::TYPE, "Cube: x must be a Tensor"));
///         };
///         ctx.save_for_backward((*x,))?;
///         Ok(Value::Tensor((&(*x * *x)? * *x)?))
///     }
///
///     fn backward(&self, call: &BackwardCall) -> Result<Vec<Option<Tensor>>> {
///         let x = call.saved_tensor(0)?;
///         Ok(vec![Some((&(call.grad(0)? * x)? * &(x * 3.0)?)?)])
///     }
/// }
///
/// let x = Tensor::scalar(2.0f32)?;
/// x.set_requires_grad(true)?;
/// let cube = autograd::function(Cube)?;
/// let y: Tensor = autograd::apply(&cube, (&x,))?;
/// assert_eq!(y.grad_fn()?.unwrap().name(), "CubeBackward");
/// y.backward()?;
/// assert_eq!(x.grad().unwrap().to_vec::<f32>()?, [12.0]);
/// # Ok::<(), tenon::Error>(())
/// ```
pub trait Function: Send + Sync + 'static {
    /// The name in errors. Nodes have this name with "Backward" appended.
    const NAME: &'static str;

    /// True if gradients cannot be differentiated again.
    const ONCE_DIFFERENTIABLE: bool = false;

    /// Computes the result, in no_grad mode: a tensor, a list of tensors, a tuple whose tensors are
    /// outputs, or any other value, which has no gradient.
    ///
    /// # Errors
    /// Any error; it is returned to the caller.
    fn forward(&self, ctx: &FunctionContext<'_>, args: &[ValueRef<'_>]) -> Result<Value>;

    /// Runs after forward, also in no_grad mode, and saves what backward needs, so that forward
    /// does not have to.
    ///
    /// # Errors
    /// Any error; it is returned to the caller.
    fn setup_context(
        &self,
        _ctx: &FunctionContext<'_>,
        _args: &[ValueRef<'_>],
        _output: &Value,
    ) -> Result<()> {
        Ok(())
    }

    /// Computes the outputs' tangents in forward mode, right after forward: one for each output, or
    /// `None`. If an output is a view of an input, its tangent must be a view of the input's
    /// tangent, and if forward wrote in place, the tangent must be written in place, too.
    ///
    /// # Errors
    /// Any error; it is returned to the caller. [`Status::NOT_SUPPORTED`] if the function has no
    /// jvp.
    fn jvp(&self, _call: &JvpCall<'_>) -> Result<Vec<Option<Tensor>>> {
        Err(Error::new(
            Status::NOT_SUPPORTED,
            format!(
                "{}: function must have a jvp to be used in forward mode, got none for inputs with \
                 tangents",
                Self::NAME
            ),
        ))
    }

    /// Computes a gradient, or `None`, for each argument. The arguments are the inputs of `call`,
    /// and the parts of the result its outputs.
    ///
    /// # Errors
    /// Any error; it is returned to the caller of the backward pass.
    fn backward(&self, call: &BackwardCall<'_>) -> Result<Vec<Option<Tensor>>>;
}

/// Makes a callable function, to call with [`apply`] or to pass for an argument of a function type.
///
/// # Errors
/// [`Status::INVALID_ARGUMENT`](crate::Status::INVALID_ARGUMENT) for a name with a NUL.
#[track_caller]
pub fn function<F: Function>(function: F) -> Result<crate::Function> {
    let name = c_name("autograd::function", "name", F::NAME)?;
    // SAFETY: plain data; all-zero is a function without anything.
    let mut raw: sys::tenon_function_type = unsafe { std::mem::zeroed() };
    raw.struct_size = std::mem::size_of::<sys::tenon_function_type>() as u32;
    if F::ONCE_DIFFERENTIABLE {
        raw.flags = sys::TENON_FUNCTION_ONCE_DIFFERENTIABLE;
    }
    raw.name = name.as_ptr();
    raw.forward = Some(forward::<F>);
    raw.backward = Some(backward::<F>);
    raw.jvp = Some(jvp::<F>);
    raw.ctx = Cell::allocate(F::NAME, Location::caller(), function).cast();
    raw.deleter = Some(delete::<F>);
    raw.language = sys::TENON_LANGUAGE_RUST;
    let mut out = ptr::null_mut();
    // SAFETY: the name lives for the call; the cell is taken over, also on failure.
    check(unsafe { sys::tenon_function_new(&raw, &mut out) })?;
    // SAFETY: a new reference to an object that can be called.
    Ok(crate::Function(unsafe { Object::from_raw(out) }))
}

/// Applies a function of any language, and records the call as one node if gradients flow to an
/// argument.
///
/// # Errors
/// [`Status::TYPE`](crate::Status::TYPE) for a function without a custom gradient, or a result of
/// another type; what the function raised.
pub fn apply<R: crate::FromValue>(function: &crate::Function, args: impl Arguments) -> Result<R> {
    args.with(|args| {
        let args = raw_values(args);
        let mut out = RawValue::NONE;
        // SAFETY: arguments live for the call; `out` is overwritten, and ours to clear.
        check(unsafe {
            let (object, count) = (function.as_object().as_raw(), args.len() as i64);
            sys::tenon_function_apply(object, args.as_ptr(), count, &mut out)
        })?;
        let value = Value::from_owned(RawValue(out))?;
        let got = value.type_name();
        R::from_value(value).ok_or_else(|| {
            let name = function.as_object().type_name();
            crate::Error::new(
                crate::Status::TYPE,
                format!("{name}: result must be {}, got {got}", R::TYPE),
            )
        })
    })
}

/// State of a call of a function, or of an operator whose formula has a setup, that is kept for its
/// backward pass ([`BackwardCall`]) and for forward mode ([`JvpCall`]).
pub struct FunctionContext<'a> {
    raw: *mut sys::tenon_function_context,
    life: PhantomData<&'a ()>,
}

impl FunctionContext<'_> {
    /// # Safety
    /// `raw` is the context of a call that runs now, and stays so for the result's life.
    pub(crate) unsafe fn new(raw: *mut sys::tenon_function_context) -> Self {
        FunctionContext {
            raw,
            life: PhantomData,
        }
    }

    /// Saves values for [`BackwardCall::saved`] and replaces those that were saved before.
    ///
    /// # Errors
    /// [`Status::OUT_OF_MEMORY`](crate::Status::OUT_OF_MEMORY).
    pub fn save_for_backward(&self, values: impl Arguments) -> Result<()> {
        values.with(|values| {
            let values = raw_values(values);
            // SAFETY: the context is live; the values are copied.
            check(unsafe {
                let count = values.len() as i64;
                sys::tenon_function_context_save(self.raw, values.as_ptr(), count)
            })
        })
    }

    /// Returns true if a gradient flows to an argument.
    pub fn needs_input_grad(&self, argument: usize) -> bool {
        // SAFETY: the context is live.
        unsafe { sys::tenon_function_context_needs_grad(self.raw, argument as i64) != 0 }
    }

    /// Marks an argument as written in place by forward, which must return it.
    ///
    /// # Errors
    /// [`Status::OUT_OF_MEMORY`](crate::Status::OUT_OF_MEMORY).
    pub fn mark_dirty(&self, tensor: &Tensor) -> Result<()> {
        // SAFETY: both are live. Marks are compared with arguments and results, not followed.
        check(unsafe { sys::tenon_function_context_mark_dirty(self.raw, tensor.as_raw()) })
    }

    /// Marks a result as having no gradient.
    ///
    /// # Errors
    /// [`Status::OUT_OF_MEMORY`](crate::Status::OUT_OF_MEMORY).
    pub fn mark_non_differentiable(&self, tensor: &Tensor) -> Result<()> {
        // SAFETY: as above.
        check(unsafe {
            sys::tenon_function_context_mark_non_differentiable(self.raw, tensor.as_raw())
        })
    }

    /// Sets whether backward receives zeros (the default) or `None` for outputs without gradient.
    pub fn set_materialize_grads(&self, materialize: bool) {
        // SAFETY: the context is live, and this is the thread that calls the function.
        unsafe {
            sys::tenon_function_context_set_materialize_grads(self.raw, materialize.into());
        }
    }

    /// Keeps a Rust value for [`BackwardCall::state`] and drops the one that was kept before.
    pub fn set_state<T: Any + Send + Sync>(&self, state: T) {
        let state: State = Box::new(state);
        // SAFETY: the context takes over the box, and `drop_state` frees it once. Nothing refers to
        // the state before the call is recorded.
        unsafe {
            let state = Box::into_raw(Box::new(state)).cast();
            sys::tenon_function_context_set_state(self.raw, state, Some(drop_state));
        }
    }
}

/// The type that [`FunctionContext::set_state`] stores.
type State = Box<dyn Any + Send + Sync>;

impl<'a> BackwardCall<'a> {
    /// Returns the value that the function's forward kept with [`FunctionContext::set_state`], if
    /// it has this type.
    pub fn state<T: Any + Send + Sync>(&self) -> Option<&'a T> {
        let context = self.context();
        if context.is_null() {
            return None;
        }
        // SAFETY: the context lives as long as the node, and its state is not replaced after the
        // call was recorded.
        unsafe { state_of(context) }
    }
}

/// Returns the state that [`FunctionContext::set_state`] stored in a context.
///
/// # Safety
/// The context lives for `'a`, and its state is not replaced during that time.
pub(crate) unsafe fn state_of<'a, T: Any>(
    context: *const sys::tenon_function_context,
) -> Option<&'a T> {
    // SAFETY: contexts of Rust functions hold what `set_state` stored, from the same copy of the
    // package as the function's own entries.
    let state = unsafe {
        sys::tenon_function_context_state(context, sys::TENON_LANGUAGE_RUST)
            .cast::<State>()
            .as_ref()
    };
    state?.downcast_ref::<T>()
}

impl fmt::Debug for FunctionContext<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FunctionContext")
    }
}

unsafe extern "C" fn drop_state(state: *mut c_void) {
    contain(|| {
        // SAFETY: the deleter runs exactly once, on the box of `set_state`.
        drop(unsafe { Box::from_raw(state.cast::<State>()) })
    });
}

unsafe extern "C" fn forward<F: Function>(
    ctx: *mut c_void,
    context: *mut sys::tenon_function_context,
    stack: *mut sys::tenon_stack,
) -> sys::tenon_status {
    guarded(
        ctx.cast::<Cell<F>>(),
        |function| {
            // SAFETY: function.h: context and stack are the call's own while it runs.
            let stack = unsafe { &mut *stack };
            // SAFETY: object.h: arguments are borrowed for the call.
            let args = Values(unsafe { slice(stack.args, stack.nargs as usize) });
            let args: Vec<ValueRef<'_>> = args.iter().collect();
            // SAFETY: as above.
            let context = unsafe { FunctionContext::new(context) };
            let result = function.forward(&context, &args)?;
            function.setup_context(&context, &args, &result)?;
            let result = result.into_owned_raw()?;
            // SAFETY: function.h: one result, NONE so far, written owned.
            unsafe { stack.rets.write(result.into_raw()) };
            Ok(())
        },
        Error::leave,
    )
}

unsafe extern "C" fn jvp<F: Function>(
    ctx: *mut c_void,
    context: *mut sys::tenon_function_context,
    tangents: *const sys::tenon_value,
    out_tangents: *mut sys::tenon_value,
) -> sys::tenon_status {
    guarded(
        ctx.cast::<Cell<F>>(),
        |function| {
            // SAFETY: autograd.h: all are the call's own while its jvp runs.
            unsafe {
                let call = JvpCall::new(F::NAME, context, tangents);
                call.finish(function.jvp(&call)?, out_tangents)
            }
        },
        Error::leave,
    )
}

unsafe extern "C" fn backward<F: Function>(
    call: *const sys::tenon_backward_call,
) -> sys::tenon_status {
    // SAFETY: autograd.h: the call lives while its function runs.
    let call = BackwardCall::new(unsafe { &*call });
    guarded(
        call.ctx().cast::<Cell<F>>(),
        |function| call.finish(function.backward(&call)?),
        Error::leave,
    )
}
