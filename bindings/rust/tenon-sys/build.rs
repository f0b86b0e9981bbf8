// SPDX-License-Identifier: Apache-2.0
//! Finds libtenon: TENON_LIB_DIR, then pkg-config, then the linker's own folders.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    for name in ["TENON_LIB_DIR", "PKG_CONFIG_PATH", "DOCS_RS"] {
        println!("cargo:rerun-if-env-changed={name}");
    }
    if env::var_os("DOCS_RS").is_some() {
        return;
    }
    match find() {
        Some(dir) => {
            println!("cargo:rustc-link-search=native={}", dir.display());
            // Dependents read it as DEP_TENON_LIB_DIR, to set a run-time path.
            println!("cargo:lib_dir={}", dir.display());
        }
        None => println!(
            "cargo:warning=libtenon.so: TENON_LIB_DIR must name its folder, or pkg-config must \
             know `tenon`, got neither; the linker's default folders are used"
        ),
    }
    println!("cargo:rustc-link-lib=dylib=tenon");
}

fn find() -> Option<PathBuf> {
    if let Some(dir) = env::var_os("TENON_LIB_DIR") {
        let dir = PathBuf::from(dir);
        if !has_library(&dir) {
            println!(
                "cargo:warning=TENON_LIB_DIR: {} has no libtenon.so",
                dir.display()
            );
        }
        return Some(dir);
    }
    let output = Command::new("pkg-config")
        .args(["--variable=libdir", "tenon"])
        .output()
        .ok()?;
    let dir = PathBuf::from(String::from_utf8(output.stdout).ok()?.trim());
    (output.status.success() && has_library(&dir)).then_some(dir)
}

fn has_library(dir: &Path) -> bool {
    dir.join("libtenon.so").exists() || dir.join("libtenon.dylib").exists()
}
