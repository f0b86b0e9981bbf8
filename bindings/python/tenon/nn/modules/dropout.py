# SPDX-License-Identifier: Apache-2.0
"""Dropout: elements become zero at random, while a module is trained."""

from __future__ import annotations

from ..._tenon import Tensor
from ...error import InvalidArgumentError
from .. import functional as F
from .module import Module


class _Dropout(Module):
    """What all kinds share.

    Args:
        p: The part that is dropped, from 0 to 1.
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
    """Makes elements zero at random in training mode, and the others larger by as much.

    Args:
        p: The part that becomes zero, from 0 to 1.
        inplace: If true, overwrites inputs.
    """

    def forward(self, input: Tensor) -> Tensor:
        """Returns a tensor of the same shape."""
        return F.dropout(input, self.p, self.training, self.inplace)


class Dropout1d(_Dropout):
    """The same of whole channels of lines, of shape (N, channels, length)."""

    def forward(self, input: Tensor) -> Tensor:
        """Returns a tensor of the same shape."""
        return F.dropout1d(input, self.p, self.training, self.inplace)


class Dropout2d(_Dropout):
    """The same of whole channels of images, of shape (N, channels, height, width)."""

    def forward(self, input: Tensor) -> Tensor:
        """Returns a tensor of the same shape."""
        return F.dropout2d(input, self.p, self.training, self.inplace)


class Dropout3d(_Dropout):
    """The same of whole channels of volumes, of shape (N, channels, depth, height, width)."""

    def forward(self, input: Tensor) -> Tensor:
        """Returns a tensor of the same shape."""
        return F.dropout3d(input, self.p, self.training, self.inplace)


class AlphaDropout(_Dropout):
    """Gives elements the least value of selu at random, and keeps mean and deviation."""

    def forward(self, input: Tensor) -> Tensor:
        """Returns a tensor of the same shape."""
        return F.alpha_dropout(input, self.p, self.training, self.inplace)


class FeatureAlphaDropout(_Dropout):
    """The same of whole channels, of shape (N, channels, ...)."""

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
