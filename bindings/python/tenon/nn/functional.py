# SPDX-License-Identifier: Apache-2.0
"""Layers and activations as functions over operators of ATen, and losses."""

from __future__ import annotations

from .. import functional as _operators
from .._tenon import Tensor
from ..error import InvalidArgumentError
from ..ops import _packet
from ..overridable import overridable
from .functional_attention import (
    multi_head_attention_forward,
)
from .functional_fractional import *  # noqa: F403
from .functional_fractional import __all__ as _fractional
from .functional_grid import affine_grid, grid_sample
from .functional_image import (
    adaptive_avg_pool1d,
    adaptive_avg_pool2d,
    adaptive_avg_pool3d,
    adaptive_max_pool1d,
    adaptive_max_pool2d,
    adaptive_max_pool3d,
    avg_pool1d,
    avg_pool2d,
    avg_pool3d,
    channel_shuffle,
    conv1d,
    conv2d,
    conv3d,
    conv_transpose1d,
    conv_transpose2d,
    conv_transpose3d,
    fold,
    interpolate,
    max_pool1d,
    max_pool2d,
    max_pool3d,
    max_unpool1d,
    max_unpool2d,
    max_unpool3d,
    pad,
    pixel_shuffle,
    pixel_unshuffle,
    unfold,
)
from .functional_layer import (
    alpha_dropout,
    batch_norm,
    bilinear,
    cosine_similarity,
    dropout,
    dropout1d,
    dropout2d,
    dropout3d,
    embedding_bag,
    feature_alpha_dropout,
    glu,
    instance_norm,
    local_response_norm,
    logsigmoid,
    normalize,
    one_hot,
    pairwise_distance,
    prelu,
    scaled_dot_product_attention,
    softmin,
)
from .functional_loss import (
    cross_entropy,
    ctc_loss,
    huber_loss,
    l1_loss,
    linear_cross_entropy,
    mse_loss,
    nll_loss,
    smooth_l1_loss,
)
from .functional_more import *  # noqa: F403
from .functional_more import __all__ as _more
from .functional_pair_loss import (
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    cosine_embedding_loss,
    gaussian_nll_loss,
    hinge_embedding_loss,
    kl_div,
    margin_ranking_loss,
    multi_margin_loss,
    multilabel_margin_loss,
    poisson_nll_loss,
    soft_margin_loss,
    triplet_margin_loss,
)
from .functional_pool import (
    adaptive_max_pool1d_with_indices,
    adaptive_max_pool2d_with_indices,
    adaptive_max_pool3d_with_indices,
    lp_pool1d,
    lp_pool2d,
    lp_pool3d,
    max_pool1d_with_indices,
    max_pool2d_with_indices,
    max_pool3d_with_indices,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_celu_ = _packet("aten::celu_")
_elu_ = _packet("aten::elu_")
_hardsigmoid_ = _packet("aten::hardsigmoid_")
_hardswish_ = _packet("aten::hardswish_")
_hardtanh_ = _packet("aten::hardtanh_")
_leaky_relu_ = _packet("aten::leaky_relu_")
_mish_ = _packet("aten::mish_")
_relu6_ = _packet("aten::relu6_")
_rrelu_ = _packet("aten::rrelu_")
_relu_ = _packet("aten::relu_")
_selu_ = _packet("aten::selu_")
_silu_ = _packet("aten::silu_")
_reshape = _packet("aten::reshape")

linear = _operators.linear
gelu = _operators.gelu
hardshrink = _operators.hardshrink
softshrink = _operators.softshrink
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
    """Returns x if it is positive, otherwise `alpha * (exp(x) - 1)`, elementwise."""
    return (_elu_ if inplace else _operators.elu)(input, alpha)


@overridable
def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """Returns x if it is positive, otherwise `negative_slope * x`, elementwise."""
    return (_leaky_relu_ if inplace else _operators.leaky_relu)(input, negative_slope)


@overridable
def rrelu(
    input: Tensor,
    lower: float = 1 / 8,
    upper: float = 1 / 3,
    training: bool = False,
    inplace: bool = False,
) -> Tensor:
    """Applies a leaky ReLU with random slopes.

    Args:
        input: Tensor of a floating dtype.
        lower: Lower bound of the slopes.
        upper: Upper bound of the slopes.
        training: If true, draws slopes; otherwise each is the mean of the bounds.
        inplace: If true, overwrites the input.
    """
    return (_rrelu_ if inplace else _operators.rrelu)(input, lower, upper, training)


@overridable
def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """Returns x if it is positive, otherwise `alpha * (exp(x / alpha) - 1)`, elementwise."""
    return (_celu_ if inplace else _operators.celu)(input, alpha)


@overridable
def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """Returns `relu6(x + 3) / 6` of each element."""
    return (_hardsigmoid_ if inplace else _operators.hardsigmoid)(input)


@overridable
def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """Returns `x * relu6(x + 3) / 6` of each element."""
    return (_hardswish_ if inplace else _operators.hardswish)(input)


@overridable
def hardtanh(
    input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False
) -> Tensor:
    """Clamps each element to [min_val, max_val]."""
    if min_val > max_val:
        raise InvalidArgumentError(
            f"hardtanh: min_val must not be above max_val, got {min_val} and {max_val}"
        )
    return (_hardtanh_ if inplace else _operators.hardtanh)(input, min_val, max_val)


@overridable
def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """Clamps each element to [0, 6]."""
    return (_relu6_ if inplace else _operators.relu6)(input)


@overridable
def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """Returns `elu` with the scales that keep mean and variance from layer to layer."""
    return (_selu_ if inplace else _operators.selu)(input)


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
    """Returns the logarithm of softmax, computed in a numerically stable way."""
    return _operators.log_softmax(input, _softmax_dim("log_softmax", input, dim), dtype)


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
    """Normalizes the last dims to mean 0 and variance 1.

    Args:
        input: Tensor of shape `(..., *normalized_shape)`.
        normalized_shape: Sizes of the last dims, over which mean and variance are taken.
        weight: Scale of that shape, applied after normalization.
        bias: Offset of that shape, added after the scale.
        eps: Added to the variance.
    """
    shape = _normalized_shape(normalized_shape)
    return _operators.layer_norm(input, shape, weight, bias, eps)


@overridable
def rms_norm(
    input: Tensor, normalized_shape: Any, weight: Tensor | None = None, eps: float | None = None
) -> Tensor:
    """Divides the input by the root mean square of its last dims.

    Args:
        input: Tensor of shape `(..., *normalized_shape)`.
        normalized_shape: Sizes of the last dims, over which the mean is taken.
        weight: Scale of that shape, applied after normalization.
        eps: Added to the mean square; by default the machine epsilon.
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
    """Normalizes groups of channels to mean 0 and variance 1.

    Args:
        input: Tensor of shape (N, channels, ...).
        num_groups: Number of groups; must divide the number of channels.
        weight: Scale of each channel, applied after normalization.
        bias: Offset of each channel, added after the scale.
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
    """Returns the rows of a matrix that indices select.

    Args:
        input: Indices of rows, of any shape.
        weight: The matrix of rows.
        padding_idx: Index of a row without gradient; negative indices count from the end.
        max_norm: Selected rows with a larger norm are scaled to it in place.
        norm_type: Order of that norm.
        scale_grad_by_freq: If true, divides gradients by the number of times a row is selected.
        sparse: Accepted, but gradients are dense; a warning says so.
    """
    rows = weight.shape[0]
    if padding_idx is not None and not -rows <= padding_idx < rows:
        raise InvalidArgumentError(
            f"embedding: padding_idx must be between {-rows} and {rows - 1}, got {padding_idx}"
        )
    padding = -1 if padding_idx is None else padding_idx + rows * (padding_idx < 0)
    if max_norm is not None or sparse:
        from .functional_rows import bound_rows, warn_dense

        if sparse and weight.requires_grad:
            warn_dense("embedding")
        if max_norm is not None:
            bound_rows(weight, input, max_norm, norm_type)
    return _operators.embedding(weight, input, padding, scale_grad_by_freq)


def _flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """Merges the dims from `start_dim` to `end_dim` into one."""
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
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",
    "adaptive_max_pool1d",
    "adaptive_max_pool1d_with_indices",
    "adaptive_max_pool2d",
    "adaptive_max_pool2d_with_indices",
    "adaptive_max_pool3d",
    "adaptive_max_pool3d_with_indices",
    "affine_grid",
    "alpha_dropout",
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "batch_norm",
    "bilinear",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "celu",
    "channel_shuffle",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "cosine_embedding_loss",
    "cosine_similarity",
    "cross_entropy",
    "ctc_loss",
    "dropout",
    "dropout1d",
    "dropout2d",
    "dropout3d",
    "elu",
    "embedding",
    "embedding_bag",
    "feature_alpha_dropout",
    "fold",
    "gaussian_nll_loss",
    "gelu",
    "glu",
    "grid_sample",
    "group_norm",
    "hardshrink",
    "hardsigmoid",
    "hardswish",
    "hardtanh",
    "hinge_embedding_loss",
    "huber_loss",
    "instance_norm",
    "interpolate",
    "kl_div",
    "l1_loss",
    "layer_norm",
    "leaky_relu",
    "linear",
    "local_response_norm",
    "log_softmax",
    "logsigmoid",
    "lp_pool1d",
    "lp_pool2d",
    "lp_pool3d",
    "margin_ranking_loss",
    "max_pool1d",
    "max_pool1d_with_indices",
    "max_pool2d",
    "max_pool2d_with_indices",
    "max_pool3d",
    "max_pool3d_with_indices",
    "max_unpool1d",
    "max_unpool2d",
    "max_unpool3d",
    "mish",
    "mse_loss",
    "multi_head_attention_forward",
    "multi_margin_loss",
    "multilabel_margin_loss",
    "nll_loss",
    "normalize",
    "one_hot",
    "pad",
    "pairwise_distance",
    "pixel_shuffle",
    "pixel_unshuffle",
    "poisson_nll_loss",
    "prelu",
    "relu",
    "relu6",
    "rms_norm",
    "rrelu",
    "scaled_dot_product_attention",
    "selu",
    "sigmoid",
    "silu",
    "smooth_l1_loss",
    "soft_margin_loss",
    "softmax",
    "softmin",
    "softplus",
    "softshrink",
    "tanh",
    "triplet_margin_loss",
    "unfold",
]
__all__ += [*_more, *_fractional, "linear_cross_entropy"]

_OF_OVERRIDES = (
    *("handle_torch_function", "has_torch_function", "has_torch_function_unary"),
    "has_torch_function_variadic",
)
_OF_COPIES = ("conv_tbc", "native_channel_shuffle")


def __getattr__(name: str) -> Any:
    """Imports functions of other modules that PyTorch has here as well, at their first use."""
    from importlib import import_module

    if name in _OF_OVERRIDES:
        return getattr(import_module("tenon.overrides"), name)
    if name in _OF_COPIES:
        return getattr(import_module("tenon.copies"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
