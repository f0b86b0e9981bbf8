# SPDX-License-Identifier: Apache-2.0
"""Checks that every public C function states its contract in the fixed words."""

from __future__ import annotations

import argparse
import pathlib
import re
import sys

import cheader

THREADS = ("any thread", "owner thread", "init only")


def complaints(function: cheader.Function) -> list:
    """Lists the faults in one function's declaration and comment."""
    comment = function.comment
    if not comment.strip():
        return ["must have a comment right above"]
    first = comment.strip().splitlines()[0]
    found = []
    if re.match(r"(Errors|Ownership|Threads|Since):", first):
        found.append("must first say what it does")
    words = dict(re.findall(r"^(Errors|Ownership|Threads|Since):\s*(.*)$", comment, re.M))
    if function.returns == "tenon_status" and "Errors" not in words:
        found.append("returns a status and must have an Errors line")
    if _hands_over(function) and "Ownership" not in words:
        found.append("hands over or lends memory and must have an Ownership line")
    if not words.get("Threads", "").startswith(THREADS):
        found.append(f"must have a Threads line that starts with one of: {', '.join(THREADS)}")
    if not re.fullmatch(r"\d+\.\d+", words.get("Since", "")):
        found.append("must have a Since line with major.minor")
    names = [name for _, name in function.parameters]
    outs = [index for index, name in enumerate(names) if name.startswith("out_")]
    if outs and outs != list(range(len(names) - len(outs), len(names))):
        found.append("must have its out_ parameters last")
    for kind, name in function.parameters:
        if not name:
            found.append(f"must name each parameter, got a bare {kind}")
        if re.search(r"\b(bool|_Bool|long|va_list|_Complex)\b|\.\.\.", kind):
            found.append(f"must not pass {kind}")
    return found


def _hands_over(function: cheader.Function) -> bool:
    if "*" in function.returns:
        # A retain function returns its own argument; its name is enough.
        return not function.name.endswith("_retain")
    return any(
        kind.count("*") >= 2 and name.startswith("out_") for kind, name in function.parameters
    )


def main(arguments: list | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--include", type=pathlib.Path, default=cheader.INCLUDE)
    args = parser.parse_args(arguments)
    count = bad = 0
    for header in cheader.parse_all(args.include):
        source = (args.include / "tenon" / header.name).read_text()
        marked = len(re.findall(r"^TENON_(?:CALL_)?API\b", source, re.M))
        if marked != len(header.functions):
            print(
                f"contracts: {header.name}: {marked} TENON_API lines, but {len(header.functions)} "
                "readable functions"
            )
            bad += 1
        for function in header.functions:
            count += 1
            for text in complaints(function):
                print(f"contracts: {header.name}:{function.line}: {function.name} {text}")
                bad += 1
    print(f"contracts: {count} functions: {bad} complaints")
    return 1 if bad or not count else 0


if __name__ == "__main__":
    sys.exit(main())
