// SPDX-License-Identifier: Apache-2.0
//! Autograd: gradients of tensors with respect to tensors, recorded while operators run.
//!
//! A leaf requires grad after [`Tensor::set_requires_grad`]. Calls with such an argument are
//! recorded, unless [`grad_mode`](crate::grad_mode) disables that. [`backward`] adds gradients to
//! those of the leaves, [`grad`] returns them, and [`BackwardOptions`] has options for both.
//!
//! ```
//! use tenon::{autograd, Tensor};
//! let x = Tensor::from_vec(vec![2.0f32, 3.0], &[2])?;
//! x.set_requires_grad(true)?;
//! (&x * &x)?.sum()?.backward()?;
//! assert_eq!(x.grad().unwrap().to_vec::<f32>()?, [4.0, 6.0]);
//!
//! let cube = (&(&x * &x)? * &x)?.sum()?;
//! let options = autograd::BackwardOptions::new().create_graph(true);
//! let slope = options.grad(&[&cube], &[&x])?.remove(0).unwrap();
//! let curve = autograd::grad(&[&slope.sum()?], &[&x])?; // derived again
//! assert_eq!(curve[0].to_vec::<f32>()?, [12.0, 18.0]);
//! # Ok::<(), tenon::Error>(())
//! ```
//!
//! [`Library::register_autograd`](crate::Library::register_autograd) registers the gradient of an
//! operator, as a text or as a closure: see [`Formula`]. A [`Function`] has forward and backward in
//! one type. A [`Hook`] runs during a backward pass, and [`SavedTensorsHooks`] when nodes save
//! tensors.

mod formula;
pub mod forward_ad;
mod function;
mod hook;
mod jvp;
mod node;
mod pass;
mod recording;

use std::ptr;

use tenon_sys as sys;

use crate::error::{check, Result};
use crate::Tensor;

pub use formula::{BackwardCall, Formula, GradientPolicy};
pub use function::{apply, function, Function, FunctionContext};
pub use hook::{when_done, Hook, Replaced, ScopedHook};
pub use jvp::JvpCall;
pub use node::{Edge, Node};
pub use pass::{backward, grad, BackwardOptions};
pub use recording::{AnomalyMode, DisabledSavedTensorsHooks, NodeCreationHook, SavedTensorsHooks};

impl Tensor {
    /// Returns true if the tensor requires grad: it was requested for a leaf, or a recorded call
    /// made it from a tensor that requires grad.
    pub fn requires_grad(&self) -> bool {
        // SAFETY: the tensor is live.
        unsafe { sys::tenon_tensor_requires_grad(self.as_raw()) != 0 }
    }

    /// Sets whether a leaf requires grad. No other thread may use the tensor during the call.
    ///
    /// # Errors
    /// [`Status::TYPE`](crate::Status::TYPE) for a dtype that is neither floating nor complex,
    /// [`Status::STATE`](crate::Status::STATE) for clearing it on a tensor that a recorded call
    /// made, for inference tensors and for tensors without memory of their own.
    pub fn set_requires_grad(&self, requires_grad: bool) -> Result<()> {
        // SAFETY: the tensor is live.
        check(unsafe { sys::tenon_tensor_set_requires_grad(self.as_raw(), requires_grad.into()) })
    }

    /// Returns true if the tensor was not made by a recorded call, so that gradients end at it.
    pub fn is_leaf(&self) -> bool {
        // SAFETY: the tensor is live.
        unsafe { sys::tenon_tensor_is_leaf(self.as_raw()) != 0 }
    }

    /// Returns the gradient that backward passes have accumulated in a leaf.
    pub fn grad(&self) -> Option<Tensor> {
        let mut out = ptr::null_mut();
        // SAFETY: the tensor is live, and `out` gets a new reference or NULL.
        let status = unsafe { sys::tenon_tensor_copy_grad(self.as_raw(), &mut out) };
        debug_assert_eq!(status, 0, "it fails for NULL only");
        // SAFETY: as above.
        (!out.is_null()).then(|| unsafe { Tensor::from_raw(out) })
    }

    /// Sets a leaf's gradient, which must have the tensor's sizes, dtype and device. `None` clears
    /// it.
    ///
    /// # Errors
    /// [`Status::INVALID_ARGUMENT`](crate::Status::INVALID_ARGUMENT) for a gradient that does not
    /// match or is the tensor itself, [`Status::STATE`](crate::Status::STATE) for a tensor that is
    /// no leaf.
    pub fn set_grad(&self, grad: Option<&Tensor>) -> Result<()> {
        let grad = grad.map_or(ptr::null_mut(), Tensor::as_raw);
        // SAFETY: both are live; the gradient is retained.
        check(unsafe { sys::tenon_tensor_set_grad(self.as_raw(), grad) })
    }

    /// Returns the node of the recorded call that made the tensor, or `None` for a leaf.
    ///
    /// # Errors
    /// As [`Tensor::gradient_edge`].
    pub fn grad_fn(&self) -> Result<Option<Node>> {
        let edge = self.gradient_edge()?;
        Ok(edge.filter(|_| !self.is_leaf()).map(|edge| edge.node))
    }

    /// Returns the node and output that receive the tensor's gradients. A leaf that requires grad
    /// has a node of its own. Returns `None` if no gradient flows to the tensor.
    ///
    /// # Errors
    /// [`Status::STATE`](crate::Status::STATE) for a view made in no_grad or inference mode whose
    /// base was written since.
    pub fn gradient_edge(&self) -> Result<Option<Edge>> {
        Edge::fill(|node, output| {
            // SAFETY: the tensor is live, and `node` gets a new reference or NULL.
            unsafe { sys::tenon_tensor_copy_node(self.as_raw(), node, output) }
        })
    }

    /// Returns the base of a view, which is never a view itself.
    pub fn base(&self) -> Option<Tensor> {
        // SAFETY: the tensor is live; NULL or a new reference.
        unsafe {
            let base = sys::tenon_tensor_copy_base(self.as_raw());
            (!base.is_null()).then(|| Tensor::from_raw(base))
        }
    }

    /// Runs a backward pass from this tensor, like [`backward`] with one tensor.
    ///
    /// # Errors
    /// As [`backward`].
    pub fn backward(&self) -> Result<()> {
        backward(&[self])
    }
}
