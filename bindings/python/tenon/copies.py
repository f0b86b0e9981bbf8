# SPDX-License-Identifier: Apache-2.0
"""Copies where other functions return views, control flow as functions, and other small ones."""

from __future__ import annotations

import builtins
import math

from ._tenon import Tensor
from .error import InvalidArgumentError
from .factories import empty
from .overridable import overridable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def _copied(name: str, of: str) -> Any:
    def function(input: Tensor, *args: Any, **kwargs: Any) -> tuple[Tensor, ...]:
        return tuple(one.clone() for one in getattr(input, of)(*args, **kwargs))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"Returns copies of what `{of}` returns."
    return overridable(function)


def _same(name: str, of: str) -> Any:
    def function(input: Tensor, *args: Any, **kwargs: Any) -> tuple[Tensor, ...]:
        return getattr(input, of)(*args, **kwargs)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"Returns `input.{of}(...)`."
    return overridable(function)


split_copy = _copied("split_copy", "split")
split_with_sizes_copy = _copied("split_with_sizes_copy", "split_with_sizes")
unbind_copy = _copied("unbind_copy", "unbind")
unsafe_chunk = _same("unsafe_chunk", "chunk")
unsafe_split = _same("unsafe_split", "split")
unsafe_split_with_sizes = _same("unsafe_split_with_sizes", "split_with_sizes")


@overridable
def as_strided_scatter(
    input: Tensor, src: Tensor, size: Any, stride: Any, storage_offset: int | None = None
) -> Tensor:
    """Returns a copy of a tensor with elements at some strides replaced by those of another."""
    result = input.clone()
    offset = result.storage_offset() if storage_offset is None else storage_offset
    result.as_strided(size, stride, offset).copy_(src)
    return result


def empty_permuted(size: Any, physical_layout: Any, **options: Any) -> Tensor:
    """Returns an uninitialized tensor with a given order of its dims in memory."""
    order = [int(one) for one in physical_layout]
    if sorted(order) != list(range(len(size))):
        raise InvalidArgumentError(
            f"empty_permuted: physical_layout must be an order of {len(size)} dims, got {order}"
        )
    options.pop("layout", None), options.pop("pin_memory", None)
    made = empty([size[one] for one in order], **options)
    return made.permute([order.index(one) for one in range(len(order))])


@overridable
def native_channel_shuffle(input: Tensor, groups: int) -> Tensor:
    """Returns `channel_shuffle`."""
    from .nn.functional import channel_shuffle

    return channel_shuffle(input, groups)


@overridable
def conv_tbc(input: Tensor, weight: Tensor, bias: Tensor, pad: int = 0) -> Tensor:
    """Returns the 1-D convolution of (time, batch, channels) by (kernel, in, out)."""
    from .nn.functional import conv1d

    found = conv1d(input.permute(1, 2, 0), weight.permute(2, 1, 0), bias, padding=pad)
    return found.permute(2, 0, 1)


@overridable
def histogramdd(
    input: Tensor, bins: Any, *, range: Any = None, weight: Any = None, density: bool = False
) -> Any:
    """Returns the counts of points in bins along each of their coordinates, and the edges.

    Args:
        input: The points, (..., coordinates).
        bins: Number of bins, one or for each coordinate; or tensors of their edges.
        range: The least and the largest edge of each coordinate, one after the other.
        weight: Weight of each point.
        density: If true, divides by the total weight and by the volumes of the bins.
    """
    from collections import namedtuple

    from .factories import linspace
    from .functional import bucketize

    points = input.reshape(-1, input.shape[-1])
    dims = points.shape[-1]
    given = [bins] * dims if isinstance(bins, int) else list(bins)
    edges = []
    for place in builtins.range(dims):
        if isinstance(given[place], Tensor):
            edges.append(given[place])
            continue
        if range is None:
            low, high = points[:, place].min().item(), points[:, place].max().item()
            low, high = (low, high) if low != high else (low - 0.5, high + 0.5)
        else:
            low, high = range[2 * place], range[2 * place + 1]
        edges.append(linspace(low, high, given[place] + 1, dtype=input.dtype))
    shape = [one.numel() - 1 for one in edges]
    index: Any = 0
    inside: Any = True
    for place, one in enumerate(edges):
        values = points[:, place].contiguous()
        found = bucketize(values, one, right=True) - 1
        found = found - (values == one[-1]).long()
        inside = inside & (found >= 0) & (found < shape[place])
        index = index * shape[place] + found.clamp(0, shape[place] - 1)
    weights = points.new_ones(len(points)) if weight is None else weight.reshape(-1)
    weights = weights * inside
    counts = points.new_zeros(math.prod(shape)).scatter_add(0, index, weights).reshape(shape)
    if density:
        counts = counts / weights.sum()
        for place, one in enumerate(edges):
            sizes = [1] * dims
            sizes[place] = -1
            counts = counts / one.diff().reshape(sizes)
    return namedtuple("histogramdd", ["hist", "bin_edges"])(counts, tuple(edges))


def cond(pred: Any, true_fn: Any, false_fn: Any, operands: Any = ()) -> Any:
    """Returns the result of one of two functions, by a condition."""
    return (true_fn if bool(pred) else false_fn)(*operands)


def while_loop(cond_fn: Any, body_fn: Any, carried_inputs: Any) -> Any:
    """Replaces values by a function's results while a condition holds; returns the last ones."""
    values = tuple(carried_inputs)
    while bool(cond_fn(*values)):
        found = body_fn(*values)
        values = tuple(found) if isinstance(found, (tuple, list)) else (found,)
    return values


def sym_sum(args: Any) -> Any:
    """Returns the sum of numbers, known or symbolic."""
    total: Any = 0
    for one in args:
        total = total + one
    return total


def sym_ite(b: Any, t: Any, f: Any) -> Any:
    """Returns one of two values, by a condition."""
    return t if b else f


def sym_int(a: Any) -> Any:
    """Returns a number without its fraction."""
    from ._tenon import SymInt

    return a if isinstance(a, SymInt) else int(a)


__all__ = [
    *("cond", "conv_tbc", "empty_permuted", "histogramdd", "native_channel_shuffle"),
    *("split_copy", "split_with_sizes_copy", "sym_int", "sym_ite", "sym_sum", "unbind_copy"),
    "while_loop",
    "as_strided_scatter",
    "unsafe_chunk",
    "unsafe_split",
    "unsafe_split_with_sizes",
]
