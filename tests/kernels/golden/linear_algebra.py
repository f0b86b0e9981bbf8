# SPDX-License-Identifier: Apache-2.0
"""Calls of products of vectors, matrices and tensors, and of factorizations."""

import torch

from cases import NAN, Tensors, case, family, ramp
from every_form import every_form

D, C = torch.float64, torch.complex64


def matrix(*shape, dtype=D):
    """Returns invertible matrices, with a dominant diagonal."""
    count = 1
    for size in shape:
        count *= size
    made = ((torch.arange(count, dtype=torch.float64) * 7) % 5 - 2).reshape(shape) / 4
    if dtype.is_complex:
        made = torch.complex(made, made.flip(-1) / 2)
    made = made.to(dtype)
    made.diagonal(dim1=-2, dim2=-1).add_(2)
    return made


def positive(*shape, dtype=D):
    made = matrix(*shape, dtype=dtype)
    return made @ made.mH


@family("dot")
def _dot():
    yield from every_form("dot", "aten::dot", ramp(3), ramp(3, start=1))
    yield from every_form("vdot", "aten::vdot", ramp(3).to(C) * (1 + 2j), ramp(3).to(C) * 1j)
    yield case("ints", "aten::dot", ramp(3).long(), ramp(3).long())
    yield case("refuses_matrix", "aten::dot", ramp(2, 2), ramp(2))
    yield case("refuses_sizes", "aten::dot", ramp(2), ramp(3))
    yield case("refuses_dtypes", "aten::dot", ramp(2), ramp(2).double())
    yield from every_form("inner", "aten::inner", ramp(2, 3), ramp(4, 3))
    yield case("inner_number", "aten::inner", ramp(2, 3), ramp(start=2))
    yield case("inner_refuses", "aten::inner", ramp(2, 3), ramp(2))
    yield from every_form("vecdot", "aten::linalg_vecdot", ramp(2, 3), ramp(2, 3, start=1))
    yield case("vecdot_dim", "aten::linalg_vecdot", ramp(2, 3).to(C) * 1j, ramp(2, 1).to(C), dim=0)


@family("mv")
def _mv():
    yield from every_form("mv", "aten::mv", ramp(2, 3), ramp(3))
    yield case("mv_refuses", "aten::mv", ramp(2, 3), ramp(2))
    args = ramp(2), ramp(2, 3), ramp(3)
    yield from every_form("addmv", "aten::addmv", *args, beta=2, alpha=0.5)
    yield case("addmv_nan", "aten::addmv", torch.full((2,), NAN), *args[1:], beta=0)
    yield case("addmv_one", "aten::addmv", ramp(1, start=2), *args[1:])
    yield case("addmv_ints", "aten::addmv", *(one.long() for one in args), alpha=3)
    yield case("addmv_refuses", "aten::addmv", ramp(3), *args[1:])


@family("addr")
def _addr():
    args = ramp(2, 3), ramp(2), ramp(3)
    yield from every_form("addr", "aten::addr", *args, beta=2, alpha=0.5)
    yield case("nan", "aten::addr", torch.full((2, 3), NAN), *args[1:], beta=0)
    yield case("refuses", "aten::addr", ramp(2, 3), ramp(2, 2), ramp(3))


@family("baddbmm")
def _baddbmm():
    args = ramp(2, 2, 2), ramp(2, 2, 3), ramp(2, 3, 2)
    yield from every_form("baddbmm", "aten::baddbmm", *args, beta=2, alpha=0.5)
    yield from every_form("addbmm", "aten::addbmm", args[0][0], *args[1:], beta=2, alpha=0.5)
    yield case("broadcast", "aten::baddbmm", ramp(2), *args[1:])
    yield case("refuses", "aten::baddbmm", ramp(3, 2, 2), *args[1:])
    yield case("refuses_batches", "aten::baddbmm", args[0], args[1], ramp(3, 3, 2))


@family("einsum")
def _einsum():
    op, a, b = "aten::einsum", ramp(2, 3), ramp(3, 4, start=1)
    for name, equation, *tensors in [
        ("matrices", "ij,jk->ik", a, b),
        ("implicit", "ij,jk", a, b),
        ("turned", "ij->ji", a),
        ("summed", "ij->", a),
        ("row_sums", "ij->i", a),
        ("diagonal", "ii->i", ramp(3, 3)),
        ("trace", "ii", ramp(3, 3)),
        ("outer", "i,j->ij", ramp(2), ramp(3)),
        ("batches", "bij,bjk->bik", ramp(2, 2, 3), ramp(2, 3, 2)),
        ("ellipsis", "...ij,...jk->...ik", ramp(2, 2, 3), ramp(1, 3, 2)),
        ("ellipsis_last", "i...,i...->...", ramp(2, 3), ramp(2, 3)),
        ("three", "ij,jk,kl->il", a, b, ramp(4, 2)),
        ("bilinear", "bn,anm,bm->ba", ramp(2, 3), ramp(2, 3, 2), ramp(2, 2)),
        ("of_one_size", "ij,ij->i", a, ramp(2, 1)),
    ]:
        yield case(name, op, equation, Tensors(tensors))
    yield case("path", op, "ij,jk,kl->il", Tensors([a, b, ramp(4, 2)]), path=[1, 2, 0, 1])
    yield case("refuses_dims", op, "ijk", Tensors([a]))
    yield case("refuses_sizes", op, "ij,ik->jk", Tensors([a, b]))
    yield case("refuses_result", op, "ij->ik", Tensors([a]))
    yield case("refuses_count", op, "ij,jk", Tensors([a]))
    yield case("refuses_letters", op, "i+j", Tensors([a]))


@family("tensordot")
def _tensordot():
    args = ramp(2, 3, 4), ramp(4, 3, 2), [1, 2], [1, 0]
    yield from every_form("two", "aten::tensordot", *args)
    yield case("none", "aten::tensordot", ramp(2), ramp(3), [], [])
    yield case("negative", "aten::tensordot", ramp(2, 3), ramp(3, 2), [-1], [0])
    yield case("of_one", "aten::tensordot", ramp(2, 3), ramp(1, 2), [1], [0])
    yield case("refuses", "aten::tensordot", ramp(2, 3), ramp(2, 2), [1], [0])
    yield case("refuses_counts", "aten::tensordot", ramp(2, 3), ramp(2, 2), [1], [])


@family("kron")
def _kron():
    yield from every_form("kron", "aten::kron", ramp(2, 2), ramp(2, 3, start=1))
    yield case("dims", "aten::kron", ramp(2), ramp(2, 3))
    yield case("number", "aten::kron", ramp(start=2), ramp(2))


@family("cross")
def _cross():
    a, b = ramp(2, 3), ramp(2, 3, step=-1.0)
    yield from every_form("linalg", "aten::linalg_cross", a, b * b)
    yield from every_form("found", "aten::cross", a, b * b)
    yield case("dim", "aten::cross", ramp(3, 3), ramp(3, 3) ** 2, 0)
    yield case("broadcast", "aten::linalg_cross", ramp(1, 3), b)
    yield case("refuses", "aten::linalg_cross", ramp(2, 2), ramp(2, 2))
    yield case("refuses_all", "aten::cross", ramp(2, 2), ramp(2, 2))


@family("multi_dot")
def _multi_dot():
    chain = Tensors([ramp(2, 3), ramp(3, 4), ramp(4, 2)])
    yield from every_form("three", "aten::linalg_multi_dot", chain)
    yield from every_form("chain", "aten::chain_matmul", chain)
    vectors = Tensors([ramp(3), ramp(3, 4), ramp(4)])
    yield case("vectors", "aten::linalg_multi_dot", vectors)
    yield case("two", "aten::linalg_multi_dot", Tensors(chain[:2]))
    yield case("refuses_one", "aten::linalg_multi_dot", Tensors(chain[:1]))
    yield case("refuses_sizes", "aten::linalg_multi_dot", Tensors([ramp(2, 3), ramp(2, 3)]))


@family("matrix_power")
def _matrix_power():
    for power in (0, 1, 2, 5, -2):
        yield case(f"power_{power}", "aten::linalg_matrix_power", matrix(2, 2), power)
    yield from every_form("three", "aten::linalg_matrix_power", matrix(2, 2, 2), 3)
    yield from every_form("old", "aten::matrix_power", matrix(2, 2), 3)
    yield case("refuses", "aten::linalg_matrix_power", ramp(2, 3), 2)


@family("trace")
def _trace():
    yield from every_form("trace", "aten::trace", ramp(2, 3))
    yield case("ints", "aten::trace", ramp(2, 2).int())
    yield case("refuses", "aten::trace", ramp(2))


@family("block_diag")
def _block_diag():
    op = "aten::block_diag"
    blocks = Tensors([ramp(2, 2, start=1), ramp(3, start=5), ramp(start=9)])
    yield from every_form("three", op, blocks)
    yield case("refuses", op, Tensors([ramp(1, 2, 2)]))


@family("combinations")
def _combinations():
    op = "aten::combinations"
    yield case("pairs", op, ramp(4), exact=True, no_meta=True)
    yield case("triples", op, ramp(4), 3, exact=True, no_meta=True)
    yield case("again", op, ramp(3), 2, True, exact=True, no_meta=True)
    yield case("none", op, ramp(2), 3, exact=True, no_meta=True)
    yield case("refuses", op, ramp(2, 2))
    product = "aten::cartesian_prod"
    yield case("product", product, Tensors([ramp(2), ramp(3), ramp(2)]), exact=True)
    yield case("one", product, Tensors([ramp(2)]), exact=True, no_meta=True)
    yield case("product_refuses", product, Tensors([ramp(2, 2)]))


@family("vander")
def _vander():
    yield case("vander", "aten::vander", ramp(3, start=1))
    yield case("increasing", "aten::vander", ramp(3, start=1).int(), 4, True)
    yield case("linalg", "aten::linalg_vander", ramp(2, 3, start=1))
    yield case("linalg_many", "aten::linalg_vander", ramp(2, start=1), N=4)
    yield case("refuses", "aten::vander", ramp(2, 2))


@family("meshgrid")
def _meshgrid():
    vectors = Tensors([ramp(2), ramp(3, start=5)])
    yield case("default", "aten::meshgrid", vectors, exact=True)
    yield case("ij", "aten::meshgrid.indexing", vectors, indexing="ij", exact=True)
    yield case("xy", "aten::meshgrid.indexing", vectors, indexing="xy", exact=True)
    yield case("refuses_word", "aten::meshgrid.indexing", vectors, indexing="ji")
    yield case("refuses_matrix", "aten::meshgrid", Tensors([ramp(2, 2)]))


@family("eye")
def _eye():
    yield case("square", "aten::eye", 3, exact=True)
    yield case("wide", "aten::eye.m", 2, 3, dtype=torch.int64, exact=True)
    yield case("none", "aten::eye", 0, exact=True)
    yield case("out", "aten::eye.out", 2, out=torch.zeros(0), exact=True)
    yield case("out_wide", "aten::eye.m_out", 2, 3, out=torch.zeros(0).int(), exact=True)
    yield case("refuses", "aten::eye", -1)


@family("linalg_inv")
def _inv():
    for dtype in (torch.float32, D, C, torch.complex128):
        name = str(dtype).removeprefix("torch.")
        yield case(f"dtype_{name}", "aten::linalg_inv_ex", matrix(3, 3, dtype=dtype))
    yield from every_form("batch", "aten::linalg_inv_ex", matrix(2, 3, 3))
    yield from every_form("inv", "aten::linalg_inv", matrix(3, 3))
    yield from every_form("inverse", "aten::inverse", matrix(2, 2))
    yield case("turned", "aten::linalg_inv", matrix(3, 3).t())
    yield case("empty", "aten::linalg_inv", torch.zeros(0, 0))
    yield case("no_batch", "aten::linalg_inv", torch.zeros(0, 2, 2))
    yield case("refuses_singular", "aten::linalg_inv", torch.zeros(2, 2), no_meta=True)
    yield case("refuses_shape", "aten::linalg_inv", ramp(2, 3))
    yield case("refuses_dims", "aten::linalg_inv", ramp(3))


@family("linalg_lu")
def _lu():
    yield from every_form("batch", "aten::linalg_lu_factor_ex", matrix(2, 3, 3))
    yield from every_form("factor", "aten::linalg_lu_factor", matrix(3, 2))
    yield case("wide", "aten::linalg_lu_factor_ex", matrix(2, 3, dtype=C))
    yield case("refuses", "aten::linalg_lu_factor", torch.zeros(2, 2), no_meta=True)


@family("linalg_lu_solve")
def _lu_solve():
    op = "aten::linalg_lu_solve"
    lu, pivots = torch.linalg.lu_factor(matrix(2, 3, 3).flip(-2))
    b = ramp(2, 3, 2, dtype=D)
    yield from every_form("batch", op, lu, pivots, b)
    for left in (False, True):
        for adjoint in (False, True):
            how, label = {"left": left, "adjoint": adjoint}, f"{int(left)}_{int(adjoint)}"
            given = b if left else b.mT.contiguous()
            yield case(f"real_{label}", op, lu, pivots, given, **how)
            factors = torch.linalg.lu_factor(matrix(3, 3, dtype=C).flip(-2))
            complexes = given[0].to(C) * (1 - 2j)
            yield case(f"complex_{label}", op, *factors, complexes, **how)
    yield case("row_major", op, lu.contiguous(), pivots, b)
    yield case("stretched", op, lu[:1], pivots[:1], ramp(4, 1, 3, 2, dtype=D))
    yield case("stretched_factors", op, lu, pivots, b[0])
    yield case("no_columns", op, lu, pivots, b[..., :0])
    yield case("no_batch", op, lu[:0], pivots[:0], b[:0])
    yield from every_form("older", "aten::lu_solve", b, lu, pivots)
    yield case("refuses_vectors", op, lu[0], pivots[0], b[0, :, 0])
    yield case("refuses_rows", op, lu, pivots, b[:, :2])
    yield case("refuses_shape", op, lu[:, :2], pivots[:, :2], b)
    yield case("refuses_pivots", op, lu, pivots[0], b)
    yield case("refuses_dtype", op, lu, pivots, b.float())
    yield case("refuses_int64", op, lu, pivots.long(), b)
    yield case("refuses_places", op, lu, pivots + 3, b, no_meta=True)


@family("linalg_householder_product")
def _householder_product():
    op = "aten::linalg_householder_product"
    packed, tau = torch.geqrf(matrix(2, 4, 3))
    yield from every_form("batch", op, packed, tau)
    yield case("fewer", op, packed, tau[:, :2])
    yield case("none", op, packed, tau[:, :0])
    yield case("turned", op, packed.mT.contiguous().mT, tau.flip(0))
    yield case("no_columns", op, packed[..., :0], tau[:, :0])
    yield case("no_batch", op, packed[:0], tau[:0])
    complexes = torch.geqrf(matrix(4, 2, dtype=C))
    yield case("complex", op, *complexes)
    yield from every_form("older", "aten::orgqr", packed, tau)
    yield case("refuses_more", op, packed, ramp(2, 4, dtype=D))
    yield case("refuses_wide", op, packed[:, :2], tau[:, :2])
    yield case("refuses_dims", op, packed, ramp(2, 2, 3, dtype=D))
    yield case("refuses_batch", op, packed, tau[:1])
    yield case("refuses_dtype", op, packed, tau.float())
    yield case("refuses_vectors", op, packed[0, 0], tau[0])
    product, other = "aten::ormqr", ramp(2, 4, 3, dtype=D, start=-3)
    yield from every_form("product", product, packed, tau, other)
    for left in (False, True):
        for transpose in (False, True):
            label = f"{int(left)}_{int(transpose)}"
            given = other if left else other.mT
            yield case(f"product_{label}", product, packed, tau, given, left, transpose)
            given = ramp(4, 3) if left else ramp(3, 4)
            given = given.to(C) * (1 - 1j)
            yield case(f"product_complex_{label}", product, *complexes, given, left, transpose)
    yield case("product_of_none", product, packed, tau, other[..., :0])
    yield case("product_without", product, packed[..., :0], tau[:, :0], other)
    yield case("product_refuses_rows", product, packed, tau, other[:, :3])
    yield case("product_refuses_tau", product, packed, tau[:, :2], other)
    yield case("product_refuses_batch", product, packed, tau, other[0])
    yield case("product_refuses_dtype", product, packed, tau, other.float())


@family("linalg_solve")
def _solve():
    a, b = matrix(3, 3), ramp(3, 2, dtype=D)
    yield from every_form("matrices", "aten::linalg_solve", a, b)
    yield from every_form("with_factors", "aten::_linalg_solve_ex", a, b)
    yield from every_form("ex", "aten::linalg_solve_ex", a, b)
    yield case("vector", "aten::linalg_solve", a, b[:, 0])
    yield case("right", "aten::linalg_solve", a, ramp(2, 3, dtype=D), left=False)
    yield case("broadcast", "aten::linalg_solve", matrix(2, 1, 3, 3), ramp(2, 3, 1, dtype=D))
    complexes = matrix(2, 2, dtype=C), ramp(2, 1).to(C)
    yield case("complex", "aten::linalg_solve", *complexes)
    yield case("refuses_singular", "aten::linalg_solve", torch.zeros(2, 2), ramp(2), no_meta=True)
    yield case("refuses_rows", "aten::linalg_solve", a, ramp(2, 2, dtype=D))
    yield case("refuses_dtype", "aten::linalg_solve", a, ramp(3))


@family("linalg_det")
def _det():
    for name in ("linalg_det", "_linalg_det", "linalg_slogdet", "_linalg_slogdet"):
        yield from every_form(name, f"aten::{name}", positive(2, 3, 3))
    for name in ("det", "slogdet", "logdet"):
        yield from every_form(name, f"aten::{name}", matrix(3, 3))
    yield case("complex", "aten::linalg_det", matrix(3, 3, dtype=C))
    yield case("complex_log", "aten::linalg_slogdet", matrix(3, 3, dtype=C))
    yield case("singular", "aten::linalg_det", torch.ones(2, 2))
    yield case("singular_log", "aten::linalg_slogdet", torch.ones(2, 2))
    yield case("swapped", "aten::linalg_det", torch.tensor([[0.0, 1.0], [1.0, 0.0]]))
    yield case("empty", "aten::linalg_det", torch.zeros(0, 0))
    yield case("refuses", "aten::linalg_det", ramp(2, 3))


@family("linalg_cholesky")
def _cholesky():
    for upper in (False, True):
        args = "aten::linalg_cholesky", positive(2, 3, 3)
        yield from every_form(f"factor_{upper}", *args, upper=upper)
    yield from every_form("ex", "aten::linalg_cholesky_ex", positive(3, 3, dtype=C))
    yield case("below", "aten::linalg_cholesky_ex", torch.tensor([[1.0, 2.0], [2.0, 1.0]])[:1, :1])
    lower = torch.linalg.cholesky(positive(3, 3))
    yield from every_form("solve", "aten::cholesky_solve", ramp(3, 2, dtype=D), lower)
    yield case("solve_upper", "aten::cholesky_solve", ramp(3, 2, dtype=D), lower.mT, True)
    yield from every_form("inverse", "aten::cholesky_inverse", lower)
    yield case("refuses", "aten::linalg_cholesky", -torch.eye(2), no_meta=True)


@family("linalg_qr")
def _qr():
    yield from every_form("tall", "aten::linalg_qr", matrix(2, 3, 2))
    for mode in ("reduced", "complete", "r"):
        yield case(f"tall_{mode}", "aten::linalg_qr", matrix(3, 2), mode)
        yield case(f"wide_{mode}", "aten::linalg_qr", matrix(2, 3, dtype=C), mode)
    yield case("refuses", "aten::linalg_qr", matrix(2, 2), "raw")


@family("linalg_svd")
def _svd():
    yield from every_form("values", "aten::linalg_svdvals", matrix(2, 3, 2))
    yield case("values_complex", "aten::linalg_svdvals", matrix(2, 3, dtype=C))
    yield case("without", "aten::_linalg_svd", matrix(3, 2), False, False)
    yield case("refuses", "aten::linalg_svd", ramp(3))


@family("linalg_eigh")
def _eigh():
    for word in ("L", "U"):
        args = "aten::linalg_eigvalsh", positive(2, 3, 3), word
        yield from every_form(f"values_{word}", *args)
    yield case("values_complex", "aten::linalg_eigvalsh", positive(3, 3, dtype=C))
    yield case("without", "aten::_linalg_eigh", positive(3, 3), "L", False)
    yield case("refuses_word", "aten::linalg_eigh", positive(2, 2), "X")
    yield case("refuses_shape", "aten::linalg_eigh", ramp(2, 3))


@family("linalg_solve_triangular")
def _solve_triangular():
    op, b = "aten::linalg_solve_triangular", ramp(3, 2, dtype=D)
    for upper in (False, True):
        a = matrix(3, 3).triu() if upper else matrix(3, 3).tril()
        yield from every_form(f"left_{upper}", op, a, b, upper=upper)
        yield case(f"right_{upper}", op, a, ramp(2, 3, dtype=D), upper=upper, left=False)
        yield case(f"ones_{upper}", op, a, b, upper=upper, unitriangular=True)
    yield case("complex", op, matrix(2, 2, dtype=C).tril(), ramp(2, 1).to(C), upper=False)
    yield case("batch", op, matrix(2, 3, 3).triu(), b, upper=True)
    yield case("zeros", op, torch.zeros(2, 2), torch.ones(2, 1), upper=True)
    yield case("refuses", op, matrix(3, 3), ramp(2, 2, dtype=D), upper=True)


@family("linalg_norm")
def _norm():
    a = matrix(2, 3, 2)
    for ord in (1, -1, 2, -2, float("inf"), -float("inf")):
        yield case(f"matrix_{ord}", "aten::linalg_matrix_norm", a, ord)
        yield case(f"cond_{ord}", "aten::linalg_cond", matrix(2, 3, 3), ord)
    for word in ("fro", "nuc"):
        yield case(f"word_{word}", "aten::linalg_matrix_norm.str_ord", a, word, [0, 2])
    yield from every_form("matrix", "aten::linalg_matrix_norm", a, 1.0)
    yield from every_form("words", "aten::linalg_matrix_norm.str_ord", a, "nuc")
    yield from every_form("norm", "aten::linalg_norm", a, 2, [1, 2])
    yield from every_form("norm_word", "aten::linalg_norm.ord_str", a[0], "fro")
    yield case("norm_all", "aten::linalg_norm", a)
    yield case("norm_vector", "aten::linalg_norm", ramp(3), 3)
    yield from every_form("cond", "aten::linalg_cond", matrix(3, 3), None)
    yield from every_form("cond_word", "aten::linalg_cond.p_str", matrix(3, 3), "nuc")
    yield case("refuses_order", "aten::linalg_matrix_norm", a, 3)
    yield case("refuses_word", "aten::linalg_matrix_norm.str_ord", a, "max")


@family("linalg_pinv")
def _pinv():
    a = matrix(3, 2)
    yield from every_form("pinv", "aten::linalg_pinv", a, 1e-10)
    yield from every_form("numbers", "aten::linalg_pinv.atol_rtol_float", a)
    yield from every_form("tensors", "aten::linalg_pinv.atol_rtol_tensor", a)
    yield from every_form(
        "rcond", "aten::linalg_pinv.rcond_tensor", a, torch.tensor(1e-10).double()
    )
    yield case("hermitian", "aten::linalg_pinv", positive(2, 2), 1e-10, True)
    yield case("old", "aten::pinverse", a)
    yield case("rank_1", "aten::linalg_pinv", torch.ones(2, 3), 1e-5)
    rank = "aten::linalg_matrix_rank"
    yield from every_form("rank", rank, torch.ones(2, 3), 1e-5)
    yield from every_form("rank_numbers", f"{rank}.atol_rtol_float", a)
    yield from every_form(
        "rank_tensors", f"{rank}.atol_rtol_tensor", a, atol=torch.tensor(3.0).double()
    )
    yield from every_form("rank_tol", f"{rank}.tol_tensor", a, torch.tensor(0.1).double())


@family("linalg_lstsq")
def _lstsq():
    op, a, b = "aten::linalg_lstsq", matrix(4, 2), ramp(4, 1, dtype=D)
    for driver in ("gels", "gelsy", "gelsd", "gelss"):
        yield case(f"driver_{driver}", op, a, b, driver=driver, no_meta=True)
    yield case("wide", op, matrix(2, 3), ramp(2, 2, dtype=D), driver="gelsd", no_meta=True)
    outs = {
        "solution": torch.zeros(2, 1, dtype=D),
        "residuals": torch.zeros(1, dtype=D),
        "rank": torch.zeros(0, dtype=torch.int64),
        "singular_values": torch.zeros(0, dtype=D),
    }
    yield case("out", f"{op}.out", a, b, driver="gelsd", no_meta=True, **outs)
    yield case("refuses", op, a, ramp(3, 1, dtype=D), no_meta=True)


@family("linalg_matrix_exp")
def _matrix_exp():
    op = "aten::linalg_matrix_exp"
    a = matrix(2, 3, 3) - 2 * torch.eye(3, dtype=D)
    yield from every_form("batch", op, a)
    yield case("older", "aten::matrix_exp", a)
    # Norms for which each degree is chosen, and larger ones.
    for scale in (0.0, 1e-17, 1e-9, 1e-5, 2e-3, 3e-2, 0.2, 0.6, 1.5, 4.0, 20.0):
        yield case(f"norm_{scale}", op, a[1] * scale)
        yield case(f"float_norm_{scale}", op, a[1].float() * scale)
    turned = torch.complex(a, a.flip(-1))
    for scale in (1e-9, 2e-3, 0.05, 0.5, 4.0):
        yield case(f"complex_norm_{scale}", op, turned * scale)
    yield case("complex64", op, turned.to(C))
    yield case("transposed", op, a.mT)
    yield case("one", op, ramp(1, 1, start=0.5))
    yield case("empty", op, torch.zeros(0, 0))
    yield case("no_batch", op, torch.zeros(0, 2, 2))
    yield case("nan", op, torch.tensor([[[NAN, 1.0], [0.0, 1.0]], [[0.0, 1.0], [1.0, 0.0]]]))
    yield case("refuses_shape", op, ramp(2, 3))
    yield case("refuses_dims", op, ramp(3))
    yield case("refuses_integers", op, ramp(2, 2).int(), status="TENON_ERROR_NOT_SUPPORTED")


@family("linalg_eig")
def _eig():
    # The eigenvalues of a triangular matrix are its diagonal, in order.
    triangle = torch.tensor([[1.0, 2.0, -1.0], [0.0, 3.0, 0.5], [0.0, 0.0, -2.0]])
    turning = torch.tensor([[[0.0, -2.0], [2.0, 0.0]], [[1.0, -1.0], [4.0, 1.0]]])
    for name, given in {"real": triangle, "pairs": turning}.items():
        for dtype in (torch.float32, D):
            label = f"{name}_{str(dtype).removeprefix('torch.')}"
            yield case(f"{label}_values", "aten::_linalg_eigvals", given.to(dtype))
            yield from every_form(f"{label}_all_values", "aten::linalg_eigvals", given.to(dtype))
    yield from every_form("vectors", "aten::linalg_eig", triangle)
    yield from every_form("double", "aten::linalg_eig", triangle.double())
    complexes = triangle.to(C) + torch.diag(torch.tensor([1j, -1j, 2j]))
    yield case("complex", "aten::linalg_eig", complexes)
    yield case("complex_values", "aten::linalg_eigvals", complexes.to(torch.complex128))
    yield case("turned", "aten::linalg_eigvals", turning.mT)
    yield case("empty", "aten::linalg_eig", torch.zeros(0, 0))
    yield case("no_batch", "aten::linalg_eig", torch.zeros(0, 2, 2))
    yield case("refuses_nan", "aten::linalg_eig", torch.full((2, 2), NAN), no_meta=True)
    yield case("refuses_shape", "aten::linalg_eigvals", ramp(2, 3))
    yield case("refuses_dims", "aten::linalg_eig", ramp(3))
    integers = ramp(2, 2).long()
    yield case("refuses_integers", "aten::linalg_eig", integers, status="TENON_ERROR_NOT_SUPPORTED")


@family("linalg_ldl")
def _ldl():
    op, solve = "aten::linalg_ldl_factor_ex", "aten::linalg_ldl_solve"
    a = matrix(2, 3, 3)
    a = a + a.mT
    # A diagonal block of two rows.
    a[1] = torch.tensor([[0.0, 2.0, 1.0], [2.0, 0.0, 3.0], [1.0, 3.0, 1.0]])
    b = ramp(2, 3, 2, dtype=D, start=-2)
    yield from every_form("batch", op, a)
    yield from every_form("factor", "aten::linalg_ldl_factor", a)
    yield case("lower", op, a.tril())
    for hermitian in (False, True):
        label = f"hermitian_{int(hermitian)}"
        c = matrix(2, 3, 3, dtype=C)
        c = c + (c.mH if hermitian else c.mT)
        for name, given in {"real": a, "complex": c}.items():
            yield case(f"{name}_{label}", op, given, hermitian=hermitian)
            ld, pivots, _ = torch.ops.aten.linalg_ldl_factor_ex(given, hermitian=hermitian)
            right = b.to(given.dtype) * (1 - 1j) if given.is_complex() else b
            args = ld, pivots, right
            yield from every_form(f"solve_{name}_{label}", solve, *args, hermitian=hermitian)
            yield case(f"stretched_{name}_{label}", solve, ld, pivots, right[0])
    ld, pivots, _ = torch.ops.aten.linalg_ldl_factor_ex(a)
    yield case("one_factor", solve, ld[0], pivots[0], b)
    yield case("int64_pivots", solve, ld, pivots.long(), b)
    yield case("row_major", solve, ld.contiguous(), pivots, b)
    yield case("no_columns", solve, ld, pivots, b[..., :0])
    yield case("no_batch", op, a[:0])
    yield case("singular", op, torch.zeros(2, 2))
    yield case("refuses_singular", "aten::linalg_ldl_factor", torch.zeros(2, 2), no_meta=True)
    yield case("refuses_shape", op, ramp(2, 3))
    yield case("refuses_rows", solve, ld, pivots, b[:, :2])
    yield case("refuses_pivots", solve, ld, pivots[0], b)
    yield case("refuses_places", solve, ld, pivots * 4, b, no_meta=True)
    yield case("refuses_dtype", solve, ld, pivots, b.float())
