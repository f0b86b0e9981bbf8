// SPDX-License-Identifier: Apache-2.0
//! Sizes and strides of a tensor.

use std::fmt;
use std::ops::Deref;

use tenon_sys as sys;

/// Sizes or strides. They are copied, because an `out` argument may be resized while they are held.
#[derive(Clone, PartialEq, Eq)]
pub struct Dims {
    len: u8,
    inline: [i64; Dims::INLINE],
    spill: Vec<i64>,
}

impl Dims {
    const INLINE: usize = 5;

    /// Copies dims with `copy`, which writes at most TENON_TENSOR_MAX_DIMS numbers and returns
    /// their count. A negative count means no dims.
    pub(crate) fn copied(copy: impl FnOnce(*mut i64) -> i64) -> Dims {
        let mut numbers = [0; sys::TENON_TENSOR_MAX_DIMS as usize];
        let count = usize::try_from(copy(numbers.as_mut_ptr())).unwrap_or(0);
        Dims::new(numbers.get(..count).unwrap_or(&[]))
    }

    pub(crate) fn new(dims: &[i64]) -> Dims {
        let mut result = Dims {
            len: dims.len() as u8,
            inline: [0; 5],
            spill: Vec::new(),
        };
        match result.inline.get_mut(..dims.len()) {
            Some(inline) => inline.copy_from_slice(dims),
            None => result.spill = dims.to_vec(),
        }
        result
    }
}

impl Deref for Dims {
    type Target = [i64];

    fn deref(&self) -> &[i64] {
        self.inline
            .get(..usize::from(self.len))
            .unwrap_or(&self.spill)
    }
}

impl fmt::Debug for Dims {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl PartialEq<[i64]> for Dims {
    fn eq(&self, other: &[i64]) -> bool {
        **self == *other
    }
}

impl<const N: usize> PartialEq<[i64; N]> for Dims {
    fn eq(&self, other: &[i64; N]) -> bool {
        **self == *other
    }
}

/// The properties that [`Tensor::geometry`](crate::Tensor::geometry) returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Geometry {
    /// An int list.
    Sizes,
    /// An int list, in elements.
    Strides,
    /// An int, in elements.
    StorageOffset,
    /// An int.
    Numel,
}

impl Geometry {
    pub(crate) fn number(self) -> u32 {
        match self {
            Geometry::Sizes => sys::TENON_DIMS_SIZES,
            Geometry::Strides => sys::TENON_DIMS_STRIDES,
            Geometry::StorageOffset => sys::TENON_DIMS_OFFSET,
            Geometry::Numel => sys::TENON_DIMS_NUMEL,
        }
    }
}
