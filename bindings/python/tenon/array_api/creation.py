# SPDX-License-Identifier: Apache-2.0
"""Functions of the array API that make arrays."""

from __future__ import annotations

import builtins

import tenon

from .. import factories
from .._tenon import Tensor
from ..error import InvalidArgumentError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def asarray(
    obj: Any, /, *, dtype: Any = None, device: Any = None, copy: builtins.bool | None = None
) -> Tensor:
    """Returns an array of an array, a number or nested lists; `copy=None` copies if it must."""
    made = factories.asarray(obj, dtype=dtype, device=device, copy=copy)
    return made.detach() if made.requires_grad and not isinstance(obj, Tensor) else made


def _sized(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def make(shape: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
        sizes = (shape,) if isinstance(shape, int) else tuple(shape)
        return function(sizes, dtype=dtype, device=device)

    make.__name__ = make.__qualname__ = function.__name__
    make.__doc__ = f"Returns an array of a shape, as the standard defines {function.__name__}."
    return make


def _like(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    def make(x: Tensor, /, *, dtype: Any = None, device: Any = None) -> Tensor:
        return function(x, dtype=dtype, device=device)

    make.__name__ = make.__qualname__ = function.__name__
    make.__doc__ = f"Returns an array like another, as the standard defines {function.__name__}."
    return make


empty, ones, zeros = map(_sized, (factories.empty, factories.ones, factories.zeros))
empty_like, ones_like, zeros_like = map(
    _like, (factories.empty_like, factories.ones_like, factories.zeros_like)
)


def full(shape: Any, fill_value: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Returns an array of one value."""
    sizes = (shape,) if isinstance(shape, int) else tuple(shape)
    return factories.full(sizes, fill_value, dtype=dtype, device=device)


def full_like(x: Tensor, /, fill_value: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Returns an array like another, of one value."""
    return factories.full_like(x, fill_value, dtype=dtype, device=device)


def arange(
    start: Any, /, stop: Any = None, step: Any = 1, *, dtype: Any = None, device: Any = None
) -> Tensor:
    """Returns evenly spaced numbers; empty if the step leads away from the end."""
    if stop is None:
        start, stop = 0, start
    if (step > 0 and stop <= start) or (step < 0 and stop >= start):
        if dtype is None:
            whole = builtins.all(isinstance(one, int) for one in (start, stop, step))
            dtype = tenon.int64 if whole else tenon.get_default_dtype()
        return factories.empty(0, dtype=dtype, device=device)
    return factories.arange(start, stop, step, dtype=dtype, device=device)


def eye(
    n_rows: int, n_cols: int | None = None, /, *, k: int = 0, dtype: Any = None, device: Any = None
) -> Tensor:
    """Returns a matrix with ones on a diagonal."""
    count = n_rows if n_cols is None else n_cols
    made = factories.zeros((n_rows, count), dtype=dtype, device=device)
    if -n_rows < k < count:
        made.diagonal(k).fill_(1)
    return made


def linspace(
    start: Any,
    stop: Any,
    /,
    num: int,
    *,
    dtype: Any = None,
    device: Any = None,
    endpoint: builtins.bool = True,
) -> Tensor:
    """Returns evenly spaced numbers of an interval, with or without its end."""
    if isinstance(start, complex) or isinstance(stop, complex):
        real = linspace(start.real, stop.real, num, device=device, endpoint=endpoint)
        imag = linspace(start.imag, stop.imag, num, device=device, endpoint=endpoint)
        made = tenon.complex(real, imag)
        return made if dtype is None else made.to(dtype)
    if not endpoint:
        made = factories.linspace(start, stop, num + 1, dtype=dtype, device=device)
        return made[:num]
    return factories.linspace(start, stop, num, dtype=dtype, device=device)


def meshgrid(*arrays: Tensor, indexing: str = "xy") -> tuple[Tensor, ...]:
    """Returns the coordinates of a grid."""
    if len({x.dtype for x in arrays}) > 1:
        raise InvalidArgumentError("meshgrid: arrays must have one dtype, got several")
    from ..own_arguments import meshgrid as grid

    return tuple(grid(*arrays, indexing=indexing)) if arrays else ()


def tril(x: Tensor, /, *, k: int = 0) -> Tensor:
    """Returns the lower triangles of matrices."""
    return tenon.tril(x, k)


def triu(x: Tensor, /, *, k: int = 0) -> Tensor:
    """Returns the upper triangles of matrices."""
    return tenon.triu(x, k)


def from_dlpack(x: Any, /, *, device: Any = None, copy: builtins.bool | None = None) -> Tensor:
    """Returns an array on the memory of another library's array, or a copy of it."""
    made = factories.from_dlpack(x)
    if device is not None or copy:
        made = made.to(device=device or made.device, copy=builtins.bool(copy))
    return made
