# SPDX-License-Identifier: Apache-2.0
"""Jacobians and Hessians, and their products with vectors."""

from __future__ import annotations

import pytest
import tenon
from tenon.autograd import functional

X = [[1.0, 2.0], [3.0, 4.0]]


def squares(x, y):
    return x * x * y, (x * y).sum()


@pytest.mark.parametrize("strategy", ["reverse-mode", "forward-mode"])
def test_jacobian_has_a_block_for_each_output_and_input(strategy):
    x, y = tenon.tensor([1.0, 2.0]), tenon.tensor([3.0, 4.0])
    rows = functional.jacobian(
        squares, (x, y), vectorize=strategy == "forward-mode", strategy=strategy
    )
    assert rows[0][0].tolist() == [[6.0, 0.0], [0.0, 16.0]]
    assert rows[0][1].tolist() == [[1.0, 0.0], [0.0, 4.0]]
    assert rows[1][0].tolist() == [3.0, 4.0] and rows[1][1].tolist() == [1.0, 2.0]


def test_jacobian_of_nothing_is_empty():
    found = functional.jacobian(lambda x: x * x, tenon.empty(0))
    assert found.shape == (0, 0)


def test_hessian_products_agree_with_the_matrix():
    def cubes(x):
        return (x * x * x).sum() + x[0] * x[1]

    x, v = tenon.tensor([1.0, 2.0]), tenon.tensor([10.0, 100.0])
    matrix = functional.hessian(cubes, x)
    assert matrix.tolist() == [[6.0, 1.0], [1.0, 12.0]]
    assert functional.hvp(cubes, x, v)[1].tolist() == [160.0, 1210.0]
    assert functional.vhp(cubes, x, v)[1].tolist() == [160.0, 1210.0]
    forward = functional.hessian(cubes, x, vectorize=True, outer_jacobian_strategy="forward-mode")
    assert forward.tolist() == matrix.tolist()


def test_a_linear_function_has_no_second_derivative():
    x = tenon.tensor([1.0, 2.0])
    assert functional.hessian(lambda x: x.sum(), x).tolist() == [[0.0, 0.0], [0.0, 0.0]]
    with pytest.raises(RuntimeError, match="strict"):
        functional.hessian(lambda x: x.sum(), x, strict=True)


@pytest.mark.parametrize(
    ("act", "text"),
    [
        (lambda x: functional.jacobian(lambda x: x, x, strategy="sideways"), "sideways"),
        (lambda x: functional.jacobian(lambda x: x, x, strict=True, vectorize=True), "strict"),
        (lambda x: functional.jacobian(lambda x: x, x, strategy="forward-mode"), "vectorize"),
        (lambda x: functional.jvp(lambda x: x, x), "v must be given"),
        (lambda x: functional.jvp(lambda x: x, x, (x, x)), "1 tensors"),
        (lambda x: functional.vjp(lambda x: tenon.ones(1), x, strict=True), "independent"),
        (lambda x: functional.vjp(lambda x, y: x.sum(), (x, x), strict=True), "input 1"),
        (lambda x: functional.hvp(lambda x: x, x, x), "single element"),
    ],
)
def test_what_is_refused(act, text):
    with pytest.raises(RuntimeError, match=text):
        act(tenon.ones(2))


def test_the_callers_tensors_are_unchanged():
    x = tenon.ones(2, requires_grad=True)
    found = functional.jacobian(lambda x: x * x, x)
    assert x.grad is None and not found.requires_grad
    assert functional.jacobian(lambda x: x * x, x, create_graph=True).requires_grad
