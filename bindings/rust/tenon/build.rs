// SPDX-License-Identifier: Apache-2.0
//! Lets this package's tests and examples find libtenon where tenon-sys found it, and passes the
//! folder on to dependents as DEP_TENON_RUST_LIB_DIR.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if let Ok(dir) = std::env::var("DEP_TENON_LIB_DIR") {
        println!("cargo:rustc-link-arg=-Wl,-rpath,{dir}");
        println!("cargo:lib_dir={dir}");
    }
}
