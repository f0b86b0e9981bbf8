# SPDX-License-Identifier: Apache-2.0
"""Fractional max pooling (Graham, 2014): windows whose starts are spaced by a random sequence."""

from __future__ import annotations

from math import prod

from .._tenon import Tensor
from ..dtype import int64
from ..error import InvalidArgumentError
from ..factories import arange, full, rand
from ..functional import cat
from ..overridable import overridable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def _sizes(dims: int, value: Any) -> list[Any]:
    return [value] * dims if isinstance(value, (int, float)) else list(value)


def _starts(samples: Tensor, size: int, count: int, window: int) -> Tensor:
    """Returns the starts of `count` windows for each sample, in a new last dim.

    Start i is int((i + u) a) - int(u a) for a sample u, with a = (size - window) / (count - 1).
    """
    last = full((*samples.shape, 1), size - window, dtype=int64, device=samples.device)
    if count == 1:
        return last
    step = (size - window) / (count - 1)
    places = arange(count - 1, device=samples.device, dtype=samples.dtype)
    u = samples.unsqueeze(-1)
    starts = ((u + places) * step).long() - (u * step).long()
    return cat([starts, last], -1)


def _pooled(
    dims: int, input: Tensor, kernel_size: Any, output_size: Any, output_ratio: Any, samples: Any
) -> tuple[Tensor, Tensor]:
    name = f"fractional_max_pool{dims}d"
    if (output_size is None) == (output_ratio is None):
        raise InvalidArgumentError(
            f"{name}: one of output_size and output_ratio must be given, got "
            + ("none" if output_size is None else "both")
        )
    if input.ndim not in (dims + 1, dims + 2):
        raise InvalidArgumentError(
            f"{name}: input must have {dims + 1} or {dims + 2} dims, got {input.ndim}"
        )
    sizes, windows = [*input.shape[-dims:]], _sizes(dims, kernel_size)
    if output_size is None:
        pairs = zip(sizes, _sizes(dims, output_ratio), strict=True)
        counts = [int(size * ratio) for size, ratio in pairs]
    else:
        counts = _sizes(dims, output_size)
    for size, count, window in zip(sizes, counts, windows, strict=True):
        if not 0 < count <= size - window + 1:
            raise InvalidArgumentError(
                f"{name}: output_size must fit windows of {windows} in {sizes}, got {counts}"
            )
    whole = input if input.ndim == dims + 2 else input.unsqueeze(0)
    batch, channels = whole.shape[:2]
    if samples is None:
        samples = rand(batch, channels, dims, dtype=input.dtype, device=input.device)
    # Two dims take the samples in reverse: first the width's, then the height's.
    order = (1, 0) if dims == 2 else (0, 1, 2)
    index: Any = 0
    for place in range(dims):
        rows = _starts(samples[..., order[place]], sizes[place], counts[place], windows[place])
        rows = rows.unsqueeze(-1) + arange(windows[place], device=input.device)
        shape = [1] * (2 * dims)
        shape[place], shape[dims + place] = counts[place], windows[place]
        index = index + rows.reshape(batch, channels, *shape) * prod(sizes[place + 1 :])
    flat = index.reshape(batch, channels, -1)
    values = whole.flatten(2).gather(2, flat).reshape(batch, channels, prod(counts), -1)
    found = values.argmax(-1, keepdim=True)
    shape = [*whole.shape[:2], *counts]
    indices = index.reshape(values.shape).gather(-1, found).reshape(shape)
    result = values.gather(-1, found).reshape(shape)
    if input.ndim == dims + 1:
        return result.squeeze(0), indices.squeeze(0)
    return result, indices


def _functions(dims: int) -> tuple[Any, Any]:
    def with_indices(
        input: Tensor,
        kernel_size: Any,
        output_size: Any = None,
        output_ratio: Any = None,
        return_indices: bool = False,
        _random_samples: Tensor | None = None,
    ) -> tuple[Tensor, Tensor]:
        return _pooled(dims, input, kernel_size, output_size, output_ratio, _random_samples)

    def pool(
        input: Tensor,
        kernel_size: Any,
        output_size: Any = None,
        output_ratio: Any = None,
        return_indices: bool = False,
        _random_samples: Tensor | None = None,
    ) -> Any:
        args = (kernel_size, output_size, output_ratio, _random_samples)
        both = _pooled(dims, input, *args)
        return both if return_indices else both[0]

    pool.__name__ = pool.__qualname__ = f"fractional_max_pool{dims}d"
    pool.__doc__ = f"""Returns the maximum of windows at random places along {dims} dims.

    Args:
        input: Tensor of shape ([N,] channels, *sizes).
        kernel_size: Size of the windows.
        output_size: Number of windows along each dim; or
        output_ratio: their number as a fraction of the input's sizes.
        return_indices: If true, also returns the index of each maximum within its plane.
        _random_samples: Numbers in [0, 1) of shape (N, channels, {dims}); drawn by default.
    """
    with_indices.__name__ = with_indices.__qualname__ = f"{pool.__name__}_with_indices"
    with_indices.__doc__ = f"Returns the elements and the indices of `{pool.__name__}`."
    return overridable(pool), overridable(with_indices)


fractional_max_pool2d, fractional_max_pool2d_with_indices = _functions(2)
fractional_max_pool3d, fractional_max_pool3d_with_indices = _functions(3)

__all__ = [
    "fractional_max_pool2d",
    "fractional_max_pool2d_with_indices",
    "fractional_max_pool3d",
    "fractional_max_pool3d_with_indices",
]
