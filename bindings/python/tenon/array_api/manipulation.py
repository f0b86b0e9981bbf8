# SPDX-License-Identifier: Apache-2.0
"""Functions of the array API that change shapes, and join and repeat arrays."""

from __future__ import annotations

import builtins

import tenon

from .._tenon import Tensor
from ..broadcasting import broadcast_shapes as _broadcast_shapes
from ..error import InvalidArgumentError, OutOfRangeError
from .data_types import promoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


def _one_axis(name: str, axis: int, ndim: int) -> int:
    if not -ndim <= axis < ndim:
        raise OutOfRangeError(f"{name}: axis must be between {-ndim} and {ndim - 1}, got {axis}")
    return axis % ndim


def broadcast_to(x: Tensor, /, shape: Sequence[int]) -> Tensor:
    """Returns the array broadcast to a shape."""
    return x.expand(tuple(shape))


def broadcast_shapes(*shapes: Sequence[int]) -> tuple[int, ...]:
    """Returns the shape to which arrays of these shapes broadcast."""
    return tuple(_broadcast_shapes(*shapes))


def concat(arrays: Sequence[Tensor], /, *, axis: int | None = 0) -> Tensor:
    """Returns the arrays one after the other; `axis=None` flattens them."""
    parts = promoted(*arrays)
    if axis is None:
        return tenon.cat([x.reshape(-1) for x in parts], 0)
    return tenon.cat(parts, axis)


def expand_dims(x: Tensor, /, axis: int | tuple[int, ...] = 0) -> Tensor:
    """Returns the array with dims of size 1 at positions of the result."""
    axes = (axis,) if isinstance(axis, int) else tuple(axis)
    ndim = x.ndim + len(axes)
    places = sorted(_one_axis("expand_dims", one, ndim) for one in axes)
    if len({*places}) != len(places):
        raise InvalidArgumentError(f"expand_dims: axis must have each position once, got {axis}")
    for one in places:
        x = x.unsqueeze(one)
    return x


def flip(x: Tensor, /, *, axis: int | tuple[int, ...] | None = None) -> Tensor:
    """Returns the elements in reverse order along axes, along all if none is given."""
    if axis is None:
        axis = tuple(range(x.ndim))
    return tenon.flip(x, (axis,) if isinstance(axis, int) else tuple(axis))


def moveaxis(x: Tensor, source: Any, destination: Any, /) -> Tensor:
    """Returns the array with axes moved to other positions."""
    return tenon.movedim(x, source, destination)


def permute_dims(x: Tensor, /, axes: Sequence[int]) -> Tensor:
    """Returns the array with its axes in another order."""
    return x.permute(tuple(axes))


def repeat(x: Tensor, repeats: Any, /, *, axis: int | None = None) -> Tensor:
    """Returns the array with each element repeated."""
    if axis is None:
        x, axis = x.reshape(-1), 0
    counts = repeats if isinstance(repeats, int) else tenon.as_tensor(repeats)
    if isinstance(counts, Tensor) and counts.ndim == 1 and counts.numel() == 1:
        counts = int(counts)
    return tenon.repeat_interleave(x, counts, axis)


def reshape(x: Tensor, /, shape: Sequence[int], *, copy: builtins.bool | None = None) -> Tensor:
    """Returns the array in another shape; `copy=False` raises if that needs a copy."""
    if copy:
        x = x.clone()
    if copy is False:
        return x.view(tuple(shape))
    return x.reshape(tuple(shape))


def roll(x: Tensor, /, shift: Any, *, axis: Any = None) -> Tensor:
    """Returns the elements shifted along axes, from the last position to the first."""
    if axis is None:
        flat = x.reshape(-1)
        return tenon.roll(flat, shift, 0).reshape(x.shape)
    shifts, axes = _pairs(shift, axis)
    return tenon.roll(x, shifts, axes)


def _pairs(shift: Any, axis: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    axes = (axis,) if isinstance(axis, int) else tuple(axis)
    shifts = (shift,) * len(axes) if isinstance(shift, int) else tuple(shift)
    return shifts, axes


def squeeze(x: Tensor, /, axis: int | tuple[int, ...] | None = None) -> Tensor:
    """Returns the array without axes of size 1."""
    if axis is None:
        axis = tuple(i for i, size in enumerate(x.shape) if size == 1)
    axes = (axis,) if isinstance(axis, int) else tuple(axis)
    places = [_one_axis("squeeze", one, x.ndim) for one in axes]
    for one in places:
        if x.shape[one] != 1:
            raise InvalidArgumentError(
                f"squeeze: axis must be of size 1, got axis {one} of size {x.shape[one]}"
            )
    for one in sorted({*places}, reverse=True):
        x = x.squeeze(one)
    return x


def stack(arrays: Sequence[Tensor], /, *, axis: int = 0) -> Tensor:
    """Returns the arrays along a new axis."""
    return tenon.stack(promoted(*arrays), axis)


def tile(x: Tensor, repetitions: Sequence[int], /) -> Tensor:
    """Returns the array repeated along its axes."""
    return tenon.tile(x, tuple(repetitions))


def unstack(x: Tensor, /, *, axis: int = 0) -> tuple[Tensor, ...]:
    """Returns the parts of the array along an axis."""
    return tuple(x.unbind(axis))
