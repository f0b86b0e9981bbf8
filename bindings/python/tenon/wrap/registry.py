# SPDX-License-Identifier: Apache-2.0
"""Operators read from the registry of this process."""

from __future__ import annotations

from .. import _tenon, introspect, ops
from ..error import NotFoundError
from ..schema import Schema
from .operator import Namespace, Operator, parameter, result


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


def of_schema(schema: Schema, tags: list[str]) -> Operator:
    """Makes an operator from its schema."""
    arguments, returns = schema.arguments, schema.returns
    return Operator(
        full_name=f"{schema.name}.{schema.overload_name}".removesuffix("."),
        name=schema.name.rpartition("::")[2],
        overload=schema.overload_name,
        schema=str(schema),
        letters=_tenon.tenon_schema_signature(schema._handle),
        parameters=tuple(map(parameter, arguments)),
        results=tuple(result(one, arguments) for one in returns),
        tags=tuple(tags),
        is_vararg=schema.is_vararg,
        is_varret=bool(_tenon.tenon_schema_flags(schema._handle) & _tenon.TENON_SCHEMA_VARRET),
    )
