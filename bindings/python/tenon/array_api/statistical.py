# SPDX-License-Identifier: Apache-2.0
"""Functions of the array API that reduce arrays, and running sums and differences."""

from __future__ import annotations

import builtins

import tenon

from .._tenon import Tensor
from ..error import InvalidArgumentError
from .data_types import BOOL, SIGNED, UNSIGNED, promoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def _axes(x: Tensor, axis: Any) -> tuple[int, ...]:
    """Returns the axes to reduce: all if none is given."""
    if axis is None:
        return tuple(range(x.ndim))
    axes = (axis,) if isinstance(axis, int) else tuple(axis)
    return tuple(one % x.ndim if -x.ndim <= one < x.ndim else one for one in axes)


def _reduced(call: Any, x: Tensor, axis: Any, keepdims: builtins.bool, **options: Any) -> Tensor:
    """Calls an operator that reduces one axis at a time, from the last axis on."""
    for one in sorted(_axes(x, axis), reverse=True):
        x = call(x, one, keepdims, **options)
    return x


def _sum_dtype(x: Tensor, dtype: Any) -> Any:
    """Returns the dtype of a sum: small integers are added as wider ones of the same kind."""
    if dtype is not None:
        return dtype
    if x.dtype in SIGNED or x.dtype in BOOL:
        return tenon.int64
    if x.dtype in UNSIGNED:
        return UNSIGNED[-1] if len(UNSIGNED) == 4 else tenon.int64
    return x.dtype


def sum(
    x: Tensor, /, *, axis: Any = None, dtype: Any = None, keepdims: builtins.bool = False
) -> Tensor:
    """Returns the sums along axes."""
    kind = _sum_dtype(x, dtype)
    if axis == ():
        return x.to(kind, copy=True)
    if x.ndim == 0:
        return x.to(kind, copy=True)
    wide = x.to(tenon.int64) if kind in UNSIGNED else x
    found = tenon.sum(wide, _axes(x, axis), keepdims)
    return found.to(kind) if found.dtype != kind else found


def prod(
    x: Tensor, /, *, axis: Any = None, dtype: Any = None, keepdims: builtins.bool = False
) -> Tensor:
    """Returns the products along axes."""
    kind = _sum_dtype(x, dtype)
    wide = x.to(tenon.int64 if kind in UNSIGNED else kind, copy=True)
    return _reduced(tenon.prod, wide, axis, keepdims).to(kind)


def max(x: Tensor, /, *, axis: Any = None, keepdims: builtins.bool = False) -> Tensor:
    """Returns the greatest elements along axes."""
    return x.clone() if axis == () or x.ndim == 0 else tenon.amax(x, _axes(x, axis), keepdims)


def min(x: Tensor, /, *, axis: Any = None, keepdims: builtins.bool = False) -> Tensor:
    """Returns the least elements along axes."""
    return x.clone() if axis == () or x.ndim == 0 else tenon.amin(x, _axes(x, axis), keepdims)


def all(x: Tensor, /, *, axis: Any = None, keepdims: builtins.bool = False) -> Tensor:
    """Returns true where all elements along axes differ from zero."""
    return _reduced(tenon.all, x.to(tenon.bool_), axis, keepdims)


def any(x: Tensor, /, *, axis: Any = None, keepdims: builtins.bool = False) -> Tensor:
    """Returns true where an element along axes differs from zero."""
    return _reduced(tenon.any, x.to(tenon.bool_), axis, keepdims)


def mean(x: Tensor, /, *, axis: Any = None, keepdims: builtins.bool = False) -> Tensor:
    """Returns the means along axes."""
    if axis == () or x.ndim == 0:
        return x.clone()
    return tenon.mean(x, _axes(x, axis), keepdims)


def var(
    x: Tensor, /, *, axis: Any = None, correction: float = 0.0, keepdims: builtins.bool = False
) -> Tensor:
    """Returns the variances along axes."""
    if axis == () or x.ndim == 0:
        return tenon.where(x == x, tenon.zeros_like(x), x)
    return tenon.var(x, _axes(x, axis), correction=correction, keepdim=keepdims)


def std(
    x: Tensor, /, *, axis: Any = None, correction: float = 0.0, keepdims: builtins.bool = False
) -> Tensor:
    """Returns the standard deviations along axes."""
    return tenon.sqrt(var(x, axis=axis, correction=correction, keepdims=keepdims))


def _cumulative(
    call: Any, x: Tensor, axis: int | None, dtype: Any, initial: int | None, name: str
) -> Tensor:
    if axis is None:
        if x.ndim > 1:
            raise InvalidArgumentError(f"{name}: axis must be given for {x.ndim} dims, got none")
        axis = 0
    if x.ndim == 0:
        x = x.reshape(1)
    kind = _sum_dtype(x, dtype)
    found = call(x.to(kind), axis)
    if initial is None:
        return found
    shape = [*x.shape]
    shape[axis] = 1
    return tenon.cat([tenon.full(shape, initial, dtype=kind, device=x.device), found], axis)


def cumulative_sum(
    x: Tensor,
    /,
    *,
    axis: int | None = None,
    dtype: Any = None,
    include_initial: builtins.bool = False,
) -> Tensor:
    """Returns the running sums along an axis."""
    initial = 0 if include_initial else None
    return _cumulative(tenon.cumsum, x, axis, dtype, initial, "cumulative_sum")


def cumulative_prod(
    x: Tensor,
    /,
    *,
    axis: int | None = None,
    dtype: Any = None,
    include_initial: builtins.bool = False,
) -> Tensor:
    """Returns the running products along an axis."""
    initial = 1 if include_initial else None
    return _cumulative(tenon.cumprod, x, axis, dtype, initial, "cumulative_prod")


def diff(
    x: Tensor,
    /,
    *,
    axis: int = -1,
    n: int = 1,
    prepend: Tensor | None = None,
    append: Tensor | None = None,
) -> Tensor:
    """Returns the differences of neighbours along an axis, n times."""
    parts = [one for one in (prepend, x, append) if one is not None]
    if len(parts) > 1:
        x = tenon.cat(promoted(*parts), axis)
    return tenon.diff(x, n, axis)
