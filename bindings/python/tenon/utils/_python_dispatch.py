# SPDX-License-Identifier: Apache-2.0
"""Operators below autograd in Python: `__torch_dispatch__` of subclasses of Tensor, and modes."""

from __future__ import annotations

from .. import _tenon
from .._tenon import OpOverload, Tensor
from ..overrides import Mode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


class TorchDispatchMode(Mode):
    """A mode that handles operators below autograd, while a `with` block runs.

    The mode is off while its method runs, so that calling `func` continues outside of it.
    """

    _kind = _tenon.TENON_MODE_WRAPPER

    def __torch_dispatch__(
        self,
        func: Any,
        types: Sequence[type],
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """Handles one call; by default continues with the call."""
        return func(*args, **(kwargs or {}))


def _given(func: OpOverload, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    names = (one.name for one in func._schema.arguments)
    return {**dict(zip(names, args, strict=False)), **kwargs}


def _follow_views(given: dict[str, Any], written: dict[str, str], func: Any, out: Any) -> None:
    """Copies sizes and strides of results to the written arguments that they alias."""
    results = out if len(func._schema.returns) > 1 else [out]
    for one, result in zip(func._schema.returns, results, strict=True):
        for name in one.alias_info.before_set if one.alias_info is not None else ():
            argument = given.get(written.get(name, ""))
            if isinstance(argument, Tensor) and argument is not result:
                _tenon.restride(
                    argument, tuple(result.shape), result.stride(), result.storage_offset()
                )


def return_and_correct_aliasing(
    func: OpOverload, args: tuple[Any, ...], kwargs: dict[str, Any], out: Any
) -> Any:
    """Returns a handler's result, with results that alias written arguments replaced by these.

    The dispatcher does so too, and it makes wrappers that a handler returns for a view operator
    views of the argument, with its storage: a handler may return `out` unchanged. This function is
    for direct callers of the handler.

    Args:
        func: The operator, as passed to the handler.
        args: Its positional arguments, as passed to the handler.
        kwargs: Its keyword arguments, as passed to the handler.
        out: The result that the handler computed.
    """
    written = {
        name: one.name
        for one in func._schema.arguments
        if one.is_write and one.alias_info is not None
        for name in one.alias_info.before_set
    }
    if not written:
        return out
    given = _given(func, args, kwargs)
    if "inplace_view" in func.tags:
        _follow_views(given, written, func, out)
    results = [
        next((given[written[name]] for name in info.before_set if name in written), result)
        if (info := one.alias_info) is not None
        else result
        for one, result in zip(
            func._schema.returns, out if len(func._schema.returns) > 1 else [out], strict=True
        )
    ]
    return type(out)(results) if len(results) > 1 else results[0]


def is_traceable_wrapper_subclass(t: object) -> bool:
    """Returns true if a tensor's subclass implements flattening and unflattening."""
    return (
        isinstance(t, Tensor)
        and type(t) is not Tensor
        and hasattr(t, "__tensor_flatten__")
        and hasattr(type(t), "__tensor_unflatten__")
    )


__all__ = ["TorchDispatchMode", "is_traceable_wrapper_subclass", "return_and_correct_aliasing"]
