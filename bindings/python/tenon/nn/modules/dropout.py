# SPDX-License-Identifier: Apache-2.0
"""Dropout: elements become zero at random, while a module is trained."""

from __future__ import annotations

from ..._tenon import Tensor
from ...error import InvalidArgumentError
from .. import functional as F
from .module import Module


class Dropout(Module):
    """Makes elements zero at random in training mode, and the others larger by as much.

    Args:
        p: The part that becomes zero, from 0 to 1.
        inplace: Whether inputs are overwritten.
    """

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        """Keeps the options."""
        super().__init__()
        if not 0 <= p <= 1:
            raise InvalidArgumentError(f"Dropout: p must be between 0 and 1, got {p}")
        self.p = p
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Returns a tensor of the same shape."""
        return F.dropout(input, self.p, self.training, self.inplace)

    def extra_repr(self) -> str:
        """The options."""
        return f"p={self.p}, inplace={self.inplace}"


__all__ = ["Dropout"]
