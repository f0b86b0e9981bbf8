# SPDX-License-Identifier: Apache-2.0
"""Losses as modules."""

from __future__ import annotations

from ..._tenon import Tensor
from .. import functional as F
from .module import Module


class _Loss(Module):
    """What losses share: how the losses of elements become one.

    Args:
        reduction: "mean", "sum", or "none" for a loss of each element.
    """

    def __init__(self, reduction: str = "mean") -> None:
        """Keeps the option."""
        super().__init__()
        self.reduction = reduction


class MSELoss(_Loss):
    """The square of the difference."""

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Returns the loss of an input and a target of the same shape."""
        return F.mse_loss(input, target, reduction=self.reduction)


class L1Loss(_Loss):
    """The absolute value of the difference."""

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Returns the loss of an input and a target of the same shape."""
        return F.l1_loss(input, target, reduction=self.reduction)


__all__ = ["L1Loss", "MSELoss"]
