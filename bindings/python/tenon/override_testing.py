# SPDX-License-Identifier: Apache-2.0
"""Dummies of overridable functions, for tests of classes that override them."""

from __future__ import annotations

import inspect
import keyword
from inspect import Parameter, Signature

from ._tenon import OpOverloadPacket, Tensor
from .override_names import get_overridable_functions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def _of_operator(packet: OpOverloadPacket, first: str) -> Signature:
    """The signature of the first overload; `first` is what a function or method calls `self`."""
    packet.overloads()
    writes = any(op._overloadname.endswith("out") for op in packet._ops)
    parameters = []
    for argument in packet._ops[0]._schema.arguments:
        name = first if argument.name == "self" else argument.name
        name += "_" * keyword.iskeyword(name)
        kind = Parameter.KEYWORD_ONLY if argument.kwarg_only else Parameter.POSITIONAL_OR_KEYWORD
        default = argument.default if argument.has_default else Parameter.empty
        parameters.append(Parameter(name, kind, default=default))
    if writes and not any(one.name == "out" for one in parameters):
        parameters.append(Parameter("out", Parameter.KEYWORD_ONLY, default=None))
    return Signature(parameters)


_ANY = Signature(
    [Parameter("args", Parameter.VAR_POSITIONAL), Parameter("kwargs", Parameter.VAR_KEYWORD)]
)


def _signature(function: Any, first: str) -> Signature:
    packet = getattr(function, "__wrapped__", function)
    if isinstance(packet, OpOverloadPacket):
        return _of_operator(packet, first)
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):  # of C, where none is written down
        return _ANY


def _dummy(signature: Signature) -> Callable[..., int]:
    def dummy(*args: Any, **kwargs: Any) -> int:
        signature.bind(*args, **kwargs)
        return -1

    dummy.__signature__ = signature  # type: ignore[attr-defined]
    return dummy


def get_testing_overrides() -> dict[Any, Callable[..., int]]:
    """Returns a dummy for every overridable function: it takes what that one takes and returns -1.

    With `inspect.signature` they show which functions a test of a class has to call, and how.
    """
    return {
        function: _dummy(_signature(function, "self" if place is Tensor else "input"))
        for place, functions in get_overridable_functions().items()
        for function in functions
    }


__all__ = ["get_testing_overrides"]
