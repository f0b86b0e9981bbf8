// SPDX-License-Identifier: Apache-2.0
//! Conversions between tensors and arrays of `ndarray` 0.15 (feature `ndarray-0_15`).

use ::ndarray_0_15 as ndarray;

#[path = "arrays.rs"]
mod arrays;

pub use arrays::{from_ndarray, to_ndarray, view_ndarray};
