# SPDX-License-Identifier: Apache-2.0
"""The namespace that the tests wrap, in Python: its operators return their arguments as text."""

from __future__ import annotations

import pathlib
import re
from typing import Any

import tenon
from tenon.library import Library

# Lines of R"(...)", joined; a comma at the end of a line ends a schema.
_TEXT = (pathlib.Path(__file__).parent / "schemas.inc").read_text()
SCHEMAS = ["".join(re.findall(r'R"\((.*)\)"', one)) for one in re.split(r",\n", _TEXT)[:-1]]


def told(**arguments: Any) -> str:
    """Returns all arguments by name, in a format that is the same for all languages."""
    return " ".join(f"{name}={_text(value)}" for name, value in arguments.items())


def _text(value: Any) -> str:
    if isinstance(value, tenon.Tensor):
        return f"Tensor{_text(value.reshape(-1).tolist())}"
    if isinstance(value, tenon.Generator):
        return f"Generator({value.initial_seed()})"
    if isinstance(value, dict):
        return "{" + ",".join(f"{key}:{_text(one)}" for key, one in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(map(_text, value)) + "]"
    if isinstance(value, complex):
        return f"({value.real:g},{value.imag:g})"
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, (tenon.dtype, tenon.layout, tenon.memory_format)):
        return str(value.code)
    return str(value)


def _told(schema: tenon.Schema) -> Any:
    """Returns a kernel that returns its arguments as text, with defaults filled in."""
    arguments = schema.arguments

    def kernel(*args: Any, **kwargs: Any) -> str:
        given = dict(zip([a.name for a in arguments], args)) | kwargs
        return told(**{a.name: given.get(a.name, a.default) for a in arguments})

    return kernel


def _fill(self: tenon.Tensor, value: Any) -> tenon.Tensor:
    return self.fill_(value)


def _both(self: tenon.Tensor, other: tenon.Tensor) -> tuple:
    return self.fill_(1), other.fill_(2)


KERNELS = {
    "fill_": _fill,
    "twice.out": lambda self, *, out: out.copy_(self + self),
    "twice": lambda self: self + self,
    "both_": _both,
    "counted_": lambda self: (self.fill_(3), self.numel()),
    "row": lambda self, index=0: self.select(0, index),
    "nothing": lambda: None,
    "several": lambda self: (self + 1, self.numel(), "third", None),
    "numbers": lambda: (2, 0.5, True, 1 + 2j, tenon.float64, tenon.device("cpu")),
    "listed": lambda: ([1, 2], [0.5], [tenon.ones(1), tenon.zeros(2)]),
    "maybe": lambda there: (7, tenon.ones(1)) if there else (None, None),
    "any": lambda value: value,
    "class": lambda first, second, *, self=3: 100 * first + 10 * second + self,
    "lambda": lambda match: match + 1,
    "endless": lambda x, *more: x + len(more),
}


def define(namespace: str) -> Library:
    """Defines the operators, with kernels for all backends; closing the library removes them."""
    library = Library(namespace, "DEF")
    for schema in SCHEMAS:
        name = library.define(schema).rpartition("::")[2]
        parsed = tenon.Schema.parse(f"{namespace}::{schema}")
        library.impl(name, KERNELS.get(name) or _told(parsed), "CompositeExplicitAutograd")
    return library
