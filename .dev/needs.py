# SPDX-License-Identifier: Apache-2.0
"""The tools and libraries that Tenon is built, tested and documented with."""

from __future__ import annotations

import dataclasses

# The oldest supported Rust; bindings/rust/Cargo.toml has the same number.
RUST_MINIMUM = (1, 70)
PACKAGE_MANAGERS = ("dnf", "pacman", "apk", "brew")


@dataclasses.dataclass(frozen=True)
class Need:
    """A tool or library: how it is recognized, and the packages that provide it.

    `apt` lists alternatives. Each is a group of packages that are installed together; a `{}` in
    their names is a version number, of which the system offers several. The alternative whose first
    package is newest is installed. `elsewhere` has the names of packages for the managers of
    PACKAGE_MANAGERS, in that order.
    """

    name: str
    why: str
    apt: tuple
    elsewhere: tuple = ()
    program: str = ""  # a command that must exist; a trailing `-*` also accepts numbered versions
    minimum: tuple = ()  # the oldest version of the command
    files: tuple = ()  # needs without a command: glob patterns, one of which must match
    tried: str = ""  # versions that the suites were run with
    oldest_from: tuple = ()  # take the oldest version from this one on instead of the newest


def header(*names: str) -> tuple:
    """Returns glob patterns that match a header in the system's include folders."""
    folders = ("/usr/include", "/usr/include/*", "/usr/local/include", "/opt/homebrew/include")
    return tuple(f"{folder}/{name}" for folder in folders for name in names)


NEEDS = {
    "gcc": Need(
        "C++20 compiler",
        "everything native",
        (("g++", "build-essential"),),
        ("gcc-c++", "gcc", "build-base", "gcc"),
        "g++",
        (11,),
        tried="gcc 11 to 16; clang 14 to 19, 21, 22",
    ),
    "certificates": Need(
        "CA certificates",
        "downloads",
        (("ca-certificates",),),
        ("ca-certificates", "ca-certificates", "ca-certificates", "ca-certificates"),
        files=(
            "/etc/ssl/certs/ca-certificates.crt",
            "/etc/pki/tls/certs/ca-bundle.crt",
            "/etc/ssl/cert.pem",
        ),
    ),
    "cmake": Need(
        "CMake",
        "the build",
        (("cmake",),),
        ("cmake", "cmake", "cmake", "cmake"),
        "cmake",
        (3, 25),
        tried="3.25, 3.31, 4.3",
    ),
    "ninja": Need(
        "Ninja",
        "the build",
        (("ninja-build",),),
        ("ninja-build", "ninja", "samurai", "ninja"),
        "ninja",
    ),
    "gtest": Need(
        "GoogleTest",
        "C++ tests",
        (("libgtest-dev",),),
        ("gtest-devel", "gtest", "gtest-dev", "googletest"),
        files=header("gtest/gtest.h"),
        tried="1.12, 1.16, 1.18",
    ),
    "cmocka": Need(
        "cmocka",
        "C tests",
        (("libcmocka-dev",),),
        ("libcmocka-devel", "cmocka", "cmocka-dev", "cmocka"),
        files=header("cmocka.h"),
        tried="1.1.5, 1.1.7, 2.0",
    ),
    "openblas": Need(
        "OpenBLAS",
        "matrix products of double and complex numbers",
        (("libopenblas-dev",),),
        ("openblas-devel", "openblas", "openblas-dev", "openblas"),
        files=header("cblas.h"),
        tried="0.3.21, 0.3.29, 0.3.34",
    ),
    "onednn": Need(
        "oneDNN",
        "matrix products of floats",
        (("libdnnl-dev",),),
        ("onednn-devel", "onednn", "onednn-dev", "onednn"),
        files=header("dnnl.h"),
        tried="2.6, 3.7, 3.12",
    ),
    "swig": Need(
        "SWIG",
        "Python and Java bindings",
        (("swig",),),
        ("swig", "swig", "swig", "swig"),
        "swig",
        (4, 1),
        tried="4.1 to 4.5",
    ),
    "python-dev": Need(
        "Python headers and venv",
        "the Python binding",
        (("python3-dev", "python3-venv"),),
        ("python3-devel", "python", "python3-dev", "python"),
        tried="3.10 to 3.14",
    ),
    "jdk": Need(
        "JDK",
        "the Java binding",
        (("openjdk-{}-jdk-headless",),),
        ("java-latest-openjdk-devel", "jdk-openjdk", "openjdk21-jdk", "openjdk"),
        "javac",
        (17,),
        tried="17, 25, 27",
    ),
    "maven": Need(
        "Maven",
        "the Java binding",
        (("maven",),),
        ("maven", "maven", "maven", "maven"),
        "mvn",
    ),
    "rust": Need(
        "Rust",
        "the Rust binding",
        # Debian's rustc-web is newer than the rustc of the same release.
        (("rustc", "cargo"), ("rustc-web", "cargo-web")),
        ("rust cargo", "rust", "rust cargo", "rust"),
        "cargo",
        RUST_MINIMUM,
        tried="1.70 to 1.97",
    ),
    "png": Need(
        "libpng",
        "the demo",
        (("libpng-dev",),),
        ("libpng-devel", "libpng", "libpng-dev", "libpng"),
        files=header("png.h"),
    ),
    "jpeg": Need(
        "libjpeg",
        "the demo",
        (("libjpeg-dev",),),
        ("libjpeg-turbo-devel", "libjpeg-turbo", "libjpeg-turbo-dev", "jpeg-turbo"),
        files=header("jpeglib.h"),
    ),
    "benchmark": Need(
        "Google Benchmark",
        "./dev bench",
        (("libbenchmark-dev",),),
        ("google-benchmark-devel", "benchmark", "benchmark-dev", "google-benchmark"),
        files=header("benchmark/benchmark.h"),
    ),
    "gcc-aarch64": Need(
        "C++20 compiler for aarch64",
        "./dev cross",
        (("g++-aarch64-linux-gnu",),),
        program="aarch64-linux-gnu-g++",
        minimum=(11,),
    ),
    "qemu": Need(
        "QEMU",
        "./dev cross",
        (("qemu-user-static",), ("qemu-user",)),
        program="qemu-aarch64-static",
    ),
    "debootstrap": Need(
        "debootstrap",
        "./dev systems and ./dev test roots",
        (("debootstrap",),),
        ("debootstrap", "debootstrap", "debootstrap", ""),
        "debootstrap",
    ),
    "clang": Need(
        "clang",
        "./dev fuzz and ./dev lint",
        (("clang-{}",),),
        ("clang", "clang", "clang", "llvm"),
        "clang++-*",
        (14,),
        tried="14, 16, 19",
        oldest_from=(14,),
    ),
    "fuzzer": Need(
        "libFuzzer",
        "./dev fuzz",
        (("libclang-rt-{}-dev",),),
        ("compiler-rt", "compiler-rt", "compiler-rt", "llvm"),
        files=(
            "/usr/lib/llvm-*/lib/clang/*/lib/linux/libclang_rt.fuzzer-*.a",
            "/usr/lib*/clang/*/lib/linux/libclang_rt.fuzzer-*.a",
        ),
        oldest_from=(14,),
    ),
    "rustfmt": Need(
        "rustfmt",
        "./dev lint",
        (("rustfmt",), ("rustfmt-web",)),
        ("rustfmt", "rust", "rust", "rust"),
        "rustfmt",
    ),
    "clippy": Need(
        "clippy",
        "./dev lint",
        (("rust-clippy",), ("rust-web-clippy",)),
        ("clippy", "rust", "rust-clippy", "rust"),
        "cargo-clippy",
    ),
    "doxygen": Need(
        "Doxygen",
        "the C reference of ./dev docs",
        (("doxygen",),),
        ("doxygen", "doxygen", "doxygen", "doxygen"),
        "doxygen",
    ),
    "libclang": Need(
        "libclang",
        "bindgen, in ./dev lint",
        (("libclang-{}-dev",),),
        ("clang-devel", "clang", "clang-dev", "llvm"),
        files=("/usr/lib/llvm-*/lib/libclang*.so*", "/usr/lib*/libclang.so*"),
        oldest_from=(14,),  # what bindgen writes differs a little between versions
    ),
}
NATIVE = ("gcc", "certificates", "cmake", "ninja", "gtest", "cmocka", "openblas", "onednn")
ALL = NATIVE + ("swig", "python-dev", "jdk", "maven", "rust", "png", "jpeg")
FUZZ = ("certificates", "cmake", "ninja", "clang", "fuzzer")
LINT = ("clang", "rustfmt", "clippy", "libclang")
