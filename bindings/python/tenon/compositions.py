# SPDX-License-Identifier: Apache-2.0
"""Functions that are a line or two over operators; some are methods of Tensor as well."""

from __future__ import annotations

import builtins as _builtins
import math
from itertools import pairwise

from ._tenon import Tensor
from .dtype import int64
from .error import ArgumentTypeError, InvalidArgumentError
from .factories import arange, tensor
from .functional import cat, div, where
from .overridable import overridable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


@overridable
def numel(input: Tensor) -> int:
    """Returns the number of elements."""
    return input.numel()


@overridable
def argwhere(input: Tensor) -> Tensor:
    """Returns the indices of the elements that are not zero, a row each."""
    return input.nonzero()


@overridable
def floor_divide(input: Any, other: Any) -> Tensor:
    """Returns the quotient rounded down."""
    return div(input, other, rounding_mode="floor")


@overridable
def threshold(input: Tensor, threshold: float, value: float) -> Tensor:
    """Returns the input with elements that are not above a threshold replaced by a value."""
    return where(input <= threshold, tensor(value, dtype=input.dtype, device=input.device), input)


@overridable
def threshold_(input: Tensor, threshold: float, value: float) -> Tensor:
    """Replaces elements that are not above a threshold by a value, in place."""
    return input.masked_fill_(input <= threshold, value)


@overridable
def diagflat(input: Tensor, offset: int = 0) -> Tensor:
    """Returns a matrix with all elements on its diagonal."""
    return input.reshape(-1).diag(offset)


@overridable
def narrow_copy(input: Tensor, dim: int, start: int, length: int) -> Tensor:
    """Returns a copy of a part of a dim."""
    return input.narrow(dim, start, length).clone()


def scalar_tensor(s: Any, **options: Any) -> Tensor:
    """Returns a number as a 0-dim tensor, of the default dtype unless one is given."""
    from .dtype import get_default_dtype

    if options.get("dtype") is None:
        options["dtype"] = get_default_dtype()
    options.pop("layout", None), options.pop("pin_memory", None)
    return tensor(s, **options)


def _cuts(size: int, parts: Any) -> list[int]:
    """Returns the cut positions along a dim, from indices or a number of nearly equal parts."""
    if isinstance(parts, Tensor):
        parts = parts.tolist()
    if not isinstance(parts, int):
        return [min(max(one + size if one < 0 else one, 0), size) for one in parts]
    if parts <= 0:
        raise InvalidArgumentError(f"tensor_split: sections must be positive, got {parts}")
    least, longer = divmod(size, parts)
    lengths = [least + (one < longer) for one in _builtins.range(parts)]
    return [sum(lengths[: one + 1]) for one in _builtins.range(parts - 1)]


@overridable
def tensor_split(
    input: Tensor, indices_or_sections: Any = None, dim: int = 0, **other: Any
) -> tuple[Tensor, ...]:
    """Splits a dim into a number of nearly equal views, or at given indices."""
    parts = indices_or_sections
    for name in ("indices", "sections", "tensor_indices_or_sections"):
        parts = other.pop(name, parts)
    if parts is None or other:
        raise ArgumentTypeError(
            f"tensor_split: arguments must be input, indices or sections, and dim, got {[*other]}"
        )
    if input.ndim == 0:
        raise InvalidArgumentError("tensor_split: input must have a dim, got a 0-dim tensor")
    if isinstance(parts, Tensor) and (parts.ndim > 1 or parts.dtype is not int64):
        raise InvalidArgumentError(
            f"tensor_split: indices must be int64 with 0 or 1 dims, got {parts.dtype} of "
            f"{parts.ndim}"
        )
    size = input.shape[dim]
    edges = [0, *_cuts(size, parts), size]
    return tuple(input.narrow(dim, first, max(last - first, 0)) for first, last in pairwise(edges))


def _along(name: str, least: int, dim: int) -> Any:
    def split(input: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]:
        if input.ndim < least:
            raise InvalidArgumentError(
                f"{name}: input must have at least {least} dims, got {input.ndim}"
            )
        place = 0 if dim == 1 and input.ndim == 1 else dim
        parts = indices_or_sections
        if isinstance(parts, int) and (parts <= 0 or input.shape[place] % parts != 0):
            raise InvalidArgumentError(
                f"{name}: sections must divide the size {input.shape[place]}, got {parts}"
            )
        return tensor_split(input, parts, place)

    split.__name__ = split.__qualname__ = name
    split.__doc__ = f"Returns views of equal parts of dim {dim}, or cut at given indices."
    return overridable(split)


hsplit = _along("hsplit", 1, 1)
vsplit = _along("vsplit", 2, 0)
dsplit = _along("dsplit", 3, 2)


@overridable
def unravel_index(indices: Tensor, shape: Any) -> tuple[Tensor, ...]:
    """Returns the coordinates of flat indices into a shape, a tensor for each dim."""
    sizes = [shape] if isinstance(shape, int) else [int(one) for one in shape]
    found = []
    for place in _builtins.range(len(sizes)):
        step = math.prod(sizes[place + 1 :])
        found.append(floor_divide(indices, max(step, 1)) % max(sizes[place], 1))
    return tuple(found)


@overridable
def row_stack(tensors: Sequence[Tensor]) -> Tensor:
    """Returns tensors below one another; vectors are rows."""
    return cat([one.reshape(1, -1) if one.ndim < 2 else one for one in tensors])


def range(start: Any = 0, end: Any = None, step: Any = 1, **options: Any) -> Tensor:
    """Returns the numbers from start to end, both included, as floating-point numbers."""
    from .dtype import get_default_dtype

    if end is None:
        start, end = 0, start
    count = math.floor((end - start) / step) + 1
    options.setdefault("dtype", get_default_dtype())
    return arange(start, start + (count - 0.5) * step, step, **options)


def _called(name: str) -> Any:
    def call(input: Tensor, *args: Any) -> Any:
        return getattr(input, name)(*args)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"Returns `input.{name}()`."
    return overridable(call)


_METHODS = (
    *("adjoint", "detach_", "get_device", "is_conj", "is_inference", "is_neg", "is_nonzero"),
    *("is_signed", "resize_as_", "resolve_conj", "resolve_neg"),
)
globals().update({_name: _called(_name) for _name in _METHODS})


def is_storage(obj: object) -> bool:
    """Returns true if an object is a storage."""
    from .storage import UntypedStorage

    return isinstance(obj, UntypedStorage)


@overridable
def is_same_size(input: Tensor, other: Tensor) -> bool:
    """Returns true if two tensors have the same shape."""
    return input.shape == other.shape


@overridable
def gradient(
    input: Tensor, *, spacing: Any = None, dim: Any = None, edge_order: int = 1
) -> tuple[Tensor, ...]:
    """Returns estimates of the derivatives along dims, by differences of neighbours.

    Args:
        input: Values of a function on a grid.
        spacing: The step of the grid: a number for all dims, or one for each.
        dim: The dims, by default all.
        edge_order: 1, or 2 for differences of the second order at the edges.
    """
    dims = (
        [dim] if isinstance(dim, int) else list(_builtins.range(input.ndim) if dim is None else dim)
    )
    one_step = spacing is None or isinstance(spacing, (int, float))
    steps = [1 if spacing is None else spacing] * len(dims) if one_step else list(spacing)
    if any(isinstance(step, Tensor) for step in steps) or edge_order not in (1, 2):
        raise InvalidArgumentError("gradient: spacing must be numbers, and edge_order 1 or 2")
    return tuple(_slope(input, d, h, edge_order) for d, h in zip(dims, steps, strict=True))


def _slope(values: Tensor, dim: int, step: float, order: int) -> Tensor:
    size = values.shape[dim]
    if size < order + 1:
        raise InvalidArgumentError(f"gradient: sizes must be at least {order + 1}, got {size}")

    def at(place: int, count: int = 1) -> Tensor:
        return values.narrow(dim, place, count)

    inner = (at(2, size - 2) - at(0, size - 2)) / (2 * step)
    if order == 1:
        first, last = (at(1) - at(0)) / step, (at(size - 1) - at(size - 2)) / step
    else:
        first = (-3 * at(0) + 4 * at(1) - at(2)) / (2 * step)
        last = (3 * at(size - 1) - 4 * at(size - 2) + at(size - 3)) / (2 * step)
    return cat([first, inner, last], dim)


__all__ = [
    *("argwhere", "diagflat", "dsplit", "floor_divide", "gradient", "hsplit", "is_same_size"),
    *("is_storage", "narrow_copy", "numel", "range", "row_stack", "scalar_tensor"),
    *("tensor_split", "threshold", "threshold_", "unravel_index", "vsplit", *_METHODS),
]
