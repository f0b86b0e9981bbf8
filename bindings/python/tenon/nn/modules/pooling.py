# SPDX-License-Identifier: Apache-2.0
"""Pooling: the largest element or the mean of what a window sees."""

from __future__ import annotations

from ..._tenon import Tensor
from .. import functional as F
from .module import Module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class _MaxPool(Module):
    """The largest element that a window sees at each of its places.

    Args:
        kernel_size: Of the window.
        stride: From one place to the next; by default the kernel's.
        padding: So much is added on both sides, below all elements.
        dilation: From one element that the window sees to the next.
        return_indices: Whether the elements' places in their plane are returned, too.
        ceil_mode: Whether the last place may reach beyond the end.
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
        """Keeps the options."""
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
        """The options."""
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, "
            f"dilation={self.dilation}, ceil_mode={self.ceil_mode}"
        )


class MaxPool1d(_MaxPool):
    """The largest element that a window sees at each of its places, in lines.

    Args:
        kernel_size: Of the window.
        stride: From one place to the next; by default the kernel's.
        padding: So much is added on both sides, below all elements.
        dilation: From one element that the window sees to the next.
        return_indices: Whether the elements' places in their plane are returned, too.
        ceil_mode: Whether the last place may reach beyond the end.
    """

    def forward(self, input: Tensor) -> Any:
        """Returns lines of one of shape (channels, length), perhaps with a batch before."""
        return F.max_pool1d(input, *self._options())


class MaxPool2d(_MaxPool):
    """The largest element that a window sees at each of its places, in images.

    Args:
        kernel_size: Of the window.
        stride: From one place to the next; by default the kernel's.
        padding: So much is added on both sides, below all elements.
        dilation: From one element that the window sees to the next.
        return_indices: Whether the elements' places in their plane are returned, too.
        ceil_mode: Whether the last place may reach beyond the end.
    """

    def forward(self, input: Tensor) -> Any:
        """Returns images of one of shape (channels, height, width), perhaps with a batch."""
        return F.max_pool2d(input, *self._options())


class MaxPool3d(_MaxPool):
    """The largest element that a window sees at each of its places, in volumes.

    Args:
        kernel_size: Of the window.
        stride: From one place to the next; by default the kernel's.
        padding: So much is added on both sides, below all elements.
        dilation: From one element that the window sees to the next.
        return_indices: Whether the elements' places in their plane are returned, too.
        ceil_mode: Whether the last place may reach beyond the end.
    """

    def forward(self, input: Tensor) -> Any:
        """Returns volumes of one of shape (channels, depth, height, width), or a batch."""
        return F.max_pool3d(input, *self._options())


class _MaxUnpool(Module):
    """What unpoolings share: the options of the pooling that they undo.

    Args:
        kernel_size: Of the pooling's window.
        stride: From one place of it to the next; by default the kernel's.
        padding: So much was added on both sides.
    """

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0) -> None:
        """Keeps the options."""
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding

    def _options(self) -> tuple:
        return self.kernel_size, self.stride, self.padding

    def extra_repr(self) -> str:
        """The options."""
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class MaxUnpool1d(_MaxUnpool):
    """Signals of zeros, with elements where a pooling found them, of the options given."""

    def forward(self, input: Tensor, indices: Tensor, output_size: Any = None) -> Tensor:
        """Returns signals of one of shape (channels, length), perhaps with a batch."""
        return F.max_unpool1d(input, indices, *self._options(), output_size)


class MaxUnpool2d(_MaxUnpool):
    """Images of zeros, with elements where a pooling found them, of the options given."""

    def forward(self, input: Tensor, indices: Tensor, output_size: Any = None) -> Tensor:
        """Returns images of one of shape (channels, height, width), perhaps with a batch."""
        return F.max_unpool2d(input, indices, *self._options(), output_size)


class MaxUnpool3d(_MaxUnpool):
    """Volumes of zeros, with elements where a pooling found them, of the options given."""

    def forward(self, input: Tensor, indices: Tensor, output_size: Any = None) -> Tensor:
        """Returns volumes of one of shape (channels, depth, height, width), or with a batch."""
        return F.max_unpool3d(input, indices, *self._options(), output_size)


class AvgPool1d(Module):
    """The mean of what a window sees at each of its places.

    Args:
        kernel_size: Of the window.
        stride: From one place to the next; by default the kernel's.
        padding: So many zeros are added on both sides.
        ceil_mode: Whether the last place may reach beyond the end.
        count_include_pad: Whether zeros that were added count.
    """

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        """Keeps the options."""
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
        """Returns lines of one of shape (channels, length), perhaps with a batch before."""
        return F.avg_pool1d(input, *self._options())

    def extra_repr(self) -> str:
        """The options."""
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AvgPool2d(AvgPool1d):
    """The same of images; `divisor_override` is what sums are divided by instead."""

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        """Keeps the options."""
        super().__init__(kernel_size, stride, padding, ceil_mode, count_include_pad)
        self.divisor_override = divisor_override

    def forward(self, input: Tensor) -> Tensor:
        """Returns images of one of shape (channels, height, width), perhaps with a batch."""
        return F.avg_pool2d(input, *self._options(), self.divisor_override)


class AvgPool3d(AvgPool2d):
    """The same of volumes; `divisor_override` is what sums are divided by instead."""

    def forward(self, input: Tensor) -> Tensor:
        """Returns volumes of one of shape (channels, depth, height, width), or a batch."""
        return F.avg_pool3d(input, *self._options(), self.divisor_override)


class _Adaptive(Module):
    """So many parts, which share the input evenly.

    Args:
        output_size: How many along each dim, or one number for all; None: as many as there are
            elements.
        return_indices: Of the largest: whether their places in their plane are returned, too.
    """

    def __init__(self, output_size: Any) -> None:
        """Keeps the option."""
        super().__init__()
        self.output_size = output_size

    def extra_repr(self) -> str:
        """The option."""
        return f"output_size={self.output_size}"


class AdaptiveAvgPool1d(_Adaptive):
    """The mean of each of so many parts of a line."""

    def forward(self, input: Tensor) -> Tensor:
        """Returns a tensor with as many elements as parts in the last dim."""
        return F.adaptive_avg_pool1d(input, self.output_size)


class AdaptiveAvgPool2d(_Adaptive):
    """The mean of each of so many parts of an image."""

    def forward(self, input: Tensor) -> Tensor:
        """Returns a tensor with as many elements as parts in the last 2 dims."""
        return F.adaptive_avg_pool2d(input, self.output_size)


class AdaptiveAvgPool3d(_Adaptive):
    """The mean of each of so many parts of a volume."""

    def forward(self, input: Tensor) -> Tensor:
        """Returns a tensor with as many elements as parts in the last 3 dims."""
        return F.adaptive_avg_pool3d(input, self.output_size)


class _AdaptiveMax(_Adaptive):
    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        """Keeps the options."""
        super().__init__(output_size)
        self.return_indices = return_indices


class AdaptiveMaxPool1d(_AdaptiveMax):
    """The largest element of each of so many parts of a line."""

    def forward(self, input: Tensor) -> Any:
        """Returns a tensor with as many elements as parts in the last dim."""
        return F.adaptive_max_pool1d(input, self.output_size, self.return_indices)


class AdaptiveMaxPool2d(_AdaptiveMax):
    """The largest element of each of so many parts of an image."""

    def forward(self, input: Tensor) -> Any:
        """Returns a tensor with as many elements as parts in the last 2 dims."""
        return F.adaptive_max_pool2d(input, self.output_size, self.return_indices)


class AdaptiveMaxPool3d(_AdaptiveMax):
    """The largest element of each of so many parts of a volume."""

    def forward(self, input: Tensor) -> Any:
        """Returns a tensor with as many elements as parts in the last 3 dims."""
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
