// SPDX-License-Identifier: Apache-2.0
//! Graphs built by hand: values, and calls that are not run.

use std::ffi::CString;
use std::marker::PhantomData;
use std::ptr;

use tenon_sys as sys;

use super::Graph;
use crate::arg::{raw_values, Arg, IntoArg};
use crate::arguments::Arguments;
use crate::error::{check, Result};
use crate::text::c_name;
use crate::value::RawValue;
use crate::{Op, Tensor, Value};

/// A reference to a value of a graph, as an argument or output.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Ref(pub i64);

impl Ref {
    pub(super) fn raw(self) -> sys::tenon_value {
        let mut raw = RawValue::NONE;
        raw.tag = sys::TENON_TAG_REF as u16;
        raw.as_.i = self.0;
        raw
    }

    /// Returns the reference in a value, if it is one.
    pub fn of(value: &Value) -> Option<Ref> {
        let Value::Other(raw) = value else {
            return None;
        };
        let raw = raw.as_raw();
        if u32::from(raw.tag) != sys::TENON_TAG_REF {
            return None;
        }
        // SAFETY: value.h: the payload of a reference is its number.
        Some(Ref(unsafe { raw.as_.i }))
    }
}

impl From<Ref> for Value {
    fn from(value: Ref) -> Value {
        Value::Other(RawValue(value.raw()))
    }
}

impl<'a> IntoArg<'a> for Ref {
    fn into_arg(self) -> Arg<'a> {
        // SAFETY: value.h: a reference borrows nothing.
        unsafe { Arg::borrow(&self.raw()) }
    }
}

/// Builds a graph call by call, without running anything.
///
/// ```
/// use tenon::graph::Builder;
/// use tenon::{Op, Tensor};
/// let builder = Builder::new()?;
/// let x = builder.input("x")?;
/// let y = builder.append(Op::find("aten::exp")?, (x,))?;
/// builder.output(builder.append(Op::find("aten::add.Tensor")?, (y, 1))?)?;
/// let graph = builder.finish();
/// let zero = Tensor::from_vec(vec![0.0f32], &[1])?;
/// assert_eq!(graph.run(&[&zero])?[0].to_vec::<f32>()?, [2.0]);
/// # Ok::<(), tenon::Error>(())
/// ```
pub struct Builder {
    graph: Graph,
    owner_thread: PhantomData<*const ()>,
}

impl Builder {
    /// Creates an empty graph.
    ///
    /// # Errors
    /// [`Status::OUT_OF_MEMORY`](crate::Status::OUT_OF_MEMORY).
    pub fn new() -> Result<Builder> {
        let mut out = ptr::null_mut();
        // SAFETY: graph.h: `out` gets a new reference.
        check(unsafe { sys::tenon_graph_new(&mut out) })?;
        // SAFETY: as above, and not NULL.
        let graph = unsafe { Graph::from_raw(out) };
        let owner_thread = PhantomData;
        Ok(Builder {
            graph,
            owner_thread,
        })
    }

    /// Adds an input. If `name` is `""`, one is generated.
    ///
    /// # Errors
    /// [`Status::INVALID_ARGUMENT`](crate::Status::INVALID_ARGUMENT) for a name that is no
    /// identifier or is taken.
    pub fn input(&self, name: &str) -> Result<Ref> {
        let name = optional_name("Builder::input", name)?;
        made(|out| {
            let name = name.as_ref().map_or(ptr::null(), |name| name.as_ptr());
            // SAFETY: graph.h: the text is borrowed, a tensor is not needed.
            unsafe { sys::tenon_graph_add_input(self.as_raw(), ptr::null_mut(), name, out) }
        })
    }

    /// Adds a tensor that the graph holds. If `name` is `""`, one is generated.
    ///
    /// # Errors
    /// As [`Builder::input`].
    pub fn attribute(&self, tensor: &Tensor, name: &str) -> Result<Ref> {
        let name = optional_name("Builder::attribute", name)?;
        made(|out| {
            let name = name.as_ref().map_or(ptr::null(), |name| name.as_ptr());
            // SAFETY: graph.h: the text is borrowed, the tensor retained.
            unsafe { sys::tenon_graph_add_attribute(self.as_raw(), tensor.as_raw(), name, out) }
        })
    }

    /// Appends a call and returns its first result; the other results follow it. Trailing arguments
    /// that are omitted have their defaults.
    ///
    /// # Errors
    /// [`Status::INVALID_ARGUMENT`](crate::Status::INVALID_ARGUMENT) for a wrong number of
    /// arguments, [`Status::TYPE`](crate::Status::TYPE) for an argument of the wrong type,
    /// [`Status::INDEX`](crate::Status::INDEX) for a value that does not exist.
    pub fn append(&self, op: Op, args: impl Arguments) -> Result<Ref> {
        append(self.as_raw(), op, args)
    }

    /// Adds a value that is an element of another value, a list of tensors.
    ///
    /// # Errors
    /// [`Status::TYPE`](crate::Status::TYPE) for a value that is no list.
    pub fn element(&self, list: Ref, index: usize) -> Result<Ref> {
        element(self.as_raw(), list, index)
    }

    /// Adds an output: a reference, a tensor, a number or a list of these.
    ///
    /// # Errors
    /// [`Status::INDEX`](crate::Status::INDEX) for a value that does not exist.
    pub fn output<'a>(&self, value: impl IntoArg<'a>) -> Result<()> {
        let value = value.into_arg();
        // SAFETY: graph.h: the value is copied.
        check(unsafe { sys::tenon_graph_add_output(self.as_raw(), value.as_raw()) })
    }

    /// Returns the graph.
    pub fn finish(self) -> Graph {
        self.graph
    }

    fn as_raw(&self) -> *mut sys::tenon_graph {
        self.graph.as_raw()
    }
}

fn optional_name(function: &str, name: &str) -> Result<Option<CString>> {
    if name.is_empty() {
        return Ok(None);
    }
    c_name(function, "name", name).map(Some)
}

fn made(make: impl FnOnce(*mut i64) -> sys::tenon_status) -> Result<Ref> {
    let mut value = -1;
    check(make(&mut value))?;
    Ok(Ref(value))
}

/// Appends a call to a graph that the calling thread may change.
pub(super) fn append(graph: *mut sys::tenon_graph, op: Op, args: impl Arguments) -> Result<Ref> {
    args.with(|args| {
        let raw = raw_values(args);
        // SAFETY: graph.h: arguments are copied; the graph is live and this thread's.
        made(|out| unsafe {
            sys::tenon_graph_append(graph, op.as_raw(), raw.as_ptr(), raw.len() as i64, out)
        })
    })
}

pub(super) fn element(graph: *mut sys::tenon_graph, list: Ref, index: usize) -> Result<Ref> {
    let index = i64::try_from(index).unwrap_or(i64::MAX);
    // SAFETY: graph.h: the graph is live and this thread's.
    made(|out| unsafe { sys::tenon_graph_add_element(graph, list.0, index, out) })
}
