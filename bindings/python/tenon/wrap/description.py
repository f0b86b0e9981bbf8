# SPDX-License-Identifier: Apache-2.0
"""Operators read from the JSON that `tenon_describe` prints: one object a line."""

from __future__ import annotations

import dataclasses
import json
import pathlib
from typing import Any

from .operator import Namespace, Operator, parameter, result

# Bits of tenon_argument_info.flags and of tenon_schema_flags: schema.h.
KWARG_ONLY, HAS_DEFAULT, WRITTEN = 1, 4, 8
VARARG, VARRET = 2, 4


@dataclasses.dataclass(frozen=True)
class Code:
    """A dtype, a layout or a memory format by its number."""

    code: int


@dataclasses.dataclass(frozen=True)
class Device:
    """A device; the index is None for the current one."""

    type_code: int
    index: int | None


@dataclasses.dataclass(frozen=True)
class Argument:
    """An argument or a return."""

    name: str
    type: str
    alias: str
    has_default: bool
    default: Any
    kwarg_only: bool
    is_write: bool

    @classmethod
    def of(cls, facts: dict[str, Any]) -> Argument:
        """Reads one from its object."""
        flags = facts["flags"]
        return cls(
            facts["name"],
            facts["type"],
            facts["alias"],
            bool(flags & HAS_DEFAULT),
            _value(facts.get("default")),
            bool(flags & KWARG_ONLY),
            bool(flags & WRITTEN),
        )


def _value(value: Any) -> Any:
    """Returns a default as the emitters know it."""
    if isinstance(value, list):
        return [_value(one) for one in value]
    if not isinstance(value, dict):
        return value
    ((kind, content),) = value.items()
    if kind == "float":
        return float(content)
    if kind == "complex":
        return complex(*map(float, content))
    if kind == "code":
        return Code(content)
    kind_of_device, index = content
    return Device(kind_of_device, None if index < 0 else index)


def _operator(facts: dict[str, Any]) -> Operator:
    arguments = [Argument.of(one) for one in facts["arguments"]]
    returns = [Argument.of(one) for one in facts["returns"]]
    return Operator(
        full_name=f"{facts['name']}.{facts['overload']}".removesuffix("."),
        name=facts["name"].rpartition("::")[2],
        overload=facts["overload"],
        schema=facts["schema"],
        letters=facts["signature"],
        parameters=tuple(map(parameter, arguments)),
        results=tuple(result(one, arguments) for one in returns),
        tags=tuple(facts["tags"].split()),
        is_vararg=bool(facts["flags"] & VARARG),
        is_varret=bool(facts["flags"] & VARRET),
    )


def read(path: pathlib.Path) -> Namespace:
    """Reads the operators of one namespace from a file."""
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    namespace = lines[0]["name"].partition("::")[0]
    return Namespace(namespace, tuple(map(_operator, lines)), ())
