# SPDX-License-Identifier: Apache-2.0
"""Functions that replace the `__torch_dispatch__` of one class for one operator."""

from __future__ import annotations

from . import _tenon
from ._tenon import OpOverload
from .error import AlreadyExistsError, ArgumentTypeError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

# By operator, then by class. The C layer looks up a rule before it calls the class's method.
_rules: dict[OpOverload, dict[type, Callable[..., Any]]] = {}
_tenon.set_dispatch_rules(_rules)


def add_rule(op: OpOverload, cls: type, function: Callable[..., Any]) -> None:
    """Makes a function serve calls of an operator instead of a class's `__torch_dispatch__`."""
    if not isinstance(cls, type) or not _tenon.has_dispatch(cls):
        raise ArgumentTypeError(
            "register_torch_dispatch: torch_dispatch_class must be a subclass of Tensor with "
            f"__torch_dispatch__ or a TorchDispatchMode, got {cls!r}"
        )
    of_op = _rules.setdefault(op, {})
    if cls in of_op:
        raise AlreadyExistsError(
            f"register_torch_dispatch: {op.name()} must have no rule for {cls.__name__}, got one"
        )
    of_op[cls] = function


def remove_rule(op: OpOverload, cls: type) -> None:
    """Makes the class's `__torch_dispatch__` serve calls of the operator again."""
    of_op = _rules[op]
    del of_op[cls]
    if not of_op:
        del _rules[op]


__all__ = ["add_rule", "remove_rule"]
