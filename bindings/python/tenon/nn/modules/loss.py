# SPDX-License-Identifier: Apache-2.0
"""Losses as modules."""

from __future__ import annotations

from ..._tenon import Tensor
from .. import functional as F
from ..old_reduction import takes_old_reduction
from .module import Module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class _Loss(Module):
    """Base class of losses, with their reduction.

    Args:
        reduction: "mean", "sum", or "none" for a loss of each element.
    """

    def __init__(self, reduction: str = "mean") -> None:
        """Stores the option."""
        super().__init__()
        self.reduction = reduction


@takes_old_reduction("size_average", "reduce", "reduction")
class MSELoss(_Loss):
    """The square of the difference."""

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Returns the loss of an input and a target of the same shape."""
        return F.mse_loss(input, target, reduction=self.reduction)


@takes_old_reduction("size_average", "reduce", "reduction")
class L1Loss(_Loss):
    """The absolute value of the difference."""

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Returns the loss of an input and a target of the same shape."""
        return F.l1_loss(input, target, reduction=self.reduction)


@takes_old_reduction("size_average", "reduce", "reduction", "beta")
class SmoothL1Loss(_Loss):
    """The absolute value of the difference, and a parabola around 0.

    Args:
        reduction: "mean", "sum" or "none".
        beta: Where lines begin.
    """

    def __init__(self, reduction: str = "mean", beta: float = 1.0) -> None:
        """Stores the options."""
        super().__init__(reduction)
        self.beta = beta

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Returns the loss of an input and a target of the same shape."""
        return F.smooth_l1_loss(input, target, reduction=self.reduction, beta=self.beta)


class HuberLoss(_Loss):
    """Half the square of the difference, and lines from `delta`.

    Args:
        reduction: "mean", "sum" or "none".
        delta: Where lines begin.
    """

    def __init__(self, reduction: str = "mean", delta: float = 1.0) -> None:
        """Stores the options."""
        super().__init__(reduction)
        self.delta = delta

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Returns the loss of an input and a target of the same shape."""
        return F.huber_loss(input, target, reduction=self.reduction, delta=self.delta)


class _ClassLoss(_Loss):
    """Base class of classification losses, with class weights and an ignored class.

    Args:
        weight: Weight of each class; by default 1.
        ignore_index: Class index that is ignored in targets.
        reduction: "mean", "sum" or "none".
    """

    weight: Tensor | None

    def __init__(
        self, weight: Tensor | None = None, ignore_index: int = -100, reduction: str = "mean"
    ) -> None:
        """Stores the options."""
        super().__init__(reduction)
        self.register_buffer("weight", weight)
        self.ignore_index = ignore_index


@takes_old_reduction("weight", "size_average", "ignore_index", "reduce", "reduction")
class NLLLoss(_ClassLoss):
    """The negative log likelihood loss."""

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Returns the loss of logarithms of probabilities and classes; see F.nll_loss."""
        weight, index = self.weight, self.ignore_index
        return F.nll_loss(input, target, weight, None, index, None, self.reduction)


class CTCLoss(_Loss):
    """The connectionist temporal classification loss.

    Args:
        blank: Index of the blank label.
        reduction: "mean", "sum" or "none".
        zero_infinity: If true, losses of impossible targets are 0 instead of infinite.
    """

    def __init__(
        self, blank: int = 0, reduction: str = "mean", zero_infinity: bool = False
    ) -> None:
        """Stores the options."""
        super().__init__(reduction)
        self.blank = blank
        self.zero_infinity = zero_infinity

    def forward(
        self, log_probs: Tensor, targets: Tensor, input_lengths: Any, target_lengths: Any
    ) -> Tensor:
        """Returns the loss of frames, targets and lengths of both; see F.ctc_loss."""
        lengths = (input_lengths, target_lengths)
        options = (self.blank, self.reduction, self.zero_infinity)
        return F.ctc_loss(log_probs, targets, *lengths, *options)


@takes_old_reduction(
    *("weight", "size_average", "ignore_index", "reduce", "reduction"),
    "label_smoothing",
)
class CrossEntropyLoss(_ClassLoss):
    """The cross entropy of the input's softmax and targets.

    Args:
        weight: Weight of each class; by default 1.
        ignore_index: Class index that is ignored in targets.
        reduction: "mean", "sum" or "none".
        label_smoothing: Fraction of each target that is spread over all classes.
    """

    def __init__(
        self,
        weight: Tensor | None = None,
        ignore_index: int = -100,
        reduction: str = "mean",
        label_smoothing: float = 0.0,
    ) -> None:
        """Stores the options."""
        super().__init__(weight, ignore_index, reduction)
        self.label_smoothing = label_smoothing

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Returns the loss of an input and classes or probabilities; see F.cross_entropy."""
        return F.cross_entropy(
            input,
            target,
            self.weight,
            ignore_index=self.ignore_index,
            reduction=self.reduction,
            label_smoothing=self.label_smoothing,
        )


__all__ = [
    "CTCLoss",
    "CrossEntropyLoss",
    "HuberLoss",
    "L1Loss",
    "MSELoss",
    "NLLLoss",
    "SmoothL1Loss",
]
