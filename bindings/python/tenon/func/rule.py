# SPDX-License-Identifier: Apache-2.0
"""Batching rules of operators, written in Python."""

from __future__ import annotations

from collections import namedtuple

from .. import _tenon
from .._tenon import Tensor
from .._typing import overload
from ..error import ArgumentTypeError, StateError
from ..utils.pytree import broadcast_prefix, tree_flatten, tree_unflatten
from .layer import RANDOMNESS_NAMES, hidden_layer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    from ..library import Library

    _F = TypeVar("_F", bound=Callable[..., Any])

VmapInfo = namedtuple("VmapInfo", ["batch_size", "randomness"])


def _is_dim(value: Any) -> bool:
    return value is None or isinstance(value, int)


def _kernel_of(name: str, op: Any, rule: Callable[..., Any]) -> Callable[..., Any]:
    """Returns the kernel at Batched that a rule makes."""

    def batched(*args: Any, **kwargs: Any) -> Any:
        found = _tenon.layer_innermost()
        if found is None:
            return op(*args, **kwargs)
        handle, _, _, size, randomness = found
        leaves, spec = tree_flatten((args, kwargs))
        dims: list[int | None] = []
        for place, each in enumerate(leaves):
            dim = None
            if isinstance(each, Tensor):
                leaves[place], dim = _tenon.layer_unwrap(handle, each)
            dims.append(dim)
        below, named = tree_unflatten(leaves, spec)
        if all(dim is None for dim in dims):
            with hidden_layer():
                return op(*below, **named)
        in_dims, named_dims = tree_unflatten(dims, spec)
        if any(dim is not None for dim in tree_flatten(named_dims)[0]):
            raise StateError(f"{name}: arguments by name must not be mapped by a vmap, got one")
        info = VmapInfo(size, RANDOMNESS_NAMES[randomness])
        with hidden_layer():
            given = rule(info, in_dims, *below, **named)
        if not isinstance(given, tuple) or len(given) != 2:
            raise StateError(
                f"{name}: a batching rule must return a pair (output, out_dims), got "
                f"{type(given).__name__}"
            )
        results, out_spec = tree_flatten(given[0])
        out_dims = broadcast_prefix(given[1], out_spec, _is_dim)
        if out_dims is None:
            raise StateError(
                f"{name}: out_dims of a batching rule must be in the structure of the output "
                f"{out_spec}, with int or None for each, got {given[1]}"
            )
        for place, (each, dim) in enumerate(zip(results, out_dims, strict=True)):
            if dim is not None:
                results[place] = _tenon.layer_wrap(handle, each, dim)
        return tree_unflatten(results, out_spec)

    return batched


@overload
def register_vmap(
    op: Any, func: None = None, /, *, lib: Library | None = None
) -> Callable[[_F], _F]: ...


@overload
def register_vmap(op: Any, func: _F, /, *, lib: Library | None = None) -> _F: ...


def register_vmap(
    op: Any,
    func: Callable[..., Any] | None = None,
    /,
    *,
    lib: Library | None = None,
) -> Any:
    """Registers the batching rule of an operator; without `func` a decorator.

        @register_vmap("my::scale")
        def rule(info, in_dims, x, factor):
            return scale(x, factor), in_dims[0]

    Args:
        op: A name, an overload, or what `custom_op` made.
        func: Takes `info` (its `batch_size` and `randomness`), the mapped dim of each argument or
            None, and the arguments, whose tensors show the mapped dims. Returns the output and
            where the mapped dim is in it: one for all, or a tree in its structure.
        lib: The library that owns the rule; by default it lives as long as the process.

    Raises:
        InvalidArgumentError: op is none of these.
        ArgumentTypeError: func cannot be called.
    """
    from ..custom_op import _library_for, _overload_of

    overload = _overload_of(op, "register_vmap")

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        if not callable(function):
            raise ArgumentTypeError(
                f"register_vmap: func must be callable, got {type(function).__name__}"
            )
        name = overload.name()
        library = _library_for(op, overload, lib)
        library.impl(name, _kernel_of(name, overload, function), "Batched", allow_override=True)
        return function

    return register if func is None else register(func)


__all__ = ["register_vmap"]
