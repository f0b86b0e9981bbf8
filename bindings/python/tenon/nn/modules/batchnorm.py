# SPDX-License-Identifier: Apache-2.0
"""Norms over channels: of a batch, with running means and variances, and of each image."""

from __future__ import annotations

from ..._tenon import Tensor
from ...error import InvalidArgumentError
from .. import functional as F
from .module import Module
from .normalization import _register

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..parameter import Parameter


class _Norm(Module):
    """Normalizes channels, then applies a learnable scale and offset per channel.

    Args:
        num_features: Number of channels of inputs.
        eps: Added to the variance.
        momentum: Weight of a batch in the running statistics; None: they are averages of all
            batches.
        affine: If true, has learnable parameters.
        track_running_stats: If true, keeps running statistics, which are used in evaluation.
        device: Device of parameters and buffers.
        dtype: Dtype of parameters and running statistics.
        bias: If true, the parameters include an offset.

    Attributes:
        weight: Scale of each channel, initially ones; None without parameters.
        bias: Offset of each channel, initially zeros; None without.
        running_mean: The running mean, initially zeros.
        running_var: The running variance, initially ones.
        num_batches_tracked: Number of batches seen.
    """

    _version = 2  # 1 had no num_batches_tracked
    _ndims: tuple[int, ...]
    weight: Parameter | None
    bias: Parameter | None
    running_mean: Tensor | None
    running_var: Tensor | None
    num_batches_tracked: Tensor | None

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        bias: bool = True,
    ) -> None:
        """Creates parameters and buffers."""
        from ...factories import ones, tensor, zeros

        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        _register(self, num_features, affine, affine and bias, device, dtype)
        options = {"device": device, "dtype": dtype}
        options = {name: value for name, value in options.items() if value is not None}
        tracks = track_running_stats
        self.register_buffer("running_mean", zeros(num_features, **options) if tracks else None)
        self.register_buffer("running_var", ones(num_features, **options) if tracks else None)
        count = tensor(0, **({} if device is None else {"device": device})) if tracks else None
        self.register_buffer("num_batches_tracked", count)

    def reset_running_stats(self) -> None:
        """Resets the running mean to zeros and the variance to ones."""
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self) -> None:
        """Resets running statistics and parameters to their initial values."""
        from .. import init

        self.reset_running_stats()
        if self.affine:
            init.ones_(self.weight)
            if self.bias is not None:
                init.zeros_(self.bias)

    def _check(self, input: Tensor) -> None:
        if input.ndim not in self._ndims:
            wanted = " or ".join(str(ndim) for ndim in self._ndims)
            raise InvalidArgumentError(
                f"{type(self).__name__}: input must have {wanted} dims, got shape "
                f"{tuple(input.shape)}"
            )

    def extra_repr(self) -> str:
        """Returns the options as text."""
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, "
            f"affine={self.affine}, bias={self.bias is not None}, "
            f"track_running_stats={self.track_running_stats}"
        )

    def _load_from_state_dict(
        self, state_dict: Any, prefix: str, metadata: Any, *rest: Any
    ) -> None:
        key = prefix + "num_batches_tracked"
        is_old = metadata.get("version") is None or metadata["version"] < 2
        if is_old and self.track_running_stats and key not in state_dict:
            from ...factories import tensor

            own = self.num_batches_tracked
            state_dict[key] = tensor(0) if own is None or own.is_meta else own
        super()._load_from_state_dict(state_dict, prefix, metadata, *rest)


class _BatchNorm(_Norm):
    __doc__ = _Norm.__doc__

    def forward(self, input: Tensor) -> Tensor:
        """Returns a tensor of the same shape."""
        self._check(input)
        momentum = 0.0 if self.momentum is None else self.momentum
        if self.training and self.track_running_stats:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:
                momentum = 1.0 / self.num_batches_tracked.item()
        of_batch = self.training or self.running_mean is None
        tracks = not self.training or self.track_running_stats
        return F.batch_norm(
            input,
            self.running_mean if tracks else None,
            self.running_var if tracks else None,
            self.weight,
            self.bias,
            of_batch,
            momentum,
            self.eps,
        )


class BatchNorm1d(_BatchNorm):
    """Batch norm of shape (N, channels) or (N, channels, length)."""

    _ndims = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Batch norm of images, of shape (N, channels, height, width)."""

    _ndims = (4,)


class BatchNorm3d(_BatchNorm):
    """Batch norm of volumes, of shape (N, channels, depth, height, width)."""

    _ndims = (5,)


class _InstanceNorm(_Norm):
    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device: Any = None,
        dtype: Any = None,
        bias: bool = True,
    ) -> None:
        """Creates parameters and buffers if they are requested."""
        options = (affine, track_running_stats, device, dtype, bias)
        super().__init__(num_features, eps, momentum, *options)

    def forward(self, input: Tensor) -> Tensor:
        """Returns a tensor of the same shape."""
        self._check(input)
        whole = input if input.ndim == self._ndims[1] else input.unsqueeze(0)
        result = F.instance_norm(
            whole,
            self.running_mean,
            self.running_var,
            self.weight,
            self.bias,
            self.training or not self.track_running_stats,
            0.0 if self.momentum is None else self.momentum,
            self.eps,
        )
        return result if whole is input else result.squeeze(0)


class InstanceNorm1d(_InstanceNorm):
    """Channels of each line, of shape (N, channels, length) or without a batch."""

    _ndims = (2, 3)


class InstanceNorm2d(_InstanceNorm):
    """Channels of each image, of shape (N, channels, height, width) or without a batch."""

    _ndims = (3, 4)


class InstanceNorm3d(_InstanceNorm):
    """Channels of each volume, of shape (N, channels, depth, height, width) or without a batch."""

    _ndims = (4, 5)


__all__ = [
    "BatchNorm1d",
    "BatchNorm2d",
    "BatchNorm3d",
    "InstanceNorm1d",
    "InstanceNorm2d",
    "InstanceNorm3d",
]
