// SPDX-License-Identifier: Apache-2.0
//! The program finds libtenon at its link-time path, without LD_LIBRARY_PATH.

fn main() {
    if let Ok(dir) = std::env::var("DEP_TENON_RUST_LIB_DIR") {
        println!("cargo:rustc-link-arg=-Wl,-rpath,{dir}");
    }
}
