# SPDX-License-Identifier: Apache-2.0
"""Checks that every place with a version number has the one in common.h.

version.py [ROOT]
"""

from __future__ import annotations

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCE = "capi/include/tenon/common.h"
FULL = r"(\d+\.\d+\.\d+)"
# Patterns by file; each must match the version there. Two numbers are major and minor.
PLACES = {
    "README.md": (
        rf"tenon-{FULL}-linux",
        r"\*\*(\d+\.\d+), not released",
    ),
    "CHANGELOG.md": (r"\A[^#]*# [^#]*## (\d+\.\d+)",),
    "bindings/java/README.md": (rf"tenon-{FULL}-linux",),
    "bindings/java/pom.xml": (rf"<artifactId>tenon</artifactId>\s*<version>{FULL}<",),
    "bindings/rust/Cargo.toml": (rf'^version = "{FULL}"',),
    "bindings/rust/Cargo.lock": (rf'name = "tenon(?:-sys)?"\nversion = "{FULL}"',),
    "bindings/rust/README.md": (rf'^tenon = (?:\{{ version = )?"{FULL}"',),
    "bindings/rust/tenon/Cargo.toml": (rf'^tenon-sys = .*version = "{FULL}"',),
    "docs/install.md": (
        rf"tenon-{FULL}\.tar\.gz",
        rf"<version>{FULL}</version>",
        r"find_package\(tenon (\d+\.\d+)",
    ),
    "tests/installed/java/pom.xml": (rf"<artifactId>tenon</artifactId>\s*<version>{FULL}<",),
}


def released(root: pathlib.Path) -> str:
    """Returns the version in the header, which CMake, the wheel and the crates read."""
    text = (root / SOURCE).read_text()
    return ".".join(
        re.search(rf"^#define TENON_VERSION_{part} (\d+)", text, re.M)[1]
        for part in ("MAJOR", "MINOR", "PATCH")
    )


def complaints(root: pathlib.Path) -> list[str]:
    version = released(root)
    found = []
    for name, patterns in PLACES.items():
        text = (root / name).read_text()
        for pattern in patterns:
            numbers = re.findall(pattern, text, re.M)
            if not numbers:
                found.append(f"{name}: must name the version as {pattern}, got none")
            for number in numbers:
                if version != number and not version.startswith(f"{number}."):
                    found.append(f"{name}: version must be {version} ({SOURCE}), got {number}")
    return found


def main() -> int:
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT
    found = complaints(root)
    for line in found:
        print(f"version: {line}")
    print(f"version: {released(root)}, {len(PLACES)} other files, {len(found)} complaints")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
