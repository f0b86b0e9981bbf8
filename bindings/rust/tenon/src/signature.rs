// SPDX-License-Identifier: Apache-2.0
//! Signatures of typed kernels: letters for lowered types, their hash, and what fits a schema.

use tenon_sys as sys;

use crate::error::{Error, Result};
use crate::pattern::Pattern;
use crate::schema::Schema;
use crate::status::Status;

/// A schema's lowered types, one letter each as kernel.h lists them.
pub(crate) struct Letters {
    pub(crate) arguments: Vec<u8>,
    /// Results with an out of their own.
    pub(crate) results: Vec<u8>,
    /// All results, those included that are a written argument.
    pub(crate) results_boxed: Vec<u8>,
}

/// The letter of a schema type in a typed signature.
pub(crate) fn signature_letter(type_: *const sys::tenon_type) -> u8 {
    // SAFETY: callers pass a type of a live schema; its elements live as long.
    let (kind, element) = unsafe {
        let element = sys::tenon_type_element(type_, 0);
        let inner = if element.is_null() {
            0
        } else {
            sys::tenon_type_kind(element)
        };
        let optional = inner == sys::TENON_TYPE_OPTIONAL;
        let inmost = if optional {
            sys::tenon_type_element(element, 0)
        } else {
            element
        };
        let kind = sys::tenon_type_kind(type_);
        let inmost = if inmost.is_null() {
            0
        } else {
            sys::tenon_type_kind(inmost)
        };
        (
            kind,
            if optional && inmost != sys::TENON_TYPE_TENSOR {
                0
            } else {
                inmost
            },
        )
    };
    match kind {
        sys::TENON_TYPE_TENSOR => b'T',
        sys::TENON_TYPE_OPTIONAL if element == sys::TENON_TYPE_TENSOR => b'T',
        sys::TENON_TYPE_INT
        | sys::TENON_TYPE_SYMINT
        | sys::TENON_TYPE_DTYPE
        | sys::TENON_TYPE_LAYOUT
        | sys::TENON_TYPE_MEMORY_FORMAT
        | sys::TENON_TYPE_DEVICE_INDEX => b'i',
        sys::TENON_TYPE_BOOL => b'b',
        sys::TENON_TYPE_FLOAT => b'd',
        sys::TENON_TYPE_STRING => b's',
        sys::TENON_TYPE_LIST => match element {
            sys::TENON_TYPE_INT | sys::TENON_TYPE_SYMINT => b'I',
            sys::TENON_TYPE_FLOAT => b'D',
            sys::TENON_TYPE_BOOL => b'B',
            sys::TENON_TYPE_TENSOR => b'L',
            _ => b'v',
        },
        _ => b'v',
    }
}

/// FNV-1a of `"<arguments>><results>"`, as kernel.h defines it.
pub(crate) const fn signature(arguments: &[u8], results: &[u8]) -> u64 {
    const fn step(hash: u64, byte: u8) -> u64 {
        (hash ^ byte as u64).wrapping_mul(0x100_0000_01b3)
    }
    let mut hash = 0xcbf2_9ce4_8422_2325;
    let mut at = 0;
    while at < arguments.len() {
        // 0 stands for a parameter that is no argument: the kernel's context.
        if arguments[at] != 0 {
            hash = step(hash, arguments[at]);
        }
        at += 1;
    }
    hash = step(hash, b'>');
    at = 0;
    while at < results.len() {
        hash = step(hash, results[at]);
        at += 1;
    }
    hash
}

/// Checks a kernel's or caller's parameter types against a schema.
///
/// Returns whether the typed form serves: not where results count a written argument, or a
/// parameter takes any value.
pub(crate) fn fit(
    what: &str,
    schema: &Schema,
    patterns: &[(Pattern, u8, &'static str)],
    results: &[u8],
) -> Result<bool> {
    let name = schema.full_name();
    let wrong = |message: String| Error::new(Status::INVALID_ARGUMENT, message);
    let arguments = schema.arguments();
    if arguments.len() != patterns.len() {
        let (want, got) = (arguments.len(), patterns.len());
        return Err(wrong(format!(
            "{name}: {what} must take {want} arguments, got {got}"
        )));
    }
    let letters = schema.letters();
    let mut lowers = true;
    for (index, (argument, (pattern, letter, type_))) in arguments.iter().zip(patterns).enumerate()
    {
        lowers &= letters.arguments.get(index) == Some(letter);
        if !pattern.accepts(argument.raw_type) {
            return Err(wrong(format!(
                "{name}: argument '{}' of the {what} must have a Rust type for {}, got {type_}",
                argument.name, argument.type_text
            )));
        }
    }
    if letters.results == results {
        return Ok(lowers);
    }
    if letters.results_boxed == results {
        return Ok(false);
    }
    let types: Vec<_> = schema
        .returns()
        .iter()
        .map(|one| one.type_text.to_string())
        .collect();
    Err(wrong(format!(
        "{name}: results of the {what} must be Rust types for ({}), got {} of lowered types \"{}\"",
        types.join(", "),
        results.len(),
        String::from_utf8_lossy(results)
    )))
}

#[cfg(test)]
mod tests {
    use super::signature;

    #[test]
    fn signature_matches_the_vectors_of_the_header() {
        assert_eq!(signature(b"", b""), 0xaf63_b34c_8601_a6e1);
        assert_eq!(signature(b"T", b"T"), 0x6c62_fe19_e196_c2e9);
        assert_eq!(signature(b"TT", b"T"), 0xa377_5cfa_d220_a37f);
        assert_eq!(signature(b"TTv", b"T"), 0x7524_8d31_ac81_c403);
        assert_eq!(signature(b"\0TTv", b"T"), 0x7524_8d31_ac81_c403);
    }
}
