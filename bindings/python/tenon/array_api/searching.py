# SPDX-License-Identifier: Apache-2.0
"""Functions of the array API that search, sort, take and find unique elements."""

from __future__ import annotations

import builtins
from typing import NamedTuple

import tenon

from .._tenon import Tensor
from ..error import InvalidArgumentError
from ..tensor import nonzero as _nonzero
from .data_types import BOOL, promoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def _comparable(x: Tensor) -> Tensor:
    """Returns bools as numbers, which can be compared by size."""
    return x.to(tenon.uint8) if x.dtype in BOOL else x


def argmax(x: Tensor, /, *, axis: int | None = None, keepdims: builtins.bool = False) -> Tensor:
    """Returns the positions of the greatest elements, of the flat array if no axis is given."""
    return _position(tenon.argmax, x, axis, keepdims)


def argmin(x: Tensor, /, *, axis: int | None = None, keepdims: builtins.bool = False) -> Tensor:
    """Returns the positions of the least elements, of the flat array if no axis is given."""
    return _position(tenon.argmin, x, axis, keepdims)


def _position(call: Any, x: Tensor, axis: int | None, keepdims: builtins.bool) -> Tensor:
    x = _comparable(x)
    if axis is None:
        found = call(x.reshape(-1), 0)
        return found.reshape((1,) * x.ndim) if keepdims else found
    return call(x, axis, keepdims)


def count_nonzero(x: Tensor, /, *, axis: Any = None, keepdims: builtins.bool = False) -> Tensor:
    """Returns how many elements differ from zero."""
    from .statistical import sum

    return sum((x != 0).to(tenon.int64), axis=axis, keepdims=keepdims)


def nonzero(x: Tensor, /) -> tuple[Tensor, ...]:
    """Returns the positions of elements that differ from zero, one array for each axis."""
    if x.ndim == 0:
        raise InvalidArgumentError("nonzero: x must have a dim, got 0 dims")
    return tuple(_nonzero(x, as_tuple=True))


def searchsorted(
    x1: Tensor, x2: Any, /, *, side: str = "left", sorter: Tensor | None = None
) -> Tensor:
    """Returns where elements would be inserted into a sorted array."""
    if sorter is not None:
        x1 = tenon.take_along_dim(x1, sorter.to(tenon.int64), -1)
    x1, x2 = promoted(x1, x2)
    return tenon.searchsorted(x1.contiguous(), x2.contiguous(), side=side)


def where(condition: Tensor, x1: Any, x2: Any, /) -> Tensor:
    """Returns elements of one array where a condition holds, of another elsewhere."""
    if isinstance(x1, Tensor) or isinstance(x2, Tensor):
        x1, x2 = promoted(x1, x2)
    return tenon.where(condition, x1, x2)


def isin(x1: Any, x2: Any, /, *, invert: builtins.bool = False) -> Tensor:
    """Returns for each element whether another array has it."""
    one, two = promoted(x1, x2)
    found = (one.unsqueeze(-1) == two.reshape(-1)).any(-1)
    return ~found if invert else found


def sort(
    x: Tensor, /, *, axis: int = -1, descending: builtins.bool = False, stable: builtins.bool = True
) -> Tensor:
    """Returns the elements in order along an axis."""
    return tenon.sort(x, dim=axis, descending=descending, stable=stable)[0]


def argsort(
    x: Tensor, /, *, axis: int = -1, descending: builtins.bool = False, stable: builtins.bool = True
) -> Tensor:
    """Returns the positions of the elements in order along an axis."""
    return tenon.sort(x, dim=axis, descending=descending, stable=stable)[1]


def take(x: Tensor, indices: Tensor, /, *, axis: int | None = None) -> Tensor:
    """Returns elements at positions along an axis."""
    if axis is None:
        axis = 0
    size = x.shape[axis]
    flat = indices.reshape(-1).to(tenon.int64)
    flat = tenon.where(flat < 0, flat + size, flat)
    found = tenon.index_select(x, axis, flat)
    if indices.ndim == 1:
        return found
    at = axis % x.ndim
    return found.reshape(x.shape[:at] + indices.shape + x.shape[at + 1 :])


def take_along_axis(x: Tensor, indices: Tensor, /, *, axis: int = -1) -> Tensor:
    """Returns elements at positions that are given for each line along an axis."""
    places = indices.to(tenon.int64)
    places = tenon.where(places < 0, places + x.shape[axis], places)
    return tenon.take_along_dim(x, places, axis)


class UniqueAllResult(NamedTuple):
    """The unique elements, where each is first, where the elements are among them, counts."""

    values: Tensor
    indices: Tensor
    inverse_indices: Tensor
    counts: Tensor


class UniqueCountsResult(NamedTuple):
    """The unique elements and their counts."""

    values: Tensor
    counts: Tensor


class UniqueInverseResult(NamedTuple):
    """The unique elements and where the elements are among them."""

    values: Tensor
    inverse_indices: Tensor


def unique_all(x: Tensor, /) -> UniqueAllResult:
    """Returns the unique elements; each NaN counts as another one."""
    flat = x.reshape(-1)
    keys = tenon.view_as_real(flat) if x.dtype.is_complex else flat.unsqueeze(-1)
    order = tenon.arange(flat.numel(), device=x.device)
    for column in reversed(range(keys.shape[-1])):
        key = _comparable(keys[order, column])
        order = order[tenon.sort(key, dim=0, stable=True)[1]]
    ordered = flat[order]
    first = tenon.ones(flat.shape, dtype=tenon.bool_, device=x.device)
    if flat.numel() > 1:
        first[1:] = ordered[1:] != ordered[:-1]
    group = tenon.cumsum(first.to(tenon.int64), 0) - 1
    inverse = tenon.empty_like(group)
    inverse[order] = group
    count = int(first.sum())
    counts = tenon.zeros(count, dtype=tenon.int64, device=x.device)
    counts.index_add_(0, group, tenon.ones_like(group))
    return UniqueAllResult(ordered[first], order[first], inverse.reshape(x.shape), counts)


def unique_counts(x: Tensor, /) -> UniqueCountsResult:
    """Returns the unique elements and their counts."""
    found = unique_all(x)
    return UniqueCountsResult(found.values, found.counts)


def unique_inverse(x: Tensor, /) -> UniqueInverseResult:
    """Returns the unique elements and where the elements are among them."""
    found = unique_all(x)
    return UniqueInverseResult(found.values, found.inverse_indices)


def unique_values(x: Tensor, /) -> Tensor:
    """Returns the unique elements."""
    return unique_all(x).values
