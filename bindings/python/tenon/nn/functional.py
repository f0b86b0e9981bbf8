# SPDX-License-Identifier: Apache-2.0
"""Layers and activations as functions over operators of ATen, and losses."""

from __future__ import annotations

from .. import functional as _operators
from .._tenon import Tensor
from ..error import InvalidArgumentError, NotSupportedError
from ..ops import _packet
from ..overridable import overridable
from .functional_loss import (
    cross_entropy,
    huber_loss,
    l1_loss,
    mse_loss,
    nll_loss,
    smooth_l1_loss,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_elu_ = _packet("aten::elu_")
_leaky_relu_ = _packet("aten::leaky_relu_")
_mish_ = _packet("aten::mish_")
_relu_ = _packet("aten::relu_")
_silu_ = _packet("aten::silu_")
_reshape = _packet("aten::reshape")

linear = _operators.linear
conv2d = _operators.conv2d
gelu = _operators.gelu
softplus = _operators.softplus


@overridable
def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """Returns the larger of each element and 0."""
    return _relu_(input) if inplace else _operators.relu(input)


@overridable
def tanh(input: Tensor) -> Tensor:
    """Returns the hyperbolic tangent of each element."""
    return _operators.tanh(input)


@overridable
def sigmoid(input: Tensor) -> Tensor:
    """Returns `1 / (1 + exp(-x))` of each element."""
    return _operators.sigmoid(input)


@overridable
def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """Returns `x * sigmoid(x)` of each element."""
    if not input.dtype.is_complex:
        return _silu_(input) if inplace else _operators.silu(input)
    gate = _operators.sigmoid(input)  # the operator takes no complex numbers
    return input.mul_(gate) if inplace else input * gate


@overridable
def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """Returns `x * tanh(log(1 + exp(x)))` of each element."""
    return _mish_(input) if inplace else _operators.mish(input)


@overridable
def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """Returns each element where it is positive, else `alpha * (exp(x) - 1)`."""
    return (_elu_ if inplace else _operators.elu)(input, alpha)


@overridable
def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """Returns each element where it is positive, else `negative_slope` times it."""
    return (_leaky_relu_ if inplace else _operators.leaky_relu)(input, negative_slope)


def _softmax_dim(name: str, input: Tensor, dim: int | None) -> int:
    if dim is not None:
        return dim
    import warnings

    warnings.warn(f"{name}: dim must be given, got none; one is chosen", stacklevel=3)
    return 0 if input.ndim in (0, 1, 3) else 1


@overridable
def softmax(input: Tensor, dim: int | None = None, *, dtype: Any = None) -> Tensor:
    """Returns the exponentials along a dim, divided by their sum."""
    return _operators.softmax(input, _softmax_dim("softmax", input, dim), dtype)


@overridable
def log_softmax(input: Tensor, dim: int | None = None, *, dtype: Any = None) -> Tensor:
    """Returns the logarithm of softmax, without losing digits."""
    return _operators.log_softmax(input, _softmax_dim("log_softmax", input, dim), dtype)


@overridable
def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Makes elements zero with probability p, and the others larger by 1 / (1 - p).

    Args:
        input: Of a floating dtype.
        p: From 0 to 1.
        training: Whether anything is done.
        inplace: Whether the input is overwritten.
    """
    if not 0 <= p <= 1:
        raise InvalidArgumentError(f"dropout: p must be between 0 and 1, got {p}")
    if not training or p == 0:
        return input
    from ..factories import rand, zeros_like

    if p == 1:
        factor = zeros_like(input)
    else:
        kept = rand(input.shape, device=input.device) >= p
        factor = kept.to(input.dtype) / (1 - p)
    return input.mul_(factor) if inplace else input * factor


def _normalized_shape(given: Any) -> tuple[Any, ...]:
    return (given,) if isinstance(given, int) else tuple(given)


@overridable
def layer_norm(
    input: Tensor,
    normalized_shape: Any,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """Returns the input less its mean, divided by its deviation, over the last dims.

    Args:
        input: Of shape `(..., *normalized_shape)`.
        normalized_shape: Sizes of the last dims, over which mean and deviation are taken.
        weight: Of those sizes; what the result is multiplied by.
        bias: Of those sizes; what is added then.
        eps: Added to the variance.
    """
    shape = _normalized_shape(normalized_shape)
    return _operators.layer_norm(input, shape, weight, bias, eps)


@overridable
def rms_norm(
    input: Tensor, normalized_shape: Any, weight: Tensor | None = None, eps: float | None = None
) -> Tensor:
    """Returns the input, divided by the root of the mean of its squares over the last dims.

    Args:
        input: Of shape `(..., *normalized_shape)`.
        normalized_shape: Sizes of the last dims, over which the mean is taken.
        weight: Of those sizes; what the result is multiplied by.
        eps: Added to the mean; by default the distance from 1 to the next number.
    """
    return _operators.rms_norm(input, _normalized_shape(normalized_shape), weight, eps)


@overridable
def group_norm(
    input: Tensor,
    num_groups: int,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """Returns the input less its mean, divided by its deviation, over groups of channels.

    Args:
        input: Of shape (N, channels, ...).
        num_groups: A number that divides the channels.
        weight: One of each channel; what the result is multiplied by.
        bias: One of each channel; what is added then.
        eps: Added to the variance.
    """
    return _operators.group_norm(input, num_groups, weight, bias, eps)


@overridable
def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """Returns the rows of a matrix that indices name.

    Args:
        input: Indices of rows, of any shape.
        weight: The matrix: a row each.
        padding_idx: A row that gets no gradient; negative ones count from the end.
        max_norm: Not supported: rows are not scaled in place.
        norm_type: Of that.
        scale_grad_by_freq: Whether gradients are divided by how often a row is named.
        sparse: Not supported: gradients are dense.

    Raises:
        NotSupportedError: For `max_norm` or `sparse`.
    """
    if max_norm is not None or sparse:
        name, value = ("max_norm", max_norm) if max_norm is not None else ("sparse", sparse)
        raise NotSupportedError(f"embedding: {name} must be left out, got {value}")
    rows = weight.shape[0]
    if padding_idx is not None and not -rows <= padding_idx < rows:
        raise InvalidArgumentError(
            f"embedding: padding_idx must be between {-rows} and {rows - 1}, got {padding_idx}"
        )
    padding = -1 if padding_idx is None else padding_idx + rows * (padding_idx < 0)
    return _operators.embedding(weight, input, padding, scale_grad_by_freq)


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
    """Returns the largest element that a window sees at each of its places.

    Args:
        input: Of shape (channels, height, width), or with a batch before.
        kernel_size: Of the window: a number, or one for each dim.
        stride: From one place to the next; by default those of the kernel.
        padding: So much is added on both sides, below all elements.
        dilation: From one element that the window sees to the next.
        ceil_mode: Whether the last place may reach beyond the end.
        return_indices: Whether the elements' places in their plane are returned, too.
    """
    pool = _operators.max_pool2d_with_indices
    values, indices = pool(input, kernel_size, stride or [], padding, dilation, ceil_mode)
    return (values, indices) if return_indices else values


def _flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """Returns the dims from `start_dim` to `end_dim` as one."""
    ndim = max(input.ndim, 1)
    first, last = (dim + ndim if dim < 0 else dim for dim in (start_dim, end_dim))
    for name, dim, given in (("start_dim", first, start_dim), ("end_dim", last, end_dim)):
        if not 0 <= dim < ndim:
            raise InvalidArgumentError(
                f"flatten: {name} must be between {-ndim} and {ndim - 1}, got {given}"
            )
    if first > last:
        raise InvalidArgumentError(
            f"flatten: start_dim must be at most end_dim, got {start_dim} and {end_dim}"
        )
    shape = tuple(input.shape) or (1,)
    count = 1
    for size in shape[first : last + 1]:
        count *= size
    return _reshape(input, (*shape[:first], count, *shape[last + 1 :]))


__all__ = [
    "cross_entropy",
    "dropout",
    "elu",
    "gelu",
    "group_norm",
    "huber_loss",
    "l1_loss",
    "layer_norm",
    "leaky_relu",
    "linear",
    "log_softmax",
    "mish",
    "mse_loss",
    "nll_loss",
    "relu",
    "rms_norm",
    "sigmoid",
    "silu",
    "smooth_l1_loss",
    "softmax",
    "softplus",
    "tanh",
]
