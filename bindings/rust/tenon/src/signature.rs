// SPDX-License-Identifier: Apache-2.0
//! Signatures of typed kernels: the hash of their lowered types, and the match with a schema.

use tenon_sys as sys;

use crate::error::{Error, Result};
use crate::pattern::Pattern;
use crate::schema::{Argument, Schema};
use crate::status::Status;

/// FNV-1a of `"<arguments>><results>"`, as kernel.h defines it.
pub(crate) const fn signature(arguments: &[u8], results: &[u8]) -> u64 {
    const fn step(hash: u64, byte: u8) -> u64 {
        (hash ^ byte as u64).wrapping_mul(0x100_0000_01b3)
    }
    let mut hash = 0xcbf2_9ce4_8422_2325;
    let mut at = 0;
    while at < arguments.len() {
        // 0 means a parameter that is no argument: the kernel's context.
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

/// A Rust type of a parameter or result: the schema types that it can represent, and its name.
pub(crate) type RustType = (Pattern, &'static str);

/// The Rust types of a kernel or a typed call.
pub(crate) struct RustTypes {
    pub(crate) parameters: Vec<RustType>,
    pub(crate) results: &'static [RustType],
    /// The hash of their lowered types.
    pub(crate) signature: u64,
}

/// Checks the types of a kernel or a typed call against a schema.
///
/// Returns true if the typed form can be used, which requires that the schema has the same
/// signature. The signatures differ if the results include a written argument, or if a parameter
/// takes any value.
pub(crate) fn fit(what: &str, schema: &Schema, types: &RustTypes) -> Result<bool> {
    let name = schema.full_name();
    let wrong = |message: String| Error::new(Status::INVALID_ARGUMENT, message);
    let arguments = schema.arguments();
    if arguments.len() != types.parameters.len() {
        let (want, got) = (arguments.len(), types.parameters.len());
        return Err(wrong(format!(
            "{name}: {what} must take {want} arguments, got {got}"
        )));
    }
    for (argument, (pattern, type_)) in arguments.iter().zip(&types.parameters) {
        if !pattern.accepts(argument.raw_type) {
            return Err(wrong(format!(
                "{name}: argument '{}' of the {what} must have a Rust type for {}, got {type_}",
                argument.name, argument.type_text
            )));
        }
    }
    let returns = schema.returns();
    let written = |one: &&Argument<'_>| {
        let argument = one.aliased_argument.and_then(|index| arguments.get(index));
        one.written && argument.is_some_and(|argument| argument.written)
    };
    let own: Vec<_> = returns.iter().filter(|one| !written(one)).collect();
    let all: Vec<_> = returns.iter().collect();
    if !accepts(types.results, &own) && !accepts(types.results, &all) {
        let want: Vec<_> = all.iter().map(|one| one.type_text.as_ref()).collect();
        let got: Vec<_> = types.results.iter().map(|(_, type_)| *type_).collect();
        return Err(wrong(format!(
            "{name}: results of the {what} must have Rust types for ({}), got ({})",
            want.join(", "),
            got.join(", ")
        )));
    }
    Ok(schema.signature_hash() == types.signature)
}

/// Returns true if the types match the returns. Any result matches a return of type `Any`.
fn accepts(types: &[RustType], returns: &[&Argument<'_>]) -> bool {
    let mut pairs = types.iter().zip(returns);
    types.len() == returns.len()
        && pairs.all(|((pattern, _), one)| {
            // SAFETY: the type is of a schema that lives.
            let kind = unsafe { sys::tenon_type_kind(one.raw_type) };
            kind == sys::TENON_TYPE_ANY || pattern.accepts(one.raw_type)
        })
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
