# SPDX-License-Identifier: Apache-2.0
"""Operators as the emitters use them.

This package uses only the standard library, so that a build can generate the wrappers of its own
operators before the Python extension exists; `registry` reads operators of a running process.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, Protocol

from .type import Type, parse


@dataclasses.dataclass(frozen=True)
class Parameter:
    """One argument.

    Attributes:
        name: Name in the schema.
        type: Its type.
        has_default: True if the argument is optional.
        default: The default value.
        by_name: True if the argument is keyword-only.
        written: True if the operator writes the argument.
    """

    name: str
    type: Type
    has_default: bool
    default: Any
    by_name: bool
    written: bool

    @property
    def is_out(self) -> bool:
        """Returns true for an argument that a result is written to: keyword-only and written."""
        return self.by_name and self.written


@dataclasses.dataclass(frozen=True)
class Result:
    """One return.

    Attributes:
        name: Name in the schema, or "".
        type: Its type.
        written: The index of the written argument that is returned, otherwise None.
    """

    name: str
    type: Type
    written: int | None


@dataclasses.dataclass(frozen=True)
class Operator:
    """One overload.

    Attributes:
        full_name: Such as "aten::add.Tensor".
        name: Such as "add".
        overload: Such as "Tensor", "" for the default one.
        schema: Its text.
        letters: Letters of the typed form, "" without one; see kernel.h.
        parameters: Arguments in the order of the schema.
        results: Returns in the order of the schema.
        tags: Tags.
        is_vararg: True if the arguments end in `...`.
        is_varret: True if the results end in `...`.
    """

    full_name: str
    name: str
    overload: str
    schema: str
    letters: str
    parameters: tuple[Parameter, ...]
    results: tuple[Result, ...]
    tags: tuple[str, ...]
    is_vararg: bool
    is_varret: bool

    @property
    def why_not(self) -> str:
        """Returns why a language without variadic arguments cannot call it, or ""."""
        if self.is_vararg:
            return "its arguments end in `...`"
        return "its results end in `...`" if self.is_varret else ""

    @property
    def required(self) -> list[Parameter]:
        """Arguments that must be given, those that results are written to last."""
        given = [p for p in self.parameters if not p.has_default]
        return sorted(given, key=lambda p: p.is_out)

    @property
    def optional(self) -> list[Parameter]:
        """Arguments that may be left out."""
        return [p for p in self.parameters if p.has_default]

    @property
    def fresh(self) -> list[tuple[int, Result]]:
        """Results that are no argument that was written, with their places."""
        return [(at, r) for at, r in enumerate(self.results) if r.written is None]


class Argument(Protocol):
    """An argument or a return of a schema; `tenon.schema.Argument` is one."""

    name: str
    type: str
    alias: str
    has_default: bool
    default: Any
    kwarg_only: bool
    is_write: bool


def parameter(argument: Argument) -> Parameter:
    """Returns an argument of a schema as a parameter."""
    return Parameter(
        argument.name,
        parse(argument.type),
        argument.has_default,
        argument.default,
        argument.kwarg_only,
        argument.is_write,
    )


def result(one: Argument, arguments: Sequence[Argument]) -> Result:
    """Makes a result; one with `!` in its annotation is the argument with the same annotation."""
    same = [at for at, a in enumerate(arguments) if a.is_write and a.alias == one.alias]
    return Result(one.name, parse(one.type), same[0] if one.is_write and same else None)


@dataclasses.dataclass(frozen=True)
class Namespace:
    """A namespace to wrap.

    Attributes:
        name: Its name, such as "aten".
        operators: Its currently defined operators, sorted by full name.
        lost: Full names of operators that have kernels but no schema.
    """

    name: str
    operators: tuple[Operator, ...]
    lost: tuple[str, ...]
