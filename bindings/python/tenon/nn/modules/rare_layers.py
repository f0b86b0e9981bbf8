# SPDX-License-Identifier: Apache-2.0
"""Layers that few models use: fractional and power pooling, old norms and losses, wrappers."""

from __future__ import annotations

import math

from ..._tenon import Tensor
from ...error import InvalidArgumentError, NotSupportedError
from ...functional import cat
from .. import functional as F
from .batchnorm import _BatchNorm
from .linear import Linear
from .loss import NLLLoss
from .module import Module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class _FractionalMaxPool(Module):
    """Base of fractional max pooling.

    Args:
        kernel_size: Size of the windows.
        output_size: Number of windows along each dim; or
        output_ratio: their number as a fraction of the input's sizes.
        return_indices: If true, also returns the index of each maximum within its plane.
        _random_samples: Numbers that place the windows; drawn by default.
    """

    def __init__(
        self,
        kernel_size: Any,
        output_size: Any = None,
        output_ratio: Any = None,
        return_indices: bool = False,
        _random_samples: Tensor | None = None,
    ) -> None:
        """Stores the options."""
        super().__init__()
        name = type(self).__name__
        if (output_size is None) == (output_ratio is None):
            raise InvalidArgumentError(
                f"{name}: one of output_size and output_ratio must be given, got "
                + ("none" if output_size is None else "both")
            )
        ratios = output_ratio if isinstance(output_ratio, (tuple, list)) else (output_ratio,)
        if output_ratio is not None and not all(0 < one < 1 for one in ratios):
            raise InvalidArgumentError(
                f"{name}: output_ratio must be between 0 and 1, got {output_ratio}"
            )
        self.kernel_size, self.return_indices = kernel_size, return_indices
        self.register_buffer("_random_samples", _random_samples)
        self.output_size, self.output_ratio = output_size, output_ratio

    def _options(self) -> tuple[Any, ...]:
        sizes = (self.kernel_size, self.output_size, self.output_ratio)
        return (*sizes, self.return_indices, self._random_samples)


class FractionalMaxPool2d(_FractionalMaxPool):
    """Maxima of windows at random places of images."""

    def forward(self, input: Tensor) -> Any:
        """Pools an input of shape ([N,] channels, height, width)."""
        return F.fractional_max_pool2d(input, *self._options())


class FractionalMaxPool3d(_FractionalMaxPool):
    """Maxima of windows at random places of volumes."""

    def forward(self, input: Tensor) -> Any:
        """Pools an input of shape ([N,] channels, depth, height, width)."""
        return F.fractional_max_pool3d(input, *self._options())


class CrossMapLRN2d(Module):
    """Local response norm across channels: x / (k + alpha / size * sum of squares) ** beta.

    Args:
        size: Number of neighbouring channels in a sum.
        alpha: Factor of the sum.
        beta: Exponent.
        k: Added to the sum.
    """

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1) -> None:
        """Stores the options."""
        super().__init__()
        self.size, self.alpha, self.beta, self.k = size, alpha, beta, k

    def forward(self, input: Tensor) -> Tensor:
        """Returns a tensor of the same shape (N, channels, height, width)."""
        if input.ndim != 4:
            raise InvalidArgumentError(f"CrossMapLRN2d: input must have 4 dims, got {input.ndim}")
        channels, square = input.shape[1], input.square()
        reach = int((self.size - 1) / 2) + 1
        parts = []
        for place in range(channels):
            first, last = max(place - reach + 1, 0), min(place + reach, channels)
            total = square[:, first:last].sum(1, keepdim=True)
            # PyTorch's running sums never drop the first channel; trained models depend on it.
            parts.append(total if first == 0 else total + square[:, :1])
        scale = cat(parts, 1) * (self.alpha / self.size) + self.k
        return input * scale.pow(-self.beta)

    def extra_repr(self) -> str:
        """Returns the options as text."""
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"


class NLLLoss2d(NLLLoss):
    """Deprecated name of NLLLoss."""


class LinearCrossEntropyLoss(Module):
    """A linear layer, and the cross entropy of its results.

    Args:
        in_features: Size of inputs.
        num_classes: Number of classes.
        out_features: Further sizes of the logits, behind the classes.
        bias: If true, the layer has a bias.
        device: Device of the parameters.
        dtype: Dtype of the parameters.
        reduction: "mean", "sum" or "none".
        weight: Weight of each class; by default 1.
        ignore_index: Class that is ignored in targets.
        label_smoothing: Fraction of each target that is spread over all classes.
        options: Has no effect: logits are computed at once.
    """

    def __init__(
        self,
        in_features: int,
        num_classes: int,
        *,
        out_features: tuple[int, ...] = (),
        bias: bool = False,
        device: Any = None,
        dtype: Any = None,
        reduction: str = "mean",
        weight: Tensor | None = None,
        ignore_index: int | None = None,
        label_smoothing: float = 0.0,
        options: Any = None,
    ) -> None:
        """Creates the layer."""
        super().__init__()
        if weight is not None and weight.shape != (num_classes,):
            raise InvalidArgumentError(
                f"LinearCrossEntropyLoss: weight must be of shape {(num_classes,)}, got "
                f"{tuple(weight.shape)}"
            )
        self.register_buffer("weight", weight)
        self.reduction, self.num_classes, self.out_features = reduction, num_classes, out_features
        self.ignore_index, self.label_smoothing = ignore_index, label_smoothing
        size = math.prod(out_features, start=num_classes)
        self.linear = Linear(in_features, size, bias=bias, device=device, dtype=dtype)
        self.options = options

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Returns the loss of inputs (N, in_features) and their classes (N,)."""
        shape, bias = (self.num_classes, *self.out_features), self.linear.bias
        return F.linear_cross_entropy(
            input,
            self.linear.weight.reshape((*shape, self.linear.in_features)),
            target,
            linear_bias=None if bias is None else bias.reshape(shape),
            weight=self.weight,
            reduction=self.reduction,
            ignore_index=self.ignore_index,
            label_smoothing=self.label_smoothing,
        )


class SyncBatchNorm(_BatchNorm):
    """Batch norm of inputs (N, channels, ...); without process groups it is an ordinary one.

    Args:
        num_features: Number of channels.
        eps: Added to the variance.
        momentum: Weight of a batch in the running statistics.
        affine: If true, has learnable parameters.
        track_running_stats: If true, keeps running statistics.
        process_group: Must be None.
        device: Device of parameters and buffers.
        dtype: Dtype of parameters and running statistics.
    """

    _ndims = (2, 3, 4, 5, 6, 7, 8)

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        process_group: Any = None,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        """Creates parameters and buffers."""
        if process_group is not None:
            raise NotSupportedError("SyncBatchNorm: process_group must be None, got a group")
        options = (affine, track_running_stats, device, dtype, bias)
        super().__init__(num_features, eps, momentum, *options)
        self.process_group = process_group

    @classmethod
    def convert_sync_batchnorm(cls, module: Any, process_group: Any = None) -> Any:
        """Returns a module with its batch norms replaced, which share their parameters."""
        result = module
        if isinstance(module, _BatchNorm):
            sizes = (module.num_features, module.eps, module.momentum, module.affine)
            result = cls(*sizes, module.track_running_stats, process_group)
            result._parameters.update(module._parameters)
            result._buffers.update(module._buffers)
            result.training = module.training
        for name, child in module.named_children():
            result.add_module(name, cls.convert_sync_batchnorm(child, process_group))
        return result


class LPPool3d(Module):
    """The p-norm of each window of volumes (3-D power-average pooling)."""

    def __init__(
        self, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False
    ) -> None:
        """Stores the options."""
        super().__init__()
        self.norm_type, self.kernel_size = norm_type, kernel_size
        self.stride, self.ceil_mode = stride, ceil_mode

    def forward(self, input: Tensor) -> Tensor:
        """Pools an input of shape ([N,] channels, depth, height, width)."""
        sizes = (self.kernel_size, self.stride, self.ceil_mode)
        return F.lp_pool3d(input, float(self.norm_type), *sizes)

    def extra_repr(self) -> str:
        """Returns the options as text."""
        return (
            f"norm_type={self.norm_type}, kernel_size={self.kernel_size}, stride={self.stride}, "
            f"ceil_mode={self.ceil_mode}"
        )


__all__ = [
    "CrossMapLRN2d",
    "FractionalMaxPool2d",
    "FractionalMaxPool3d",
    "LPPool3d",
    "LinearCrossEntropyLoss",
    "NLLLoss2d",
    "SyncBatchNorm",
]
