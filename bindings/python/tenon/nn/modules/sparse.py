# SPDX-License-Identifier: Apache-2.0
"""Embeddings: lookup of rows of a matrix, and reductions of bags of rows."""

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
    # Names and defaults of the options, in the order in which they are printed.
    _shown: tuple

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
                f"{type(self).__name__}: _weight must have shape {(count, size)}, "
                f"got {tuple(given.shape)}"
            )
        freeze = options.pop("_freeze", False)
        weight = empty((count, size), **options) if given is None else given
        self.weight = Parameter(weight, requires_grad=not freeze)
        if given is None:
            self.reset_parameters()

    def reset_parameters(self) -> None:
        """Initializes the rows from a normal distribution; the padding row is zero."""
        from ...grad_mode import no_grad

        init.normal_(self.weight)
        if self.padding_idx is not None:
            with no_grad():
                self.weight[self.padding_idx].fill_(0)

    def extra_repr(self) -> str:
        """Returns sizes and non-default options as text."""
        text = f"{self.num_embeddings}, {self.embedding_dim}"
        for name, default in self._shown:
            if getattr(self, name) != default:
                text += f", {name}={getattr(self, name)!r}"
        return text


class Embedding(_Rows):
    """A lookup table of vectors.

    Args:
        num_embeddings: Number of rows.
        embedding_dim: Length of each row.
        padding_idx: Index of a row that is initially zero and gets no gradient.
        max_norm: Selected rows with a larger norm are scaled to it in place.
        norm_type: Order of that norm.
        scale_grad_by_freq: If true, divides gradients by the number of times a row is selected.
        sparse: Accepted, but gradients are dense; a warning says so.
        device: Device of the rows.
        dtype: Dtype of the rows.

    Attributes:
        weight: Shape (num_embeddings, embedding_dim), initially drawn from a normal distribution.
    """

    _shown = (
        ("padding_idx", None),
        ("max_norm", None),
        ("norm_type", 2),
        ("scale_grad_by_freq", False),
        ("sparse", False),
    )

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
        """Creates the rows."""
        super().__init__()
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        self.sparse = sparse
        options = {"device": device, "dtype": dtype, "_weight": _weight, "_freeze": _freeze}
        self._make(num_embeddings, embedding_dim, padding_idx, options)

    def forward(self, input: Tensor) -> Tensor:
        """Returns the rows that indices select."""
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
        """Returns an embedding with the rows of a matrix; with `freeze` they get no gradient."""
        count, size = _sizes(cls, embeddings)
        return cls(count, size, padding_idx, _weight=embeddings, _freeze=freeze, **options)


class EmbeddingBag(_Rows):
    """Sums, means or maxima of bags of rows.

    Args:
        num_embeddings: Number of rows.
        embedding_dim: Length of each row.
        max_norm: Selected rows with a larger norm are scaled to it in place.
        norm_type: Order of that norm.
        scale_grad_by_freq: If true, divides gradients by the number of times a row is selected.
        mode: "sum", "mean" or "max".
        sparse: Accepted, but gradients are dense; a warning says so.
        include_last_offset: If true, the last offset is the input's size and starts no bag.
        padding_idx: Index of a row that is left out of the reduction.
        device: Device of the rows.
        dtype: Dtype of the rows.
    """

    _shown = (
        ("max_norm", None),
        ("norm_type", 2),
        ("scale_grad_by_freq", False),
        ("mode", ""),
        ("padding_idx", None),
    )

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
        """Creates the rows."""
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

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
    ) -> EmbeddingBag:
        """Returns an embedding with the rows of a matrix; with `freeze` they get no gradient."""
        count, size = _sizes(cls, embeddings)
        made = cls(
            count,
            size,
            max_norm,
            norm_type,
            scale_grad_by_freq,
            mode,
            sparse,
            embeddings,
            include_last_offset,
            padding_idx,
        )
        made.weight.requires_grad = not freeze
        return made


def _sizes(cls: type, embeddings: Tensor) -> tuple[int, int]:
    if embeddings.ndim != 2:
        raise InvalidArgumentError(
            f"{cls.__name__}.from_pretrained: embeddings must be a matrix, got shape "
            f"{embeddings.shape}"
        )
    return embeddings.shape[0], embeddings.shape[1]


__all__ = ["Embedding", "EmbeddingBag"]
