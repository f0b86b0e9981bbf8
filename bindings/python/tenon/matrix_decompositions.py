# SPDX-License-Identifier: Apache-2.0
"""Decompositions and norms of matrices that are a few lines over `tenon.linalg`."""

from __future__ import annotations

import math
from collections import namedtuple

from . import linalg
from ._tenon import Tensor
from .error import InvalidArgumentError, NotSupportedError
from .factories import arange, eye
from .overridable import overridable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_QR = namedtuple("qr", ["Q", "R"])
_LU = namedtuple("linalg_lu", ["P", "L", "U"])
_Unpacked = namedtuple("lu_unpack", ["P", "L", "U"])
_Solved = namedtuple("triangular_solve", ["solution", "cloned_coefficient"])
_Polar = namedtuple("linalg_polar", ["U", "H"])


@overridable
def cholesky(input: Tensor, upper: bool = False) -> Tensor:
    """Returns `linalg.cholesky`."""
    return linalg.cholesky(input, upper=upper)


@overridable
def qr(input: Tensor, some: bool = True) -> Any:
    """Returns `linalg.qr`, of reduced size or complete."""
    found = linalg.qr(input, "reduced" if some else "complete")
    return _QR(found[0], found[1])


def _permutation(pivots: Tensor, size: int) -> Tensor:
    """Returns the order of rows after exchanges by pivots, which count from 1."""
    flat: Any = pivots.reshape(-1, pivots.shape[-1]).tolist()
    orders = []
    for row in flat:
        order = list(range(size))
        for place, pivot in enumerate(row):
            order[place], order[pivot - 1] = order[pivot - 1], order[place]
        orders.append(order)
    from .factories import tensor

    made = tensor(orders, device=pivots.device)
    return made.reshape((*pivots.shape[:-1], size))


@overridable
def lu_unpack(
    LU_data: Tensor, LU_pivots: Tensor, unpack_data: bool = True, unpack_pivots: bool = True
) -> Any:
    """Returns P, L and U of a packed decomposition, with A = P L U.

    Args:
        LU_data: First result of `linalg.lu_factor`, (..., m, n).
        LU_pivots: Second result of `linalg.lu_factor`.
        unpack_data: If false, L and U are empty.
        unpack_pivots: If false, P is empty.
    """
    rows, columns = LU_data.shape[-2:]
    count = min(rows, columns)
    p = low = up = LU_data.new_empty((0,))
    like = {"dtype": LU_data.dtype, "device": LU_data.device}
    if unpack_data:
        low = LU_data[..., :count].tril(-1) + eye(rows, count, **like)
        up = LU_data[..., :count, :].triu()
    if unpack_pivots:
        order = _permutation(LU_pivots, rows)
        p = (order.unsqueeze(-2) == arange(rows, device=order.device).unsqueeze(-1)).to(
            LU_data.dtype
        )
    return _Unpacked(p, low, up)


@overridable
def lu(A: Tensor, pivot: bool = True, get_infos: bool = False, out: Any = None) -> Any:
    """Returns the packed LU decomposition and its pivots, and zeros if infos are requested."""
    packed, pivots = linalg.lu_factor(A, pivot=pivot)
    if get_infos:
        return packed, pivots, pivots.new_zeros(A.shape[:-2])
    return packed, pivots


@overridable
def linalg_lu(A: Tensor, *, pivot: bool = True, out: Any = None) -> Any:
    """Returns P, L and U with A = P L U."""
    return _LU(*lu_unpack(*linalg.lu_factor(A, pivot=pivot)))


@overridable
def polar(A: Tensor, *, out: Any = None) -> Any:
    """Returns U with orthonormal columns and a positive semidefinite H with A = U H."""
    w, s, vh = linalg.svd(A, full_matrices=False)
    return _Polar(w @ vh, (vh.mH * s.unsqueeze(-2).to(vh.dtype)) @ vh)


@overridable
def matrix_sqrth(A: Tensor) -> Tensor:
    """Returns the positive definite square root of positive definite matrices."""
    values, vectors = linalg.eigh(A)
    return (vectors * values.sqrt().unsqueeze(-2).to(vectors.dtype)) @ vectors.mH


@overridable
def tensorinv(A: Tensor, ind: int = 2, *, out: Tensor | None = None) -> Tensor:
    """Returns the inverse of a tensor as a map of its last dims to its first `ind` ones."""
    if ind <= 0:
        raise InvalidArgumentError(f"tensorinv: ind must be positive, got {ind}")
    first, last = A.shape[:ind], A.shape[ind:]
    if math.prod(first) != math.prod(last):
        raise InvalidArgumentError(
            f"tensorinv: sizes before and after ind must have equal products, got {tuple(A.shape)}"
        )
    result = linalg.inv(A.reshape(math.prod(first), -1)).reshape((*last, *first))
    return result if out is None else out.copy_(result)


@overridable
def tensorsolve(A: Tensor, B: Tensor, dims: Any = None, *, out: Tensor | None = None) -> Tensor:
    """Returns X with tensordot(A, X, X.ndim) = B; `dims` of A are moved to the end first."""
    if dims is not None:
        A = A.movedim(list(dims), list(range(A.ndim - len(dims), A.ndim)))
    rest = A.shape[B.ndim :]
    if math.prod(rest) != B.numel():
        raise InvalidArgumentError(
            f"tensorsolve: A must have {B.numel()} elements after B's dims, got {math.prod(rest)}"
        )
    result = linalg.solve(A.reshape(B.numel(), -1), B.reshape(-1)).reshape(rest)
    return result if out is None else out.copy_(result)


@overridable
def triangular_solve(
    input: Tensor,
    A: Tensor,
    upper: bool = True,
    transpose: bool = False,
    unitriangular: bool = False,
) -> Any:
    """Returns the solution of A x = input for triangular A, and A."""
    matrix, is_upper = (A.mT, not upper) if transpose else (A, upper)
    found = linalg.solve_triangular(matrix, input, upper=is_upper, unitriangular=unitriangular)
    return _Solved(found, A.clone())


@overridable
def svd_lowrank(
    A: Tensor, q: int | None = 6, niter: int | None = 2, M: Tensor | None = None
) -> tuple[Tensor, Tensor, Tensor]:
    """Returns U, S and V of an approximate decomposition of rank q (Halko et al., 2009).

    Args:
        A: The matrices, (..., m, n).
        q: The rank.
        niter: Number of subspace iterations.
        M: Subtracted from A.
    """
    from .factories import randn

    whole = A if M is None else A - M
    is_wide = A.shape[-2] < A.shape[-1]
    whole = whole.mH if is_wide else whole
    count = 6 if q is None else q
    basis = whole @ randn(whole.shape[-1], count, dtype=A.dtype, device=A.device)
    basis = linalg.qr(basis)[0]
    for _ in range(2 if niter is None else niter):
        basis = linalg.qr(whole.mH @ basis)[0]
        basis = linalg.qr(whole @ basis)[0]
    u, s, vh = linalg.svd(basis.mH @ whole, full_matrices=False)
    u, v = basis @ u, vh.mH
    return (v, s, u) if is_wide else (u, s, v)


@overridable
def pca_lowrank(
    A: Tensor, q: int | None = None, center: bool = True, niter: int = 2
) -> tuple[Tensor, Tensor, Tensor]:
    """Returns `svd_lowrank` of matrices, whose columns are centred first if requested."""
    least = min(A.shape[-2:])
    q = min(6, least) if q is None else q
    if not 0 <= q <= least:
        raise InvalidArgumentError(f"pca_lowrank: q must be from 0 to {least}, got {q}")
    return svd_lowrank(A - A.mean(dim=-2, keepdim=True) if center else A, q, niter)


@overridable
def frobenius_norm(input: Tensor, dim: Any = (), keepdim: bool = False) -> Tensor:
    """Returns the root of the sum of squares, over all dims or some."""
    return linalg.vector_norm(input, 2, dim if dim != () else None, keepdim)


@overridable
def nuclear_norm(input: Tensor, dim: Any = (-2, -1), keepdim: bool = False) -> Tensor:
    """Returns the sum of the singular values."""
    return linalg.matrix_norm(input, "nuc", tuple(dim), keepdim)


@overridable
def norm_except_dim(v: Tensor, pow: int = 2, dim: int = 0) -> Tensor:
    """Returns the norms of all slices along a dim, which the result keeps."""
    if dim == -1:
        return v.norm(pow)
    dims = [one for one in range(v.ndim) if one != dim % v.ndim]
    return linalg.vector_norm(v, pow, dims, True) if dims else v.abs()


def _removed(name: str, instead: str) -> Any:
    def function(*args: object, **kwargs: object) -> Any:
        raise NotSupportedError(f"{name}: it must be replaced by {instead}, got a call of it")

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"Raises NotSupportedError: use {instead}."
    return function


eig = _removed("eig", "linalg.eig")
lstsq = _removed("lstsq", "linalg.lstsq")
matrix_rank = _removed("matrix_rank", "linalg.matrix_rank")
solve = _removed("solve", "linalg.solve")
symeig = _removed("symeig", "linalg.eigh")

__all__ = [
    *("frobenius_norm", "lu_unpack", "matrix_rank", "norm_except_dim", "nuclear_norm"),
    *("pca_lowrank", "svd_lowrank"),
    "cholesky",
    "eig",
    "lstsq",
    "lu",
    "qr",
    "solve",
    "symeig",
    "triangular_solve",
]
