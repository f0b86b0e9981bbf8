// SPDX-License-Identifier: Apache-2.0
//! Function values: Rust closures that other languages call, and functions of other languages.

use std::any::type_name;
use std::ffi::c_void;
use std::fmt;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::ptr;

use tenon_sys as sys;

use crate::arguments::Arguments;
use crate::error::{check, Error, Result};
use crate::kernel::keep_in_stack;
use crate::object::{function_type, Object};
use crate::op::failure;
use crate::returns::with_slots;
use crate::status::Status;
use crate::value::{RawValue, Value};
use crate::value_ref::{slice, ValueRef, Values};

/// A function of any language, to be passed for arguments of function types. Cloning shares it.
///
/// ```
/// use tenon::{Function, Value, ValueRef};
/// let twice = Function::new(|args: &[ValueRef<'_>]| match args {
///     [ValueRef::Int(n)] => Ok(vec![Value::Int(2 * n)]),
///     _ => Err(tenon::Error::new(tenon::Status::TYPE, "twice: argument must be an int")),
/// })?;
/// assert!(matches!(twice.call((21,))?, Value::Int(42)));
/// # Ok::<(), tenon::Error>(())
/// ```
#[derive(Clone)]
#[repr(transparent)]
pub struct Function(pub(crate) Object);

impl Function {
    /// Makes a function value from a closure. The closure receives the arguments, and must return
    /// as many results as the caller requests.
    ///
    /// # Errors
    /// [`Status::OUT_OF_MEMORY`].
    pub fn new<F>(function: F) -> Result<Function>
    where
        F: Fn(&[ValueRef<'_>]) -> Result<Vec<Value>> + Send + Sync + 'static,
    {
        let function_type = function_type::<F>(|record| record.call = Some(call::<F>));
        let function = Box::into_raw(Box::new(function));
        let mut out = ptr::null_mut();
        // SAFETY: the type record is never freed; on success `release` frees the box.
        let status = unsafe { sys::tenon_object_new(function_type, function.cast(), &mut out) };
        if let Err(error) = check(status) {
            // SAFETY: a failed call does not take over the box.
            drop(unsafe { Box::from_raw(function) });
            return Err(error);
        }
        // SAFETY: a new reference.
        Ok(Function(unsafe { Object::from_raw(out) }))
    }

    /// Returns an object of any language as a function, if its type is callable.
    pub fn from_object(object: Object) -> Option<Function> {
        // SAFETY: object.h: the type lives as long as the object.
        let callable = unsafe {
            (*sys::tenon_object_get_type(object.as_raw()))
                .call
                .is_some()
        };
        callable.then_some(Function(object))
    }

    /// Returns the object.
    pub fn as_object(&self) -> &Object {
        &self.0
    }

    /// Calls a function with one result.
    ///
    /// # Errors
    /// What the function raised.
    pub fn call(&self, args: impl Arguments) -> Result<Value> {
        let mut results = self.call_many(args, 1)?;
        Ok(results.pop().unwrap_or_default())
    }

    /// Calls a function with `count` results.
    ///
    /// # Errors
    /// What the function raised.
    pub fn call_many(&self, args: impl Arguments, count: usize) -> Result<Vec<Value>> {
        args.with(|args| {
            with_slots(count, |slots| {
                let mut stack = sys::tenon_stack {
                    args: args.as_ptr().cast_mut().cast(),
                    rets: slots.as_mut_ptr(),
                    nargs: args.len() as u32,
                    nrets: count as u32,
                    error: ptr::null_mut(),
                    reserved: [0; 2],
                };
                // SAFETY: object.h: arguments live for the call, and there is room for the results.
                let status = unsafe { sys::tenon_object_call(self.0.as_raw(), &mut stack) };
                if status != 0 {
                    return Err(failure(status, &mut stack));
                }
                let name = self.0.type_name();
                (0..count).map(|index| slots.value(&name, index)).collect()
            })
        })
    }
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Function({})", self.0.type_name())
    }
}

unsafe extern "C" fn call<F>(
    function: *mut c_void,
    stack: *mut sys::tenon_stack,
) -> sys::tenon_status
where
    F: Fn(&[ValueRef<'_>]) -> Result<Vec<Value>> + Send + Sync + 'static,
{
    let run = || {
        // SAFETY: object.h: `function` is the box of a live object; the stack is the call's own.
        let (function, stack) = unsafe { (&*function.cast::<F>(), &mut *stack) };
        // SAFETY: object.h: arguments are borrowed for the call.
        let args = Values(unsafe { slice(stack.args, stack.nargs as usize) });
        let args: Vec<ValueRef<'_>> = args.iter().collect();
        let values = function(&args)?;
        if values.len() != stack.nrets as usize {
            let (name, want, got) = (type_name::<F>(), stack.nrets, values.len());
            return Err(Error::new(
                Status::TYPE,
                format!("{name}: results must be {want}, got {got}"),
            ));
        }
        let values: Vec<RawValue> = values
            .into_iter()
            .map(Value::into_owned_raw)
            .collect::<Result<_>>()?;
        for (index, value) in values.into_iter().enumerate() {
            // SAFETY: object.h: `nrets` results, NONE so far, written owned.
            unsafe { stack.rets.add(index).write(value.into_raw()) };
        }
        Ok(())
    };
    let error = match catch_unwind(AssertUnwindSafe(run)) {
        Ok(Ok(())) => return 0,
        Ok(Err(error)) => error,
        Err(panic) => Error::from_panic(panic),
    };
    // SAFETY: as above; the caller takes the error over.
    unsafe { keep_in_stack(error, stack) }
}
