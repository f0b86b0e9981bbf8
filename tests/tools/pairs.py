# SPDX-License-Identifier: Apache-2.0
"""Checks that files come in pairs (header and source, operator and test); names what lacks."""

from __future__ import annotations

import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Headers without functions of their own need no source.
HEADER_ONLY = {"tenon.h"}


def check_capi(root: pathlib.Path) -> list:
    """Each public header that declares functions has capi/src/<stem>.cpp, and a cmocka test."""
    found = []
    for header in sorted((root / "capi/include/tenon").glob("*.h")):
        if (
            header.name in HEADER_ONLY
            or "TENON_API tenon" not in header.read_text()
            and not re.search(r"^TENON_API ", header.read_text(), re.M)
        ):
            continue
        source = root / "capi/src" / f"{header.stem}.cpp"
        if not source.exists():
            found.append(f"capi/include/tenon/{header.name} must have capi/src/{header.stem}.cpp")
    return found


def check_listed(root: pathlib.Path) -> list:
    """Each source stands in a CMakeLists.txt of its folder or above: none is built by chance."""
    found = []
    for folder in (
        "core",
        "capi/src",
        "kernels",
        "tests/core",
        "tests/capi",
        "tests/hpp",
        "tests/kernels",
    ):
        base = root / folder
        for path in sorted(base.rglob("*.c*")) if base.exists() else ():
            if path.suffix not in (".c", ".cpp", ".cu"):
                continue
            lists = [up / "CMakeLists.txt" for up in path.parents if up.is_relative_to(base)]
            text = "\n".join(item.read_text() for item in lists if item.exists())
            stem = path.stem.removesuffix("_test")
            if path.name not in text and not re.search(
                rf"(?<![\w]){re.escape(stem)}(?![\w.])", text
            ):
                found.append(f"{path.relative_to(root)} must be listed in a CMakeLists.txt")
    return found


def check_operators(root: pathlib.Path) -> list:
    """Each CPU file that registers kernels has its device-free part in kernels/ops, and each file
    that defines or registers operators a test of the same stem."""
    found = []
    for part in ("ops", "cpu"):
        for path in sorted((root / "kernels" / part).glob("*.cpp")):
            if not _registers(path):
                continue
            name = path.relative_to(root)
            if part == "cpu" and not (root / "kernels/ops" / path.name).exists():
                found.append(f"{name} must have kernels/ops/{path.name}")
            if not (root / "tests/kernels" / f"{path.stem}_test.cpp").exists():
                found.append(f"{name} must have tests/kernels/{path.stem}_test.cpp")
    return found


def _registers(path: pathlib.Path) -> bool:
    """Whether a kernel file registers an operator or kernel; what several share does not pair."""
    return re.search(r"\.(def|define|impl)\(", path.read_text()) is not None


def check(root: pathlib.Path) -> list:
    return list(dict.fromkeys(check_capi(root) + check_listed(root) + check_operators(root)))


def main(arguments: list | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=pathlib.Path, default=ROOT)
    complaints = check(parser.parse_args(arguments).root)
    for text in complaints:
        print(f"pairs: {text}")
    print(f"pairs: {len(complaints)} complaints")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
