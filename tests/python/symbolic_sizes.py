# SPDX-License-Identifier: Apache-2.0
"""Replaces the sizes of a call's tensors by symbols."""

from __future__ import annotations

import math

import tenon


class Sizes:
    """Symbols for sizes, one for each number."""

    def __init__(self) -> None:
        self.env = tenon.ShapeEnv()
        self.of: dict[int, tenon.SymInt] = {}

    def size(self, number: int):
        if number < 2:
            return number
        if number not in self.of:
            self.of[number] = self.env.new_size(number)
        return self.of[number]

    def tensor(self, real):
        """Returns a meta tensor with the same shape and strides in symbols."""
        if real.dim() == 0:
            return real.to("meta")
        sizes = [self.size(one) for one in real.shape]
        if is_row_major(real):
            return tenon.empty(sizes, dtype=real.dtype, device="meta")
        strides = [self.stride(real, dim) for dim in range(real.dim())]
        return tenon.empty_strided(sizes, strides, dtype=real.dtype, device="meta")

    def stride(self, real, dim: int):
        """Returns a stride as a product of sizes, if it is one.

        The factors are the sizes of all dims with smaller strides, or of some adjacent dims.
        """
        shape, number = list(real.shape), real.stride()[dim]
        if number < 2:
            return number
        inner = [k for k, one in enumerate(real.stride()) if one < number]
        runs = [range(a, b) for a in range(real.dim()) for b in range(a + 1, real.dim() + 1)]
        for run in (inner, *runs):
            if math.prod(shape[k] for k in run) == number:
                return math.prod(self.size(shape[k]) for k in run)
        return number

    def decided(self) -> list[int]:
        """Returns the hints of the symbols that a guard fixed to a number."""
        return [number for number, one in self.of.items() if repr(one).isdigit()]


def is_row_major(real) -> bool:
    """Returns true if strides are those of a new tensor, also in dims of size 1."""
    stride = 1
    for size, own in zip(reversed(list(real.shape)), reversed(real.stride()), strict=True):
        if own != stride:
            return False
        stride *= max(size, 1)
    return True


def tensors_in(value) -> list:
    if isinstance(value, (list, tuple)):
        return [one for each in value for one in tensors_in(each)]
    return [value] if isinstance(value, tenon.Tensor) else []


def shape_of(result):
    return (*result.shape, *result.stride(), result.storage_offset())


def without_offset(shapes):
    return [one[:-1] for one in shapes]


def evaluated(numbers, names):
    return tuple(
        one
        if isinstance(one, int)
        else eval(repr(one), {"__builtins__": {}, "max": max, "min": min}, names)
        for one in numbers
    )
