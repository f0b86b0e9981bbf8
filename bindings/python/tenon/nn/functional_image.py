# SPDX-License-Identifier: Apache-2.0
"""Convolutions, pooling, padding and resampling as functions."""

from __future__ import annotations

import math

from .._tenon import Tensor
from ..error import InvalidArgumentError, NotSupportedError
from ..ops import _packet
from ..overridable import overridable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

conv1d = _packet("aten::conv1d")
conv2d = _packet("aten::conv2d")
conv3d = _packet("aten::conv3d")
conv_transpose1d = _packet("aten::conv_transpose1d")
conv_transpose2d = _packet("aten::conv_transpose2d")
conv_transpose3d = _packet("aten::conv_transpose3d")
avg_pool1d = _packet("aten::avg_pool1d")
avg_pool2d = _packet("aten::avg_pool2d")
avg_pool3d = _packet("aten::avg_pool3d")
adaptive_avg_pool1d = _packet("aten::adaptive_avg_pool1d")
pixel_shuffle = _packet("aten::pixel_shuffle")
pixel_unshuffle = _packet("aten::pixel_unshuffle")
channel_shuffle = _packet("aten::channel_shuffle")

_im2col = _packet("aten::im2col")
_col2im = _packet("aten::col2im")
_pad = _packet("aten::pad")
_max_unpool2d = _packet("aten::max_unpool2d")
_max_unpool3d = _packet("aten::max_unpool3d")
_max_pools = tuple(_packet(f"aten::max_pool{dims}d_with_indices") for dims in (1, 2, 3))
_adaptive_avg_pools = tuple(_packet(f"aten::adaptive_avg_pool{dims}d") for dims in (1, 2, 3))
_adaptive_max_pools = tuple(_packet(f"aten::adaptive_max_pool{dims}d") for dims in (1, 2, 3))
_resamplings = {
    name: _packet(f"aten::{name}")
    for name in (
        "upsample_nearest1d",
        "upsample_nearest2d",
        "upsample_nearest3d",
        "_upsample_nearest_exact1d",
        "_upsample_nearest_exact2d",
        "_upsample_nearest_exact3d",
        "upsample_linear1d",
        "upsample_bilinear2d",
        "upsample_trilinear3d",
        "upsample_bicubic2d",
    )
}


def _as_list(value: Any, count: int) -> list:
    return [value] * count if isinstance(value, int) else list(value)


def _max_pool(dims: int, input: Tensor, args: tuple, return_indices: bool) -> Any:
    kernel_size, stride, padding, dilation, ceil_mode = args
    stride = [] if stride is None else stride
    pool = _max_pools[dims - 1]
    values, indices = pool(input, kernel_size, stride, padding, dilation, ceil_mode)
    return (values, indices) if return_indices else values


@overridable
def max_pool1d(
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """Returns the maximum of each window along the last dim (1-D max pooling).

    The arguments are those of `max_pool2d`.
    """
    args = (kernel_size, stride, padding, dilation, ceil_mode)
    return _max_pool(1, input, args, return_indices)


@overridable
def max_pool2d(
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """Returns the maximum of each window (2-D max pooling).

    Args:
        input: Tensor of shape ([N,] channels, height, width).
        kernel_size: Size of the window: one number, or one per dim.
        stride: Step between windows; by default `kernel_size`.
        padding: Number of elements of negative infinity that are added on both sides.
        dilation: Step between the elements of a window.
        ceil_mode: If true, the last window may extend beyond the end.
        return_indices: If true, also returns the index of each maximum within its plane.
    """
    args = (kernel_size, stride, padding, dilation, ceil_mode)
    return _max_pool(2, input, args, return_indices)


@overridable
def max_pool3d(
    input: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """Returns the maximum of each window over the last 3 dims (3-D max pooling).

    The arguments are those of `max_pool2d`.
    """
    args = (kernel_size, stride, padding, dilation, ceil_mode)
    return _max_pool(3, input, args, return_indices)


def _unpooled_size(input: Tensor, window: list[list[int]], output_size: Any) -> list[int]:
    """Returns the input size of a pooling: `output_size` if it is plausible, or the smallest."""
    dims = len(window[0])
    sizes = [
        (places - 1) * step + kernel - 2 * padding
        for places, kernel, step, padding in zip(input.shape[-dims:], *window, strict=True)
    ]
    if output_size is None:
        return sizes
    asked = list(output_size)
    asked = asked[2:] if len(asked) == dims + 2 else asked
    if len(asked) != dims or any(
        abs(size - own) >= step for size, own, step in zip(asked, sizes, window[1], strict=True)
    ):
        raise InvalidArgumentError(
            f"max_unpool{dims}d: output_size must be less than a stride from {sizes}, "
            f"got {list(output_size)}"
        )
    return asked


def _unpool_window(dims: int, kernel_size: Any, stride: Any, padding: Any) -> list[list[int]]:
    """Returns kernel size, stride and padding, each as a list of one number per dim."""
    return [
        _as_list(kernel_size, dims),
        _as_list(kernel_size if stride is None else stride, dims),
        _as_list(padding, dims),
    ]


@overridable
def max_unpool1d(
    input: Tensor,
    indices: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    output_size: Any = None,
) -> Tensor:
    """Inverts `max_pool1d`: puts the maxima at their indices and fills all other elements with 0.

    Args:
        input: Tensor of shape ([N,] channels, length).
        indices: Indices of the maxima in their channel, as returned by `max_pool1d`.
        kernel_size: Window size of the pooling.
        stride: Step between its windows; by default `kernel_size`.
        padding: Padding of the pooling.
        output_size: Length of the result, optionally after batch and channels; needed if several
            lengths are pooled to that of the input.

    Raises:
        InvalidArgumentError: If `output_size` would not be pooled to the size of the input.
    """
    window = _unpool_window(1, kernel_size, stride, padding)
    size = [*_unpooled_size(input, window, output_size), 1]
    return _max_unpool2d(input.unsqueeze(-1), indices.unsqueeze(-1), size).squeeze(-1)


@overridable
def max_unpool2d(
    input: Tensor,
    indices: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    output_size: Any = None,
) -> Tensor:
    """Inverts `max_pool2d`: puts the maxima at their indices and fills all other elements with 0.

    Args:
        input: Tensor of shape ([N,] channels, height, width).
        indices: Indices of the maxima in their plane, as returned by `max_pool2d`.
        kernel_size: Window size of the pooling: one number, or one per dim.
        stride: Step between its windows; by default `kernel_size`.
        padding: Padding of the pooling.
        output_size: Height and width of the result, optionally after batch and channels; needed if
            several sizes are pooled to that of the input.

    Raises:
        InvalidArgumentError: If `output_size` would not be pooled to the size of the input.
    """
    window = _unpool_window(2, kernel_size, stride, padding)
    return _max_unpool2d(input, indices, _unpooled_size(input, window, output_size))


@overridable
def max_unpool3d(
    input: Tensor,
    indices: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    output_size: Any = None,
) -> Tensor:
    """Inverts `max_pool3d`: puts the maxima at their indices and fills all other elements with 0.

    Args:
        input: Tensor of shape ([N,] channels, depth, height, width).
        indices: Indices of the maxima in their volume, as returned by `max_pool3d`.
        kernel_size: Window size of the pooling: one number, or one per dim.
        stride: Step between its windows; by default `kernel_size`.
        padding: Padding of the pooling.
        output_size: Depth, height and width of the result, optionally after batch and channels;
            needed if several sizes are pooled to that of the input.

    Raises:
        InvalidArgumentError: If `output_size` would not be pooled to the size of the input.
    """
    window = _unpool_window(3, kernel_size, stride, padding)
    size = _unpooled_size(input, window, output_size)
    return _max_unpool3d(input, indices, size, *window[1:])


def _asked_size(name: str, input: Tensor, output_size: Any, dims: int) -> list[int]:
    """Returns one size per dim; a size of None is replaced by that of the input."""
    sizes = [output_size] * dims if output_size is None else _as_list(output_size, dims)
    if len(sizes) != dims or input.ndim < dims:
        raise InvalidArgumentError(
            f"{name}: output_size must be a number, or one for each of {dims} dims, "
            f"got {output_size}"
        )
    given = input.shape[-dims:]
    return [own if asked is None else asked for asked, own in zip(sizes, given, strict=True)]


@overridable
def adaptive_avg_pool2d(input: Tensor, output_size: Any) -> Tensor:
    """Averages each plane over regions to a given output size (2-D adaptive average pooling).

    Args:
        input: Tensor of shape ([N,] channels, height, width).
        output_size: Output size per dim, or one number for both; None keeps the input size.
    """
    return _adaptive_avg_pools[1](input, _asked_size("adaptive_avg_pool2d", input, output_size, 2))


@overridable
def adaptive_avg_pool3d(input: Tensor, output_size: Any) -> Tensor:
    """Applies 3-D adaptive average pooling over the last 3 dims; see `adaptive_avg_pool2d`."""
    return _adaptive_avg_pools[2](input, _asked_size("adaptive_avg_pool3d", input, output_size, 3))


def _adaptive_max_pool(dims: int, input: Tensor, output_size: Any, return_indices: bool) -> Any:
    sizes = _asked_size(f"adaptive_max_pool{dims}d", input, output_size, dims)
    values, indices = _adaptive_max_pools[dims - 1](input, sizes)
    return (values, indices) if return_indices else values


@overridable
def adaptive_max_pool1d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """Applies 1-D adaptive max pooling; see `adaptive_max_pool2d`."""
    return _adaptive_max_pool(1, input, output_size, return_indices)


@overridable
def adaptive_max_pool2d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """Pools each plane to a given size by the maximum (2-D adaptive max pooling).

    Args:
        input: Tensor of shape ([N,] channels, height, width).
        output_size: Output size per dim, or one number for both; None keeps the input size.
        return_indices: If true, also returns the index of each maximum within its plane.
    """
    return _adaptive_max_pool(2, input, output_size, return_indices)


@overridable
def adaptive_max_pool3d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """Applies 3-D adaptive max pooling over the last 3 dims; see `adaptive_max_pool2d`."""
    return _adaptive_max_pool(3, input, output_size, return_indices)


@overridable
def pad(input: Tensor, pad: Any, mode: str = "constant", value: float | None = None) -> Tensor:
    """Pads a tensor at its ends; negative amounts crop it.

    Args:
        input: The tensor.
        pad: Amounts before and after each dim, starting with the last dim.
        mode: "constant", "reflect", "replicate" (repeats the edge) or "circular".
        value: The fill value of "constant", by default 0.
    """
    return _pad(input, list(pad), mode, value)


@overridable
def unfold(
    input: Tensor, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
) -> Tensor:
    """Extracts sliding windows; each becomes a column of the result (im2col).

    Args:
        input: Tensor of shape ([N,] channels, height, width).
        kernel_size: Size of the window: one number, or one per dim.
        dilation: Step between the elements of a window.
        padding: Number of zeros that are added on both sides.
        stride: Step between windows.
    """
    return _im2col(input, kernel_size, dilation, padding, stride)


@overridable
def fold(
    input: Tensor,
    output_size: Any,
    kernel_size: Any,
    dilation: Any = 1,
    padding: Any = 0,
    stride: Any = 1,
) -> Tensor:
    """Sums columns, as extracted by `unfold`, back into an image (col2im).

    Args:
        input: The columns.
        output_size: Height and width of the image.
        kernel_size: Size of the window, as in `unfold`.
        dilation: As in `unfold`.
        padding: As in `unfold`.
        stride: As in `unfold`.
    """
    return _col2im(input, _as_list(output_size, 2), kernel_size, dilation, padding, stride)


_KINDS = {
    "nearest": ("upsample_nearest1d", "upsample_nearest2d", "upsample_nearest3d"),
    "nearest-exact": (
        "_upsample_nearest_exact1d",
        "_upsample_nearest_exact2d",
        "_upsample_nearest_exact3d",
    ),
    "linear": ("upsample_linear1d", None, None),
    "bilinear": (None, "upsample_bilinear2d", None),
    "trilinear": (None, None, "upsample_trilinear3d"),
    "bicubic": (None, "upsample_bicubic2d", None),
}


def _scale_list(scale_factor: Any, dims: int) -> list[float]:
    if not isinstance(scale_factor, (list, tuple)):
        return [float(scale_factor)] * dims
    if len(scale_factor) != dims:
        raise InvalidArgumentError(
            f"interpolate: scale_factor must have {dims} numbers for an input of {dims + 2} dims, "
            f"got {scale_factor}"
        )
    return [float(scale) for scale in scale_factor]


def _interpolated_size(input: Tensor, size: Any, scales: Any) -> list[int]:
    dims = input.ndim - 2
    if scales is not None:
        pairs = zip(input.shape[2:], scales, strict=True)
        return [math.floor(float(own) * scale) for own, scale in pairs]
    sizes = _as_list(size, dims)
    if len(sizes) != dims:
        raise InvalidArgumentError(
            f"interpolate: size must have {dims} numbers for an input of {input.ndim} dims, "
            f"got {size}"
        )
    return sizes


@overridable
def interpolate(
    input: Tensor,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Tensor:
    """Resamples the spatial dims of an input to another size.

    Args:
        input: Tensor of shape (batch, channels, ...) with one to three spatial dims.
        size: Output size of the spatial dims.
        scale_factor: Factors of the sizes, an alternative to `size`.
        mode: "nearest", "nearest-exact", "linear", "bilinear", "bicubic", "trilinear" or "area".
        align_corners: If true, input and output corners are aligned; linear and cubic modes only.
        recompute_scale_factor: If true, computes coordinates from the sizes, not the given factors.
        antialias: Not supported.

    Raises:
        InvalidArgumentError: If not exactly one of size and scale_factor is given, if the mode has
            no `align_corners`, or if the mode does not fit the input.
        NotSupportedError: If `antialias` is true.
    """
    dims = input.ndim - 2
    if (size is None) == (scale_factor is None):
        raise InvalidArgumentError(
            "interpolate: size or scale_factor must be given, and not both, got "
            + ("neither" if size is None else "both")
        )
    is_computed = mode in ("linear", "bilinear", "bicubic", "trilinear")
    if align_corners is not None and not is_computed:
        raise InvalidArgumentError(
            f"interpolate: align_corners must be None for mode {mode!r}, got {align_corners}"
        )
    if antialias:
        raise NotSupportedError("interpolate: antialias must be False, got True")
    scales = None if scale_factor is None else _scale_list(scale_factor, dims)
    if recompute_scale_factor and scale_factor is None:
        raise InvalidArgumentError(
            "interpolate: recompute_scale_factor must be None where size is given, got True"
        )
    sizes = _interpolated_size(input, size, scales)
    if mode == "area" and 1 <= dims <= 3:
        return _adaptive_avg_pools[dims - 1](input, sizes)
    name = _KINDS[mode][dims - 1] if mode in _KINDS and 1 <= dims <= 3 else None
    if name is None:
        raise InvalidArgumentError(
            f"interpolate: mode must be one for an input of {input.ndim} dims, got {mode!r}"
        )
    if recompute_scale_factor or scales is None:
        scales = [None] * dims
    extra = [bool(align_corners)] if is_computed else []
    return _resamplings[name](input, sizes, *extra, *scales)


__all__ = [
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",
    "adaptive_max_pool1d",
    "adaptive_max_pool2d",
    "adaptive_max_pool3d",
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "channel_shuffle",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "fold",
    "interpolate",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
    "max_unpool1d",
    "max_unpool2d",
    "max_unpool3d",
    "pad",
    "pixel_shuffle",
    "pixel_unshuffle",
    "unfold",
]
