# SPDX-License-Identifier: Apache-2.0
"""Operators below autograd in Python: `__torch_dispatch__` of subclasses of Tensor, and modes."""

from __future__ import annotations

from .. import _tenon
from .._tenon import OpOverload, Tensor
from ..overrides import Mode
from ..storage import share_storage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


class TorchDispatchMode(Mode):
    """A mode that sees the operators that kernels would run, while a `with` block runs.

    While its method runs the mode is off, so that calling `func` there goes on to what is outside.
    """

    _kind = _tenon.TENON_MODE_WRAPPER

    def __torch_dispatch__(
        self,
        func: Any,
        types: Sequence[type],
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """Serves one call; by default lets it go on."""
        return func(*args, **(kwargs or {}))


def _aliased(func: OpOverload, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
    """For each result the tensor argument that it aliases, with whether it is written, or None."""
    schema = func._schema
    given = dict(kwargs)
    given.update(zip((one.name for one in schema.arguments), args, strict=False))
    found = []
    for result in schema.returns:
        info = result.alias_info
        of = None
        for argument in schema.arguments:
            other = argument.alias_info
            if info is None or other is None or not info.before_set & other.before_set:
                continue
            value = given.get(argument.name)
            if isinstance(value, Tensor):
                of = (value, other.is_write)
                break
        found.append(of)
    return found


def return_and_correct_aliasing(
    func: OpOverload, args: tuple[Any, ...], kwargs: dict[str, Any], out: Any
) -> Any:
    """Makes what a handler returns alias what the operator's schema says.

    Results that are a written argument become that argument itself; views share the storage of what
    they view.

    Args:
        func: The operator, as the handler got it.
        args: Its positional arguments, as the handler got them.
        kwargs: And those by name.
        out: What the handler has computed.

    Returns:
        What the handler should return.
    """
    aliases = _aliased(func, args, kwargs)
    several = len(aliases) > 1 or (isinstance(out, (list, tuple)) and len(aliases) == 1)
    results = list(out) if isinstance(out, (list, tuple)) else [out]
    if len(aliases) == 1:
        aliases *= len(results)
    for number, (result, alias) in enumerate(zip(results, aliases, strict=True)):
        if alias is None or not isinstance(result, Tensor):
            continue
        argument, is_written = alias
        if is_written:
            results[number] = argument
        else:
            share_storage(result, argument)
    return type(out)(results) if several else results[0]


def is_traceable_wrapper_subclass(t: object) -> bool:
    """Tells whether a tensor is of a subclass that can be taken apart and put together again."""
    return (
        isinstance(t, Tensor)
        and type(t) is not Tensor
        and hasattr(t, "__tensor_flatten__")
        and hasattr(type(t), "__tensor_unflatten__")
    )


__all__ = ["TorchDispatchMode", "is_traceable_wrapper_subclass", "return_and_correct_aliasing"]
