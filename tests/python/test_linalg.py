# SPDX-License-Identifier: Apache-2.0
"""tenon.linalg and tenon.fft: factorizations, gradients of symmetric matrices, refusals."""

from __future__ import annotations

import math

import pytest
import tenon
from tenon import fft, linalg
from tenon.autograd import gradcheck, gradgradcheck


def matrix(rows, columns, dtype=tenon.float64, batch=()):
    """Returns a matrix of irregular numbers."""
    count = math.prod([*batch, rows, columns])
    made = tenon.sin(tenon.arange(count, dtype=tenon.float64) * 1.7 + 0.3)
    made = made.reshape([*batch, rows, columns])
    if dtype.is_complex:
        made = tenon.complex(made, tenon.cos(made * 5))
    return made.to(dtype)


def turned(x):
    return x.transpose(-2, -1).conj()


def symmetric(x):
    return x + turned(x)


def close(a, b):
    return bool(tenon.allclose(a, b, rtol=1e-9, atol=1e-9))


DTYPES = [tenon.float64, tenon.complex128]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("sizes", [(3, 3), (4, 2), (2, 4), (3, 0)])
@pytest.mark.parametrize("full", [False, True])
def test_singular_vectors_make_the_matrix(dtype, sizes, full):
    a = matrix(*sizes, dtype, batch=(2,))
    u, s, vh = linalg.svd(a, full_matrices=full)
    count = min(sizes)
    assert u.shape == (2, sizes[0], sizes[0] if full else count)
    assert vh.shape == (2, sizes[1] if full else count, sizes[1])
    ours = (u[..., :count] * s.to(dtype).unsqueeze(-2)) @ vh[..., :count, :]
    assert close(ours, a)
    assert close(turned(u) @ u, tenon.eye(u.shape[-1], dtype=dtype).expand(2, -1, -1))
    assert bool((s[..., :-1] >= s[..., 1:]).all())


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("triangle", ["L", "U"])
def test_eigenvectors_make_the_matrix(dtype, triangle):
    a = symmetric(matrix(3, 3, dtype, batch=(2,)))
    values, vectors = linalg.eigh(a, triangle)
    assert close((vectors * values.to(dtype).unsqueeze(-2)) @ turned(vectors), a)
    assert close(linalg.eigvalsh(a, triangle), values)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("mode", ["reduced", "complete"])
@pytest.mark.parametrize("sizes", [(3, 3), (4, 2), (2, 4)])
def test_factors_of_qr_make_the_matrix(dtype, mode, sizes):
    a = matrix(*sizes, dtype)
    q, r = linalg.qr(a, mode)
    assert close(q @ r, a)
    assert close(turned(q) @ q, tenon.eye(q.shape[1], dtype=dtype))
    assert close(tenon.triu(r), r)


def test_outs_of_any_strides_get_the_result():
    a = matrix(3, 3) + 2 * tenon.eye(3, dtype=tenon.float64)
    out = tenon.zeros(3, 6, dtype=tenon.float64)[:, ::2]
    assert linalg.inv(a, out=out) is out
    assert close(out @ a, tenon.eye(3, dtype=tenon.float64))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("upper", [False, True])
def test_gradient_of_cholesky(dtype, upper):
    a = matrix(3, 3, dtype).requires_grad_()

    def factor(x):
        return linalg.cholesky(x @ turned(x) + 2 * tenon.eye(3, dtype=dtype), upper=upper)

    assert gradcheck(factor, (a,))
    assert gradgradcheck(factor, (a,))


@pytest.mark.parametrize("dtype", DTYPES)
def test_gradient_of_eigh(dtype):
    a = matrix(3, 3, dtype).requires_grad_()

    def products(x):
        values, vectors = linalg.eigh(symmetric(x))
        # the absolute value does not depend on the phases of the vectors
        return values, vectors.abs()

    assert gradcheck(products, (a,))
    assert gradcheck(lambda x: linalg.eigvalsh(symmetric(x)), (a,))


@pytest.mark.parametrize("sizes", [(3, 3), (4, 2), (2, 4)])
def test_gradient_of_svd_of_complex_numbers(sizes):
    a = matrix(*sizes, tenon.complex128).requires_grad_()

    def products(x):
        u, s, vh = linalg.svd(x, full_matrices=False)
        return u.abs(), s, vh.abs(), u[..., :1] @ vh[..., :1, :]

    assert gradcheck(products, (a,))
    assert gradcheck(linalg.svdvals, (a,))


def test_gradients_of_repeated_values_are_finite():
    a = tenon.eye(2, dtype=tenon.float64).requires_grad_()
    linalg.svdvals(a).sum().backward()
    assert close(a.grad, tenon.eye(2, dtype=tenon.float64))


@pytest.mark.parametrize("name", ["inv", "det", "slogdet", "cholesky", "eigvalsh", "svdvals"])
def test_batches_in_a_vmap_are_those_of_a_loop(name):
    a = matrix(3, 3, batch=(4,))
    a = a @ turned(a) + tenon.eye(3, dtype=tenon.float64)
    function = getattr(linalg, name)
    several = tenon.vmap(function)(a)
    each = [function(one) for one in a.unbind()]
    if name == "slogdet":
        assert close(several[1], tenon.stack([one[1] for one in each]))
    else:
        assert close(several, tenon.stack(each))


def test_solutions_in_a_vmap_are_those_of_a_loop():
    a, b = matrix(3, 3, batch=(4,)), matrix(4, 3)
    several = tenon.vmap(linalg.solve)(a, b)
    assert close(several, tenon.stack([linalg.solve(x, y) for x, y in zip(a, b, strict=True)]))


@pytest.mark.parametrize("name", ["inv", "cholesky", "solve"])
def test_singular_matrices_are_named(name):
    args = [tenon.stack([tenon.eye(2), tenon.zeros(2, 2)])]
    if name == "solve":
        args.append(tenon.ones(2, 2, 1))
    with pytest.raises(tenon.InvalidArgumentError, match="matrix 1 of the batch"):
        getattr(linalg, name)(*args)


def test_integers_are_refused():
    with pytest.raises(tenon.NotSupportedError, match="linalg_inv_ex.*int64"):
        linalg.inv(tenon.eye(2, dtype=tenon.int64))


def test_shapes_are_known_without_data():
    a = tenon.empty(5, 4, 3, device="meta")
    u, s, vh = linalg.svd(a, full_matrices=False)
    assert (u.shape, s.shape, vh.shape) == ((5, 4, 3), (5, 3), (5, 3, 3))
    assert linalg.pinv(a).shape == (5, 3, 4)
    assert fft.rfft(a).shape == (5, 4, 2)


@pytest.mark.parametrize("size", [1, 2, 7, 12, 34, 97])
@pytest.mark.parametrize("norm", ["backward", "ortho", "forward"])
def test_transforms_round_trip(size, norm):
    x = matrix(3, size)
    assert close(fft.ifft(fft.fft(x, norm=norm), norm=norm).real, x)
    assert close(fft.irfft(fft.rfft(x, norm=norm), size, norm=norm), x)
    assert close(fft.hfft(fft.ihfft(x, norm=norm), size, norm=norm), x)
    assert close(fft.ifftn(fft.fftn(x, norm=norm), norm=norm).real, x)


def test_transform_of_a_wave_is_one_line():
    turns = tenon.arange(8, dtype=tenon.float64) * (2 * math.pi * 3 / 8)
    lines = fft.fft(tenon.polar(tenon.ones(8, dtype=tenon.float64), turns)).abs()
    assert close(lines, tenon.tensor([0.0, 0, 0, 8, 0, 0, 0, 0], dtype=tenon.float64))


def test_gradients_of_transforms():
    x = matrix(2, 5).requires_grad_()
    assert gradcheck(lambda x: fft.rfft2(x).abs(), (x,))
    assert gradcheck(lambda x: fft.irfft(fft.fft(x), 6), (x,))


def test_distances_of_rows_by_pytorch_s_words():
    a, b = tenon.tensor([[0.0, 0.0], [3.0, 4.0]]), tenon.tensor([[0.0, 0.0]])
    assert tenon.cdist(a, b).tolist() == [[0.0], [5.0]]
    assert tenon.cdist(a, b, 1.0, "donot_use_mm_for_euclid_dist").tolist() == [[0.0], [7.0]]
    with pytest.raises(tenon.error.InvalidArgumentError, match="compute_mode must be one of use_"):
        tenon.cdist(a, b, compute_mode="mm")


def test_functions_that_take_tensors_one_by_one():
    a, b = matrix(2, 3), matrix(3, 4)
    assert close(tenon.einsum("ij,jk->ik", a, b), a @ b)
    assert close(tenon.einsum("ij,jk->ik", [a, b]), a @ b)
    assert close(tenon.einsum(" i j , j k -> k i", a, b), (a @ b).t())
    assert close(tenon.tensordot(a, b, 1), a @ b)
    assert close(tenon.tensordot(a, b, ([1], [0])), a @ b)
    assert close(tenon.chain_matmul(a, b, turned(b)), a @ b @ turned(b))
    assert tenon.block_diag(a, b).shape == (5, 7)
    assert tenon.cartesian_prod(a[0], b[0]).shape == (12, 2)
    assert [one.shape for one in tenon.meshgrid(a[0], b[0], indexing="xy")] == [(4, 3), (4, 3)]
    with pytest.raises(tenon.ArgumentTypeError, match="einsum: tensors must be Tensors, got int"):
        tenon.einsum("i->i", 3)


def test_norms_by_name():
    a = tenon.tensor([[3.0, 0.0], [0.0, 4.0]])
    assert tenon.norm(a).item() == 5
    assert tenon.norm(a, 1).item() == 7
    assert tenon.norm(a, "nuc").item() == 7
    assert tenon.norm(a, math.inf, dim=1).tolist() == [3, 4]
    with pytest.raises(tenon.InvalidArgumentError, match="norm: p must be"):
        tenon.norm(a, "max")


def test_unique_returns_the_requested_results():
    x = tenon.tensor([3, 1, 3])
    assert tenon.unique(x).tolist() == [1, 3]
    values, inverse, counts = tenon.unique(x, return_inverse=True, return_counts=True)
    assert (values[inverse].tolist(), counts.tolist()) == ([3, 1, 3], [1, 2])
    assert tenon.unique_consecutive(x).tolist() == [3, 1, 3]
    assert tenon.unique(tenon.tensor([[1, 2], [1, 2]]), dim=0).tolist() == [[1, 2]]


@pytest.mark.parametrize("call", ["kthvalue", "median", "mode", "fft"])
def test_lines_in_a_vmap_are_those_of_a_loop(call):
    functions = {
        "kthvalue": lambda x: tenon.kthvalue(x, 2, -1)[0],
        "median": lambda x: tenon.median(x, 0, keepdim=True)[0],
        "mode": lambda x: tenon.mode(x)[0],
        "fft": lambda x: fft.rfft(x).abs(),
    }
    x = matrix(3, 4, batch=(2,))
    several = tenon.vmap(functions[call], in_dims=1)(x)
    assert close(several, tenon.stack([functions[call](x[:, k]) for k in range(3)]))


def test_solutions_with_factors_are_those_of_the_matrix():
    a = tenon.tensor([[0.0, 2.0, 1.0], [1.0, 0.0, 3.0], [2.0, 1.0, 0.5]], dtype=tenon.float64)
    b = tenon.tensor([[1.0], [2.0], [-1.0]], dtype=tenon.float64)
    factors = linalg.lu_factor(a)
    assert tenon.allclose(linalg.lu_solve(*factors, b), linalg.solve(a, b))
    turned = linalg.lu_solve(*factors, b.mT, left=False)
    assert tenon.allclose(turned @ a, b.mT)
    symmetric = a + a.mT
    halves = linalg.ldl_factor(symmetric)
    assert tenon.allclose(symmetric @ linalg.ldl_solve(*halves, b), b)


def test_ldl_factors_have_no_gradient_and_say_so():
    a = tenon.eye(3).requires_grad_()
    factors, _ = linalg.ldl_factor(a)
    assert factors.requires_grad
    with pytest.raises(RuntimeError, match="linalg_ldl_factor_ex: operator must have a gradient"):
        factors.sum().backward()


def test_an_exponential_solves_its_equation():
    turning = tenon.tensor([[0.0, -1.0], [1.0, 0.0]], dtype=tenon.float64)
    angle = tenon.tensor(2.5, dtype=tenon.float64)
    cos, sin = angle.cos().item(), angle.sin().item()
    expected = tenon.tensor([[cos, -sin], [sin, cos]], dtype=tenon.float64)
    assert tenon.allclose(linalg.matrix_exp(turning * angle), expected)


def test_gradients_of_eigenvectors_are_those_of_differences():
    a = tenon.tensor([[1.0, -2.0, 0.5], [3.0, 0.5, 1.0], [0.25, -1.0, 2.0]], dtype=tenon.float64)

    def seen(matrix):
        values, vectors = linalg.eig(matrix)
        return values.real.abs() + values.imag.abs(), vectors.abs()

    assert gradcheck(seen, (a.requires_grad_(),))
    assert gradcheck(lambda matrix: linalg.eigvals(matrix).abs(), (a,))


def test_infinite_matrices_have_no_eigenvalues():
    with pytest.raises(tenon.InvalidArgumentError, match="self must have finite elements"):
        linalg.eig(tenon.full((2, 2), float("inf")))
