// SPDX-License-Identifier: Apache-2.0
//! Tenon's C interface as bindgen writes it from `capi/include/tenon/tenon.h`.
//!
//! The contract of each function (errors, ownership, threads) is its comment. Nothing here is safe;
//! the `tenon` package is. `bindings/rust/regenerate.sh` writes `bindings.rs` and, with `--check`,
//! tells whether it is up to date.
#![allow(
    non_camel_case_types,
    non_upper_case_globals,
    non_snake_case,
    missing_docs
)]
#![allow(clippy::all, rustdoc::all)]
#![allow(deref_nullptr, improper_ctypes)]

include!("bindings.rs");
