# SPDX-License-Identifier: Apache-2.0
"""Grid sampling and affine grids as functions."""

from __future__ import annotations

from .._tenon import Tensor
from ..error import InvalidArgumentError, NotSupportedError
from ..ops import _packet
from ..overridable import overridable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_grid_sampler = _packet("aten::grid_sampler")
_affine_grid_generator = _packet("aten::affine_grid_generator")

# Modes and the numbers that the operator takes for them.
_MODES = {"bilinear": 0, "nearest": 1, "bicubic": 2}
_PADDINGS = {"zeros": 0, "border": 1, "reflection": 2}


def _aligns(function: str, align_corners: bool | None) -> bool:
    if align_corners is not None:
        return align_corners
    import warnings

    warnings.warn(
        f"{function}: align_corners must be given, got None; False is chosen", stacklevel=3
    )
    return False


@overridable
def grid_sample(
    input: Tensor,
    grid: Tensor,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool | None = None,
) -> Tensor:
    """Samples an input at the positions of a grid.

    Args:
        input: Tensor of shape (batch, channels, height, width), or with a depth before the height.
        grid: Positions x, y of shape (batch, height, width, 2): from -1 at the left or upper edge
            to 1 at the opposite one. For volumes x, y, z of shape (batch, depth, height, width, 3).
        mode: Interpolation: "bilinear", "nearest" or "bicubic".
        padding_mode: Values outside the input: "zeros", "border" or "reflection".
        align_corners: If true, -1 and 1 are the centres of the outer elements, not their outer
            edges.

    Raises:
        InvalidArgumentError: For other modes.
    """
    if mode not in _MODES:
        raise InvalidArgumentError(
            f"grid_sample: mode must be one of {', '.join(_MODES)}, got {mode!r}"
        )
    if padding_mode not in _PADDINGS:
        raise InvalidArgumentError(
            f"grid_sample: padding_mode must be one of {', '.join(_PADDINGS)}, got {padding_mode!r}"
        )
    aligns = _aligns("grid_sample", align_corners)
    return _grid_sampler(input, grid, _MODES[mode], _PADDINGS[padding_mode], aligns)


@overridable
def affine_grid(theta: Tensor, size: Sequence[int], align_corners: bool | None = None) -> Tensor:
    """Returns sampling grids of affine maps for `grid_sample`.

    Args:
        theta: Matrices of shape (batch, 2, 3); for volumes (batch, 3, 4).
        size: Size of the images: batch, channels, height, width; volumes have a depth before
            height.
        align_corners: As in `grid_sample`.

    Raises:
        InvalidArgumentError: For matrices that are not floating or do not fit the size, and for a
            size of 0.
        NotSupportedError: For a size of fewer or more dims.
    """
    aligns = _aligns("affine_grid", align_corners)
    if not theta.is_floating_point():
        raise InvalidArgumentError(f"affine_grid: theta must be floating, got {theta.dtype}")
    sizes = list(size)
    if len(sizes) not in (4, 5):
        raise NotSupportedError(f"affine_grid: size must have 4 or 5 dims, got {sizes}")
    dims = len(sizes) - 2
    if theta.ndim != 3 or tuple(theta.shape[-2:]) != (dims, dims + 1):
        raise InvalidArgumentError(
            f"affine_grid: theta must have shape (batch, {dims}, {dims + 1}) for size {sizes}, "
            f"got {tuple(theta.shape)}"
        )
    if min(sizes) <= 0:
        raise InvalidArgumentError(f"affine_grid: sizes must be at least 1, got {sizes}")
    return _affine_grid_generator(theta, sizes, aligns)


__all__ = ["affine_grid", "grid_sample"]
