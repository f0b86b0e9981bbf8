# SPDX-License-Identifier: Apache-2.0
"""Batch norms folded into the layer before them, for evaluation.

With s = gamma / sqrt(var + eps), norm(W x + b) is (s W) x + (b - mean) s + beta.
"""

from __future__ import annotations

import copy

from ...error import InvalidArgumentError
from ...factories import ones_like, zeros_like
from ..parameter import Parameter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..._tenon import Tensor


def _fused(
    weight: Tensor, bias: Tensor | None, norm: tuple[Any, ...], channels: int
) -> tuple[Parameter, Parameter]:
    mean, variance, eps, gamma, beta = norm
    bias = zeros_like(mean) if bias is None else bias
    gamma = ones_like(mean) if gamma is None else gamma
    beta = zeros_like(mean) if beta is None else beta
    scale = gamma * (variance + eps).rsqrt()
    shape = [1] * weight.ndim
    shape[channels] = -1
    fused_weight = (weight * scale.reshape(shape)).to(weight.dtype)
    fused_bias = ((bias - mean) * scale + beta).to(bias.dtype)
    return (
        Parameter(fused_weight, weight.requires_grad),
        Parameter(fused_bias, bias.requires_grad),
    )


def fuse_conv_bn_weights(
    conv_w: Tensor,
    conv_b: Tensor | None,
    bn_rm: Tensor,
    bn_rv: Tensor,
    bn_eps: float,
    bn_w: Tensor | None,
    bn_b: Tensor | None,
    transpose: bool = False,
) -> tuple[Parameter, Parameter]:
    """Returns the weight and bias of a convolution that includes a batch norm.

    Args:
        conv_w: Weight of the convolution.
        conv_b: Its bias, or None.
        bn_rm: Running mean of the batch norm.
        bn_rv: Running variance.
        bn_eps: Added to the variance.
        bn_w: Scale, or None.
        bn_b: Offset, or None.
        transpose: If true, the convolution is transposed.
    """
    return _fused(conv_w, conv_b, (bn_rm, bn_rv, bn_eps, bn_w, bn_b), 1 if transpose else 0)


def fuse_linear_bn_weights(
    linear_w: Tensor,
    linear_b: Tensor | None,
    bn_rm: Tensor,
    bn_rv: Tensor,
    bn_eps: float,
    bn_w: Tensor | None,
    bn_b: Tensor | None,
) -> tuple[Parameter, Parameter]:
    """Like `fuse_conv_bn_weights`, but of a linear layer."""
    return _fused(linear_w, linear_b, (bn_rm, bn_rv, bn_eps, bn_w, bn_b), 0)


def _fuse(layer: Any, bn: Any, channels: int) -> Any:
    if layer.training or bn.training:
        raise InvalidArgumentError("fusion: modules must be in evaluation, got one in training")
    if bn.running_mean is None or bn.running_var is None:
        raise InvalidArgumentError("fusion: bn must have running statistics, got none")
    fused = copy.deepcopy(layer)
    norm = (bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias)
    fused.weight, fused.bias = _fused(fused.weight, fused.bias, norm, channels)
    return fused


def fuse_conv_bn_eval(conv: Any, bn: Any, transpose: bool = False) -> Any:
    """Returns a convolution that computes what a convolution and a batch norm do in evaluation."""
    return _fuse(conv, bn, 1 if transpose else 0)


def fuse_linear_bn_eval(linear: Any, bn: Any) -> Any:
    """Returns a linear layer that computes what a linear layer and a batch norm do."""
    if linear.out_features != bn.num_features and bn.num_features != 1:
        raise InvalidArgumentError(
            f"fuse_linear_bn_eval: bn must have {linear.out_features} features, got "
            f"{bn.num_features}"
        )
    return _fuse(linear, bn, 0)


__all__ = [
    "fuse_conv_bn_eval",
    "fuse_conv_bn_weights",
    "fuse_linear_bn_eval",
    "fuse_linear_bn_weights",
]
