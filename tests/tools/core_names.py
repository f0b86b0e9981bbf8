# SPDX-License-Identifier: Apache-2.0
"""Checks that core names no operator: what it has to know is in the operator's facts and tags.

A layer may call operators itself. Their full names are in its operators.h or operators.cpp, where a
reader finds them together, and nothing is looked up by them.
"""

from __future__ import annotations

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
CALLED = {"operators.h", "operators.cpp"}

# Files with literals that are words of another language and happen to be names of operators.
WORDS = {
    "core/autograd/formula/gradient_parser.cpp": "the operations of gradient formulas",
    "core/autograd/formula/gradient_text.cpp": "the operations of gradient formulas",
    "core/autograd/formula/text_built_in.cpp": "the built-in functions of gradient formulas",
    "core/autograd/forward/tangent_text.cpp": "the built-in functions of tangent formulas",
    "core/base/symbol_function.cpp": "the functions of symbolic expressions",
    "core/gradcheck/check.cpp": "mode, an argument of the check",
    "core/graph/numbers.cpp": "the operations of numbers in the text of graphs",
    "core/schema/default_parser.cpp": "complex, a dtype",
    "core/schema/type.cpp": "complex, a type",
    "core/value/value.cpp": "complex, a type",
}
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
FACTS_NAME = re.compile(r'^\s*\.name = "([\w.]+)"', re.M)


def operator_names() -> set[str]:
    """Returns the names in the facts, with and without overload, and their in-place forms."""
    names = set()
    for header in (ROOT / "kernels" / "ops").rglob("*.h"):
        for name in FACTS_NAME.findall(header.read_text()):
            base, dot, overload = name.partition(".")
            names |= {name, base, base + "_", base + "_" + dot + overload}
    return names


def without_comments(line: str) -> str:
    return re.sub(r"^\s*//.*|\s//.*", "", line)


def named(text: str, operators: set[str]) -> list[tuple[int, str, bool]]:
    """Returns the lines and literals that equal an operator's name; True for full names."""
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("#include"):
            continue
        for literal in LITERAL.findall(without_comments(line)):
            namespace, colons, name = literal.rpartition("::")
            is_full = bool(colons) and namespace in ("aten", "tenon") and bool(name)
            if is_full or literal in operators:
                found.append((number, literal, is_full))
    return found


def check(path: str, text: str, operators: set[str]) -> list[str]:
    if pathlib.PurePath(path).name in CALLED:
        return []
    return [
        f"{path}:{number}: core must not name operators, got {literal!r}: read a tag of the "
        "operator, or call it by its name in operators.h"
        for number, literal, is_full in named(text, operators)
        if is_full or path not in WORDS
    ]


def unused_words(operators: set[str]) -> list[str]:
    return [
        f"tests/tools/core_names.py: {path} names nothing that operators are called, drop its row"
        for path in WORDS
        if not (ROOT / path).exists() or not named((ROOT / path).read_text(), operators)
    ]


def main() -> int:
    operators = operator_names()
    if len(operators) < 1000:
        sys.exit(f"core_names: facts must name 1000 operators at least, got {len(operators)}")
    errors = unused_words(operators)
    for file in sorted((ROOT / "core").rglob("*")):
        if file.suffix in (".h", ".cpp"):
            path = file.relative_to(ROOT).as_posix()
            errors += check(path, file.read_text(), operators)
    print("\n".join(errors) or "core names no operator")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
