# SPDX-License-Identifier: Apache-2.0
"""Losses of probabilities, of distributions and of pairs as modules."""

from __future__ import annotations

from ..._tenon import Tensor
from .. import functional as F
from ..old_reduction import takes_old_reduction
from .loss import _Loss


@takes_old_reduction("weight", "size_average", "reduce", "reduction")
class BCELoss(_Loss):
    """Binary cross entropy of probabilities.

    Args:
        weight: Factor of each loss.
        reduction: "mean", "sum" or "none".
    """

    weight: Tensor | None

    def __init__(self, weight: Tensor | None = None, reduction: str = "mean") -> None:
        """Stores the options."""
        super().__init__(reduction)
        self.register_buffer("weight", weight)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Returns the loss of probabilities and a target of the same shape."""
        return F.binary_cross_entropy(input, target, self.weight, reduction=self.reduction)


@takes_old_reduction("weight", "size_average", "reduce", "reduction", "pos_weight")
class BCEWithLogitsLoss(_Loss):
    """Binary cross entropy of logits, computed in a numerically stable way.

    Args:
        weight: Factor of each loss.
        reduction: "mean", "sum" or "none".
        pos_weight: Factor of the positive term of each loss.
    """

    weight: Tensor | None
    pos_weight: Tensor | None

    def __init__(
        self,
        weight: Tensor | None = None,
        reduction: str = "mean",
        pos_weight: Tensor | None = None,
    ) -> None:
        """Stores the options."""
        super().__init__(reduction)
        self.register_buffer("weight", weight)
        self.register_buffer("pos_weight", pos_weight)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Returns the loss of an input and a target of the same shape."""
        return F.binary_cross_entropy_with_logits(
            input, target, self.weight, reduction=self.reduction, pos_weight=self.pos_weight
        )


@takes_old_reduction("size_average", "reduce", "reduction", "log_target")
class KLDivLoss(_Loss):
    """The Kullback-Leibler divergence of a distribution from a target.

    Args:
        reduction: "mean", "batchmean", "sum" or "none".
        log_target: If true, targets are logarithms, as inputs are.
    """

    def __init__(self, reduction: str = "mean", log_target: bool = False) -> None:
        """Stores the options."""
        super().__init__(reduction)
        self.log_target = log_target

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Returns the divergence of logarithms of probabilities from a target."""
        return F.kl_div(input, target, reduction=self.reduction, log_target=self.log_target)


@takes_old_reduction("log_input", "full", "size_average", "eps", "reduce", "reduction")
class PoissonNLLLoss(_Loss):
    """Poisson negative log likelihood; the arguments are those of the function."""

    def __init__(
        self,
        log_input: bool = True,
        full: bool = False,
        eps: float = 1e-8,
        reduction: str = "mean",
    ) -> None:
        """Stores the options."""
        super().__init__(reduction)
        self.log_input = log_input
        self.full = full
        self.eps = eps

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Returns the loss of expected values and counts of the same shape."""
        return F.poisson_nll_loss(
            input, target, self.log_input, self.full, eps=self.eps, reduction=self.reduction
        )


class GaussianNLLLoss(_Loss):
    """Gaussian negative log likelihood."""

    def __init__(self, *, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> None:
        """Stores the options."""
        super().__init__(reduction)
        self.full = full
        self.eps = eps

    def forward(self, input: Tensor, target: Tensor, var: Tensor | float) -> Tensor:
        """Returns the loss of means and a target of the same shape, and variances."""
        return F.gaussian_nll_loss(input, target, var, self.full, self.eps, self.reduction)


@takes_old_reduction("margin", "size_average", "reduce", "reduction")
class MarginRankingLoss(_Loss):
    """Margin ranking loss of pairs."""

    def __init__(self, margin: float = 0.0, reduction: str = "mean") -> None:
        """Stores the options."""
        super().__init__(reduction)
        self.margin = margin

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        """Returns the loss of pairs; targets are 1 if the first should be larger, otherwise -1."""
        return F.margin_ranking_loss(input1, input2, target, self.margin, reduction=self.reduction)


@takes_old_reduction("p", "margin", "weight", "size_average", "reduce", "reduction")
class MultiMarginLoss(_Loss):
    """Multi-class margin loss."""

    weight: Tensor | None

    def __init__(
        self,
        p: int = 1,
        margin: float = 1.0,
        weight: Tensor | None = None,
        *,
        reduction: str = "mean",
    ) -> None:
        """Stores the options; `weight` is a buffer."""
        super().__init__(reduction)
        self.p = p
        self.margin = margin
        self.register_buffer("weight", weight)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Returns the loss of scores and class indices."""
        options = self.p, self.margin, self.weight
        return F.multi_margin_loss(input, target, *options, reduction=self.reduction)


@takes_old_reduction("size_average", "reduce", "reduction")
class MultiLabelMarginLoss(_Loss):
    """Multi-label margin loss."""

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Returns the loss of scores and rows of class indices."""
        return F.multilabel_margin_loss(input, target, reduction=self.reduction)


@takes_old_reduction("margin", "size_average", "reduce", "reduction")
class HingeEmbeddingLoss(_Loss):
    """Hinge embedding loss: x if the target is 1, `max(0, margin - x)` if it is -1."""

    def __init__(self, margin: float = 1.0, reduction: str = "mean") -> None:
        """Stores the options."""
        super().__init__(reduction)
        self.margin = margin

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Returns the loss of distances and targets."""
        return F.hinge_embedding_loss(input, target, self.margin, reduction=self.reduction)


@takes_old_reduction("margin", "size_average", "reduce", "reduction")
class CosineEmbeddingLoss(_Loss):
    """Cosine embedding loss of pairs of vectors."""

    def __init__(self, margin: float = 0.0, reduction: str = "mean") -> None:
        """Stores the options."""
        super().__init__(reduction)
        self.margin = margin

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        """Returns the loss of pairs of vectors and targets."""
        return F.cosine_embedding_loss(
            input1, input2, target, self.margin, reduction=self.reduction
        )


@takes_old_reduction("margin", "p", "eps", "swap", "size_average", "reduce", "reduction")
class TripletMarginLoss(_Loss):
    """Triplet margin loss."""

    def __init__(
        self,
        margin: float = 1.0,
        p: float = 2.0,
        eps: float = 1e-6,
        swap: bool = False,
        reduction: str = "mean",
    ) -> None:
        """Stores the options."""
        super().__init__(reduction)
        self.margin = margin
        self.p = p
        self.eps = eps
        self.swap = swap

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        """Returns the loss of anchors, positives and negatives."""
        options = self.margin, self.p, self.eps, self.swap
        return F.triplet_margin_loss(anchor, positive, negative, *options, reduction=self.reduction)


@takes_old_reduction("size_average", "reduce", "reduction")
class SoftMarginLoss(_Loss):
    """`log(1 + exp(-target * input))`, for targets of 1 and -1."""

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Returns the loss of an input and a target of the same shape."""
        return F.soft_margin_loss(input, target, reduction=self.reduction)


__all__ = [
    "BCELoss",
    "BCEWithLogitsLoss",
    "CosineEmbeddingLoss",
    "GaussianNLLLoss",
    "HingeEmbeddingLoss",
    "KLDivLoss",
    "MarginRankingLoss",
    "MultiLabelMarginLoss",
    "MultiMarginLoss",
    "PoissonNLLLoss",
    "SoftMarginLoss",
    "TripletMarginLoss",
]
