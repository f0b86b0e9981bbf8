# SPDX-License-Identifier: Apache-2.0
"""Signatures and docstrings of operators: what `inspect.signature` and `help` show of them."""

from __future__ import annotations

import inspect
import re

from ._tenon import OpOverload, OpOverloadPacket
from .wrap.literal import Inexpressible
from .wrap.operator import Operator
from .wrap.pyi import Call
from .wrap.registry import of_schema

_ANY_CALL = inspect.Signature(
    [
        inspect.Parameter("args", inspect.Parameter.VAR_POSITIONAL),
        inspect.Parameter("kwargs", inspect.Parameter.VAR_KEYWORD),
    ]
)


def _operator(op: OpOverload) -> Operator | None:
    return of_schema(op._schema, op.tags) if op.is_defined else None


def _type(stub: str) -> str:
    """Returns a type without the aliases of stubs: "_Sequence[_int]" is "Sequence[int]"."""
    return re.sub(r"\b_(?=[A-Za-z])", "", stub)


def _of_operator(operator: Operator) -> inspect.Signature:
    try:
        call = Call.of(operator)
    except Inexpressible:
        return _ANY_CALL
    kinds = inspect.Parameter
    by_position = [p for p in operator.parameters if not p.by_name]
    by_name = [p for p in operator.parameters if p.by_name]
    rows = [
        (kinds.POSITIONAL_ONLY if at < call.positional_only else kinds.POSITIONAL_OR_KEYWORD, *row)
        for at, row in enumerate(zip(call.positional, by_position, strict=True))
    ]
    if call.more:
        rows.append((kinds.VAR_POSITIONAL, ("more", "Any", ""), None))
    rows += [(kinds.KEYWORD_ONLY, *row) for row in zip(call.named, by_name, strict=True)]
    parameters = [
        inspect.Parameter(
            name,
            kind,
            default=given.default if given is not None and given.has_default else kinds.empty,
            annotation=_type(annotation),
        )
        for kind, (name, annotation, _), given in rows
    ]
    return inspect.Signature(parameters, return_annotation=_type(call.returns))


def of_overload(op: OpOverload) -> inspect.Signature:
    """Returns the signature of an overload; types are those of stubs, as text."""
    operator = _operator(op)
    return _ANY_CALL if operator is None else _of_operator(operator)


def of_packet(packet: OpOverloadPacket) -> inspect.Signature:
    """Returns the signature of the only overload without `out`, or one for any arguments."""
    defined = [getattr(packet, name) for name in packet.overloads()]
    plain = [op for op in defined if not any(a.is_out for a in op._schema.arguments)]
    return of_overload(plain[0]) if len(plain) == 1 else _ANY_CALL


def doc_of_overload(op: OpOverload) -> str:
    """Returns the schema of an overload, and its tags."""
    operator = _operator(op)
    if operator is None:
        return f"{op.name()}, which is not defined now."
    tags = f"\n\nTags: {', '.join(operator.tags)}." if operator.tags else ""
    return f"The operator::\n\n    {operator.schema}{tags}"


def doc_of_packet(packet: OpOverloadPacket) -> str:
    """Returns the schemas of all overloads, in the order in which a call tries them."""
    defined = [getattr(packet, name) for name in packet.overloads()]
    if len(defined) == 1:
        return doc_of_overload(defined[0])
    schemas = "".join(f"\n    {op._schema}" for op in defined if op.is_defined)
    name = packet._qualified_op_name
    return f"The operator ``{name}``; calls take the first that fits::\n{schemas}"


__all__ = ["doc_of_overload", "doc_of_packet", "of_overload", "of_packet"]
