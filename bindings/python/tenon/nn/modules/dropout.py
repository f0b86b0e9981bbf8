# SPDX-License-Identifier: Apache-2.0
"""Dropout layers: zero elements at random in training."""

from __future__ import annotations

from ..._tenon import Tensor
from ...error import InvalidArgumentError
from .. import functional as F
from .module import Module


class _Dropout(Module):
    """Base class of dropout layers.

    Args:
        p: Dropout probability.
        inplace: If true, overwrites inputs.
    """

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        """Stores the options."""
        super().__init__()
        if not 0 <= p <= 1:
            name = type(self).__name__
            raise InvalidArgumentError(f"{name}: p must be between 0 and 1, got {p}")
        self.p = p
        self.inplace = inplace

    def extra_repr(self) -> str:
        """Returns the options as text."""
        return f"p={self.p}, inplace={self.inplace}"


class Dropout(_Dropout):
    """Zeroes elements at random in training, and scales the remaining ones by 1 / (1 - p).

    Args:
        p: Dropout probability.
        inplace: If true, overwrites inputs.
    """

    def forward(self, input: Tensor) -> Tensor:
        """Returns a tensor of the same shape."""
        return F.dropout(input, self.p, self.training, self.inplace)


class Dropout1d(_Dropout):
    """Zeroes whole channels of inputs of shape (N, channels, length)."""

    def forward(self, input: Tensor) -> Tensor:
        """Returns a tensor of the same shape."""
        return F.dropout1d(input, self.p, self.training, self.inplace)


class Dropout2d(_Dropout):
    """Zeroes whole channels of inputs of shape (N, channels, height, width)."""

    def forward(self, input: Tensor) -> Tensor:
        """Returns a tensor of the same shape."""
        return F.dropout2d(input, self.p, self.training, self.inplace)


class Dropout3d(_Dropout):
    """Zeroes whole channels of inputs of shape (N, channels, depth, height, width)."""

    def forward(self, input: Tensor) -> Tensor:
        """Returns a tensor of the same shape."""
        return F.dropout3d(input, self.p, self.training, self.inplace)


class AlphaDropout(_Dropout):
    """Sets elements to SELU's negative limit at random, and preserves mean and variance."""

    def forward(self, input: Tensor) -> Tensor:
        """Returns a tensor of the same shape."""
        return F.alpha_dropout(input, self.p, self.training, self.inplace)


class FeatureAlphaDropout(_Dropout):
    """Applies alpha dropout to whole channels, for inputs of shape (N, channels, ...)."""

    def forward(self, input: Tensor) -> Tensor:
        """Returns a tensor of the same shape."""
        return F.feature_alpha_dropout(input, self.p, self.training, self.inplace)


__all__ = [
    "AlphaDropout",
    "Dropout",
    "Dropout1d",
    "Dropout2d",
    "Dropout3d",
    "FeatureAlphaDropout",
]
