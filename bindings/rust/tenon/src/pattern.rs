// SPDX-License-Identifier: Apache-2.0
//! The schema types that a Rust type can represent.

use tenon_sys as sys;

/// The schema types that a Rust type can represent.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub enum Pattern {
    Any,
    Kind(&'static [u32]),
    Optional(&'static Pattern),
    List(&'static Pattern),
    OneOf(&'static [Pattern]),
}

impl Pattern {
    /// Returns true if a type of a live schema matches.
    pub(crate) fn accepts(self, type_: *const sys::tenon_type) -> bool {
        // SAFETY: callers pass a type of a live schema; its elements live as long.
        let (kind, element) = unsafe {
            (
                sys::tenon_type_kind(type_),
                sys::tenon_type_element(type_, 0),
            )
        };
        match self {
            Pattern::Any => true,
            Pattern::Kind(kinds) => kinds.contains(&kind),
            Pattern::Optional(inner) => kind == sys::TENON_TYPE_OPTIONAL && inner.accepts(element),
            Pattern::List(inner) => kind == sys::TENON_TYPE_LIST && inner.accepts(element),
            Pattern::OneOf(patterns) => patterns.iter().any(|pattern| pattern.accepts(type_)),
        }
    }
}

pub(crate) const TENSOR: Pattern = Pattern::Kind(&[sys::TENON_TYPE_TENSOR]);
pub(crate) const INT: Pattern = Pattern::Kind(&[
    sys::TENON_TYPE_INT,
    sys::TENON_TYPE_SYMINT,
    sys::TENON_TYPE_DEVICE_INDEX,
]);
pub(crate) const FLOAT: Pattern = Pattern::Kind(&[sys::TENON_TYPE_FLOAT]);
pub(crate) const BOOL: Pattern = Pattern::Kind(&[sys::TENON_TYPE_BOOL]);
pub(crate) const STR: Pattern = Pattern::Kind(&[sys::TENON_TYPE_STRING]);
pub(crate) const SCALAR: Pattern = Pattern::Kind(&[sys::TENON_TYPE_SCALAR]);
pub(crate) const COMPLEX: Pattern = Pattern::Kind(&[sys::TENON_TYPE_COMPLEX]);
pub(crate) const DTYPE: Pattern = Pattern::Kind(&[sys::TENON_TYPE_DTYPE]);
pub(crate) const LAYOUT: Pattern = Pattern::Kind(&[sys::TENON_TYPE_LAYOUT]);
pub(crate) const FORMAT: Pattern = Pattern::Kind(&[sys::TENON_TYPE_MEMORY_FORMAT]);
pub(crate) const DEVICE: Pattern = Pattern::Kind(&[sys::TENON_TYPE_DEVICE]);
pub(crate) const GENERATOR: Pattern = Pattern::Kind(&[sys::TENON_TYPE_GENERATOR]);
pub(crate) const FUNCTION: Pattern = Pattern::Kind(&[sys::TENON_TYPE_FUNCTION]);
pub(crate) const OBJECT: Pattern = Pattern::Kind(&[
    sys::TENON_TYPE_CLASS,
    sys::TENON_TYPE_QUANTIZER,
    sys::TENON_TYPE_CAPSULE,
]);
pub(crate) const INTS: Pattern = Pattern::List(&INT);
pub(crate) const FLOATS: Pattern = Pattern::List(&FLOAT);
pub(crate) const BOOLS: Pattern = Pattern::List(&BOOL);
pub(crate) const TENSORS: Pattern = Pattern::List(&TENSOR);
