# SPDX-License-Identifier: Apache-2.0
"""What the machine has: tools, versions, Debian packages, and how missing ones get installed."""

from __future__ import annotations

import dataclasses
import glob
import os
import pathlib
import re
import shutil
import subprocess

import ui

# Minimum supported Rust: the version field of bindings/rust/Cargo.toml says the same.
RUST_MINIMUM = (1, 70)


@dataclasses.dataclass(frozen=True)
class Need:
    """One thing the project needs: how it is found, and the packages that bring it."""

    name: str
    packages: tuple
    program: str = ""  # a command that must exist ...
    version: tuple = ()  # ... at this version or newer ...
    files: tuple = ()  # ... or glob patterns of which one must match
    why: str = ""


NEEDS = {
    "gcc": Need("C++20 compiler", ("build-essential",), "g++", (11,), why="everything native"),
    "certificates": Need(
        "CA certificates",
        ("ca-certificates",),
        files=("/etc/ssl/certs/ca-certificates.crt",),
        why="downloads",
    ),
    "cmake": Need("CMake", ("cmake",), "cmake", (3, 25), why="the build"),
    "ninja": Need("Ninja", ("ninja-build",), "ninja", why="the build"),
    "gtest": Need(
        "GoogleTest",
        ("libgtest-dev",),
        files=("/usr/include/gtest/gtest.h", "/usr/local/include/gtest/gtest.h"),
        why="C++ tests",
    ),
    "cmocka": Need(
        "cmocka",
        ("libcmocka-dev",),
        files=("/usr/include/cmocka.h", "/usr/local/include/cmocka.h"),
        why="C tests",
    ),
    "openblas": Need(
        "OpenBLAS",
        ("libopenblas-dev",),
        files=("/usr/include/*/cblas.h", "/usr/include/cblas.h", "/usr/local/include/cblas.h"),
        why="matrix products of double and complex numbers",
    ),
    "onednn": Need(
        "oneDNN",
        ("libdnnl-dev",),
        files=("/usr/include/dnnl.h", "/usr/include/*/dnnl.h", "/usr/local/include/dnnl.h"),
        why="matrix products of floats",
    ),
    "swig": Need("SWIG", ("swig",), "swig", (4, 1), why="Python and Java bindings"),
    "python-dev": Need(
        "Python headers and venv", ("python3-dev", "python3-venv"), why="the Python binding"
    ),
    "jdk": Need("JDK", ("openjdk-17-jdk-headless",), "javac", (17,), why="the Java binding"),
    "maven": Need("Maven", ("maven",), "mvn", why="the Java binding"),
    "rust": Need("Rust", ("rustc-web", "cargo-web"), "cargo", RUST_MINIMUM, why="the Rust binding"),
    "png": Need(
        "libpng",
        ("libpng-dev",),
        files=("/usr/include/png.h", "/usr/local/include/png.h"),
        why="the demo",
    ),
    "jpeg": Need(
        "libjpeg",
        ("libjpeg-dev",),
        files=("/usr/include/jpeglib.h", "/usr/local/include/jpeglib.h"),
        why="the demo",
    ),
    "benchmark": Need(
        "Google Benchmark",
        ("libbenchmark-dev",),
        files=("/usr/include/benchmark/benchmark.h",),
        why="./dev bench",
    ),
    "gcc-aarch64": Need(
        "C++20 compiler for aarch64",
        ("g++-aarch64-linux-gnu",),
        "aarch64-linux-gnu-g++",
        (11,),
        why="./dev cross",
    ),
    "qemu": Need("QEMU", ("qemu-user-static",), "qemu-aarch64-static", why="./dev cross"),
    "debootstrap": Need("debootstrap", ("debootstrap",), "debootstrap", why="./dev test roots"),
    "clang": Need("clang", ("clang-14",), "clang++-14", why="./dev fuzz and ./dev lint"),
    "fuzzer": Need(
        "libFuzzer",
        ("libclang-rt-14-dev",),
        files=("/usr/lib/llvm-14/lib/clang/*/lib/linux/libclang_rt.fuzzer-*.a",),
        why="./dev fuzz",
    ),
    "clang-format": Need(
        "clang-format 14", ("clang-format-14",), "clang-format-14", why="./dev lint"
    ),
    "rustfmt": Need("rustfmt", ("rustfmt-web",), "rustfmt", why="./dev lint"),
    "clippy": Need("clippy", ("rust-web-clippy",), "cargo-clippy", why="./dev lint"),
    "doxygen": Need("Doxygen", ("doxygen",), "doxygen", why="the C reference of ./dev docs"),
    "libclang": Need(
        "libclang",
        ("libclang-14-dev",),
        files=("/usr/lib/llvm-*/lib/libclang*.so*",),
        why="bindgen, in ./dev lint",
    ),
}
NATIVE = ("gcc", "certificates", "cmake", "ninja", "gtest", "cmocka", "openblas", "onednn")
ALL = NATIVE + ("swig", "python-dev", "jdk", "maven", "rust", "png", "jpeg")
FUZZ = ("certificates", "cmake", "ninja", "clang", "fuzzer")
LINT = ("clang", "clang-format", "rustfmt", "clippy", "libclang")


def command_version(program: str) -> tuple:
    """Version a program prints about itself as a tuple of numbers, or () when it prints none."""
    flag = "-version" if os.path.basename(program).startswith("swig") else "--version"
    try:
        done = subprocess.run(
            [program, flag], capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.TimeoutExpired):
        return ()
    match = re.search(r"(\d+)\.(\d+)(?:\.(\d+))?", done.stdout + done.stderr)
    if match is None:
        match = re.search(r"\b(\d+)\b", done.stdout + done.stderr)
    return tuple(int(part) for part in match.groups() if part) if match else ()


def locate(need: Need) -> str | None:
    """Where a need is met: a path, or None. A program that is too old counts as missing."""
    if need.name == "Python headers and venv":
        return _python_headers()
    if need.program == "javac":
        home = java_home()
        return str(home / "bin/javac") if home else None
    if need.program:
        path = shutil.which(need.program)
        if path is None and need.program in ("cargo", "rustfmt", "cargo-clippy"):
            path = shutil.which(need.program, path=str(pathlib.Path.home() / ".cargo/bin"))
        if path is None or (need.version and command_version(path) < need.version):
            return None
        return path
    for pattern in need.files:
        found = sorted(glob.glob(pattern))
        if found:
            return found[0]
    return None


def _python_headers() -> str | None:
    import importlib.util
    import sysconfig

    header = pathlib.Path(sysconfig.get_path("include")) / "Python.h"
    return str(header) if header.exists() and importlib.util.find_spec("ensurepip") else None


def java_home(minimum: int = 17) -> pathlib.Path | None:
    """Home of a JDK of that release or newer: JAVA_HOME, javac on PATH, then /usr/lib/jvm."""
    candidates = []
    if os.environ.get("JAVA_HOME"):
        candidates.append(pathlib.Path(os.environ["JAVA_HOME"]))
    javac = shutil.which("javac")
    if javac:
        candidates.append(pathlib.Path(javac).resolve().parent.parent)
    candidates += [pathlib.Path(path) for path in sorted(glob.glob("/usr/lib/jvm/*"))]
    for home in candidates:
        if (home / "bin/javac").exists() and (home / "include/jni.h").exists():
            if command_version(str(home / "bin/javac")) >= (minimum,):
                return home
    return None


def missing(names: tuple) -> list:
    return [name for name in names if locate(NEEDS[name]) is None]


def ensure(names: tuple) -> None:
    """Installs what is missing of `names`, or tells the user the one line that does."""
    lacking = missing(names)
    if not lacking:
        return
    wanted = ", ".join(NEEDS[name].name for name in lacking)
    if shutil.which("apt-get") is None:
        raise ui.Failure(f"missing: {wanted}. Install them with your package manager, then repeat")
    prefix = _root_prefix()
    if prefix is not None:
        ui.say(f"missing: {wanted}")
        # Debian's slim images carry no package lists; the names below depend on them.
        ui.run("apt-get update", [*prefix, "apt-get", "-q", "update"], env=_apt_env())
    packages = sorted({p for name in lacking for p in _packages(name)})
    line = ["apt-get", "install", "-y", "--no-install-recommends", *packages]
    if prefix is None:
        raise ui.Failure(f"missing: {wanted}. Run as root, then repeat:\n  {' '.join(line)}")
    ui.run("apt-get install", [*prefix, *line], env=_apt_env())
    still = missing(tuple(lacking))
    if still:
        names = ", ".join(_describe(name) for name in still)
        raise ui.Failure(f"after installing {' '.join(packages)} these are still missing: {names}")


def _packages(name: str) -> tuple:
    """Packages that bring a need; Debian 12 has its newer Rust under other names than Ubuntu."""
    if name not in ("rust", "rustfmt", "clippy") or _has_candidate("cargo-web"):
        return NEEDS[name].packages
    return {"rust": ("rustc", "cargo"), "rustfmt": ("rustfmt",), "clippy": ("rust-clippy",)}[name]


def _has_candidate(package: str) -> bool:
    done = subprocess.run(["apt-cache", "policy", package], capture_output=True, text=True)
    return re.search(r"Candidate: \d", done.stdout) is not None


def _describe(name: str) -> str:
    need = NEEDS[name]
    version = ".".join(str(part) for part in need.version)
    return f"{need.name} {version}+".rstrip(" +") if not version else f"{need.name} {version}+"


def _root_prefix() -> list | None:
    if os.geteuid() == 0:
        return []
    sudo = shutil.which("sudo")
    if sudo and subprocess.run([sudo, "-n", "true"], capture_output=True).returncode == 0:
        return [sudo, "-n", "env", "DEBIAN_FRONTEND=noninteractive"]
    return None


def _apt_env() -> dict:
    return {"DEBIAN_FRONTEND": "noninteractive"}


def cargo() -> str:
    path = locate(NEEDS["rust"])
    if path is None:
        raise ui.Failure("cargo must be installed, got none; run ./dev test once")
    return path


def doctor(names: tuple, extra: list) -> int:
    """Prints what is found, missing and which version. Returns the number of missing needs."""
    rows = []
    lacking = 0
    for name in names:
        need = NEEDS[name]
        where = locate(need)
        wanted = ".".join(str(part) for part in need.version)
        version = ""
        if where and need.program:
            version = ".".join(str(part) for part in command_version(where))
        if where is None:
            lacking += 1
            where = "MISSING: " + " ".join(_packages(name))
        rows.append((need.name, version or "-", f"{wanted}+" if wanted else "any", need.why, where))
    width = [max(len(row[i]) for row in rows) for i in range(4)]
    for row in rows:
        print("  ".join(cell.ljust(w) for cell, w in zip(row, width)) + "  " + row[4])
    for line in extra:
        print(line)
    return lacking
