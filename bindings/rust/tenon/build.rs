// SPDX-License-Identifier: Apache-2.0
//! Lets this package's own tests and examples find libtenon where tenon-sys found it, and tells
//! dependents, as DEP_TENON_RUST_LIB_DIR, where that is.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if let Ok(dir) = std::env::var("DEP_TENON_LIB_DIR") {
        println!("cargo:rustc-link-arg=-Wl,-rpath,{dir}");
        println!("cargo:lib_dir={dir}");
    }
}
