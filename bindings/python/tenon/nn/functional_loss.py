# SPDX-License-Identifier: Apache-2.0
"""Losses as functions."""

from __future__ import annotations

from .. import _tenon
from .. import functional as _operators
from .._tenon import Tensor
from ..dtype import float32
from ..error import ArgumentTypeError, InvalidArgumentError
from ..ops import _packet
from ..overridable import overridable
from .old_reduction import reduction_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_ctc_loss = _packet("aten::ctc_loss")
_META = _tenon.TENON_BACKEND_META


def _check_reduction(name: str, reduction: str) -> None:
    if reduction not in ("none", "mean", "sum"):
        raise InvalidArgumentError(
            f"{name}: reduction must be 'none', 'mean' or 'sum', got {reduction!r}"
        )


def _reduction(
    name: str, reduction: str, size_average: bool | None = None, reduce: bool | None = None
) -> int:
    """Returns the operator's number of a reduction; the deprecated arguments replace it."""
    if size_average is not None or reduce is not None:
        reduction = reduction_of(size_average, reduce)
    _check_reduction(name, reduction)
    return ("none", "mean", "sum").index(reduction)


def _raised(*tensors: Tensor) -> tuple[Tensor, ...]:
    """Casts tensors to float32 in an autocast region, because losses need the precision."""
    number = tensors[0].device.type_code
    if number == _META or not _tenon.autocast_get(number)[0] & _tenon.TENON_AUTOCAST_ENABLED:
        return tensors
    return tuple(_tenon.autocast_cast(number, float32, tensor) for tensor in tensors)


def _check_shapes(name: str, input: Tensor, target: Tensor) -> None:
    if input.shape == target.shape:
        return
    import warnings

    warnings.warn(
        f"{name}: target must have the input's shape {tuple(input.shape)}, got "
        f"{tuple(target.shape)}; they are "
        "broadcast",
        stacklevel=3,
    )


def _weighted(name: str, losses: Tensor, weight: Tensor, how: int) -> Tensor:
    """Returns losses with a factor each: all, their mean weighted by the factors, or their sum."""
    if weight.shape != losses.shape:
        raise InvalidArgumentError(
            f"{name}: weight must be of the losses' shape {tuple(losses.shape)}, got "
            f"{tuple(weight.shape)}"
        )
    losses = losses * weight
    if how == 0:
        return losses
    return losses.sum() / weight.sum() if how == 1 else losses.sum()


@overridable
def mse_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """Returns the squares of the differences of input and target, or their mean or sum."""
    _check_shapes("mse_loss", input, target)
    how = _reduction("mse_loss", reduction, size_average, reduce)
    if weight is not None:
        return _weighted("mse_loss", _operators.mse_loss(input, target, 0), weight, how)
    return _operators.mse_loss(input, target, how)


@overridable
def l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """Returns the absolute differences of input and target, or their mean or sum."""
    _check_shapes("l1_loss", input, target)
    how = _reduction("l1_loss", reduction, size_average, reduce)
    if weight is not None:
        return _weighted("l1_loss", _operators.l1_loss(input, target, 0), weight, how)
    return _operators.l1_loss(input, target, how)


@overridable
def smooth_l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    beta: float = 1.0,
) -> Tensor:
    """Returns the smooth L1 loss: quadratic below `beta`, otherwise linear.

    Args:
        input: Tensor of a floating dtype.
        target: Tensor of the same shape.
        size_average: Deprecated: replaces `reduction`.
        reduce: Deprecated: replaces `reduction`.
        reduction: "mean", "sum" or "none".
        beta: Absolute difference from which the loss is linear; with 0 this is `l1_loss`.
    """
    _check_shapes("smooth_l1_loss", input, target)
    how = _reduction("smooth_l1_loss", reduction, size_average, reduce)
    return _operators.smooth_l1_loss(input, target, how, beta)


@overridable
def huber_loss(
    input: Tensor,
    target: Tensor,
    reduction: str = "mean",
    delta: float = 1.0,
    weight: Tensor | None = None,
) -> Tensor:
    """Returns the Huber loss: `delta` times `smooth_l1_loss` with `beta=delta`.

    Args:
        input: Tensor of a floating dtype.
        target: Tensor of the same shape.
        weight: Factor of each loss.
        reduction: "mean", "sum" or "none".
        delta: Absolute difference from which the loss is linear; above 0.
    """
    _check_shapes("huber_loss", input, target)
    how = _reduction("huber_loss", reduction)
    if weight is not None:
        losses = _operators.huber_loss(input, target, 0, delta)
        losses = _weighted("huber_loss", losses, weight, 0)
        return losses if how == 0 else losses.mean() if how == 1 else losses.sum()
    return _operators.huber_loss(input, target, how, delta)


def _hits(name: str, input: Tensor, target: Tensor, ignore_index: int) -> tuple[Any, Tensor]:
    """Returns a mask of each target's class, in the input's shape, and which targets count."""
    dim = 0 if input.ndim == 1 else 1
    rest = (*input.shape[:dim], *input.shape[dim + 1 :])
    if input.ndim == 0 or target.shape != rest:
        raise InvalidArgumentError(
            f"{name}: target must have the input's shape {tuple(input.shape)} without the dim of "
            f"classes, got {tuple(target.shape)}"
        )
    if target.dtype.is_floating_point or target.dtype.is_complex:
        raise ArgumentTypeError(f"{name}: target must have an integer dtype, got {target.dtype}")
    from ..factories import arange
    from ..func.layer import is_mapped

    count = input.shape[dim]
    counts = target != ignore_index
    wrong = counts * ((target < 0) + (target >= count))
    has_data = not target.is_meta and not _tenon.is_fake(target)
    readable = has_data and target.numel() != 0 and not is_mapped(target)
    if readable and wrong.sum().item() != 0:
        raise InvalidArgumentError(
            f"{name}: target must be classes from 0 to {count - 1} or ignore_index {ignore_index}, "
            "got others"
        )
    classes = arange(count, device=input.device)
    classes = classes.reshape((count,) + (1,) * (input.ndim - 1 - dim))
    return (classes == target.unsqueeze(dim)) * counts.unsqueeze(dim), counts


@overridable
def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Returns the negative log likelihood loss.

    Args:
        input: Log probabilities of shape (classes,), (N, classes) or (N, classes, d1, d2, ...).
        target: Class indices of shape (), (N,) or (N, d1, d2, ...).
        weight: Weight of each class; by default 1.
        ignore_index: Class index that is ignored in targets.
        size_average: Deprecated: replaces `reduction`.
        reduce: Deprecated: replaces `reduction`.
        reduction: "mean" (weighted, over targets that are not ignored), "sum" or "none".
    """
    if size_average is not None or reduce is not None:
        reduction = reduction_of(size_average, reduce)
    _check_reduction("nll_loss", reduction)
    (input,) = _raised(input)
    hits, counts = _hits("nll_loss", input, target, ignore_index)
    dim = 0 if input.ndim == 1 else 1
    if weight is None:
        weights = counts.to(input.dtype)
    else:
        if weight.shape != (input.shape[dim],):
            raise InvalidArgumentError(
                f"nll_loss: weight must have shape {(input.shape[dim],)}, got {tuple(weight.shape)}"
            )
        whole = weight.reshape(weight.shape + (1,) * (input.ndim - 1 - dim))
        weights = _operators.where(hits, whole, 0).sum(dim)
    losses = -_operators.where(hits, input, 0).sum(dim) * weights
    if reduction == "mean":
        return losses.sum() / weights.sum()
    return losses.sum() if reduction == "sum" else losses


@overridable
def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """Returns the cross entropy of the softmax of an input, and targets.

    Args:
        input: Logits of shape (classes,), (N, classes) or (N, classes, d1, d2, ...).
        target: Classes, of shape (), (N,) or (N, d1, d2, ...); or probabilities, of the input's
            shape.
        weight: Weight of each class; by default 1.
        ignore_index: Class index that is ignored in targets.
        size_average: Deprecated: replaces `reduction`.
        reduce: Deprecated: replaces `reduction`.
        reduction: "mean", "sum" or "none".
        label_smoothing: Fraction of each target, from 0 to 1, that is spread over all classes.
    """
    from .functional import log_softmax

    if size_average is not None or reduce is not None:
        reduction = reduction_of(size_average, reduce)
    _check_reduction("cross_entropy", reduction)
    if not 0 <= label_smoothing <= 1:
        raise InvalidArgumentError(
            f"cross_entropy: label_smoothing must be between 0 and 1, got {label_smoothing}"
        )
    dim = 0 if input.ndim <= 1 else 1
    (input,) = _raised(input)
    logs = log_softmax(input, dim)
    whole: Any = 1 if weight is None else weight.reshape((-1,) + (1,) * (input.ndim - 1 - dim))
    if target.dtype.is_floating_point and target.shape == input.shape:
        if label_smoothing > 0:
            target = target * (1 - label_smoothing) + label_smoothing / input.shape[dim]
        losses = -(logs * target * whole).sum(dim)
        if reduction == "mean":
            return losses.sum() / max(losses.numel(), 1)
        return losses.sum() if reduction == "sum" else losses
    plain = nll_loss(logs, target, weight, None, ignore_index, None, reduction)
    if label_smoothing == 0:
        return plain
    counts = target != ignore_index
    shared = _operators.where(counts, -(logs * whole).sum(dim), 0)
    if reduction == "mean":
        hits, _ = _hits("cross_entropy", input, target, ignore_index)
        shared = shared.sum() / (hits * whole).sum()
    elif reduction == "sum":
        shared = shared.sum()
    return plain * (1 - label_smoothing) + shared * (label_smoothing / input.shape[dim])


@overridable
def linear_cross_entropy(
    input: Tensor,
    linear_weight: Tensor,
    target: Tensor,
    *,
    linear_bias: Tensor | None = None,
    weight: Tensor | None = None,
    reduction: str = "mean",
    ignore_index: int | None = None,
    label_smoothing: float = 0.0,
    options: Any = None,
) -> Tensor:
    """Returns the cross entropy of a linear layer's results.

    Args:
        input: Tensor of shape (features,) or (N, features).
        linear_weight: The layer's weight, (classes, ..., features).
        target: Classes or probabilities; see `cross_entropy`.
        linear_bias: The layer's bias, (classes, ...).
        weight: Weight of each class; by default 1.
        reduction: "mean", "sum" or "none".
        ignore_index: Class that is ignored in targets.
        label_smoothing: Fraction of each target that is spread over all classes.
        options: Has no effect: logits are computed at once.
    """
    if input.ndim not in (1, 2) or linear_weight.ndim < 2:
        raise InvalidArgumentError(
            "linear_cross_entropy: input must have 1 or 2 dims and linear_weight 2 at least, got "
            f"{input.ndim} and {linear_weight.ndim}"
        )
    flat = linear_weight.reshape(-1, linear_weight.shape[-1])
    bias = None if linear_bias is None else linear_bias.reshape(-1)
    logits = _operators.linear(input, flat, bias)
    logits = logits.reshape((*input.shape[:-1], *linear_weight.shape[:-1]))
    return cross_entropy(
        *(logits, target, weight),
        ignore_index=-100 if ignore_index is None else ignore_index,
        reduction=reduction,
        label_smoothing=label_smoothing,
    )


@overridable
def ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Tensor:
    """Returns the connectionist temporal classification loss of frames and targets.

    Args:
        log_probs: Log probabilities as returned by `log_softmax`, of shape (frames, batch, labels)
            or (frames, labels).
        targets: Labels of shape (batch, longest target), or concatenated in one dim.
        input_lengths: Number of valid frames per batch element: a tensor or numbers.
        target_lengths: Number of labels per target.
        blank: Index of the blank label.
        reduction: "mean" of losses divided by target lengths, "sum" or "none".
        zero_infinity: If true, losses of impossible targets are 0 instead of infinite.

    Raises:
        InvalidArgumentError: If lengths do not fit the frames or the targets.
    """
    number = _reduction("ctc_loss", reduction)
    lengths = (input_lengths, target_lengths)
    return _ctc_loss(log_probs, targets, *lengths, blank, number, zero_infinity)


__all__ = [
    "cross_entropy",
    "ctc_loss",
    "huber_loss",
    "l1_loss",
    "linear_cross_entropy",
    "mse_loss",
    "nll_loss",
    "smooth_l1_loss",
]
