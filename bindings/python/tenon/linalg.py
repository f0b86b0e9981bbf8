# SPDX-License-Identifier: Apache-2.0
"""Linear algebra: `tenon.linalg.solve(A, B)` is `tenon.ops.aten.linalg_solve(A, B)`."""

from __future__ import annotations

from .ops import _packet

_NAMES = (
    "cholesky",
    "cholesky_ex",
    "cond",
    "cross",
    "det",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "householder_product",
    "inv",
    "inv_ex",
    "ldl_factor",
    "ldl_factor_ex",
    "ldl_solve",
    "lstsq",
    "lu_factor",
    "lu_factor_ex",
    "lu_solve",
    "matrix_exp",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "multi_dot",
    "norm",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "solve_ex",
    "solve_triangular",
    "svd",
    "svdvals",
    "vander",
    "vecdot",
    "vector_norm",
)
globals().update({name: _packet(f"aten::linalg_{name}") for name in _NAMES})
matmul = _packet("aten::matmul")


def diagonal(A, *, offset=0, dim1=-2, dim2=-1):  # type: ignore[no-untyped-def]
    """Returns a view of the diagonals of matrices, by default of the last two dims."""
    return _packet("aten::diagonal")(A, offset, dim1, dim2)


_LATER = {
    "lu": "linalg_lu",
    **{name: name for name in ("matrix_sqrth", "polar", "tensorinv", "tensorsolve")},
}


def __getattr__(name: str) -> object:
    """Imports the functions that few programs use at their first use."""
    if name == "LinAlgError":
        from .error import InvalidArgumentError

        return InvalidArgumentError
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import matrix_decompositions

    return getattr(matrix_decompositions, _LATER[name])


__all__ = [*_NAMES, *_LATER, "diagonal", "matmul"]
__all__ += ["LinAlgError"]  # noqa: F822
