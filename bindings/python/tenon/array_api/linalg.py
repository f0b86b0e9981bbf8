# SPDX-License-Identifier: Apache-2.0
"""Linear algebra of the array API."""

from __future__ import annotations

import builtins
from typing import NamedTuple

import tenon

from .. import linalg as _linalg
from .._tenon import Tensor
from ..error import InvalidArgumentError
from ..linalg import cholesky as _cholesky
from .data_types import promoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class EighResult(NamedTuple):
    """Eigenvalues and eigenvectors of symmetric matrices."""

    eigenvalues: Tensor
    eigenvectors: Tensor


class EigResult(NamedTuple):
    """Eigenvalues and eigenvectors."""

    eigenvalues: Tensor
    eigenvectors: Tensor


class QRResult(NamedTuple):
    """Orthogonal and upper triangular factors."""

    Q: Tensor
    R: Tensor


class SlogdetResult(NamedTuple):
    """Signs and logarithms of determinants."""

    sign: Tensor
    logabsdet: Tensor


class SVDResult(NamedTuple):
    """Singular vectors and values."""

    U: Tensor
    S: Tensor
    Vh: Tensor


def matmul(x1: Tensor, x2: Tensor, /) -> Tensor:
    """Returns the matrix product."""
    return tenon.matmul(*promoted(x1, x2))


def matrix_transpose(x: Tensor, /) -> Tensor:
    """Returns the matrices with rows and columns exchanged."""
    if x.ndim < 2:
        raise InvalidArgumentError(f"matrix_transpose: x must have 2 dims or more, got {x.ndim}")
    return x.mT


def tensordot(x1: Tensor, x2: Tensor, /, *, axes: Any = 2) -> Tensor:
    """Returns the sums of products over axes of both arrays."""
    x1, x2 = promoted(x1, x2)
    pairs = (range(x1.ndim - axes, x1.ndim), range(axes)) if isinstance(axes, int) else axes
    from ..own_arguments import tensordot as dot

    return dot(x1, x2, dims=(list(pairs[0]), list(pairs[1])))


def vecdot(x1: Tensor, x2: Tensor, /, *, axis: int = -1) -> Tensor:
    """Returns the dot products of vectors along an axis; those of `x1` are conjugated."""
    x1, x2 = promoted(x1, x2)
    size = builtins.min(x1.ndim, x2.ndim)
    if not -size <= axis < 0:
        raise InvalidArgumentError(f"vecdot: axis must be between {-size} and -1, got {axis}")
    if x1.shape[axis] != x2.shape[axis]:
        raise InvalidArgumentError(
            f"vecdot: x2 must have size {x1.shape[axis]} on the axis, got {x2.shape[axis]}"
        )
    one = tenon.conj(x1) if x1.dtype.is_complex else x1
    return (one * x2).sum(axis).to(x1.dtype)


def cholesky(x: Tensor, /, *, upper: builtins.bool = False) -> Tensor:
    """Returns the triangular factors of positive definite matrices."""
    found = _cholesky(x)
    return tenon.conj(found).mT.resolve_conj() if upper else found


def cross(x1: Tensor, x2: Tensor, /, *, axis: int = -1) -> Tensor:
    """Returns the vector products."""
    x1, x2 = promoted(x1, x2)
    size = builtins.min(x1.ndim, x2.ndim)
    if not -size <= axis < size or x1.shape[axis] != 3 or x2.shape[axis] != 3:
        raise InvalidArgumentError("cross: x1 and x2 must have size 3 on the axis")
    from ..broadcasting import broadcast_tensors

    return _linalg.cross(*broadcast_tensors(x1, x2), dim=axis)


def det(x: Tensor, /) -> Tensor:
    """Returns the determinants."""
    return _linalg.det(x)


def diagonal(x: Tensor, /, *, offset: int = 0) -> Tensor:
    """Returns the diagonals of matrices."""
    return tenon.diagonal(x, offset, -2, -1)


def eig(x: Tensor, /) -> EigResult:
    """Returns the eigenvalues and eigenvectors."""
    return EigResult(*_linalg.eig(x))


def eigvals(x: Tensor, /) -> Tensor:
    """Returns the eigenvalues."""
    return _linalg.eigvals(x)


def eigh(x: Tensor, /) -> EighResult:
    """Returns the eigenvalues and eigenvectors of symmetric matrices."""
    return EighResult(*_linalg.eigh(x))


def eigvalsh(x: Tensor, /) -> Tensor:
    """Returns the eigenvalues of symmetric matrices."""
    return _linalg.eigvalsh(x)


def inv(x: Tensor, /) -> Tensor:
    """Returns the inverses."""
    return _linalg.inv(x)


def matrix_norm(x: Tensor, /, *, keepdims: builtins.bool = False, ord: Any = "fro") -> Tensor:
    """Returns the norms of matrices."""
    return _linalg.matrix_norm(x, ord, (-2, -1), keepdims)


def matrix_power(x: Tensor, n: int, /) -> Tensor:
    """Returns the powers of matrices."""
    return _linalg.matrix_power(x, n)


def matrix_rank(x: Tensor, /, *, rtol: Any = None) -> Tensor:
    """Returns the ranks of matrices."""
    if x.ndim < 2:
        raise InvalidArgumentError(f"matrix_rank: x must have 2 dims or more, got {x.ndim}")
    values = _linalg.svdvals(x)
    if rtol is None:
        from ..dtype_info import finfo

        rtol = builtins.max(x.shape[-2:]) * finfo(values.dtype).eps
    limit = tenon.amax(values, -1, True) * _column(rtol)
    return (values > limit).sum(-1)


def _column(value: Any) -> Any:
    return value.unsqueeze(-1) if isinstance(value, Tensor) and value.ndim > 0 else value


def outer(x1: Tensor, x2: Tensor, /) -> Tensor:
    """Returns all products of the elements of two vectors."""
    return tenon.outer(*promoted(x1, x2))


def pinv(x: Tensor, /, *, rtol: Any = None) -> Tensor:
    """Returns the pseudoinverses."""
    return _linalg.pinv(x) if rtol is None else _linalg.pinv(x, rtol=rtol)


def qr(x: Tensor, /, *, mode: str = "reduced") -> QRResult:
    """Returns the orthogonal and triangular factors."""
    return QRResult(*_linalg.qr(x, mode))


def slogdet(x: Tensor, /) -> SlogdetResult:
    """Returns the signs and logarithms of the determinants."""
    return SlogdetResult(*_linalg.slogdet(x))


def solve(x1: Tensor, x2: Tensor, /) -> Tensor:
    """Returns the solutions of linear equations; only a 1-dim `x2` is a vector."""
    x1, x2 = promoted(x1, x2)
    if x2.ndim == 1:
        return _linalg.solve(x1, x2.unsqueeze(-1)).squeeze(-1)
    from ..broadcasting import broadcast_shapes

    batch = tuple(broadcast_shapes(x1.shape[:-2], x2.shape[:-2]))
    left, right = x1.expand((*batch, *x1.shape[-2:])), x2.expand((*batch, *x2.shape[-2:]))
    return _linalg.solve(left, right)


def svd(x: Tensor, /, *, full_matrices: builtins.bool = True) -> SVDResult:
    """Returns the singular values and vectors."""
    return SVDResult(*_linalg.svd(x, full_matrices))


def svdvals(x: Tensor, /) -> Tensor:
    """Returns the singular values."""
    return _linalg.svdvals(x)


def trace(x: Tensor, /, *, offset: int = 0, dtype: Any = None) -> Tensor:
    """Returns the sums of the diagonals."""
    from .statistical import sum

    return sum(diagonal(x, offset=offset), axis=-1, dtype=dtype)


def vector_norm(
    x: Tensor, /, *, axis: Any = None, keepdims: builtins.bool = False, ord: Any = 2
) -> Tensor:
    """Returns the norms of vectors along axes."""
    if axis == ():
        size = tenon.abs(x)
        return (size != 0).to(size.dtype) if ord == 0 else size
    axes = (axis,) if isinstance(axis, int) else axis
    found = _linalg.vector_norm(x, ord, axes, keepdims)
    return found.reshape((1,) * x.ndim) if axis is None and keepdims else found


__all__ = [
    *("cholesky", "cross", "det", "diagonal", "eig", "eigh", "eigvals", "eigvalsh", "inv"),
    *("matmul", "matrix_norm", "matrix_power", "matrix_rank", "matrix_transpose", "outer", "pinv"),
    *("qr", "slogdet", "solve", "svd", "svdvals", "tensordot", "trace", "vecdot", "vector_norm"),
]
