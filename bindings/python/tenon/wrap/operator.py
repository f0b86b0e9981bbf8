# SPDX-License-Identifier: Apache-2.0
"""Operators as the emitters use them, read once from the registry through its public interface."""

from __future__ import annotations

import dataclasses
from typing import Any

from .. import _tenon, introspect, ops
from ..error import NotFoundError
from ..schema import Argument, Schema
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


def of_schema(schema: Schema, tags: list[str]) -> Operator:
    """Makes an operator from its schema."""
    arguments, returns = schema.arguments, schema.returns
    name = schema.name.rpartition("::")[2]
    full_name = f"{schema.name}.{schema.overload_name}".removesuffix(".")
    return Operator(
        full_name,
        name,
        schema.overload_name,
        str(schema),
        _tenon.tenon_schema_signature(schema._handle),
        tuple(map(_parameter, arguments)),
        tuple(_result(one, arguments) for one in returns),
        tuple(tags),
        schema.is_vararg,
        bool(_tenon.tenon_schema_flags(schema._handle) & _tenon.TENON_SCHEMA_VARRET),
    )


def _parameter(argument: Argument) -> Parameter:
    return Parameter(
        argument.name,
        parse(argument.type),
        argument.has_default,
        argument.default,
        argument.kwarg_only,
        argument.is_write,
    )


def _result(one: Argument, arguments: list[Argument]) -> Result:
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


def read(namespace: str) -> Namespace:
    """Reads the current operators of a namespace.

    Raises:
        NotFoundError: If the namespace has no operators.
    """
    if namespace in ("aten", "tenon"):
        ops._load_kernels()
    found = [_tenon.find_op(name) for name in introspect.operators(namespace)]
    if not found:
        raise NotFoundError(f"wrap: namespace must be one with operators, got {namespace!r}")
    operators = tuple(of_schema(op._schema, op.tags) for op in found)
    lost = [name for name in introspect.dangling() if name.startswith(f"{namespace}::")]
    return Namespace(namespace, operators, tuple(lost))
