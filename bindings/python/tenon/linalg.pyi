# SPDX-License-Identifier: Apache-2.0
"""Linear algebra, with its types."""

from ._aten import linalg_cholesky as cholesky
from ._aten import linalg_cholesky_ex as cholesky_ex
from ._aten import linalg_cond as cond
from ._aten import linalg_cross as cross
from ._aten import linalg_det as det
from ._aten import linalg_eig as eig
from ._aten import linalg_eigh as eigh
from ._aten import linalg_eigvals as eigvals
from ._aten import linalg_eigvalsh as eigvalsh
from ._aten import linalg_householder_product as householder_product
from ._aten import linalg_inv as inv
from ._aten import linalg_inv_ex as inv_ex
from ._aten import linalg_ldl_factor as ldl_factor
from ._aten import linalg_ldl_factor_ex as ldl_factor_ex
from ._aten import linalg_ldl_solve as ldl_solve
from ._aten import linalg_lstsq as lstsq
from ._aten import linalg_lu_factor as lu_factor
from ._aten import linalg_lu_factor_ex as lu_factor_ex
from ._aten import linalg_lu_solve as lu_solve
from ._aten import linalg_matrix_exp as matrix_exp
from ._aten import linalg_matrix_norm as matrix_norm
from ._aten import linalg_matrix_power as matrix_power
from ._aten import linalg_matrix_rank as matrix_rank
from ._aten import linalg_multi_dot as multi_dot
from ._aten import linalg_norm as norm
from ._aten import linalg_pinv as pinv
from ._aten import linalg_qr as qr
from ._aten import linalg_slogdet as slogdet
from ._aten import linalg_solve as solve
from ._aten import linalg_solve_ex as solve_ex
from ._aten import linalg_solve_triangular as solve_triangular
from ._aten import linalg_svd as svd
from ._aten import linalg_svdvals as svdvals
from ._aten import linalg_vander as vander
from ._aten import linalg_vecdot as vecdot
from ._aten import linalg_vector_norm as vector_norm

__all__ = [
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
]
