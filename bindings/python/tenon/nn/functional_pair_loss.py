# SPDX-License-Identifier: Apache-2.0
"""Losses of probabilities, of distributions and of pairs as functions."""

from __future__ import annotations

import math

from .. import _tenon
from .._tenon import Tensor
from ..error import InvalidArgumentError
from ..ops import _packet
from ..overridable import overridable
from .functional_loss import _reduction
from .old_reduction import reduction_of

_operators = {
    name: _packet(f"aten::{name}")
    for name in (
        "binary_cross_entropy",
        "binary_cross_entropy_with_logits",
        "cosine_embedding_loss",
        "hinge_embedding_loss",
        "kl_div",
        "margin_ranking_loss",
        "multi_margin_loss",
        "multilabel_margin_loss",
        "poisson_nll_loss",
        "soft_margin_loss",
        "triplet_margin_loss",
    )
}


def _check_same(name: str, input: Tensor, target: Tensor) -> None:
    if input.shape != target.shape:
        raise InvalidArgumentError(
            f"{name}: target must have the input's shape {tuple(input.shape)}, got "
            f"{tuple(target.shape)}"
        )


@overridable
def binary_cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Returns the binary cross entropy of probabilities and targets.

    Args:
        input: Probabilities, from 0 to 1.
        target: Targets from 0 to 1, of the input's shape.
        weight: Factor of each loss.
        size_average: Deprecated: replaces `reduction`.
        reduce: Deprecated: replaces `reduction`.
        reduction: "mean", "sum" or "none".
    """
    how = _reduction("binary_cross_entropy", reduction, size_average, reduce)
    _check_same("binary_cross_entropy", input, target)
    if weight is not None:
        weight = weight.expand(target.shape)
    return _operators["binary_cross_entropy"](input, target, weight, how)


@overridable
def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
) -> Tensor:
    """Returns `binary_cross_entropy` of the input's sigmoid, in a numerically stable way.

    Args:
        input: Logits.
        target: Targets from 0 to 1, of the input's shape.
        weight: Factor of each loss.
        size_average: Deprecated: replaces `reduction`.
        reduce: Deprecated: replaces `reduction`.
        reduction: "mean", "sum" or "none".
        pos_weight: Factor of the positive term of each loss.
    """
    how = _reduction("binary_cross_entropy_with_logits", reduction, size_average, reduce)
    _check_same("binary_cross_entropy_with_logits", input, target)
    operator = _operators["binary_cross_entropy_with_logits"]
    return operator(input, target, weight, pos_weight, how)


@overridable
def kl_div(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    log_target: bool = False,
) -> Tensor:
    """Returns the Kullback-Leibler divergence of a distribution from a target.

    Args:
        input: Logarithms of probabilities.
        target: Probabilities, or their logarithms with `log_target`.
        size_average: Deprecated: replaces `reduction`.
        reduce: Deprecated: replaces `reduction`.
        reduction: "mean" of all elements, "batchmean" of the first dim's, "sum" or "none".
        log_target: If true, targets are logarithms.
    """
    if size_average is not None or reduce is not None:
        reduction = reduction_of(size_average, reduce)
    if reduction == "batchmean":
        total = _operators["kl_div"](input, target, 2, log_target=log_target)
        return total / input.shape[0] if input.ndim > 0 else total
    return _operators["kl_div"](
        input, target, _reduction("kl_div", reduction), log_target=log_target
    )


@overridable
def poisson_nll_loss(
    input: Tensor,
    target: Tensor,
    log_input: bool = True,
    full: bool = False,
    size_average: bool | None = None,
    eps: float = 1e-8,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Returns the negative log likelihood of counts under Poisson distributions.

    Args:
        input: Expected counts, or their logarithms with `log_input`.
        target: The counts.
        log_input: If true, inputs are logarithms.
        full: If true, adds Stirling's approximation of the factorial term.
        eps: Added to an input that is not a logarithm.
        size_average: Deprecated: replaces `reduction`.
        reduce: Deprecated: replaces `reduction`.
        reduction: "mean", "sum" or "none".
    """
    how = _reduction("poisson_nll_loss", reduction, size_average, reduce)
    return _operators["poisson_nll_loss"](input, target, log_input, full, eps, how)


@overridable
def gaussian_nll_loss(
    input: Tensor,
    target: Tensor,
    var: Tensor | float,
    full: bool = False,
    eps: float = 1e-6,
    reduction: str = "mean",
) -> Tensor:
    """Returns the negative log likelihood of targets under normal distributions.

    Args:
        input: The means.
        target: Targets, of the input's shape.
        var: The variances, of the same shape or with 1 as the last dim.
        full: If true, adds the constant term.
        eps: Lower bound of the variances.
        reduction: "mean", "sum" or "none".
    """
    how = _reduction("gaussian_nll_loss", reduction)
    if not isinstance(var, Tensor):
        var = input.new_ones(input.shape) * var
    if var.shape != input.shape:
        if input.shape[:-1] == var.shape:
            var = var.unsqueeze(-1)
        elif not (
            input.ndim == var.ndim and input.shape[:-1] == var.shape[:-1] and var.shape[-1] == 1
        ):
            raise InvalidArgumentError(
                f"gaussian_nll_loss: var must have the input's shape {tuple(input.shape)}, "
                f"got {tuple(var.shape)}"
            )
    if not var.is_meta and not _tenon.is_fake(var) and bool((var < 0).any()):
        raise InvalidArgumentError("gaussian_nll_loss: var must have no negative entry, got one")
    var = var + (var.detach().clamp_min(eps) - var.detach())
    losses = 0.5 * (var.log() + (input - target) ** 2 / var)
    if full:
        losses = losses + 0.5 * math.log(2 * math.pi)
    return losses if how == 0 else losses.mean() if how == 1 else losses.sum()


@overridable
def margin_ranking_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Returns a loss for pairs that are not in the wanted order by a margin.

    Args:
        input1: First element of each pair.
        input2: Second element of each pair.
        target: 1 if the first should be larger, -1 if the second should.
        margin: Wanted difference.
        size_average: Deprecated: replaces `reduction`.
        reduce: Deprecated: replaces `reduction`.
        reduction: "mean", "sum" or "none".
    """
    how = _reduction("margin_ranking_loss", reduction, size_average, reduce)
    return _operators["margin_ranking_loss"](input1, input2, target, margin, how)


@overridable
def multi_margin_loss(
    input: Tensor,
    target: Tensor,
    p: int = 1,
    margin: float = 1.0,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Returns the multi-class margin loss of scores and true classes.

    Args:
        input: Scores of shape (classes,) or (N, classes).
        target: Class indices of shape () or (N,).
        p: Exponent of each term: 1 or 2.
        margin: Required difference between the true class and every other class.
        weight: Weight of each class; by default 1.
        size_average: Deprecated: replaces `reduction`.
        reduce: Deprecated: replaces `reduction`.
        reduction: "mean", "sum" or "none".
    """
    how = _reduction("multi_margin_loss", reduction, size_average, reduce)
    return _operators["multi_margin_loss"](input, target, p, margin, weight, how)


@overridable
def multilabel_margin_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Returns the multi-label margin loss of scores and true classes.

    Args:
        input: Scores of shape (classes,) or (N, classes).
        target: Class indices of the input's shape; a negative number ends the list.
        size_average: Deprecated: replaces `reduction`.
        reduce: Deprecated: replaces `reduction`.
        reduction: "mean", "sum" or "none".
    """
    how = _reduction("multilabel_margin_loss", reduction, size_average, reduce)
    return _operators["multilabel_margin_loss"](input, target, how)


@overridable
def hinge_embedding_loss(
    input: Tensor,
    target: Tensor,
    margin: float = 1.0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Returns the input if the target is 1, or `max(0, margin - input)` if it is -1."""
    how = _reduction("hinge_embedding_loss", reduction, size_average, reduce)
    return _operators["hinge_embedding_loss"](input, target, margin, how)


@overridable
def cosine_embedding_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Returns `1 - cos` of vectors if the target is 1, or `max(0, cos - margin)` if it is -1."""
    how = _reduction("cosine_embedding_loss", reduction, size_average, reduce)
    return _operators["cosine_embedding_loss"](input1, input2, target, margin, how)


@overridable
def triplet_margin_loss(
    anchor: Tensor,
    positive: Tensor,
    negative: Tensor,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Returns a loss for anchors that are not nearer to the positive than to the negative.

    Args:
        anchor: The vectors.
        positive: Vectors that the anchors should be near to.
        negative: Vectors that the anchors should be far from.
        margin: Wanted difference of the two distances.
        p: Order of the norm of the distances.
        eps: Added to differences.
        swap: If true, uses the distance of positive and negative if it is smaller.
        size_average: Deprecated: replaces `reduction`.
        reduce: Deprecated: replaces `reduction`.
        reduction: "mean", "sum" or "none".
    """
    how = _reduction("triplet_margin_loss", reduction, size_average, reduce)
    operator = _operators["triplet_margin_loss"]
    return operator(anchor, positive, negative, margin, p, eps, swap, how)


@overridable
def soft_margin_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Returns `log(1 + exp(-target * input))`, for targets of 1 and -1."""
    return _operators["soft_margin_loss"](
        input, target, _reduction("soft_margin_loss", reduction, size_average, reduce)
    )


__all__ = [
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "cosine_embedding_loss",
    "gaussian_nll_loss",
    "hinge_embedding_loss",
    "kl_div",
    "margin_ranking_loss",
    "multi_margin_loss",
    "multilabel_margin_loss",
    "poisson_nll_loss",
    "soft_margin_loss",
    "triplet_margin_loss",
]
