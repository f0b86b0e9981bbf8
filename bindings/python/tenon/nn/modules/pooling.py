# SPDX-License-Identifier: Apache-2.0
"""Pooling layers: the maximum or the mean over a sliding window or over adaptive regions."""

from __future__ import annotations

from ..._tenon import Tensor
from .. import functional as F
from .module import Module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class _MaxPool(Module):
    """Base class of the max pooling layers.

    Args:
        kernel_size: Size of the window.
        stride: Step between windows; by default `kernel_size`.
        padding: Number of elements of negative infinity that are added on both sides.
        dilation: Step between the elements of a window.
        return_indices: If true, also returns the index of each maximum within its plane.
        ceil_mode: If true, the last window may extend beyond the end.
    """

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        """Stores the options."""
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.dilation = dilation
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode

    def _options(self) -> tuple:
        window = self.kernel_size, self.stride, self.padding, self.dilation
        return *window, self.ceil_mode, self.return_indices

    def extra_repr(self) -> str:
        """Returns the options as text."""
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, "
            f"dilation={self.dilation}, ceil_mode={self.ceil_mode}"
        )


class MaxPool1d(_MaxPool):
    """1-D max pooling: the maximum of each window.

    Args:
        kernel_size: Size of the window.
        stride: Step between windows; by default `kernel_size`.
        padding: Number of elements of negative infinity that are added on both sides.
        dilation: Step between the elements of a window.
        return_indices: If true, also returns the index of each maximum within its plane.
        ceil_mode: If true, the last window may extend beyond the end.
    """

    def forward(self, input: Tensor) -> Any:
        """Pools an input of shape ([N,] channels, length)."""
        return F.max_pool1d(input, *self._options())


class MaxPool2d(_MaxPool):
    """2-D max pooling: the maximum of each window.

    Args:
        kernel_size: Size of the window.
        stride: Step between windows; by default `kernel_size`.
        padding: Number of elements of negative infinity that are added on both sides.
        dilation: Step between the elements of a window.
        return_indices: If true, also returns the index of each maximum within its plane.
        ceil_mode: If true, the last window may extend beyond the end.
    """

    def forward(self, input: Tensor) -> Any:
        """Pools an input of shape ([N,] channels, height, width)."""
        return F.max_pool2d(input, *self._options())


class MaxPool3d(_MaxPool):
    """3-D max pooling: the maximum of each window.

    Args:
        kernel_size: Size of the window.
        stride: Step between windows; by default `kernel_size`.
        padding: Number of elements of negative infinity that are added on both sides.
        dilation: Step between the elements of a window.
        return_indices: If true, also returns the index of each maximum within its plane.
        ceil_mode: If true, the last window may extend beyond the end.
    """

    def forward(self, input: Tensor) -> Any:
        """Pools an input of shape ([N,] channels, depth, height, width)."""
        return F.max_pool3d(input, *self._options())


class _MaxUnpool(Module):
    """Base class of the layers that partially invert max pooling.

    Args:
        kernel_size: Window size of the pooling.
        stride: Step between its windows; by default `kernel_size`.
        padding: Padding of the pooling.
    """

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0) -> None:
        """Stores the options."""
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding

    def _options(self) -> tuple:
        return self.kernel_size, self.stride, self.padding

    def extra_repr(self) -> str:
        """Returns the options as text."""
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class MaxUnpool1d(_MaxUnpool):
    """Inverts MaxPool1d: puts the maxima at their indices and sets other elements to zero."""

    def forward(self, input: Tensor, indices: Tensor, output_size: Any = None) -> Tensor:
        """Unpools an input of shape ([N,] channels, length)."""
        return F.max_unpool1d(input, indices, *self._options(), output_size)


class MaxUnpool2d(_MaxUnpool):
    """Inverts MaxPool2d: puts the maxima at their indices and sets other elements to zero."""

    def forward(self, input: Tensor, indices: Tensor, output_size: Any = None) -> Tensor:
        """Unpools an input of shape ([N,] channels, height, width)."""
        return F.max_unpool2d(input, indices, *self._options(), output_size)


class MaxUnpool3d(_MaxUnpool):
    """Inverts MaxPool3d: puts the maxima at their indices and sets other elements to zero."""

    def forward(self, input: Tensor, indices: Tensor, output_size: Any = None) -> Tensor:
        """Unpools an input of shape ([N,] channels, depth, height, width)."""
        return F.max_unpool3d(input, indices, *self._options(), output_size)


class AvgPool1d(Module):
    """1-D average pooling: the mean of each window.

    Args:
        kernel_size: Size of the window.
        stride: Step between windows; by default `kernel_size`.
        padding: Number of zeros that are added on both sides.
        ceil_mode: If true, the last window may extend beyond the end.
        count_include_pad: If true, padded zeros count as elements of the mean.
    """

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        """Stores the options."""
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad

    def _options(self) -> tuple:
        window = self.kernel_size, self.stride, self.padding
        return *window, self.ceil_mode, self.count_include_pad

    def forward(self, input: Tensor) -> Tensor:
        """Pools an input of shape ([N,] channels, length)."""
        return F.avg_pool1d(input, *self._options())

    def extra_repr(self) -> str:
        """Returns the options as text."""
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AvgPool2d(AvgPool1d):
    """2-D average pooling; `divisor_override` replaces the number of elements as divisor."""

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        """Stores the options."""
        super().__init__(kernel_size, stride, padding, ceil_mode, count_include_pad)
        self.divisor_override = divisor_override

    def forward(self, input: Tensor) -> Tensor:
        """Pools an input of shape ([N,] channels, height, width)."""
        return F.avg_pool2d(input, *self._options(), self.divisor_override)


class AvgPool3d(AvgPool2d):
    """3-D average pooling; `divisor_override` replaces the number of elements as divisor."""

    def forward(self, input: Tensor) -> Tensor:
        """Pools an input of shape ([N,] channels, depth, height, width)."""
        return F.avg_pool3d(input, *self._options(), self.divisor_override)


class _Adaptive(Module):
    """Base class of the adaptive pooling layers, which pool to a given output size.

    Args:
        output_size: Output size per pooled dim, or one number for all; None keeps the input size.
        return_indices: For max pooling: if true, also returns the index of each maximum.
    """

    def __init__(self, output_size: Any) -> None:
        """Stores the output size."""
        super().__init__()
        self.output_size = output_size

    def extra_repr(self) -> str:
        """Returns the output size as text."""
        return f"output_size={self.output_size}"


class AdaptiveAvgPool1d(_Adaptive):
    """1-D adaptive average pooling."""

    def forward(self, input: Tensor) -> Tensor:
        """Pools the last dim to `output_size`."""
        return F.adaptive_avg_pool1d(input, self.output_size)


class AdaptiveAvgPool2d(_Adaptive):
    """2-D adaptive average pooling."""

    def forward(self, input: Tensor) -> Tensor:
        """Pools the last 2 dims to `output_size`."""
        return F.adaptive_avg_pool2d(input, self.output_size)


class AdaptiveAvgPool3d(_Adaptive):
    """3-D adaptive average pooling."""

    def forward(self, input: Tensor) -> Tensor:
        """Pools the last 3 dims to `output_size`."""
        return F.adaptive_avg_pool3d(input, self.output_size)


class _AdaptiveMax(_Adaptive):
    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        """Stores the options."""
        super().__init__(output_size)
        self.return_indices = return_indices


class AdaptiveMaxPool1d(_AdaptiveMax):
    """1-D adaptive max pooling."""

    def forward(self, input: Tensor) -> Any:
        """Pools the last dim to `output_size`."""
        return F.adaptive_max_pool1d(input, self.output_size, self.return_indices)


class AdaptiveMaxPool2d(_AdaptiveMax):
    """2-D adaptive max pooling."""

    def forward(self, input: Tensor) -> Any:
        """Pools the last 2 dims to `output_size`."""
        return F.adaptive_max_pool2d(input, self.output_size, self.return_indices)


class AdaptiveMaxPool3d(_AdaptiveMax):
    """3-D adaptive max pooling."""

    def forward(self, input: Tensor) -> Any:
        """Pools the last 3 dims to `output_size`."""
        return F.adaptive_max_pool3d(input, self.output_size, self.return_indices)


__all__ = [
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AdaptiveAvgPool3d",
    "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d",
    "AvgPool1d",
    "AvgPool2d",
    "AvgPool3d",
    "MaxPool1d",
    "MaxPool2d",
    "MaxPool3d",
    "MaxUnpool1d",
    "MaxUnpool2d",
    "MaxUnpool3d",
]
