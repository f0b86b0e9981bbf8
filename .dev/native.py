# SPDX-License-Identifier: Apache-2.0
"""Configures, builds and tests a CMake preset; builds the Java and Rust packages beside it."""

from __future__ import annotations

import hashlib
import os
import pathlib
import re

import environment
import machine
import needs
import ui

PRESETS = (
    "dev",
    "release",
    "bench",
    "asan-ubsan",
    "tsan",
    "ubsan",
    "aarch64",
    "coverage",
    "fuzz",
    "cuda",
)
# Packages that each preset needs. Sanitizer and CUDA presets build only native code.
NEEDS = {
    "dev": needs.ALL,
    "release": needs.ALL,
    "bench": (*needs.ALL, "benchmark"),
    "asan-ubsan": needs.NATIVE,
    "tsan": needs.NATIVE,
    "ubsan": needs.NATIVE,
    "aarch64": ("gcc", "certificates", "cmake", "ninja"),
    "coverage": needs.NATIVE,
    "fuzz": needs.FUZZ,
    "cuda": needs.NATIVE,
}


def jobs() -> str:
    return os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", str(os.cpu_count() or 2))


def build(
    preset: str,
    cmake: str = "cmake",
    settings: tuple = (),
    env: dict | None = None,
    targets: tuple = (),
) -> None:
    """Updates build/<preset>; configures only if CMake would not reconfigure by itself."""
    directory = environment.build_dir(preset)
    arguments = [cmake, "--preset", preset, "-B", directory, *settings]
    # Only CI treats warnings as errors: a user's compiler may be newer than those that were tried.
    arguments.append(f"-DTENON_WERROR={os.environ.get('TENON_WERROR', 'OFF')}")
    if preset == "fuzz":
        clang = machine.locate(needs.NEEDS["clang"])
        arguments += [f"-DCMAKE_C_COMPILER={clang.replace('clang++', 'clang')}"]
        arguments += [f"-DCMAKE_CXX_COMPILER={clang}"]
    if preset in ("dev", "release", "bench"):
        interpreter = environment.python("base")
        arguments.append(f"-DPython3_EXECUTABLE={interpreter}")
        arguments.append(f"-DTENON_CARGO={machine.cargo()}")
        home = machine.java_home()
        if home:
            arguments.append(f"-DJAVA_HOME={home}")
            arguments.append(f"-DTENON_JDK22_HOME={machine.java_home(22) or ''}")
            env = {**(env or {}), "JAVA_HOME": str(home)}
    stamp = directory / "configured-with"
    presets = hashlib.sha256((ui.ROOT / "CMakePresets.json").read_bytes()).hexdigest()
    line = "\n".join([*(str(argument) for argument in arguments), presets])
    files = (stamp, directory / "build.ninja", directory / "CMakeCache.txt")
    if not all(file.exists() for file in files) or stamp.read_text() != line:
        ui.run(f"configure {preset}", arguments, env=env)
        stamp.write_text(line)
    wanted = ["--target", *targets] if targets else []
    ui.run(f"build {preset}", [cmake, "--build", directory, "-j", jobs(), *wanted], env=env)


def build_for_python(path: str) -> tuple:
    """Builds the package for another Python; returns the build's name and an interpreter for it."""
    machine.ensure(NEEDS["release"])
    version = ".".join(str(part) for part in environment.version_of(path)[:2])
    name = f"python-{version}"
    interpreter = environment.python("base", venv=ui.BUILD / f"venv-{version}", base=path)
    directory = environment.build_dir(name)
    # Only the settings that the package and its tests need.
    settings = (f"-DPython3_EXECUTABLE={interpreter}", "-DTENON_BUILD_JAVA=OFF")
    arguments = ["cmake", "--preset", "release", "-B", directory, *settings]
    ui.run(f"configure {name}", [*arguments, "-DTENON_BUILD_EXAMPLES=OFF"])
    targets = (
        "tenon_python",
        "tenon_cpu",
        "tenon_wrappers",
        "python_test_threads",
        "python_test_foreign",
    )
    ui.run(f"build {name}", ["cmake", "--build", directory, "-j", jobs(), "--target", *targets])
    return name, interpreter


def build_extension(path: str, version: str, stubs: pathlib.Path) -> pathlib.Path:
    """Builds the extension alone for another Python, as it ships, on the release's libtenon."""
    directory = environment.build_dir(f"extension-{version}")
    (library,) = (environment.build_dir("release") / "shipped").glob("libtenon.so.*.*.*")
    settings = (f"-DPython3_EXECUTABLE={path}", f"-DTENON_LIBRARY={library}")
    arguments = ["cmake", "-S", ui.ROOT, "-B", directory, "-G", "Ninja", *settings]
    arguments.append("-DTENON_BUILD_PYTHON=ON")
    arguments.append(f"-DTENON_GLIBC_STUBS={stubs}")
    ui.run(f"configure the extension for Python {version}", arguments)
    command = ["cmake", "--build", directory, "-j", jobs(), "--target", "tenon_python_shipped"]
    ui.run(f"build the extension for Python {version}", command)
    return directory


def build_all(preset: str = "release") -> None:
    """Builds everything of a preset that has all bindings: native, Python, Java, Rust."""
    machine.ensure(NEEDS[preset])
    build(preset)
    build_rust(preset)


def maven(
    what: str, preset: str, *arguments: str, env: dict | None = None, check: bool = True
) -> int:
    """Runs Maven on bindings/java, offline once its cache holds all dependencies."""
    pom = ui.ROOT / "bindings" / "java" / "pom.xml"
    stamp = ui.BUILD / "java" / f"cached-{'-'.join(a for a in arguments if a[:1] != '-')}"
    offline = stamp.exists() and stamp.read_text() == pom.read_text()
    common = [
        "mvn",
        "-B",
        "-ntp",
        "-f",
        pom,
        f"-Dtenon.build.dir={ui.BUILD / 'java'}",
        f"-Dtenon.lib.dir={environment.build_dir(preset) / 'lib'}",
        f"-Dtenon.native.build.dir={environment.build_dir(preset)}",
    ]
    env = {**environment.runtime(preset), **(env or {})}
    status = ui.run(what, [*common, *(["-o"] if offline else []), *arguments], env=env, check=check)
    if status == 0 and not offline:
        stamp.parent.mkdir(parents=True, exist_ok=True)
        stamp.write_text(pom.read_text())
    return status


def build_rust(preset: str = "release") -> None:
    manifest = ui.ROOT / "bindings" / "rust" / "Cargo.toml"
    if manifest.exists():
        ui.run(
            "build rust packages",
            [
                machine.cargo(),
                "build",
                "--release",
                "--workspace",
                "--all-features",
                "--locked",
                "--manifest-path",
                manifest,
            ],
            env=environment.runtime(preset),
        )


def ctest_program(directory: pathlib.Path) -> str:
    """Returns the ctest of the CMake that configured a tree: others may not read its tests."""
    cache = directory / "CMakeCache.txt"
    text = cache.read_text() if cache.exists() else ""
    found = re.search(r"^CMAKE_CTEST_COMMAND:INTERNAL=(.+)$", text, re.M)
    return found.group(1) if found else "ctest"


def ctest(what: str, preset: str, junit: pathlib.Path, arguments: tuple, env: dict) -> int:
    """Runs part of a preset's tests under ctest, with results as JUnit XML."""
    junit.parent.mkdir(parents=True, exist_ok=True)
    junit.unlink(missing_ok=True)
    directory = environment.build_dir(preset)
    command = [
        ctest_program(directory),
        "--test-dir",
        directory,
        "-j",
        jobs(),
        "--output-on-failure",
        "--no-tests=error",
        "--output-junit",
        junit,
        "--test-output-size-passed",
        "1000000",
        *arguments,
    ]
    return ui.run(what, command, env=env, check=False)
