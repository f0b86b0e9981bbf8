# SPDX-License-Identifier: Apache-2.0
"""Checks that files exist in pairs (header and source, operator and test); lists missing ones."""

from __future__ import annotations

import argparse
import json
import pathlib
import re
import sys

import operators

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Headers without functions need no source.
HEADER_ONLY = {"tenon.h"}


def check_capi(root: pathlib.Path) -> list:
    """Checks that each public header that declares functions has capi/src/<stem>.cpp."""
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


OPERATOR_LIST = "kernels/ops/ops.list"


def operators_of(root: pathlib.Path) -> list:
    """Returns the words of each listed operator: namespace, header, facts, functors, devices."""
    path = root / OPERATOR_LIST
    lines = path.read_text().splitlines() if path.exists() else []
    return [line.split() for line in lines if line and not line.startswith("#")]


def headers_of(root: pathlib.Path) -> set:
    """Returns the headers in the list of operators as `family/stem`.

    Sources with the same path below a part of kernels/ are built with it.
    """
    return {words[1] for words in operators_of(root)}


def check_facts(root: pathlib.Path) -> list:
    """Checks that each operator is listed, and that each listed one has a header and a test."""
    found = []
    listed = {(words[1], words[2]) for words in operators_of(root)}
    folder = root / "kernels/ops"
    for header in sorted(folder.rglob("*.h")):
        name = header.relative_to(folder).with_suffix("").as_posix()
        for facts in re.findall(r"constexpr Facts (k\w+)\{", header.read_text()):
            if (name, facts) not in listed:
                found.append(f"{facts} of kernels/ops/{name}.h must be in {OPERATOR_LIST}")
    for _, name, facts, functors, *_ in operators_of(root):
        header = folder / f"{name}.h"
        text = header.read_text() if header.exists() else ""
        for word, text_of in ((facts, f"constexpr Facts {facts}{{"), *_functors(functors)):
            if text_of not in text:
                found.append(f"{word}, in {OPERATOR_LIST}, must be in kernels/ops/{name}.h")
        if not _is_tested(root, name):
            found.append(
                f"kernels/ops/{name}.h must have tests/kernels/{name}_test.cpp or "
                f"tests/kernels/golden/{name}.txt"
            )
    return found


def _is_tested(root: pathlib.Path, name: str) -> bool:
    """Returns true if an operator's header (`family/stem`) has a test, or cases from PyTorch."""
    tests = root / "tests/kernels"
    return (tests / f"{name}_test.cpp").exists() or (tests / "golden" / f"{name}.txt").exists()


def check_conformance(root: pathlib.Path) -> list:
    """Checks that each form of each listed operator has a conformance case."""
    cases = {
        case["op"]
        for path in sorted((root / "tests/conformance").glob("*.json"))
        for case in json.loads(path.read_text()).get("cases", [])
        if "op" in case
    }
    return [
        f"{one.namespace}::{form} of kernels/ops/{one.header}.h must have a case in "
        "tests/conformance"
        for one in operators.operators(root)
        for form in one.forms()
        if f"{one.namespace}::{form}" not in cases
    ]


def _functors(words: str) -> list:
    return [] if words == "-" else [(word, f"struct {word} ") for word in words.split(",")]


def check_listed(root: pathlib.Path) -> list:
    """Checks that each source is listed in a CMakeLists.txt of its folder or a parent folder."""
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
            if path.is_relative_to(root / "kernels") and _in_part(root, path) in headers_of(root):
                continue
            ups = [up for up in path.parents if up.is_relative_to(base)]
            if not any(_lists(up / "CMakeLists.txt", path) for up in ups):
                found.append(f"{path.relative_to(root)} must be listed in a CMakeLists.txt")
    return found


def _in_part(root: pathlib.Path, path: pathlib.Path) -> str:
    """Returns a file's path below a part of kernels/ without suffix: `family/stem`."""
    return "/".join(path.relative_to(root / "kernels").with_suffix("").parts[1:])


def _lists(cmake: pathlib.Path, path: pathlib.Path) -> bool:
    """Returns true if a CMakeLists.txt lists a source by relative path, or a test by stem."""
    if not cmake.exists():
        return False
    name = re.escape(str(path.relative_to(cmake.parent)))
    stem = re.escape(path.stem.removesuffix("_test"))
    return (
        re.search(rf"(?<![\w/]){name}\b|(?<![\w/]){stem}(?![\w.])", cmake.read_text()) is not None
    )


def check_operators(root: pathlib.Path) -> list:
    """Checks that CPU kernels have a part in kernels/ops, and that operators have tests.

    Each CPU file that registers kernels has a device-independent file of the same stem in
    kernels/ops. Each file that defines or registers operators has a test of the same stem.
    """
    found = []
    for part in ("ops", "cpu"):
        for path in sorted((root / "kernels" / part).rglob("*.cpp")):
            if not _registers(path):
                continue
            name = path.relative_to(root)
            operator = _in_part(root, path)
            ops = root / "kernels/ops" / operator
            if part == "cpu" and not any(ops.with_suffix(s).exists() for s in (".cpp", ".h")):
                found.append(f"{name} must have kernels/ops/{operator}.h")
            if not _is_tested(root, operator):
                found.append(f"{name} must have tests/kernels/{operator}_test.cpp")
    return found


def _registers(path: pathlib.Path) -> bool:
    """Returns true if a kernel file registers an operator or kernel; shared files do not."""
    return re.search(r"\.(def|define|impl)\(", path.read_text()) is not None


def check(root: pathlib.Path) -> list:
    checks = (check_capi, check_facts, check_conformance, check_listed, check_operators)
    return list(dict.fromkeys(text for one in checks for text in one(root)))


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
