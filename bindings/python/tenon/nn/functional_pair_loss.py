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
            f"{name}: target must be of the input's shape {tuple(input.shape)}, got "
            f"{tuple(target.shape)}"
        )


@overridable
def binary_cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None = None, *, reduction: str = "mean"
) -> Tensor:
    """Returns how far probabilities are from what is true.

    Args:
        input: Probabilities, from 0 to 1.
        target: Of the same shape, from 0 to 1.
        weight: What each loss is multiplied by.
        reduction: "mean", "sum" or "none".
    """
    how = _reduction("binary_cross_entropy", reduction)
    _check_same("binary_cross_entropy", input, target)
    if weight is not None:
        weight = weight.expand(target.shape)
    return _operators["binary_cross_entropy"](input, target, weight, how)


@overridable
def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    *,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
) -> Tensor:
    """Returns `binary_cross_entropy` of the sigmoid of an input, without losing digits.

    Args:
        input: Any numbers.
        target: Of the same shape, from 0 to 1.
        weight: What each loss is multiplied by.
        reduction: "mean", "sum" or "none".
        pos_weight: What the part of a loss is multiplied by that is for targets of 1.
    """
    how = _reduction("binary_cross_entropy_with_logits", reduction)
    _check_same("binary_cross_entropy_with_logits", input, target)
    operator = _operators["binary_cross_entropy_with_logits"]
    return operator(input, target, weight, pos_weight, how)


@overridable
def kl_div(
    input: Tensor, target: Tensor, *, reduction: str = "mean", log_target: bool = False
) -> Tensor:
    """Returns the Kullback-Leibler divergence of a distribution from a target.

    Args:
        input: Logarithms of probabilities.
        target: Probabilities, or their logarithms with `log_target`.
        reduction: "mean" of all elements, "batchmean" of the first dim's, "sum" or "none".
        log_target: Whether the target are logarithms.
    """
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
    *,
    eps: float = 1e-8,
    reduction: str = "mean",
) -> Tensor:
    """Returns how unlikely counts are.

    Args:
        input: What is expected, or its logarithm with `log_input`.
        target: The counts.
        log_input: Whether the input are logarithms.
        full: Whether an approximation of the logarithm of the counts' factorials is added.
        eps: Added to an input that is no logarithm.
        reduction: "mean", "sum" or "none".
    """
    how = _reduction("poisson_nll_loss", reduction)
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
    """Returns how unlikely targets are under normal distributions.

    Args:
        input: The means.
        target: Of the same shape.
        var: The variances, of the same shape or with 1 as the last dim.
        full: Whether the constant term is added.
        eps: The least that a variance counts as.
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
                f"gaussian_nll_loss: var must be of the input's shape {tuple(input.shape)}, "
                f"got {tuple(var.shape)}"
            )
    if not var.is_meta and not _tenon.is_fake(var) and bool((var < 0).any()):
        raise InvalidArgumentError("gaussian_nll_loss: var must be 0 or above, got less")
    var = var + (var.detach().clamp_min(eps) - var.detach())
    losses = 0.5 * (var.log() + (input - target) ** 2 / var)
    if full:
        losses = losses + 0.5 * math.log(2 * math.pi)
    return losses if how == 0 else losses.mean() if how == 1 else losses.sum()


@overridable
def margin_ranking_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0, *, reduction: str = "mean"
) -> Tensor:
    """Returns how far pairs are from the order that they shall have.

    Args:
        input1: The first of each.
        input2: The second.
        target: 1 where the first shall be larger, -1 where the second.
        margin: By how much.
        reduction: "mean", "sum" or "none".
    """
    how = _reduction("margin_ranking_loss", reduction)
    return _operators["margin_ranking_loss"](input1, input2, target, margin, how)


@overridable
def multi_margin_loss(
    input: Tensor,
    target: Tensor,
    p: int = 1,
    margin: float = 1.0,
    weight: Tensor | None = None,
    *,
    reduction: str = "mean",
) -> Tensor:
    """Returns by how much other classes come up to the one that is true.

    Args:
        input: Of shape (classes,) or (N, classes).
        target: Classes, of shape () or (N,).
        p: The power of each: 1 or 2.
        margin: How far other classes shall be below.
        weight: Of each class; by default 1.
        reduction: "mean", "sum" or "none".
    """
    how = _reduction("multi_margin_loss", reduction)
    return _operators["multi_margin_loss"](input, target, p, margin, weight, how)


@overridable
def multilabel_margin_loss(input: Tensor, target: Tensor, *, reduction: str = "mean") -> Tensor:
    """Returns by how much other classes come up to those that are true.

    Args:
        input: Of shape (classes,) or (N, classes).
        target: Of the same shape: classes, up to the first negative number.
        reduction: "mean", "sum" or "none".
    """
    how = _reduction("multilabel_margin_loss", reduction)
    return _operators["multilabel_margin_loss"](input, target, how)


@overridable
def hinge_embedding_loss(
    input: Tensor, target: Tensor, margin: float = 1.0, *, reduction: str = "mean"
) -> Tensor:
    """Returns distances where the target is 1, and what lacks of a margin where it is -1."""
    how = _reduction("hinge_embedding_loss", reduction)
    return _operators["hinge_embedding_loss"](input, target, margin, how)


@overridable
def cosine_embedding_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0, *, reduction: str = "mean"
) -> Tensor:
    """Returns how unlike vectors are where the target is 1, and how like where it is -1."""
    how = _reduction("cosine_embedding_loss", reduction)
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
    *,
    reduction: str = "mean",
) -> Tensor:
    """Returns by how much vectors are not nearer to one than to another.

    Args:
        anchor: The vectors.
        positive: Those that they shall be near to.
        negative: Those that they shall be far from.
        margin: By how much.
        p: Of the norm that distances are.
        eps: Added to differences.
        swap: Whether the distance of positive and negative counts where it is smaller.
        reduction: "mean", "sum" or "none".
    """
    how = _reduction("triplet_margin_loss", reduction)
    operator = _operators["triplet_margin_loss"]
    return operator(anchor, positive, negative, margin, p, eps, swap, how)


@overridable
def soft_margin_loss(input: Tensor, target: Tensor, *, reduction: str = "mean") -> Tensor:
    """Returns `log(1 + exp(-target * input))`, for targets of 1 and -1."""
    return _operators["soft_margin_loss"](input, target, _reduction("soft_margin_loss", reduction))


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
