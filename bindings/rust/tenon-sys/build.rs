// SPDX-License-Identifier: Apache-2.0
//! Finds libtenon: in TENON_LIB_DIR, then, with the feature `vendored`, in a CMake build of the
//! sources in this package, otherwise by pkg-config, and finally in the linker's own folders.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{exit, Command};

fn main() {
    for name in ["TENON_LIB_DIR", "PKG_CONFIG_PATH", "DOCS_RS", "CMAKE"] {
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
            "cargo:warning=libtenon.so: TENON_LIB_DIR must name its folder, pkg-config must know \
             `tenon`, or the feature `vendored` build it, got none of them; the linker's default \
             folders are used"
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
    if env::var_os("CARGO_FEATURE_VENDORED").is_some() {
        return Some(vendored());
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

/// Builds libtenon and the operators' plugin, which is found beside it, and returns their folder.
fn vendored() -> PathBuf {
    let package = folder("CARGO_MANIFEST_DIR");
    let packed = package.join("vendor");
    let sources = if packed.exists() {
        packed
    } else {
        package.join("../../..")
    };
    for part in ["CMakeLists.txt", "capi", "core", "kernels"] {
        println!("cargo:rerun-if-changed={}", sources.join(part).display());
    }
    let out = folder("OUT_DIR");
    let build = out.join("build");
    let installed = out.join("installed");
    cmake(
        Command::new(cmake_program())
            .arg("-S")
            .arg(&sources)
            .arg("-B")
            .arg(&build)
            .args(["-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_INSTALL_LIBDIR=lib"])
            // Nobody edits these sources, and a unity build takes half the time.
            .arg("-DCMAKE_UNITY_BUILD=ON")
            .arg(format!("-DCMAKE_INSTALL_PREFIX={}", installed.display())),
    );
    let jobs = env::var("NUM_JOBS").unwrap_or_else(|_| "1".to_owned());
    cmake(
        Command::new(cmake_program())
            .arg("--build")
            .arg(&build)
            .args(["--parallel", &jobs]),
    );
    cmake(Command::new(cmake_program()).arg("--install").arg(&build));
    installed.join("lib")
}

fn cmake_program() -> std::ffi::OsString {
    env::var_os("CMAKE").unwrap_or_else(|| "cmake".into())
}

/// Returns a folder from a variable that cargo sets for every build script.
fn folder(variable: &str) -> PathBuf {
    match env::var_os(variable) {
        Some(path) => PathBuf::from(path),
        None => fail(&format!("{variable} must be set by cargo, got none")),
    }
}

fn cmake(command: &mut Command) {
    match command.status() {
        Ok(status) if status.success() => {}
        Ok(status) => fail(&format!("{command:?} must succeed, got {status}")),
        Err(error) => fail(&format!(
            "the feature `vendored` needs CMake 3.25, a C++20 compiler and make or Ninja, got \
             {error} from {command:?}"
        )),
    }
}

fn fail(message: &str) -> ! {
    eprintln!("tenon-sys: {message}");
    exit(1)
}
