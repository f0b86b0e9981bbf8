# SPDX-License-Identifier: Apache-2.0
"""Shapes and tensors that broadcast against one another."""

from __future__ import annotations

from ._tenon import Size, Tensor
from .error import InvalidArgumentError
from .overridable import overridable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


def broadcast_shapes(*shapes: int | Sequence[int]) -> Any:
    """Returns the shape that tensors of some shapes broadcast to.

    Args:
        shapes: Each a sequence of sizes, or an int for one dim.

    Raises:
        InvalidArgumentError: two sizes of a dim differ, and neither is 1.
    """
    result: list[Any] = []
    for shape in shapes:
        sizes = [shape] if isinstance(shape, int) else list(shape)
        result[:0] = [1] * (len(sizes) - len(result))
        for dim in range(-len(sizes), 0):
            size = sizes[dim]
            if isinstance(size, int) and size < 0:
                raise InvalidArgumentError(
                    f"broadcast_shapes: sizes must be at least 0, got {size}"
                )
            if result[dim] == 1:
                result[dim] = size
            elif size != 1 and size != result[dim]:
                raise InvalidArgumentError(
                    f"broadcast_shapes: sizes of a dim must be equal or 1, got {result[dim]} and "
                    f"{size} in dim {dim}"
                )
    return Size(result)


@overridable
def broadcast_tensors(*tensors: Any) -> tuple[Tensor, ...]:
    """Returns views of tensors in the one shape that they broadcast to."""
    is_list = len(tensors) == 1 and isinstance(tensors[0], (list, tuple))
    given = tensors[0] if is_list else tensors
    shape = broadcast_shapes(*(one.shape for one in given))
    return tuple(one.expand(shape) for one in given)


__all__ = ["broadcast_shapes", "broadcast_tensors"]
