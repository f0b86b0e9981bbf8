// SPDX-License-Identifier: Apache-2.0
//! Passes: new graphs made from old ones, call by call or pattern by pattern.

use std::any::Any;
use std::ffi::c_void;
use std::marker::PhantomData;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::ptr;

use tenon_sys as sys;

use super::build::{append, element, Ref};
use super::Graph;
use crate::arguments::Arguments;
use crate::error::{check, Result};
use crate::value::RawValue;
use crate::value_ref::Values;
use crate::{Error, Op, Status, Value};

/// A call of a graph, as a pass of [`Graph::rewrite`] sees it.
pub struct Call<'a> {
    op: Op,
    index: usize,
    args: &'a [sys::tenon_value],
    to: *mut sys::tenon_graph,
    result_count: usize,
    stand_ins: Option<Vec<RawValue>>,
    owner_thread: PhantomData<*const ()>,
}

impl Call<'_> {
    /// Returns its index in the old graph.
    pub fn index(&self) -> usize {
        self.index
    }

    /// Returns the operator that it calls.
    pub fn op(&self) -> Op {
        self.op
    }

    /// Returns the operator's name, such as `"aten::relu"`.
    pub fn name(&self) -> &'static str {
        self.op.name()
    }

    /// Returns all arguments, with values of the new graph.
    pub fn args(&self) -> Values<'_> {
        Values(self.args)
    }

    /// Returns an argument, with values of the new graph.
    ///
    /// # Errors
    /// [`Status::INDEX`] if the argument does not exist.
    pub fn arg(&self, index: usize) -> Result<Value> {
        let raw = self.args.get(index).ok_or_else(|| {
            let count = self.args.len();
            Error::new(
                Status::INDEX,
                format!("Call::arg: index must be below {count}, got {index}"),
            )
        })?;
        RawValue::copy_of(raw).and_then(Value::from_owned)
    }

    /// Returns the value of the new graph that an argument refers to, if it is a reference.
    pub fn value(&self, index: usize) -> Option<Ref> {
        Ref::of(&self.arg(index).ok()?)
    }

    /// Appends a call to the new graph, as [`Builder::append`](super::Builder::append).
    ///
    /// # Errors
    /// As [`Builder::append`](super::Builder::append).
    pub fn append(&self, op: Op, args: impl Arguments) -> Result<Ref> {
        append(self.to, op, args)
    }

    /// Adds a value that is an element of a list to the new graph.
    ///
    /// # Errors
    /// As [`Builder::element`](super::Builder::element).
    pub fn element(&self, list: Ref, index: usize) -> Result<Ref> {
        element(self.to, list, index)
    }

    /// Sets the replacement of the call's result: a reference, a tensor or a number.
    ///
    /// # Errors
    /// [`Status::INVALID_ARGUMENT`] if the call does not have one result.
    pub fn replace(&mut self, result: impl Into<Value>) -> Result<()> {
        self.replace_all(vec![result.into()])
    }

    /// Sets the replacements of several results; [`Value::None`] for one that nothing uses any
    /// more.
    ///
    /// # Errors
    /// [`Status::INVALID_ARGUMENT`] for a wrong number of results.
    pub fn replace_all(&mut self, results: Vec<Value>) -> Result<()> {
        if results.len() != self.result_count {
            let (wanted, given) = (self.result_count, results.len());
            return Err(Error::new(
                Status::INVALID_ARGUMENT,
                format!("Call::replace: results must be the call's {wanted}, got {given}"),
            ));
        }
        let raw: Result<Vec<RawValue>> = results.into_iter().map(Value::into_owned_raw).collect();
        self.stand_ins = Some(raw?);
        Ok(())
    }

    /// Removes the call. Nothing may use its results.
    pub fn remove(&mut self) {
        self.stand_ins = Some(
            std::iter::repeat_with(|| RawValue(RawValue::NONE))
                .take(self.result_count)
                .collect(),
        );
    }
}

/// A running pass, and the replacements of the last call's results.
struct RunningPass<F> {
    pass: F,
    stand_ins: Vec<RawValue>,
}

impl Graph {
    /// Returns a new graph made by a pass that is called for each call. Calls are kept unchanged
    /// unless the pass replaces or removes them.
    ///
    /// ```
    /// use tenon::graph::Graph;
    /// use tenon::Tensor;
    /// let x = Tensor::from_vec(vec![1.0f32, -2.0], &[2])?;
    /// let graph = Graph::record(&[&x], |x| Ok(vec![x[0].relu()?.exp()?]))?;
    /// let without_relu = graph.rewrite(|call| match call.name() {
    ///     "aten::relu" => call.replace(call.arg(0)?),
    ///     _ => Ok(()),
    /// })?;
    /// assert_eq!(without_relu.node_count(), 1);
    /// # Ok::<(), tenon::Error>(())
    /// ```
    ///
    /// # Errors
    /// The error of the pass ([`Status::FOREIGN`] for a panic); [`Status::STATE`] if a removed
    /// call's result is used, [`Status::TYPE`] for a replacement of another type.
    pub fn rewrite<F>(&self, pass: F) -> Result<Graph>
    where
        F: FnMut(&mut Call<'_>) -> Result<()>,
    {
        let mut running = RunningPass {
            pass,
            stand_ins: Vec::new(),
        };
        let ctx = ptr::addr_of_mut!(running).cast::<c_void>();
        let mut out = ptr::null_mut();
        // SAFETY: graph.h: the function is called during this call only, on this thread, with
        // `ctx`, which is `running`; `out` gets a new reference.
        check(unsafe { sys::tenon_graph_rewrite(self.as_raw(), Some(look::<F>), ctx, &mut out) })?;
        // SAFETY: as above, and not NULL.
        Ok(unsafe { Graph::from_raw(out) })
    }

    /// Returns a new graph in which each match of `pattern` is replaced by `replacement`, and the
    /// number of matches. `flags`: [`IGNORE_LITERALS`](super::IGNORE_LITERALS) or 0.
    ///
    /// # Errors
    /// [`Status::INVALID_ARGUMENT`] for a pattern without calls, with an unused input or an output
    /// that no call makes, and for a replacement with another number of inputs or outputs.
    pub fn replace_pattern(
        &self,
        pattern: &Graph,
        replacement: &Graph,
        flags: u32,
    ) -> Result<(Graph, usize)> {
        let (mut out, mut count) = (ptr::null_mut(), 0);
        // SAFETY: graph.h: graphs are only read; `out` gets a new reference.
        check(unsafe {
            sys::tenon_graph_replace_pattern(
                self.as_raw(),
                pattern.as_raw(),
                replacement.as_raw(),
                flags,
                &mut count,
                &mut out,
            )
        })?;
        // SAFETY: as above, and not NULL.
        Ok((unsafe { Graph::from_raw(out) }, count as usize))
    }

    /// Checks that operators have not changed, and that values are those that their calls return.
    ///
    /// # Errors
    /// [`Status::NOT_SUPPORTED`] for an operator that changed, [`Status::TYPE`] for a value whose
    /// recorded properties differ, or the error of a call on fake tensors.
    pub fn check(&self) -> Result<()> {
        // SAFETY: graph.h: the graph is only read.
        check(unsafe { sys::tenon_graph_check(self.as_raw()) })
    }
}

unsafe extern "C" fn look<F>(
    ctx: *mut c_void,
    from: *const sys::tenon_graph,
    node: i64,
    args: *const sys::tenon_value,
    to: *mut sys::tenon_graph,
    results: *mut sys::tenon_value,
) -> sys::tenon_status
where
    F: FnMut(&mut Call<'_>) -> Result<()>,
{
    // SAFETY: `rewrite` passes its state, which lives until the call ends and is used only here.
    let running = unsafe { &mut *ctx.cast::<RunningPass<F>>() };
    let body = || -> Result<Option<Vec<RawValue>>> {
        let described = super::described(from, node)?;
        let mut call = Call {
            // SAFETY: graph.h: a node's operator is never freed.
            op: unsafe { Op::from_raw(described.op) }?,
            // Numbers of nodes come from a usize.
            index: node as usize,
            // SAFETY: graph.h: the arguments of the node, which live for this call.
            args: unsafe { crate::value_ref::slice(args, described.nargs as usize) },
            to,
            result_count: described.nresults as usize,
            stand_ins: None,
            owner_thread: PhantomData,
        };
        (running.pass)(&mut call)?;
        Ok(call.stand_ins)
    };
    let outcome: std::result::Result<_, Box<dyn Any + Send>> = catch_unwind(AssertUnwindSafe(body));
    match outcome {
        Ok(Ok(None)) => sys::TENON_DECLINED as sys::tenon_status,
        Ok(Ok(Some(stand_ins))) => {
            for (index, value) in stand_ins.iter().enumerate() {
                // SAFETY: graph.h: as many results as the node has. They borrow until the next call
                // of this function, and are kept until then.
                unsafe {
                    let mut raw = *value.as_raw();
                    raw.flags &= !(sys::TENON_VALUE_OWNED as u16);
                    *results.add(index) = raw;
                }
            }
            running.stand_ins = stand_ins;
            sys::TENON_OK as sys::tenon_status
        }
        Ok(Err(error)) => error.leave(),
        Err(panic) => Error::from_panic(panic).leave(),
    }
}
