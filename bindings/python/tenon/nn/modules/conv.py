# SPDX-License-Identifier: Apache-2.0
"""Convolution and transposed convolution layers in 1, 2 and 3 dims."""

from __future__ import annotations

import math

from ..._tenon import Tensor
from ...error import InvalidArgumentError
from .. import functional as F
from .. import init
from ..parameter import Parameter
from .module import Module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def _tuple(value: Any, count: int) -> tuple:
    return (value,) * count if isinstance(value, int) else tuple(value)


class _ConvNd(Module):
    """Base class of all convolution layers."""

    _dims: int
    weight: Parameter
    bias: Parameter | None

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any,
        padding: Any,
        dilation: Any,
        transposed: bool,
        output_padding: Any,
        groups: int,
        bias: bool,
        padding_mode: str,
        device: Any,
        dtype: Any,
    ) -> None:
        from ...factories import empty

        super().__init__()
        name = type(self).__name__
        for label, number in (("in_channels", in_channels), ("out_channels", out_channels)):
            if groups < 1 or number % groups != 0:
                raise InvalidArgumentError(
                    f"{name}: {label} must be divisible by groups, got {number} and {groups}"
                )
        if isinstance(padding, str) and padding not in ("same", "valid"):
            raise InvalidArgumentError(
                f"{name}: padding must be numbers, 'same' or 'valid', got {padding!r}"
            )
        self.stride = _tuple(stride, self._dims)
        if padding == "same" and any(step != 1 for step in self.stride):
            raise InvalidArgumentError(
                f"{name}: stride must be 1 for padding 'same', got {self.stride}"
            )
        if padding_mode not in ("zeros", "reflect", "replicate", "circular"):
            raise InvalidArgumentError(
                f"{name}: padding_mode must be 'zeros', 'reflect', 'replicate' or 'circular', "
                f"got {padding_mode!r}"
            )
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = _tuple(kernel_size, self._dims)
        self.padding = padding if isinstance(padding, str) else _tuple(padding, self._dims)
        self.dilation = _tuple(dilation, self._dims)
        self.transposed = transposed
        self.output_padding = _tuple(output_padding, self._dims)
        self.groups = groups
        self.padding_mode = padding_mode
        first, second = (in_channels, out_channels) if transposed else (out_channels, in_channels)
        options = {"device": device, "dtype": dtype}
        options = {name: value for name, value in options.items() if value is not None}
        self.weight = Parameter(empty((first, second // groups, *self.kernel_size), **options))
        if bias:
            self.bias = Parameter(empty(out_channels, **options))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Initializes the parameters again."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is None:
            return
        fan_in = math.prod(self.weight.shape[1:])
        if fan_in != 0:
            bound = 1 / math.sqrt(fan_in)
            init.uniform_(self.bias, -bound, bound)

    def _padding_around(self) -> list[int]:
        """Returns the amounts before and after each dim, starting with the last dim."""
        if self.padding == "valid":
            return [0] * (2 * self._dims)
        ends = []
        for d in reversed(range(self._dims)):
            if self.padding == "same":
                total = self.dilation[d] * (self.kernel_size[d] - 1)
                ends += [total // 2, total - total // 2]
            else:
                ends += [self.padding[d]] * 2
        return ends

    def _convolved(self, convolution: Any, input: Tensor) -> Tensor:
        padding = self.padding
        if self.padding_mode != "zeros":
            input = F.pad(input, self._padding_around(), self.padding_mode)
            padding = (0,) * self._dims
        return convolution(
            input, self.weight, self.bias, self.stride, padding, self.dilation, self.groups
        )

    def extra_repr(self) -> str:
        """Returns channels and non-default options as text."""
        ones, zeros = (1,) * self._dims, (0,) * self._dims
        text = (
            f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, "
            f"stride={self.stride}"
        )
        if self.padding != zeros:
            text += f", padding={self.padding}"
        if self.dilation != ones:
            text += f", dilation={self.dilation}"
        if self.output_padding != zeros:
            text += f", output_padding={self.output_padding}"
        if self.groups != 1:
            text += f", groups={self.groups}"
        if self.bias is None:
            text += ", bias=False"
        if self.padding_mode != "zeros":
            text += f", padding_mode={self.padding_mode}"
        return text


class _Conv(_ConvNd):
    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        """Creates the parameters."""
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation,
            False,
            0,
            groups,
            bias,
            padding_mode,
            device,
            dtype,
        )


class Conv1d(_Conv):
    """1-D convolution.

    Args:
        in_channels: Number of input channels.
        out_channels: Number of output channels.
        kernel_size: Size of the window.
        stride: Step between windows.
        padding: Amount that is added on both sides; or "same" for results of the input's size, or
            "valid" for no padding.
        dilation: Step between the elements of a window.
        groups: Number of groups of channels, which are convolved separately.
        bias: If true, adds a bias.
        padding_mode: "zeros", or how padding is taken from the input: "reflect", "replicate" or
            "circular".
        device: Device of the parameters.
        dtype: Dtype of the parameters.

    Attributes:
        weight: Shape (out_channels, in_channels / groups, *kernel_size); initially uniform within
            +-1/sqrt(fan-in).
        bias: Shape (out_channels,), with the same initial distribution; None without bias.
    """

    _dims = 1

    def forward(self, input: Tensor) -> Tensor:
        """Convolves an input of shape ([N,] channels, length)."""
        return self._convolved(F.conv1d, input)


class Conv2d(_Conv):
    """2-D convolution; arguments and attributes are those of `Conv1d`."""

    _dims = 2

    def forward(self, input: Tensor) -> Tensor:
        """Convolves an input of shape ([N,] channels, height, width)."""
        return self._convolved(F.conv2d, input)


class Conv3d(_Conv):
    """3-D convolution; arguments and attributes are those of `Conv1d`."""

    _dims = 3

    def forward(self, input: Tensor) -> Tensor:
        """Convolves an input of shape ([N,] channels, depth, height, width)."""
        return self._convolved(F.conv3d, input)


class _ConvTranspose(_ConvNd):
    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Any = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        """Creates the parameters."""
        if padding_mode != "zeros" or isinstance(padding, str):
            raise InvalidArgumentError(
                f"{type(self).__name__}: padding must be numbers, and padding_mode 'zeros', "
                f"got {padding} and {padding_mode!r}"
            )
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation,
            True,
            output_padding,
            groups,
            bias,
            padding_mode,
            device,
            dtype,
        )

    def _output_padding(self, input: Tensor, output_size: Any) -> tuple:
        if output_size is None:
            return self.output_padding
        sizes = tuple(output_size)[-self._dims :]
        own = input.shape[-self._dims :]
        found = []
        for d, size in enumerate(sizes):
            least = (own[d] - 1) * self.stride[d] - 2 * self.padding[d]
            least += self.dilation[d] * (self.kernel_size[d] - 1) + 1
            if len(sizes) != self._dims or not least <= size < least + self.stride[d]:
                raise InvalidArgumentError(
                    f"{type(self).__name__}: output_size must be from {least} to "
                    f"{least + self.stride[d] - 1} at dim {d}, got {size}"
                )
            found.append(size - least)
        return tuple(found)

    def _spread(self, convolution: Any, input: Tensor, output_size: Any) -> Tensor:
        padding = self._output_padding(input, output_size)
        return convolution(
            input,
            self.weight,
            self.bias,
            self.stride,
            self.padding,
            padding,
            self.groups,
            self.dilation,
        )


class ConvTranspose1d(_ConvTranspose):
    """1-D transposed convolution: the gradient of a convolution as a layer.

    Args:
        in_channels: Number of input channels.
        out_channels: Number of output channels.
        kernel_size: Size of the window that each element is spread over.
        stride: Step between the windows in the output.
        padding: Amount that is cropped from both sides of the output.
        output_padding: Amount that is added at the end of the output.
        groups: Number of groups of channels, which are convolved separately.
        bias: If true, adds a bias.
        dilation: Step between the elements of a window.
        padding_mode: Must be "zeros".
        device: Device of the parameters.
        dtype: Dtype of the parameters.

    Attributes:
        weight: Shape (in_channels, out_channels / groups, *kernel_size).
        bias: Shape (out_channels,); None without bias.
    """

    _dims = 1

    def forward(self, input: Tensor, output_size: Any = None) -> Tensor:
        """Returns the transposed convolution; `output_size` selects among the possible lengths."""
        return self._spread(F.conv_transpose1d, input, output_size)


class ConvTranspose2d(_ConvTranspose):
    """2-D transposed convolution; arguments and attributes are those of `ConvTranspose1d`."""

    _dims = 2

    def forward(self, input: Tensor, output_size: Any = None) -> Tensor:
        """Returns the transposed convolution; `output_size` selects among the possible sizes."""
        return self._spread(F.conv_transpose2d, input, output_size)


class ConvTranspose3d(_ConvTranspose):
    """3-D transposed convolution; arguments and attributes are those of `ConvTranspose1d`."""

    _dims = 3

    def forward(self, input: Tensor, output_size: Any = None) -> Tensor:
        """Returns the transposed convolution; `output_size` selects among the possible sizes."""
        return self._spread(F.conv_transpose3d, input, output_size)


__all__ = [
    "Conv1d",
    "Conv2d",
    "Conv3d",
    "ConvTranspose1d",
    "ConvTranspose2d",
    "ConvTranspose3d",
]
