// SPDX-License-Identifier: Apache-2.0
//! Backward passes.

use std::ptr;

use tenon_sys as sys;

use crate::error::{check, Error, Result};
use crate::status::Status;
use crate::Tensor;

/// Runs a backward pass: propagates gradients from `tensors`, each of one element, through the
/// graph and adds them to those of the leaves. The first error stops it; gradients that were added
/// before remain.
///
/// # Errors
/// [`Status::INVALID_ARGUMENT`] for a tensor with more than one element, whose gradient must be
/// passed by [`BackwardOptions::grad_tensors`]; [`Status::STATE`] for tensors that do not require
/// grad, a graph that was freed, and saved tensors that were written since; what a formula raised.
pub fn backward(tensors: &[&Tensor]) -> Result<()> {
    BackwardOptions::new().backward(tensors)
}

/// Returns the gradients of `inputs`, without changing those of leaves.
///
/// # Errors
/// As [`backward`]; [`Status::STATE`] for inputs that do not require grad, or that no output
/// depends on.
pub fn grad(outputs: &[&Tensor], inputs: &[&Tensor]) -> Result<Vec<Tensor>> {
    let grads = BackwardOptions::new().grad(outputs, inputs)?;
    // Without `allow_unused` each input has a gradient.
    Ok(grads.into_iter().flatten().collect())
}

/// Options of a backward pass.
///
/// ```
/// use tenon::{autograd::BackwardOptions, Tensor};
/// let x = Tensor::from_vec(vec![2.0f32, 3.0], &[2])?;
/// x.set_requires_grad(true)?;
/// let y = (&x * &x)?;
/// let weights = Tensor::from_vec(vec![1.0f32, 10.0], &[2])?;
/// BackwardOptions::new().grad_tensors(&[Some(&weights)]).backward(&[&y])?;
/// assert_eq!(x.grad().unwrap().to_vec::<f32>()?, [4.0, 60.0]);
/// # Ok::<(), tenon::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
#[must_use = "options do nothing before a pass is run with them"]
pub struct BackwardOptions<'a> {
    grad_tensors: Option<&'a [Option<&'a Tensor>]>,
    inputs: Option<&'a [&'a Tensor]>,
    flags: u32,
}

impl<'a> BackwardOptions<'a> {
    /// Returns the default options: outputs have one element, all leaves get gradients, and the
    /// graph is freed.
    pub fn new() -> BackwardOptions<'a> {
        BackwardOptions::default()
    }

    /// Sets a gradient for each output, of its shape. `None` means 1, for a one-element output.
    pub fn grad_tensors(mut self, grads: &'a [Option<&'a Tensor>]) -> Self {
        self.grad_tensors = Some(grads);
        self
    }

    /// Sets the tensors that [`BackwardOptions::backward`] accumulates gradients into; by default
    /// all leaves. For a tensor that is no leaf, [`Tensor::retain_grad`] takes effect.
    pub fn inputs(mut self, inputs: &'a [&'a Tensor]) -> Self {
        self.inputs = Some(inputs);
        self
    }

    /// Sets whether nodes keep their saved values for another pass.
    pub fn retain_graph(self, retain: bool) -> Self {
        self.flag(sys::TENON_BACKWARD_KEEP_GRAPH, retain)
    }

    /// Sets whether the pass itself is recorded, for higher derivatives. This also keeps the graph.
    pub fn create_graph(self, create: bool) -> Self {
        self.flag(sys::TENON_BACKWARD_CREATE_GRAPH, create)
    }

    /// Sets whether [`BackwardOptions::grad`] returns `None` for an input that no output depends
    /// on, instead of an error.
    pub fn allow_unused(self, allow: bool) -> Self {
        self.flag(sys::TENON_BACKWARD_ALLOW_UNUSED, allow)
    }

    fn flag(mut self, flag: u32, on: bool) -> Self {
        self.flags = if on {
            self.flags | flag
        } else {
            self.flags & !flag
        };
        self
    }

    /// Runs a pass that adds gradients to those of the leaves.
    ///
    /// # Errors
    /// As [`backward`]; [`Status::INVALID_ARGUMENT`] for gradients of other shapes or another
    /// number of them, and for `inputs` that are empty; [`Status::STATE`] for inputs that do not
    /// require grad.
    pub fn backward(self, tensors: &[&Tensor]) -> Result<()> {
        const FUNCTION: &str = "autograd::backward";
        let inputs = match self.inputs {
            Some([]) => {
                let text = "inputs must not be empty; leave them out for all leaves";
                return Err(wrong(FUNCTION, text));
            }
            inputs => inputs.unwrap_or_default(),
        };
        self.with_raw(FUNCTION, tensors, inputs, |options| {
            // SAFETY: the options and all that they point to live for the call.
            check(unsafe { sys::tenon_backward(options) })
        })
    }

    /// Runs a pass that returns the gradients of `inputs`. A gradient can only be `None` with
    /// [`BackwardOptions::allow_unused`].
    ///
    /// # Errors
    /// As [`grad`](crate::autograd::grad); [`Status::INVALID_ARGUMENT`] for gradients of other
    /// shapes or another number of them.
    pub fn grad(self, outputs: &[&Tensor], inputs: &[&Tensor]) -> Result<Vec<Option<Tensor>>> {
        const FUNCTION: &str = "autograd::grad";
        if self.inputs.is_some() {
            let text = "inputs must be given as an argument only, got them as an option, too";
            return Err(wrong(FUNCTION, text));
        }
        self.with_raw(FUNCTION, outputs, inputs, |options| {
            let mut grads: Vec<Option<Tensor>> = Vec::new();
            grads.resize_with(inputs.len(), || None);
            // SAFETY: as above; `grads` has room for one new reference per input, NULL is `None`,
            // and a failure leaves no reference in it.
            check(unsafe { sys::tenon_grad(options, grads.as_mut_ptr().cast()) })?;
            Ok(grads)
        })
    }

    fn with_raw<T>(
        self,
        function: &str,
        outputs: &[&Tensor],
        inputs: &[&Tensor],
        run: impl FnOnce(&sys::tenon_backward_options) -> Result<T>,
    ) -> Result<T> {
        let raw = |tensors: &[&Tensor]| -> Vec<*mut sys::tenon_tensor> {
            tensors.iter().map(|tensor| tensor.as_raw()).collect()
        };
        let (outputs, inputs) = (raw(outputs), raw(inputs));
        let grads: Vec<*mut sys::tenon_tensor> = self
            .grad_tensors
            .unwrap_or_default()
            .iter()
            .map(|grad| grad.map_or(ptr::null_mut(), Tensor::as_raw))
            .collect();
        if self.grad_tensors.is_some() && grads.len() != outputs.len() {
            let (want, got) = (outputs.len(), grads.len());
            let text = format!("grad_tensors must be {want}, one for each output, got {got}");
            return Err(wrong(function, &text));
        }
        // SAFETY: plain data; all-zero is a pass without anything.
        let mut raw: sys::tenon_backward_options = unsafe { std::mem::zeroed() };
        raw.struct_size = std::mem::size_of::<sys::tenon_backward_options>() as u32;
        raw.flags = self.flags;
        raw.outputs = outputs.as_ptr();
        if self.grad_tensors.is_some() {
            raw.grads = grads.as_ptr();
        }
        raw.inputs = inputs.as_ptr();
        raw.noutputs = outputs.len() as i64;
        raw.ninputs = inputs.len() as i64;
        run(&raw)
    }
}

fn wrong(function: &str, text: &str) -> Error {
    Error::new(Status::INVALID_ARGUMENT, format!("{function}: {text}"))
}
