# SPDX-License-Identifier: Apache-2.0
"""Helpers of distributions that programs' own distributions use."""

from __future__ import annotations

from typing import Any

from .._tenon import Tensor
from ..dtype_info import finfo
from ..factories import zeros
from ..grad_mode import enable_grad
from .continuous import standard_normal
from .distribution import broadcast_all


def _standard_normal(shape: Any, dtype: Any, device: Any) -> Tensor:
    """Returns samples of the standard normal distribution."""
    return standard_normal(shape, zeros((), dtype=dtype, device=device))


def _sum_rightmost(value: Any, dim: int) -> Any:
    """Returns the sum over the last dims."""
    return value if dim == 0 else value.reshape(value.shape[:-dim] + (-1,)).sum(-1)


def clamp_probs(probs: Tensor) -> Tensor:
    """Returns probabilities that are neither 0 nor 1."""
    eps = finfo(probs.dtype).eps
    return probs.clamp(min=eps, max=1 - eps)


def probs_to_logits(probs: Tensor, is_binary: bool = False) -> Tensor:
    """Returns logits of probabilities, of two classes or of several."""
    clamped = clamp_probs(probs)
    return clamped.log() - (-clamped).log1p() if is_binary else clamped.log()


def logits_to_probs(logits: Tensor, is_binary: bool = False) -> Tensor:
    """Returns probabilities of logits, of two classes or of several."""
    return logits.sigmoid() if is_binary else logits.softmax(-1)


def tril_matrix_to_vec(mat: Tensor, diag: int = 0) -> Tensor:
    """Returns the lower triangle of matrices as vectors."""
    return mat[..., mat.new_ones(mat.shape[-2:]).tril(diag).bool()]


def vec_to_tril_matrix(vec: Tensor, diag: int = 0) -> Tensor:
    """Returns matrices with vectors in their lower triangles."""
    from .more_transforms import _vector_to_tril

    return _vector_to_tril(vec, diag)


class lazy_property:
    """An attribute that is computed at its first use."""

    def __init__(self, wrapped: Any) -> None:
        """Stores the function."""
        self.wrapped = wrapped
        self.__doc__ = wrapped.__doc__

    def __get__(self, instance: Any, obj_type: Any = None) -> Any:
        if instance is None:
            return property(self.wrapped)
        with enable_grad():
            value = self.wrapped(instance)
        setattr(instance, self.wrapped.__name__, value)
        return value


__all__ = [
    "broadcast_all",
    "clamp_probs",
    "lazy_property",
    "logits_to_probs",
    "probs_to_logits",
    "tril_matrix_to_vec",
    "vec_to_tril_matrix",
]
