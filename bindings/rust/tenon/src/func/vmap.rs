// SPDX-License-Identifier: Apache-2.0
//! vmap: a function of one example, called once for all of them.

use std::ffi::CString;
use std::ptr;

use tenon_sys as sys;

use crate::error::Result;
use crate::func::call::call_by;
use crate::func::function::{Apply, TensorFunction, Transformed};
use crate::func::tree::TensorTree;
use crate::text::c_text;
use crate::Tensor;

/// What a random operator does in a vmap.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum Randomness {
    /// It fails.
    #[default]
    Error,
    /// It gives the same numbers for all of the mapped.
    Same,
    /// It gives other numbers for each.
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

/// How a function is mapped. Dims count from the end where they are negative.
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
    /// The first dim of all tensors, of arguments and results.
    pub fn new() -> VmapOptions {
        VmapOptions::default()
    }

    /// Which dim is mapped: one for all arguments, or one for each, `None` for what is passed on as
    /// it is.
    pub fn in_dims(mut self, dims: &[Option<i64>]) -> VmapOptions {
        self.in_dims = Some(raw_dims(dims));
        self
    }

    /// Where the mapped dim is in the results: one for all tensors, or one for each, `None` for one
    /// that is the same for all of the mapped.
    pub fn out_dims(mut self, dims: &[Option<i64>]) -> VmapOptions {
        self.out_dims = Some(raw_dims(dims));
        self
    }

    /// What random operators do.
    pub fn randomness(mut self, randomness: Randomness) -> VmapOptions {
        self.randomness = randomness;
        self
    }

    /// So many of the mapped at once; 0, as at first, is all.
    pub fn chunk_size(mut self, chunk_size: usize) -> VmapOptions {
        self.chunk_size = chunk_size as i64;
        self
    }

    /// What messages begin with.
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

/// A function that is another, mapped over the first dim of its arguments: it is called once, with
/// tensors that lack the dim.
pub fn vmap<'f, Kind, F>(function: F) -> Transformed<'f, F::Output>
where
    F: TensorFunction<Kind> + 'f,
{
    vmap_with(function, VmapOptions::new())
}

/// As [`vmap`], over other dims and with other options. The function made returns
/// [`Status::INVALID_ARGUMENT`](crate::Status::INVALID_ARGUMENT) for dims that do not fit.
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
