# SPDX-License-Identifier: Apache-2.0
"""Embeddings: rows of a matrix that indices name, and bags of such."""

from __future__ import annotations

from ..._tenon import Tensor
from ...error import InvalidArgumentError
from .. import functional as F
from .. import init
from ..parameter import Parameter
from .module import Module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class _Rows(Module):
    weight: Parameter

    def _make(self, count: int, size: int, padding_idx: int | None, options: dict) -> None:
        from ...factories import empty

        if padding_idx is not None and not -count <= padding_idx < count:
            raise InvalidArgumentError(
                f"{type(self).__name__}: padding_idx must be between {-count} and {count - 1}, "
                f"got {padding_idx}"
            )
        self.num_embeddings = count
        self.embedding_dim = size
        self.padding_idx = padding_idx
        if padding_idx is not None and padding_idx < 0:
            self.padding_idx = padding_idx + count
        options = {name: value for name, value in options.items() if value is not None}
        given = options.pop("_weight", None)
        if given is not None and tuple(given.shape) != (count, size):
            raise InvalidArgumentError(
                f"{type(self).__name__}: _weight must be of shape {(count, size)}, "
                f"got {tuple(given.shape)}"
            )
        freeze = options.pop("_freeze", False)
        weight = empty((count, size), **options) if given is None else given
        self.weight = Parameter(weight, requires_grad=not freeze)
        if given is None:
            self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draws the rows anew, from a normal distribution; that of the padding are zeros."""
        from ...grad_mode import no_grad

        init.normal_(self.weight)
        if self.padding_idx is not None:
            with no_grad():
                self.weight[self.padding_idx].fill_(0)

    def extra_repr(self) -> str:
        """Sizes, and the row of the padding."""
        text = f"{self.num_embeddings}, {self.embedding_dim}"
        return text if self.padding_idx is None else f"{text}, padding_idx={self.padding_idx}"


class Embedding(_Rows):
    """A row of numbers for each of so many things.

    Args:
        num_embeddings: How many rows.
        embedding_dim: Of so many numbers each.
        padding_idx: A row of zeros that stays as it is.
        max_norm: Not supported by the function: see there.
        norm_type: Of that.
        scale_grad_by_freq: Whether gradients are divided by how often a row is named.
        sparse: Not supported by the function.
        device: Of the rows.
        dtype: Of the rows.

    Attributes:
        weight: Of shape (num_embeddings, embedding_dim), at first drawn from a normal distribution.
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: Tensor | None = None,
        _freeze: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        """Makes the rows."""
        super().__init__()
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        self.sparse = sparse
        options = {"device": device, "dtype": dtype, "_weight": _weight, "_freeze": _freeze}
        self._make(num_embeddings, embedding_dim, padding_idx, options)

    def forward(self, input: Tensor) -> Tensor:
        """Returns the rows that indices name."""
        return F.embedding(
            input,
            self.weight,
            self.padding_idx,
            self.max_norm,
            self.norm_type,
            self.scale_grad_by_freq,
            self.sparse,
        )

    @classmethod
    def from_pretrained(
        cls, embeddings: Tensor, freeze: bool = True, padding_idx: int | None = None, **options: Any
    ) -> Embedding:
        """Returns one whose rows are those of a matrix, which gets no gradient with `freeze`."""
        count, size = embeddings.shape
        return cls(count, size, padding_idx, _weight=embeddings, _freeze=freeze, **options)


class EmbeddingBag(_Rows):
    """Sums, means or largest elements of the rows that a bag of indices names.

    Args:
        num_embeddings: How many rows.
        embedding_dim: Of so many numbers each.
        max_norm: Not supported by the function: see there.
        norm_type: Of that.
        scale_grad_by_freq: Whether gradients are divided by how often a row is named.
        mode: "sum", "mean" or "max".
        sparse: Not supported by the function.
        include_last_offset: Whether the last offset is the input's size, and begins no bag.
        padding_idx: A row that does not count.
        device: Of the rows.
        dtype: Of the rows.
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        _weight: Tensor | None = None,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        """Makes the rows."""
        super().__init__()
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        self.mode = mode
        self.sparse = sparse
        self.include_last_offset = include_last_offset
        options = {"device": device, "dtype": dtype, "_weight": _weight}
        self._make(num_embeddings, embedding_dim, padding_idx, options)

    def forward(
        self,
        input: Tensor,
        offsets: Tensor | None = None,
        per_sample_weights: Tensor | None = None,
    ) -> Tensor:
        """Returns a row for each bag."""
        return F.embedding_bag(
            input,
            self.weight,
            offsets,
            self.max_norm,
            self.norm_type,
            self.scale_grad_by_freq,
            self.mode,
            self.sparse,
            per_sample_weights,
            self.include_last_offset,
            self.padding_idx,
        )


__all__ = ["Embedding", "EmbeddingBag"]
