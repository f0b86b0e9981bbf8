# SPDX-License-Identifier: Apache-2.0
"""Causal biases for queries and keys of different lengths."""

from __future__ import annotations

import enum

from ..._tenon import Tensor
from ...factories import ones

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class CausalVariant(enum.IntEnum):
    """The corner of the matrix of queries and keys where the diagonal begins."""

    UPPER_LEFT = 1
    LOWER_RIGHT = 2


class CausalBias(Tensor):
    """A mask (queries, keys) of bools: true where attention is allowed.

    Args:
        variant: Where the diagonal begins.
        seq_len_q: Number of queries.
        seq_len_kv: Number of keys.
    """

    def __new__(cls, variant: CausalVariant, seq_len_q: int, seq_len_kv: int) -> Any:
        """Makes the mask."""
        offset = seq_len_kv - seq_len_q if variant == CausalVariant.LOWER_RIGHT else 0
        mask = ones(seq_len_q, seq_len_kv).tril(offset).bool()
        self = Tensor.__new__(cls, mask)
        self.variant, self.seq_len_q, self.seq_len_kv = variant, seq_len_q, seq_len_kv
        return self


def causal_upper_left(*size: int) -> CausalBias:
    """Returns a mask whose diagonal begins at the first query and the first key."""
    return CausalBias(CausalVariant.UPPER_LEFT, *size)


def causal_lower_right(*size: int) -> CausalBias:
    """Returns a mask whose diagonal ends at the last query and the last key."""
    return CausalBias(CausalVariant.LOWER_RIGHT, *size)


__all__ = ["CausalBias", "CausalVariant", "causal_lower_right", "causal_upper_left"]
