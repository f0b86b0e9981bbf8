# SPDX-License-Identifier: Apache-2.0
"""Norms over channels, dropout, and measures of vectors as functions."""

from __future__ import annotations

import math

from .._tenon import Tensor
from ..error import InvalidArgumentError
from ..ops import _packet
from ..overridable import overridable
from .functional_rows import bound_rows, warn_dense

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

bilinear = _packet("aten::bilinear")
cosine_similarity = _packet("aten::cosine_similarity")
glu = _packet("aten::glu")
logsigmoid = _packet("aten::log_sigmoid")
one_hot = _packet("aten::one_hot")
pairwise_distance = _packet("aten::pairwise_distance")
prelu = _packet("aten::prelu")
scaled_dot_product_attention = _packet("aten::scaled_dot_product_attention")

_batch_norm = _packet("aten::batch_norm")
_instance_norm = _packet("aten::instance_norm")
_avg_pools = {2: _packet("aten::avg_pool2d"), 3: _packet("aten::avg_pool3d")}
_pad = _packet("aten::pad")
_softmax = _packet("aten::softmax")
_embedding_bag = _packet("aten::embedding_bag")


@overridable
def batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Normalizes each channel to mean 0 and variance 1 over a batch.

    Args:
        input: Tensor of shape (N, channels, ...).
        running_mean: Running mean of each channel; updated in place in training.
        running_var: Running variance of each channel; updated in place in training.
        weight: Scale of each channel, applied after normalization.
        bias: Offset of each channel, added after the scale.
        training: If true, uses the statistics of the batch, not the running ones.
        momentum: Weight of the batch in the update of the running statistics.
        eps: Added to the variance.
    """
    if training and input.numel() == (input.shape[1] if input.ndim > 1 else 0):
        raise InvalidArgumentError(
            "batch_norm: input must have more than 1 element of each channel in training, got "
            f"shape {tuple(input.shape)}"
        )
    return _batch_norm(
        input, weight, bias, running_mean, running_var, training, momentum, eps, False
    )


@overridable
def instance_norm(
    input: Tensor,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Normalizes each channel of each example to mean 0 and variance 1.

    The arguments are those of `batch_norm`; `use_input_stats` corresponds to `training`.
    """
    return _instance_norm(
        input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, False
    )


@overridable
def local_response_norm(
    input: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0
) -> Tensor:
    """Divides elements by a power of the mean square over neighbouring channels.

    Args:
        input: Tensor of shape (N, channels, ...) with at least 3 dims.
        size: Number of channels in the mean.
        alpha: Factor of the mean.
        beta: Exponent.
        k: Added before the power is taken.
    """
    if input.ndim < 3:
        raise InvalidArgumentError(
            f"local_response_norm: input must have at least 3 dims, got shape {tuple(input.shape)}"
        )
    if input.numel() == 0:
        return input
    squares = (input * input).unsqueeze(1)
    around = [size // 2, (size - 1) // 2]
    if input.ndim == 3:
        squares = _pad(squares, [0, 0, *around])
        means = _avg_pools[2](squares, [size, 1], [1, 1])
    else:
        shape = input.shape
        squares = squares.reshape((shape[0], 1, shape[1], shape[2], -1))
        squares = _pad(squares, [0, 0, 0, 0, *around])
        means = _avg_pools[3](squares, [size, 1, 1], [1, 1, 1])
    return input / (means.squeeze(1).reshape(input.shape) * alpha + k) ** beta


@overridable
def normalize(
    input: Tensor, p: float = 2.0, dim: Any = 1, eps: float = 1e-12, out: Tensor | None = None
) -> Tensor:
    """Divides vectors by their norm.

    Args:
        input: The tensor.
        p: Order of the norm.
        dim: Dim of the vectors, or several.
        eps: Lower bound of the divisor.
        out: Receives the result.
    """
    if p == 2:
        sizes = input.abs() if input.is_complex() else input
        length = (sizes * sizes).sum(dim, True).sqrt()
    elif p == 1:
        length = input.abs().sum(dim, True)
    elif math.isinf(p):
        length = input.abs().amax(dim, True)
    else:
        length = (input.abs() ** p).sum(dim, True) ** (1 / p)
    result = input / length.clamp_min(eps)
    return result if out is None else out.resize_(result.shape).copy_(result)


@overridable
def softmin(input: Tensor, dim: int | None = None, *, dtype: Any = None) -> Tensor:
    """Returns `softmax` of the negative of an input."""
    from .functional import _softmax_dim

    return _softmax(-input, _softmax_dim("softmin", input, dim), dtype)


def _dropping(name: str) -> tuple[Any, Any]:
    return _packet(f"aten::{name}"), _packet(f"aten::{name}_")


_dropout = _dropping("dropout")
_feature_dropout = _dropping("feature_dropout")
_alpha_dropout = _dropping("alpha_dropout")
_feature_alpha_dropout = _dropping("feature_alpha_dropout")


def _dropped(name: str, operators: tuple, input: Tensor, p: float, training: bool, inplace: bool):
    if not 0 <= p <= 1:
        raise InvalidArgumentError(f"{name}: p must be between 0 and 1, got {p}")
    return operators[bool(inplace)](input, p, training)


@overridable
def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zeroes elements with probability p and scales the remaining ones by 1 / (1 - p).

    Args:
        input: Tensor of a floating dtype.
        p: Probability, from 0 to 1.
        training: If false, returns the input unchanged.
        inplace: If true, overwrites the input.
    """
    return _dropped("dropout", _dropout, input, p, training, inplace)


@overridable
def alpha_dropout(
    input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False
) -> Tensor:
    """Sets elements to SELU's negative limit with probability p; keeps mean and variance."""
    return _dropped("alpha_dropout", _alpha_dropout, input, p, training, inplace)


@overridable
def feature_alpha_dropout(
    input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False
) -> Tensor:
    """Applies `alpha_dropout` to whole channels of an input of shape (N, channels, ...)."""
    return _dropped("feature_alpha_dropout", _feature_alpha_dropout, input, p, training, inplace)


def _channels_dropped(
    name: str, dims: int, input: Tensor, p: float, training: bool, inplace: bool
) -> Tensor:
    batched = input.ndim == dims + 2
    if not batched and input.ndim != dims + 1:
        if dims == 1:
            raise InvalidArgumentError(
                f"{name}: input must have 2 dims, or 3 with a batch, got shape {tuple(input.shape)}"
            )
        import warnings

        warnings.warn(
            f"{name}: input should have {dims + 1} dims, or {dims + 2} with a batch, got "
            f"{input.ndim}; whole rows of the second dim are dropped",
            stacklevel=3,
        )
        return _dropped(name, _feature_dropout, input, p, training, inplace)
    whole = input if batched else input.unsqueeze(0)
    result = _dropped(name, _feature_dropout, whole, p, training, inplace)
    return result if batched else result.squeeze(0)


@overridable
def dropout1d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """Zeroes whole channels of an input of shape ([N,] channels, length)."""
    return _channels_dropped("dropout1d", 1, input, p, training, inplace)


@overridable
def dropout2d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """Zeroes whole channels of an input of shape (N, channels, height, width)."""
    if input.ndim == 3:  # as in PyTorch: (N, channels, length)
        return _dropped("dropout2d", _feature_dropout, input, p, training, inplace)
    return _channels_dropped("dropout2d", 2, input, p, training, inplace)


@overridable
def dropout3d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """Zeroes whole channels of an input of shape ([N,] channels, depth, height, width)."""
    return _channels_dropped("dropout3d", 3, input, p, training, inplace)


def _bags(input: Tensor, offsets: Tensor | None) -> tuple[Tensor, Tensor]:
    """Returns flat indices and the start of each bag."""
    from ..factories import arange

    if input.ndim == 2:
        if offsets is not None:
            raise InvalidArgumentError(
                "embedding_bag: offsets must be None for an input of 2 dims, got a tensor"
            )
        count, each = input.shape
        return input.reshape(-1), arange(count, device=input.device) * each
    if input.ndim != 1 or offsets is None or offsets.ndim != 1:
        raise InvalidArgumentError(
            "embedding_bag: input must have 2 dims, or 1 dim with offsets of 1 dim, got shape "
            f"{tuple(input.shape)}"
        )
    return input, offsets


@overridable
def embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | None = None,
    max_norm: float | None = None,
    norm_type: float = 2,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Tensor:
    """Reduces bags of rows of a matrix by sum, mean or maximum.

    Args:
        input: Indices of shape (bags, N), or flat with offsets.
        weight: The matrix of rows.
        offsets: Start of each bag in a flat input.
        max_norm: Selected rows with a larger norm are scaled to it in place.
        norm_type: Order of that norm.
        scale_grad_by_freq: If true, divides gradients by the number of times a row is selected.
        mode: "sum", "mean" or "max".
        sparse: Accepted, but gradients are dense; a warning says so.
        per_sample_weights: Factor of each row; only with "sum".
        include_last_offset: If true, the last offset is the input's size and starts no bag.
        padding_idx: Index of a row that is left out of the reduction.
    """
    modes = ("sum", "mean", "max")
    if mode not in modes:
        raise InvalidArgumentError(
            f"embedding_bag: mode must be 'sum', 'mean' or 'max', got {mode!r}"
        )
    if per_sample_weights is not None and (
        mode != "sum" or per_sample_weights.shape != input.shape
    ):
        raise InvalidArgumentError(
            "embedding_bag: per_sample_weights must have the input's shape, for mode 'sum', got "
            f"shape {tuple(per_sample_weights.shape)} and mode {mode!r}"
        )
    indices, starts = _bags(input, offsets)
    weights = None if per_sample_weights is None else per_sample_weights.reshape(-1)
    ends = include_last_offset and input.ndim == 1
    if sparse and weight.requires_grad:
        warn_dense("embedding_bag")
    if max_norm is not None:
        bound_rows(weight, indices, max_norm, norm_type)
    options = scale_grad_by_freq, modes.index(mode), False, weights, ends, padding_idx
    return _embedding_bag(weight, indices, starts, *options)[0]


__all__ = [
    "alpha_dropout",
    "batch_norm",
    "bilinear",
    "cosine_similarity",
    "dropout",
    "dropout1d",
    "dropout2d",
    "dropout3d",
    "embedding_bag",
    "feature_alpha_dropout",
    "glu",
    "instance_norm",
    "local_response_norm",
    "logsigmoid",
    "normalize",
    "one_hot",
    "pairwise_distance",
    "prelu",
    "scaled_dot_product_attention",
    "softmin",
]
