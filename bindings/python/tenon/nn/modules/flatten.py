# SPDX-License-Identifier: Apache-2.0
"""Flatten: merges several dims into one."""

from __future__ import annotations

from ..._tenon import Tensor
from .. import functional as F
from .module import Module


class Flatten(Module):
    """Merges several dims into one, by default all but the first.

    Args:
        start_dim: The first of them.
        end_dim: The last of them.
    """

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        """Stores the dims."""
        super().__init__()
        self.start_dim = start_dim
        self.end_dim = end_dim

    def forward(self, input: Tensor) -> Tensor:
        """Returns a view where possible."""
        return F._flatten(input, self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        """Returns the dims."""
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


__all__ = ["Flatten"]
