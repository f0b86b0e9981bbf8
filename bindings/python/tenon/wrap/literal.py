# SPDX-License-Identifier: Apache-2.0
"""Defaults as literals of languages."""

from __future__ import annotations

import math
from typing import Any

from . import constant


class Inexpressible(Exception):
    """An operator that a language's wrapper has no form for; says why."""


def c_number(value: Any) -> str:
    """Returns a number, a dtype, a layout or a memory format in C and C++."""
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, float):
        if math.isnan(value):
            return "NAN"
        if math.isinf(value):
            return "INFINITY" if value > 0 else "-INFINITY"
        return repr(value)
    value = constant.number(value)
    # The lowest number has no literal: a minus sign is an operator.
    return str(value) if value > -(2**63) else f"({value + 1} - 1)"


def c_string(text: str) -> str:
    """Returns a string literal for C, C++, Java and Rust; non-ASCII characters are kept."""
    return '"' + "".join(map(_c_letter, text)) + '"'


def _c_letter(letter: str) -> str:
    escapes = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}
    if letter not in escapes and not letter.isprintable():
        raise Inexpressible(f"its default has the unprintable character {letter!r}")
    return escapes.get(letter, letter)
