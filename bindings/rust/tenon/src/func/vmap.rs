// SPDX-License-Identifier: Apache-2.0
//! vmap: calls a function of one example once for a whole batch.

use std::ffi::CString;
use std::ptr;

use tenon_sys as sys;

use crate::error::Result;
use crate::func::call::call_by;
use crate::func::function::{Apply, TensorFunction, Transformed};
use crate::func::tree::TensorTree;
use crate::text::c_text;
use crate::Tensor;

/// Behaviour of a random operator in a vmap.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum Randomness {
    /// It fails.
    #[default]
    Error,
    /// It returns the same numbers for all examples.
    Same,
    /// It returns different numbers for each example.
    Different,
}

impl Randomness {
    pub(super) fn number(self) -> u32 {
        match self {
            Randomness::Error => sys::TENON_RANDOMNESS_ERROR,
            Randomness::Same => sys::TENON_RANDOMNESS_SAME,
            Randomness::Different => sys::TENON_RANDOMNESS_DIFFERENT,
        }
    }

    pub(super) fn of_number(number: u32) -> Randomness {
        match number {
            sys::TENON_RANDOMNESS_SAME => Randomness::Same,
            sys::TENON_RANDOMNESS_DIFFERENT => Randomness::Different,
            _ => Randomness::Error,
        }
    }
}

/// Options for mapping a function. Negative dims count from the end.
#[derive(Clone, Debug, Default)]
#[must_use = "options do nothing before a function is mapped with them"]
pub struct VmapOptions {
    in_dims: Option<Vec<i64>>,
    out_dims: Option<Vec<i64>>,
    randomness: Randomness,
    chunk_size: i64,
    name: Option<CString>,
}

impl VmapOptions {
    /// Returns the default options: the first dim of all tensors is mapped, in arguments and
    /// results.
    pub fn new() -> VmapOptions {
        VmapOptions::default()
    }

    /// Sets the mapped dims: one for all arguments, or one for each, `None` for an argument that is
    /// not mapped.
    pub fn in_dims(mut self, dims: &[Option<i64>]) -> VmapOptions {
        self.in_dims = Some(raw_dims(dims));
        self
    }

    /// Sets the position of the mapped dim in the results: one for all tensors, or one for each,
    /// `None` for a result that is the same for all examples.
    pub fn out_dims(mut self, dims: &[Option<i64>]) -> VmapOptions {
        self.out_dims = Some(raw_dims(dims));
        self
    }

    /// Sets the behaviour of random operators.
    pub fn randomness(mut self, randomness: Randomness) -> VmapOptions {
        self.randomness = randomness;
        self
    }

    /// Sets the number of examples to run at once; 0, the default, means all.
    pub fn chunk_size(mut self, chunk_size: usize) -> VmapOptions {
        self.chunk_size = chunk_size as i64;
        self
    }

    /// Sets the function's name in messages.
    pub fn name(mut self, name: &str) -> VmapOptions {
        self.name = Some(c_text(name));
        self
    }

    fn raw(&self) -> sys::tenon_vmap_options {
        let pointer = |dims: &Option<Vec<i64>>| dims.as_ref().map_or(ptr::null(), |d| d.as_ptr());
        let count = |dims: &Option<Vec<i64>>| dims.as_ref().map_or(0, |d| d.len() as i64);
        sys::tenon_vmap_options {
            struct_size: std::mem::size_of::<sys::tenon_vmap_options>() as u32,
            randomness: self.randomness.number(),
            name: self
                .name
                .as_ref()
                .map_or(b"vmap\0".as_ptr().cast(), |n| n.as_ptr()),
            in_dims: pointer(&self.in_dims),
            out_dims: pointer(&self.out_dims),
            nin_dims: count(&self.in_dims),
            nout_dims: count(&self.out_dims),
            chunk_size: self.chunk_size,
            reserved: [0; 4],
        }
    }
}

fn raw_dims(dims: &[Option<i64>]) -> Vec<i64> {
    let none = i64::from(sys::TENON_DIM_NONE);
    dims.iter().map(|dim| dim.unwrap_or(none)).collect()
}

/// Makes a function that maps another one over the first dim of its arguments. The function is
/// called once, with tensors that lack the dim.
pub fn vmap<'f, Kind, F>(function: F) -> Transformed<'f, F::Output>
where
    F: TensorFunction<Kind> + 'f,
{
    vmap_with(function, VmapOptions::new())
}

/// Like [`vmap`], over other dims and with other options. The resulting function returns
/// [`Status::INVALID_ARGUMENT`](crate::Status::INVALID_ARGUMENT) if the dims do not fit.
pub fn vmap_with<'f, Kind, F>(function: F, options: VmapOptions) -> Transformed<'f, F::Output>
where
    F: TensorFunction<Kind> + 'f,
{
    Transformed::new(move |args| map(&|args| function.apply(args), &options, args))
}

pub(super) fn map<R: TensorTree>(
    function: &Apply<'_, R>,
    options: &VmapOptions,
    args: &[Tensor],
) -> Result<R> {
    let raw = options.raw();
    let (output, _) = call_by(function, args, |callable, ctx, stack, _| {
        // SAFETY: transforms.h: the options and the call's own memory live for the call.
        unsafe { sys::tenon_vmap(callable, ctx, &raw, stack) }
    })?;
    Ok(output)
}
