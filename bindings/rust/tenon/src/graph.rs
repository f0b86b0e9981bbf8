// SPDX-License-Identifier: Apache-2.0
//! Graphs: recorded functions, which can be run, transformed, saved, and called as operators.
//!
//! ```
//! use tenon::graph::Graph;
//! use tenon::Tensor;
//! let x = Tensor::from_vec(vec![1.0f32, 2.0], &[2])?;
//! let graph = Graph::record(&[&x], |given| Ok(vec![(given[0] * 3)?.exp()?]))?;
//! assert_eq!(graph.node_count(), 2);
//! let y = graph.run(&[&Tensor::from_vec(vec![0.0f32, 0.0], &[2])?])?;
//! assert_eq!(y[0].to_vec::<f32>()?, [1.0, 1.0]);
//! # Ok::<(), tenon::Error>(())
//! ```

mod build;
mod pass;

use std::ffi::CStr;
use std::fmt;
use std::marker::PhantomData;
use std::path::Path;
use std::ptr::{self, NonNull};

use tenon_sys as sys;

use crate::buffer::Buffer;
use crate::error::{check, Frame, Result};
use crate::fake::FakeMode;
use crate::op::{failure, Op};
use crate::returns::{with_slots, FromValue};
use crate::text::c_name;
use crate::value::RawValue;
use crate::value_ref::slice;
use crate::{Error, Library, Status, Tensor, Value};

pub use build::{Builder, Ref};
pub use pass::Call;

/// Pass of [`Graph::transform`]: runs calls whose only inputs are attributes, and keeps their
/// results. Passes are combined by `|`.
pub const FOLD_CONSTANTS: u32 = sys::TENON_GRAPH_FOLD_CONSTANTS;
/// Pass of [`Graph::transform`]: merges equal calls.
pub const MERGE_COMMON: u32 = sys::TENON_GRAPH_MERGE_COMMON;
/// Pass of [`Graph::transform`]: removes unused calls and attributes.
pub const REMOVE_DEAD: u32 = sys::TENON_GRAPH_REMOVE_DEAD;

/// Pass of [`Graph::transform`]: infers unknown properties of values with calls on fake tensors.
pub const INFER: u32 = sys::TENON_GRAPH_INFER;

/// Flag of [`Graph::replace_pattern`]: constants of the pattern match any other constant.
pub const IGNORE_LITERALS: u32 = sys::TENON_GRAPH_IGNORE_LITERALS;

/// Flag of [`Graph::functionalize`]: also replaces views by copies.
pub const REMOVE_VIEWS: u32 = sys::TENON_GRAPH_REMOVE_VIEWS;

/// Flag of [`Graph::record_with`]: records the operators that reach the kernels.
pub const BELOW_AUTOGRAD: u32 = sys::TENON_GRAPH_BELOW_AUTOGRAD;
/// Flag of [`Graph::record_with`]: calls that convert elements of tensors to numbers fail.
pub const STRICT: u32 = sys::TENON_GRAPH_STRICT;

/// Flag of [`Graph::record_with`]: nodes store where their calls were made, if a language reports
/// it.
pub const FRAMES: u32 = sys::TENON_GRAPH_FRAMES;

/// Flag of [`Graph::record_with`]: runs accept inputs of any sizes. That is correct only if nothing
/// in the graph was computed from the sizes of the inputs. Without this flag runs refuse sizes
/// other than the recorded ones.
pub const ANY_SIZES: u32 = sys::TENON_GRAPH_ANY_SIZES;

/// A recorded computation. Clones refer to the same graph.
pub struct Graph(NonNull<sys::tenon_graph>);

// SAFETY: graph.h: a finished graph is read and run on any thread. It can only be changed while it
// is recorded, built or rewritten, by the thread that does so.
unsafe impl Send for Graph {}
// SAFETY: as above.
unsafe impl Sync for Graph {}

/// Ends a recording, also if the function panics.
struct Recording<'a> {
    graph: &'a Graph,
    owner_thread: PhantomData<*const ()>,
}

impl Recording<'_> {
    fn end(self) -> Result<()> {
        let graph = self.graph.as_raw();
        std::mem::forget(self);
        // SAFETY: graph.h: begun on this thread.
        check(unsafe { sys::tenon_graph_end(graph) })
    }
}

impl Drop for Recording<'_> {
    fn drop(&mut self) {
        // SAFETY: graph.h: begun on this thread. If recordings end out of order, this one stays
        // active, and the error cannot be reported.
        drop(check(unsafe { sys::tenon_graph_end(self.graph.as_raw()) }));
    }
}

impl Graph {
    /// # Safety
    /// `raw` is a reference that the caller passes to the result.
    unsafe fn from_raw(raw: *mut sys::tenon_graph) -> Graph {
        // SAFETY: what the caller promises.
        Graph(unsafe { NonNull::new_unchecked(raw) })
    }

    /// Returns the handle, borrowed.
    pub fn as_raw(&self) -> *mut sys::tenon_graph {
        self.0.as_ptr()
    }

    /// Runs a function of tensors once and returns the graph of its calls below autograd. Runs of
    /// the graph refuse inputs of other sizes: see [`ANY_SIZES`] and [`Graph::record_dynamic`].
    ///
    /// # Errors
    /// As [`Graph::record_with`].
    pub fn record<F>(inputs: &[&Tensor], function: F) -> Result<Graph>
    where
        F: FnOnce(&[&Tensor]) -> Result<Vec<Tensor>>,
    {
        Graph::record_with(BELOW_AUTOGRAD, inputs, function)
    }

    /// Like [`Graph::record`], with the flags [`BELOW_AUTOGRAD`], [`STRICT`], [`FRAMES`] and
    /// [`ANY_SIZES`].
    ///
    /// # Errors
    /// The function's error; [`Status::INVALID_ARGUMENT`] if one tensor is passed twice.
    pub fn record_with<F>(flags: u32, inputs: &[&Tensor], function: F) -> Result<Graph>
    where
        F: FnOnce(&[&Tensor]) -> Result<Vec<Tensor>>,
    {
        let mut out = ptr::null_mut();
        // SAFETY: graph.h: `out` gets a new reference.
        check(unsafe { sys::tenon_graph_begin(flags, &mut out) })?;
        // SAFETY: as above, and not NULL.
        let graph = unsafe { Graph::from_raw(out) };
        let recording = Recording {
            graph: &graph,
            owner_thread: PhantomData,
        };
        for input in inputs {
            // SAFETY: graph.h: the tensor is borrowed, and the value number is not requested.
            check(unsafe {
                let value = ptr::null_mut();
                sys::tenon_graph_add_input(graph.as_raw(), input.as_raw(), ptr::null(), value)
            })?;
        }
        for output in function(inputs)? {
            // SAFETY: value.h: a value that borrows the tensor; graph.h: it is copied.
            check(unsafe {
                let mut value: sys::tenon_value = std::mem::zeroed();
                value.tag = sys::TENON_TAG_TENSOR as u16;
                value.as_.tensor = output.as_raw();
                sys::tenon_graph_add_output(graph.as_raw(), &value)
            })?;
        }
        recording.end()?;
        Ok(graph)
    }

    /// Like [`Graph::record`], on fake tensors, some of whose sizes are dynamic. Nothing is
    /// computed. `dims` has for each input the dims of
    /// [`FakeMode::from_tensor_with`](crate::fake::FakeMode::from_tensor_with).
    ///
    /// ```
    /// use tenon::graph::Graph;
    /// use tenon::Tensor;
    /// let x = Tensor::from_vec(vec![1.0f32, 2.0], &[2])?;
    /// let dims: &[Option<&str>] = &[Some("n")];
    /// let graph = Graph::record_dynamic(&[&x], &[dims], |given| Ok(vec![given[0].exp()?]))?;
    /// let y = graph.run(&[&Tensor::from_vec(vec![0.0f32; 5], &[5])?])?;
    /// assert_eq!(y[0].shape(), [5]);
    /// # Ok::<(), tenon::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Graph::record_with`], and as `from_tensor_with`.
    pub fn record_dynamic<F>(
        inputs: &[&Tensor],
        dims: &[&[Option<&str>]],
        function: F,
    ) -> Result<Graph>
    where
        F: FnOnce(&[&Tensor]) -> Result<Vec<Tensor>>,
    {
        let mode = FakeMode::allowing_real()?;
        let mut fakes = Vec::new();
        for (i, input) in inputs.iter().enumerate() {
            fakes.push(mode.from_tensor_with(input, dims.get(i).copied().unwrap_or(&[]))?);
        }
        let given: Vec<&Tensor> = fakes.iter().collect();
        let _guard = mode.enter()?;
        Graph::record(&given, function)
    }

    /// Returns the relations of sizes that each run checks, such as "s0 == s1".
    ///
    /// # Errors
    /// [`Status::OUT_OF_MEMORY`].
    pub fn guards(&self) -> Result<Vec<String>> {
        // SAFETY: the graph is live.
        let count = unsafe { sys::tenon_graph_guard_count(self.as_raw()) };
        (0..count)
            .map(|index| {
                // SAFETY: zero is valid for the fields that are not set.
                let mut guard: sys::tenon_graph_guard = unsafe { std::mem::zeroed() };
                guard.struct_size = std::mem::size_of_val(&guard) as u32;
                let text = Buffer::fill(|out| {
                    // SAFETY: graph.h: fills the struct; `out` gets a new reference.
                    unsafe { sys::tenon_graph_get_guard(self.as_raw(), index, &mut guard, out) }
                })?;
                Ok(text.text())
            })
            .collect()
    }

    /// Runs a graph whose outputs are tensors.
    ///
    /// # Errors
    /// [`Status::INVALID_ARGUMENT`] for a wrong number of inputs, or the error of a call.
    pub fn run(&self, inputs: &[&Tensor]) -> Result<Vec<Tensor>> {
        let mut args: Vec<sys::tenon_value> = inputs
            .iter()
            .map(|input| {
                // SAFETY: zero is NONE, a valid value.
                let mut value: sys::tenon_value = unsafe { std::mem::zeroed() };
                value.tag = sys::TENON_TAG_TENSOR as u16;
                value.as_.tensor = input.as_raw();
                value
            })
            .collect();
        let count = self.output_count();
        with_slots(count, |rets| {
            // SAFETY: zero is valid for the fields that are not set.
            let mut stack: sys::tenon_stack = unsafe { std::mem::zeroed() };
            stack.args = args.as_mut_ptr();
            stack.nargs = args.len() as u32;
            stack.rets = rets.as_mut_ptr();
            stack.nrets = count as u32;
            // SAFETY: graph.h: the stack has the number of values; they are borrowed for the call.
            let status = unsafe { sys::tenon_graph_run(self.as_raw(), &mut stack) };
            if status != sys::TENON_OK as sys::tenon_status {
                return Err(failure(status, &mut stack));
            }
            (0..count)
                .map(|i| {
                    let value = rets.value("tenon_graph_run", i)?;
                    let actual = value.type_name();
                    Tensor::from_value(value).ok_or_else(|| {
                        Error::new(
                            Status::TYPE,
                            format!("tenon_graph_run: output {i} must be Tensor, got {actual}"),
                        )
                    })
                })
                .collect()
        })
    }

    /// Returns the number of inputs.
    pub fn input_count(&self) -> usize {
        // SAFETY: the graph is live.
        unsafe { sys::tenon_graph_input_count(self.as_raw()) as usize }
    }

    /// Returns the number of outputs.
    pub fn output_count(&self) -> usize {
        // SAFETY: the graph is live.
        unsafe { sys::tenon_graph_output_count(self.as_raw()) as usize }
    }

    /// Returns the number of attributes, the tensors that the graph holds.
    pub fn attribute_count(&self) -> usize {
        // SAFETY: the graph is live.
        unsafe { sys::tenon_graph_attribute_count(self.as_raw()) as usize }
    }

    /// Returns the number of nodes, which are calls.
    pub fn node_count(&self) -> usize {
        // SAFETY: the graph is live.
        unsafe { sys::tenon_graph_node_count(self.as_raw()) as usize }
    }

    /// Returns a call, with the graph's values as its arguments.
    ///
    /// # Errors
    /// [`Status::INDEX`] if the call does not exist.
    pub fn node(&self, index: usize) -> Result<Node> {
        let node = described(self.as_raw(), index as i64)?;
        // SAFETY: graph.h: `nargs` arguments, which live as long as the graph.
        let args = unsafe { slice(node.args, node.nargs as usize) };
        let args: Result<Vec<Value>> = args
            .iter()
            .map(|raw| RawValue::copy_of(raw).and_then(Value::from_owned))
            .collect();
        Ok(Node {
            // SAFETY: graph.h: a node's operator is never freed.
            op: unsafe { Op::from_raw(node.op) }?,
            args: args?,
            results: (0..node.nresults)
                .map(|i| Ref(node.first_result + i))
                .collect(),
        })
    }

    /// Returns the indices of the calls that use a value. If an output uses it, the number of calls
    /// is the last element.
    ///
    /// # Errors
    /// [`Status::INDEX`] if the value does not exist.
    pub fn users(&self, value: Ref) -> Result<Vec<usize>> {
        // SAFETY: graph.h: `out` gets a new reference.
        let users = Buffer::fill(|out| unsafe {
            sys::tenon_graph_list_users(self.as_raw(), value.0, out)
        })?;
        // Numbers of nodes come from a usize.
        Ok(users.slice::<i64>().iter().map(|&n| n as usize).collect())
    }

    /// Returns the frames in which a call was recorded, innermost first; needs [`FRAMES`].
    pub fn frames(&self, index: usize) -> Vec<Frame> {
        let index = index as i64;
        // SAFETY: graph.h: the graph is live; -1 if the call does not exist.
        let count = unsafe { sys::tenon_graph_frame_count(self.as_raw(), index) };
        let frame = |at| {
            // SAFETY: plain data; the all-zero frame is valid.
            let mut raw: sys::tenon_error_frame = unsafe { std::mem::zeroed() };
            // SAFETY: graph.h: the frame is filled; its texts live as long as the graph.
            unsafe {
                check(sys::tenon_graph_get_frame(
                    self.as_raw(),
                    index,
                    at,
                    &mut raw,
                ))
                .ok()?;
                Some(Frame::of(&raw))
            }
        };
        (0..count).filter_map(frame).collect()
    }

    /// Returns the name of a call's operator.
    ///
    /// # Errors
    /// [`Status::INDEX`] if the call does not exist.
    pub fn op(&self, index: usize) -> Result<String> {
        let node = described(self.as_raw(), index as i64)?;
        // SAFETY: op.h: the text is never freed.
        let name = unsafe { CStr::from_ptr(sys::tenon_op_name(node.op)) };
        Ok(name.to_string_lossy().into_owned())
    }

    /// Defines an operator that runs the graph.
    ///
    /// # Errors
    /// As [`Library::define`].
    pub fn define(&self, library: &Library, name: &str) -> Result<Op> {
        let name = c_name("Graph::define", "name", name)?;
        let mut out = ptr::null();
        // SAFETY: graph.h: the library's registrations retain the graph; `out` is never freed.
        unsafe {
            let (graph, library) = (self.as_raw(), library.as_raw());
            check(sys::tenon_graph_define(
                graph,
                library,
                name.as_ptr(),
                &mut out,
            ))?;
            Op::from_raw(out)
        }
    }

    /// Returns a new graph made by passes: [`FOLD_CONSTANTS`], [`MERGE_COMMON`], [`REMOVE_DEAD`].
    ///
    /// # Errors
    /// [`Status::INVALID_ARGUMENT`] for unknown bits.
    pub fn transform(&self, passes: u32) -> Result<Graph> {
        let mut out = ptr::null_mut();
        // SAFETY: graph.h: `out` gets a new reference.
        check(unsafe { sys::tenon_graph_transform(self.as_raw(), passes, &mut out) })?;
        // SAFETY: as above, and not NULL.
        Ok(unsafe { Graph::from_raw(out) })
    }

    /// Returns a new graph that only writes to inputs and attributes, at its end. `flags`:
    /// [`REMOVE_VIEWS`].
    ///
    /// # Errors
    /// [`Status::NOT_SUPPORTED`] for an operator that writes and has no functional overload, and
    /// for a view of a written value that has no inverse.
    pub fn functionalize(&self, flags: u32) -> Result<Graph> {
        let mut out = ptr::null_mut();
        // SAFETY: graph.h: `out` gets a new reference.
        check(unsafe { sys::tenon_graph_functionalize(self.as_raw(), flags, &mut out) })?;
        // SAFETY: as above, and not NULL.
        Ok(unsafe { Graph::from_raw(out) })
    }

    /// Returns the graph as text.
    ///
    /// # Errors
    /// [`Status::NOT_SUPPORTED`] for arguments that text cannot represent.
    pub fn text(&self) -> Result<String> {
        // SAFETY: graph.h: `out` gets a new reference.
        let text = Buffer::fill(|out| unsafe { sys::tenon_graph_print(self.as_raw(), out) })?;
        Ok(text.text())
    }

    /// Writes the graph and its tensors to one file.
    ///
    /// # Errors
    /// [`Status::SYSTEM`] naming the path.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = c_name("Graph::save", "path", &path.as_ref().to_string_lossy())?;
        // SAFETY: graph.h: the text is borrowed.
        check(unsafe { sys::tenon_graph_save(self.as_raw(), path.as_ptr()) })
    }

    /// Reads a graph from a file; its operators must be defined, and nothing is run.
    ///
    /// # Errors
    /// [`Status::SYSTEM`] naming the path, [`Status::PARSE`] for a file that is no graph,
    /// [`Status::NOT_FOUND`] naming operators that do not exist.
    pub fn load(path: impl AsRef<Path>) -> Result<Graph> {
        let path = c_name("Graph::load", "path", &path.as_ref().to_string_lossy())?;
        let mut out = ptr::null_mut();
        // SAFETY: graph.h: `out` gets a new reference.
        check(unsafe { sys::tenon_graph_load(path.as_ptr(), &mut out) })?;
        // SAFETY: as above, and not NULL.
        Ok(unsafe { Graph::from_raw(out) })
    }
}

/// A call in a graph.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Node {
    /// The operator that it calls.
    pub op: Op,
    /// All arguments, in the schema's order. A [`Ref`] is a [`Value::Other`], see [`Ref::of`].
    pub args: Vec<Value>,
    /// Its results.
    pub results: Vec<Ref>,
}

fn described(graph: *const sys::tenon_graph, index: i64) -> Result<sys::tenon_graph_node> {
    // SAFETY: zero is valid for all fields of the struct except its size.
    let mut node: sys::tenon_graph_node = unsafe { std::mem::zeroed() };
    node.struct_size = std::mem::size_of_val(&node) as u32;
    // SAFETY: graph.h: the struct is filled.
    check(unsafe { sys::tenon_graph_get_node(graph, index, &mut node) })?;
    Ok(node)
}

impl Clone for Graph {
    fn clone(&self) -> Graph {
        // SAFETY: retain returns a new reference to the live graph.
        unsafe { Graph::from_raw(sys::tenon_graph_retain(self.as_raw())) }
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        // SAFETY: this is our reference.
        unsafe { sys::tenon_graph_release(self.as_raw()) }
    }
}

impl fmt::Debug for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Graph({} calls)", self.node_count())
    }
}
