// SPDX-License-Identifier: Apache-2.0
//! Rust objects that override operators, the calls that they handle, and carriers.

use std::ffi::c_void;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::ptr;

use tenon_sys as sys;

use crate::arguments::Arguments;
use crate::dispatch::DispatchKeySet;
use crate::error::{check, Error, Result};
use crate::kernel::keep_in_stack;
use crate::object::{type_of, Object, ObjectType, Role};
use crate::op::Op;
use crate::stack::Stack;
use crate::value::{RawValue, Value};
use crate::value_ref::{ValueRef, Values};
use crate::Tensor;

/// The return value of a handler.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Handled {
    /// The handler has set the results.
    Done,
    /// The handler does not handle the call: the next mode or type is tried.
    Declined,
}

/// The call that a handler receives. To continue the call, a handler unwraps its objects and calls
/// the operator again.
#[derive(Debug)]
pub struct Overridden<'a>(Stack<'a>);

impl Overridden<'_> {
    /// Returns the operator.
    pub fn op(&self) -> Op {
        self.0.op()
    }

    /// Returns the key set that the call was dispatched with.
    pub fn keys(&self) -> DispatchKeySet {
        self.0.keys()
    }

    /// Returns the arguments in schema order.
    pub fn args(&self) -> Values<'_> {
        self.0.args()
    }

    /// Returns the arguments as owned values, with carriers unwrapped.
    ///
    /// # Errors
    /// [`Status::OUT_OF_MEMORY`](crate::Status::OUT_OF_MEMORY).
    pub fn values(&self) -> Result<Vec<Value>> {
        self.args()
            .iter()
            .map(|value| value.to_value()?.open())
            .collect()
    }

    /// Returns the object of argument `index`, if that is or carries a `T`.
    pub fn object<T: ObjectType>(&self, index: usize) -> Option<&T> {
        let raw = self.args().0.get(index)?;
        // SAFETY: overrides.h: borrowed from the argument, which lives for the call.
        let object = unsafe { sys::tenon_object_of_value(raw).as_ref() }?;
        let object: *const sys::tenon_object = object;
        // SAFETY: `Object` is transparent over the pointer; the reference is never dropped.
        let object = unsafe { std::mem::ManuallyDrop::new(Object::from_raw(object.cast_mut())) };
        let found: *const T = object.downcast_ref::<T>()?;
        // SAFETY: data in the object lives as long as the argument.
        Some(unsafe { &*found })
    }

    /// Sets result `index` to any value. If the schema says Tensor, an object is returned in a
    /// carrier.
    ///
    /// # Errors
    /// [`Status::INDEX`](crate::Status::INDEX) if the operator has no such result.
    pub fn set(&mut self, index: usize, value: impl Into<Value>) -> Result<()> {
        self.0.set(index, value)
    }

    /// Calls the operator with other arguments and uses its results as those of this call.
    ///
    /// # Errors
    /// As [`Op::call`].
    pub fn call_with(&mut self, args: impl Arguments) -> Result<()> {
        let results: Vec<Value> = self.op().call(args)?;
        for (index, value) in results.into_iter().enumerate() {
            self.set(index, value)?;
        }
        Ok(())
    }
}

/// A type whose objects may be passed for any argument of any operator; its handler then runs
/// instead.
///
/// ```
/// use tenon::{Handled, Library, Object, ObjectType, Overridden, Overrides, Result};
/// struct Unit;
/// impl ObjectType for Unit {
///     const NAME: &'static str = "doc.Unit";
/// }
/// impl Overrides for Unit {
///     fn override_call(&self, call: &mut Overridden<'_>) -> Result<Handled> {
///         call.set(0, "of units")?;
///         Ok(Handled::Done)
///     }
/// }
/// let library = Library::define_namespace("override_doc")?;
/// let op = library.define("sum(Tensor a) -> Tensor")?;
/// let text: String = op.call((&Object::overriding(Unit)?,))?;
/// assert_eq!(text, "of units");
/// # Ok::<(), tenon::Error>(())
/// ```
pub trait Overrides: ObjectType {
    /// Handles a call that has an object of this type among its arguments.
    ///
    /// # Errors
    /// Any error; it is returned to the caller.
    fn override_call(&self, call: &mut Overridden<'_>) -> Result<Handled>;
}

/// A type that runs operators on its wrapper tensors, below autograd.
pub trait Dispatches: ObjectType {
    /// Handles a call that has a wrapper tensor of this type among its arguments.
    ///
    /// # Errors
    /// Any error; it is returned to the caller.
    fn dispatch_call(&self, call: &mut Overridden<'_>) -> Result<Handled>;
}

impl Object {
    /// Wraps a value that overrides operators.
    ///
    /// # Errors
    /// [`Status::OUT_OF_MEMORY`](crate::Status::OUT_OF_MEMORY).
    pub fn overriding<T: Overrides>(value: T) -> Result<Object> {
        Object::with_type(
            type_of::<T>(Role::Overrides, |record| {
                record.override_ = Some(override_call::<T>);
            }),
            value,
        )
    }

    pub(crate) fn dispatching<T: Dispatches>(value: T) -> Result<Object> {
        Object::with_type(dispatching_type::<T>(), value)
    }

    /// Returns true if the object's type, of any language, overrides operators.
    pub fn overrides(&self) -> bool {
        // SAFETY: object.h: the type lives as long as the object.
        unsafe {
            (*sys::tenon_object_get_type(self.as_raw()))
                .override_
                .is_some()
        }
    }
}

pub(crate) fn dispatching_type<T: Dispatches>() -> &'static sys::tenon_object_type {
    type_of::<T>(Role::Dispatches, |record| {
        record.dispatch = Some(dispatch_call::<T>);
    })
}

impl Tensor {
    /// Returns the value in a carrier: an object, or another result of an override in place of a
    /// tensor.
    ///
    /// # Errors
    /// [`Status::OUT_OF_MEMORY`](crate::Status::OUT_OF_MEMORY).
    pub fn carried(&self) -> Result<Option<Value>> {
        // SAFETY: overrides.h: borrowed until the tensor dies.
        match unsafe { sys::tenon_carrier_value(self.as_raw()).as_ref() } {
            // SAFETY: as above; value.h applies to the carried value.
            Some(raw) => Ok(Some(unsafe { ValueRef::from_raw(raw) }.to_value()?)),
            None => Ok(None),
        }
    }

    /// Makes a carrier of an object, to be passed as a `Tensor`.
    ///
    /// # Errors
    /// [`Status::OUT_OF_MEMORY`](crate::Status::OUT_OF_MEMORY).
    pub fn carrier(object: &Object) -> Result<Tensor> {
        let mut value = RawValue::NONE;
        value.tag = sys::TENON_TAG_OBJECT as u16;
        value.as_.object = object.as_raw();
        let mut out = ptr::null_mut();
        // SAFETY: the value is borrowed for the call and copied.
        check(unsafe { sys::tenon_carrier_new(&value, &mut out) })?;
        // SAFETY: a new reference.
        Ok(unsafe { Tensor::from_raw(out) })
    }
}

impl Value {
    /// Unwraps a carrier. Every other value is returned unchanged.
    ///
    /// # Errors
    /// [`Status::OUT_OF_MEMORY`](crate::Status::OUT_OF_MEMORY).
    pub fn open(self) -> Result<Value> {
        match &self {
            Value::Tensor(tensor) => Ok(tensor.carried()?.unwrap_or(self)),
            _ => Ok(self),
        }
    }
}

/// Refuses objects that override operators if no handler would run any more, because a kernel of a
/// lower key would treat them as tensors.
pub(crate) fn refuse_overriding(op: Op, args: &[sys::tenon_value]) -> Result<()> {
    for raw in args {
        if u32::from(raw.tag) != sys::TENON_TAG_OBJECT {
            continue;
        }
        // SAFETY: value.h: the payload fits the tag; object.h: the type lives with the object.
        let object_type = unsafe { &*sys::tenon_object_get_type(raw.as_.object) };
        if object_type.override_.is_some() {
            let name = op.name();
            let text = format!("{name}: arguments of a redispatch must not override operators");
            return Err(Error::new(crate::Status::TYPE, text));
        }
    }
    Ok(())
}

fn handle(
    op: *const sys::tenon_op,
    keys: sys::tenon_keyset,
    stack: *mut sys::tenon_stack,
    body: impl FnOnce(&mut Overridden<'_>) -> Result<Handled>,
) -> sys::tenon_status {
    let run = || {
        // SAFETY: object.h: a handler gets the call's own stack, as a kernel does.
        let raw = unsafe { &mut *stack };
        body(&mut Overridden(Stack {
            raw,
            op,
            keys: DispatchKeySet(keys),
        }))
    };
    let error = match catch_unwind(AssertUnwindSafe(run)) {
        Ok(Ok(Handled::Done)) => return 0,
        Ok(Ok(Handled::Declined)) => return sys::TENON_DECLINED as sys::tenon_status,
        Ok(Err(error)) => error,
        Err(panic) => Error::from_panic(panic),
    };
    // SAFETY: as above; the dispatcher takes the error over.
    unsafe { keep_in_stack(error, stack) }
}

unsafe extern "C" fn override_call<T: Overrides>(
    value: *mut c_void,
    op: *const sys::tenon_op,
    keys: sys::tenon_keyset,
    stack: *mut sys::tenon_stack,
) -> sys::tenon_status {
    // SAFETY: object.h: `value` is the box of a live object of this type.
    let object = unsafe { &*value.cast::<T>() };
    handle(op, keys, stack, |call| object.override_call(call))
}

unsafe extern "C" fn dispatch_call<T: Dispatches>(
    value: *mut c_void,
    op: *const sys::tenon_op,
    keys: sys::tenon_keyset,
    stack: *mut sys::tenon_stack,
) -> sys::tenon_status {
    // SAFETY: object.h: `value` is the box of a live object of this type.
    let object = unsafe { &*value.cast::<T>() };
    handle(op, keys, stack, |call| object.dispatch_call(call))
}
