// SPDX-License-Identifier: Apache-2.0
//! Transforms of functions, which nest in any order and depth.
//!
//! A function is a closure that takes up to four `&Tensor`, or a slice of tensors, and returns a
//! `Result` of tensors: one, or tuples and vectors of them. A transform turns it into a
//! [`Transformed`], which is a function again.
//!
//! ```
//! use tenon::func::{grad, vmap_with, VmapOptions};
//! use tenon::Tensor;
//! let loss = |w: &Tensor, x: &Tensor| (w * x)?.sum()?.pow_tensor_scalar(2);
//! let per_sample = vmap_with(grad(loss), VmapOptions::new().in_dims(&[None, Some(0)]));
//! let w = Tensor::from_vec(vec![1.0f32, 1.0], &[2])?;
//! let x = Tensor::from_vec(vec![1.0f32, 2.0, 3.0, 4.0], &[2, 2])?;
//! assert_eq!(per_sample.call((&w, &x))?.to_vec::<f32>()?, [6.0, 12.0, 42.0, 56.0]);
//! # Ok::<(), tenon::Error>(())
//! ```
//!
//! If the function fails or panics, all transforms are left, and the error or panic is propagated
//! unchanged. [`Library::register_vmap`](crate::Library::register_vmap) registers an operator's
//! batching rule.

mod call;
mod derivatives;
mod function;
mod rule;
mod tree;
mod vmap;

pub use derivatives::{
    grad, grad_and_value, grad_and_value_of, grad_of, hessian, hessian_of, jacfwd, jacfwd_of,
    jacrev, jacrev_of, jvp, vjp, Pullback,
};
pub use function::{TensorArgs, TensorFunction, Transformed};
pub use rule::{Batched, VmapCall};
pub use tree::TensorTree;
pub use vmap::{vmap, vmap_with, Randomness, VmapOptions};
