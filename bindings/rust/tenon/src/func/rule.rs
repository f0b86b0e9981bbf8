// SPDX-License-Identifier: Apache-2.0
//! Batching rules of operators, as closures.

use std::ffi::c_void;
use std::fmt;
use std::panic::Location;
use std::ptr;

use tenon_sys as sys;

use crate::dispatch::DispatchKeySet;
use crate::error::{check, Error, Result};
use crate::func::vmap::Randomness;
use crate::kernel::{delete, guarded, keep_in_stack, Cell};
use crate::library::Library;
use crate::op::Op;
use crate::registration::Registration;
use crate::stack::Stack;
use crate::status::Status;
use crate::text::{c_name, c_text};
use crate::value::{RawValue, Value};
use crate::value_ref::{slice, ValueRef, Values};
use crate::Tensor;

/// A call in a vmap, as seen by its batching rule: the mapped dim is visible in its tensors.
pub struct VmapCall<'a> {
    op: Op,
    args: Values<'a>,
    info: &'a sys::tenon_vmap_info,
    in_dims: &'a [i64],
}

impl<'a> VmapCall<'a> {
    /// Returns the operator. Calls of it from the rule run outside of the vmap.
    pub fn op(&self) -> Op {
        self.op
    }

    /// Returns the arguments in schema order.
    pub fn args(&self) -> Values<'a> {
        self.args
    }

    /// Returns an argument that is a tensor.
    ///
    /// # Errors
    /// [`Status::TYPE`] for an argument that is no tensor or does not exist.
    pub fn tensor(&self, index: usize) -> Result<&'a Tensor> {
        match self.args.get(index) {
            Some(ValueRef::Tensor(tensor)) => Ok(tensor),
            other => Err(Error::new(
                Status::TYPE,
                format!(
                    "{}: argument {index} must be a Tensor, got {}",
                    self.op.name(),
                    other.map_or("none", |value| value.actual())
                ),
            )),
        }
    }

    /// Returns the mapped dim of each tensor argument, with elements of lists counted separately;
    /// -1 if it is not mapped.
    pub fn in_dims(&self) -> &'a [i64] {
        self.in_dims
    }

    /// Returns the number of examples in the batch.
    pub fn batch_size(&self) -> i64 {
        self.info.batch_size
    }

    /// Returns the behaviour of random operators.
    pub fn randomness(&self) -> Randomness {
        Randomness::of_number(self.info.randomness)
    }
}

impl fmt::Debug for VmapCall<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "VmapCall({}, {:?})", self.op.name(), self.in_dims)
    }
}

/// The output of a batching rule: results, and the position of the mapped dim in them. It is made
/// from a pair: one result and its dim, which is `None` if it is not mapped, or values and a dim
/// for each tensor among them, -1 if it is not mapped.
#[derive(Debug)]
pub struct Batched {
    values: Vec<Value>,
    dims: Value,
}

impl<T: Into<Value>> From<(T, i64)> for Batched {
    fn from((value, dim): (T, i64)) -> Batched {
        (value, Some(dim)).into()
    }
}

impl<T: Into<Value>> From<(T, Option<i64>)> for Batched {
    fn from((value, dim): (T, Option<i64>)) -> Batched {
        Batched {
            values: vec![value.into()],
            dims: dim.into(),
        }
    }
}

impl From<(Vec<Value>, Vec<i64>)> for Batched {
    fn from((values, dims): (Vec<Value>, Vec<i64>)) -> Batched {
        Batched {
            values,
            dims: dims.into(),
        }
    }
}

impl Library {
    /// Registers the batching rule of an operator, which is called in a vmap instead of the
    /// operator. Without a rule the operator's decomposition is used, or a loop over the examples.
    ///
    /// ```
    /// use tenon::func::{vmap, VmapCall};
    /// use tenon::{DispatchKey, Library, Op, Tensor};
    /// let library = Library::define_namespace("vmap_doc")?;
    /// library.define("twice(Tensor x) -> Tensor")?;
    /// library.impl_fn("twice", DispatchKey::CPU, |x: &Tensor| x * 2.0)?;
    /// library.register_vmap("twice", |call: &VmapCall| {
    ///     let twice: Tensor = call.op().call((call.tensor(0)?,))?;
    ///     Ok((twice, call.in_dims()[0]))
    /// })?;
    /// let twice = vmap(|x: &Tensor| Op::find("vmap_doc::twice")?.call::<Tensor>((x,)));
    /// let x = Tensor::from_vec(vec![1.0f32, 2.0], &[2])?;
    /// assert_eq!(twice.call(&x)?.to_vec::<f32>()?, [2.0, 4.0]);
    /// # Ok::<(), tenon::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Status::INVALID_ARGUMENT`] for a bad name, [`Status::STATE`] for a closed library.
    #[track_caller]
    pub fn register_vmap<F, R>(&self, name: &str, rule: F) -> Result<Registration>
    where
        F: Fn(&VmapCall<'_>) -> Result<R> + Send + Sync + 'static,
        R: Into<Batched> + 'static,
    {
        let location = Location::caller();
        let name = c_name("Library::register_vmap", "name", name)?;
        let own_name = std::any::type_name::<F>();
        let (c_own_name, file) = (c_text(own_name), c_text(location.file()));
        // SAFETY: plain data; all-zero is a rule without function.
        let mut raw: sys::tenon_vmap_rule = unsafe { std::mem::zeroed() };
        raw.struct_size = std::mem::size_of::<sys::tenon_vmap_rule>() as u32;
        raw.fn_ = Some(run::<F, R>);
        raw.ctx = Cell::allocate(own_name, location, rule).cast();
        raw.deleter = Some(delete::<F>);
        raw.language = sys::TENON_LANGUAGE_RUST;
        raw.name = c_own_name.as_ptr();
        raw.file = file.as_ptr();
        raw.line = location.line() as i32;
        let mut out = ptr::null_mut();
        // SAFETY: all texts live for the call; the closure is taken over, also on failure.
        check(unsafe {
            sys::tenon_library_register_vmap(self.as_raw(), name.as_ptr(), &raw, &mut out)
        })?;
        // SAFETY: a new reference.
        Ok(unsafe { Registration::from_raw(out) })
    }
}

unsafe extern "C" fn run<F, R>(
    ctx: *mut c_void,
    op: *const sys::tenon_op,
    info: *const sys::tenon_vmap_info,
    in_dims: *const i64,
    stack: *mut sys::tenon_stack,
    out_dims: *mut sys::tenon_value,
) -> sys::tenon_status
where
    F: Fn(&VmapCall<'_>) -> Result<R> + Send + Sync + 'static,
    R: Into<Batched> + 'static,
{
    guarded(
        ctx.cast::<Cell<F>>(),
        |rule| {
            // SAFETY: transforms.h: stack and info are the call's own, with `ntensors` dims.
            let (raw, info) = unsafe { (&mut *stack, &*info) };
            // SAFETY: as above; arguments are borrowed for the call.
            let (args, in_dims) = unsafe {
                (
                    slice(raw.args, raw.nargs as usize),
                    slice(in_dims, info.ntensors as usize),
                )
            };
            let mut stack = Stack {
                raw,
                op,
                keys: DispatchKeySet(0),
            };
            let call = VmapCall {
                op: stack.op(),
                args: Values(args),
                info,
                in_dims,
            };
            let Batched { values, dims } = rule(&call)?.into();
            let (want, got) = (stack.results().len(), values.len());
            if want != got {
                return Err(Error::new(
                    Status::TYPE,
                    format!("{}: results must be {want}, got {got}", call.op.name()),
                ));
            }
            for (index, value) in values.into_iter().enumerate() {
                stack.set(index, value)?;
            }
            let dims: RawValue = dims.into_owned_raw()?;
            // SAFETY: transforms.h: NONE so far, written owned.
            unsafe { out_dims.write(dims.into_raw()) };
            Ok(())
        },
        // SAFETY: the stack is the running call's; the vmap takes the error over.
        |error| unsafe { keep_in_stack(error, stack) },
    )
}
