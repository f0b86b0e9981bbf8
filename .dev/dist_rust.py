# SPDX-License-Identifier: Apache-2.0
"""The Rust packages as cargo packs them, with the C++ sources that `vendored` builds."""

from __future__ import annotations

import pathlib
import shutil

import environment
import machine
import ui

RUST = ui.ROOT / "bindings" / "rust"
PACKAGES = ("tenon-sys", "tenon")
# Sources that CMake needs for libtenon and its CPU operators.
VENDORED = ("CMakeLists.txt", "LICENSE", "capi", "core", "kernels")


def make(folder: pathlib.Path) -> None:
    """Writes a .crate file for each package."""
    work = environment.build_dir("release") / "crates"
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(RUST, work, ignore=shutil.ignore_patterns("target"))
    for package in PACKAGES:
        shutil.copy(ui.ROOT / "LICENSE", work / package)
        shutil.copy(RUST / "README.md", work / package)
    vendor = work / "tenon-sys" / "vendor"
    vendor.mkdir()
    for part in VENDORED:
        source = ui.ROOT / part
        if source.is_dir():
            shutil.copytree(source, vendor / part, ignore=shutil.ignore_patterns("cuda"))
        else:
            shutil.copy(source, vendor)
    # Cargo warns at length about excluded tests and examples; verifying would build everything
    # again.
    command = [machine.cargo(), "package", "--workspace", "--locked"]
    ui.run("pack Rust packages", [*command, "--no-verify", "--allow-dirty"], cwd=work)
    for path in sorted((work / "target" / "package").glob("*.crate")):
        shutil.copy2(path, folder)
