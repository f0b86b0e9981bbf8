# SPDX-License-Identifier: Apache-2.0
"""Padding and upsampling layers."""

from __future__ import annotations

from ..._tenon import Tensor
from .. import functional as F
from .module import Module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class _Pad(Module):
    _dims: int
    _mode: str

    def __init__(self, padding: Any) -> None:
        """Stores the padding: one number, or amounts before and after each dim."""
        super().__init__()
        count = 2 * self._dims
        self.padding = (padding,) * count if isinstance(padding, int) else tuple(padding)

    def forward(self, input: Tensor) -> Tensor:
        """Returns a larger tensor."""
        return F.pad(input, self.padding, self._mode)

    def extra_repr(self) -> str:
        """Returns the padding as text."""
        return f"{self.padding}"


class _ConstantPad(_Pad):
    _mode = "constant"

    def __init__(self, padding: Any, value: float) -> None:
        """Stores the padding and its value."""
        super().__init__(padding)
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        """Returns a larger tensor."""
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self) -> str:
        """Returns the options as text."""
        return f"padding={self.padding}, value={self.value}"


class _ZeroPad(_ConstantPad):
    def __init__(self, padding: Any) -> None:
        """Stores the padding."""
        super().__init__(padding, 0.0)


def _family(prefix: str, base: type, what: str, **attributes: str) -> list[type]:
    """Returns padding classes for one to three dims."""
    made = []
    for dims in (1, 2, 3):
        name = f"{prefix}Pad{dims}d"
        doc = f"Adds {what} at the ends of the last {dims} dims: `padding` before and behind each."
        body = {"__doc__": doc, "__module__": __name__, "_dims": dims, **attributes}
        made.append(type(name, (base,), body))
    return made


ConstantPad1d, ConstantPad2d, ConstantPad3d = _family(
    "Constant", _ConstantPad, "elements of one value"
)
ZeroPad1d, ZeroPad2d, ZeroPad3d = _family("Zero", _ZeroPad, "zeros")
ReflectionPad1d, ReflectionPad2d, ReflectionPad3d = _family(
    "Reflection", _Pad, "mirrored elements", _mode="reflect"
)
ReplicationPad1d, ReplicationPad2d, ReplicationPad3d = _family(
    "Replication", _Pad, "the last elements", _mode="replicate"
)
CircularPad1d, CircularPad2d, CircularPad3d = _family(
    "Circular", _Pad, "elements of the other end", _mode="circular"
)


class Upsample(Module):
    """Resamples inputs of 1 to 3 spatial dims to another size.

    Args:
        size: Output size of the spatial dims.
        scale_factor: Factors of the sizes, an alternative to `size`.
        mode: "nearest", "linear", "bilinear", "bicubic" or "trilinear".
        align_corners: If true, input and output corners are aligned.
        recompute_scale_factor: If true, computes coordinates from sizes, not the given factors.
    """

    def __init__(
        self,
        size: Any = None,
        scale_factor: Any = None,
        mode: str = "nearest",
        align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ) -> None:
        """Stores the options."""
        super().__init__()
        self.size = size
        self.scale_factor = scale_factor
        self.mode = mode
        self.align_corners = align_corners
        self.recompute_scale_factor = recompute_scale_factor

    def forward(self, input: Tensor) -> Tensor:
        """Resamples an input of shape (N, channels, ...)."""
        return F.interpolate(
            input,
            self.size,
            self.scale_factor,
            self.mode,
            self.align_corners,
            self.recompute_scale_factor,
        )

    def extra_repr(self) -> str:
        """Returns the options as text."""
        name = "size" if self.scale_factor is None else "scale_factor"
        return f"{name}={getattr(self, name)}, mode={self.mode!r}"


class UpsamplingNearest2d(Upsample):
    """2-D upsampling by nearest neighbours."""

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        """Stores the size or the factor."""
        super().__init__(size, scale_factor, "nearest")


class UpsamplingBilinear2d(Upsample):
    """2-D bilinear upsampling with aligned corners."""

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        """Stores the size or the factor."""
        super().__init__(size, scale_factor, "bilinear", True)


class PixelShuffle(Module):
    """Pixel shuffle: rearranges (C * r * r, H, W) to (C, H * r, W * r)."""

    def __init__(self, upscale_factor: int) -> None:
        """Stores r."""
        super().__init__()
        self.upscale_factor = upscale_factor

    def forward(self, input: Tensor) -> Tensor:
        """Returns the finer image."""
        return F.pixel_shuffle(input, self.upscale_factor)

    def extra_repr(self) -> str:
        """Returns the factor."""
        return f"upscale_factor={self.upscale_factor}"


class PixelUnshuffle(Module):
    """Pixel unshuffle: rearranges (C, H * r, W * r) to (C * r * r, H, W)."""

    def __init__(self, downscale_factor: int) -> None:
        """Stores r."""
        super().__init__()
        self.downscale_factor = downscale_factor

    def forward(self, input: Tensor) -> Tensor:
        """Returns the coarser image."""
        return F.pixel_unshuffle(input, self.downscale_factor)

    def extra_repr(self) -> str:
        """Returns the factor."""
        return f"downscale_factor={self.downscale_factor}"


__all__ = [
    "CircularPad1d",
    "CircularPad2d",
    "CircularPad3d",
    "ConstantPad1d",
    "ConstantPad2d",
    "ConstantPad3d",
    "PixelShuffle",
    "PixelUnshuffle",
    "ReflectionPad1d",
    "ReflectionPad2d",
    "ReflectionPad3d",
    "ReplicationPad1d",
    "ReplicationPad2d",
    "ReplicationPad3d",
    "Upsample",
    "UpsamplingBilinear2d",
    "UpsamplingNearest2d",
    "ZeroPad1d",
    "ZeroPad2d",
    "ZeroPad3d",
]
