// SPDX-License-Identifier: Apache-2.0
//! Makes the benchmarks find libtenon where the crate tenon-sys found it.

fn main() {
    println!("cargo:rerun-if-env-changed=TENON_LIB_DIR");
    if let Ok(dir) = std::env::var("TENON_LIB_DIR") {
        println!("cargo:rustc-link-arg=-Wl,-rpath,{dir}");
    }
}
