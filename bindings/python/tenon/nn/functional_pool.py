# SPDX-License-Identifier: Apache-2.0
"""Power-average pooling, and max pooling that always returns indices."""

from __future__ import annotations

from math import prod

from .._tenon import Tensor
from ..ops import _packet
from ..overridable import overridable
from .functional_image import (
    adaptive_max_pool1d,
    adaptive_max_pool2d,
    adaptive_max_pool3d,
    max_pool1d,
    max_pool2d,
    max_pool3d,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_avg_pools = tuple(_packet(f"aten::avg_pool{dims}d") for dims in (1, 2, 3))


def _with_indices(pool: Any) -> Any:
    def function(
        input: Tensor,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        ceil_mode: bool = False,
        return_indices: bool = False,
    ) -> tuple[Tensor, Tensor]:
        return pool(input, kernel_size, stride, padding, dilation, ceil_mode, True)

    return _named(function, pool)


def _adaptive_with_indices(pool: Any) -> Any:
    def function(
        input: Tensor, output_size: Any, return_indices: bool = False
    ) -> tuple[Tensor, Tensor]:
        return pool(input, output_size, True)

    return _named(function, pool)


def _named(function: Any, pool: Any) -> Any:
    function.__name__ = function.__qualname__ = f"{pool.__name__}_with_indices"
    function.__doc__ = f"Returns the elements and the indices of `{pool.__name__}`."
    return overridable(function)


max_pool1d_with_indices = _with_indices(max_pool1d)
max_pool2d_with_indices = _with_indices(max_pool2d)
max_pool3d_with_indices = _with_indices(max_pool3d)
adaptive_max_pool1d_with_indices = _adaptive_with_indices(adaptive_max_pool1d)
adaptive_max_pool2d_with_indices = _adaptive_with_indices(adaptive_max_pool2d)
adaptive_max_pool3d_with_indices = _adaptive_with_indices(adaptive_max_pool3d)


def _lp_pool(
    dims: int, input: Tensor, norm_type: float, kernel_size: Any, stride: Any, ceil_mode: bool
) -> Tensor:
    sizes = [kernel_size] * dims if isinstance(kernel_size, int) else list(kernel_size)
    steps = sizes if stride is None else stride
    means = _avg_pools[dims - 1](input.pow(norm_type), sizes, steps, 0, ceil_mode)
    return (means.sign() * means.abs().relu()).mul(prod(sizes)).pow(1.0 / norm_type)


@overridable
def lp_pool1d(
    input: Tensor, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False
) -> Tensor:
    """Returns the p-norm of each window; see `lp_pool2d`."""
    return _lp_pool(1, input, norm_type, kernel_size, stride, ceil_mode)


@overridable
def lp_pool2d(
    input: Tensor, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False
) -> Tensor:
    """Returns the p-norm of each window (2-D power-average pooling).

    Args:
        input: Tensor of shape ([N,] channels, height, width).
        norm_type: The order p of the norm: the p-th root of the sum of p-th powers.
        kernel_size: Size of the window: one number, or one per dim.
        stride: Step between windows; by default the size of the window.
        ceil_mode: If true, the last window may extend beyond the end.
    """
    return _lp_pool(2, input, norm_type, kernel_size, stride, ceil_mode)


@overridable
def lp_pool3d(
    input: Tensor, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False
) -> Tensor:
    """Returns the p-norm of each window; see `lp_pool2d`."""
    return _lp_pool(3, input, norm_type, kernel_size, stride, ceil_mode)


__all__ = [
    "adaptive_max_pool1d_with_indices",
    "adaptive_max_pool2d_with_indices",
    "adaptive_max_pool3d_with_indices",
    "lp_pool1d",
    "lp_pool2d",
    "lp_pool3d",
    "max_pool1d_with_indices",
    "max_pool2d_with_indices",
    "max_pool3d_with_indices",
]
