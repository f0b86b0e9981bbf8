# SPDX-License-Identifier: Apache-2.0
"""float16 and bfloat16 are computed as float32, in vectors and a rest: each result rounds once."""

from __future__ import annotations

import math
import operator

import pytest
import tenon

KINDS = [tenon.float16, tenon.bfloat16]
COUNTS = [*range(1, 36), 63, 64, 65, 255, 256, 257, 1000, 4097, 70_001]
OPERATORS = [operator.add, operator.sub, operator.mul, operator.truediv]
IN_PLACE = [operator.iadd, operator.isub, operator.imul, operator.itruediv]


def operands(count: int, kind: tenon.dtype) -> tuple[tenon.Tensor, tenon.Tensor]:
    tenon.manual_seed(count)
    a, b = (tenon.randn(count) * 3, tenon.randn(count))
    special = [math.inf, math.nan, 6e4, 1e-7, 0.0, -0.0, 3e38]
    for k, value in enumerate(special[: count - 1]):
        a[k] = value
        b[count - 1 - k] = value
    return a.to(kind), b.to(kind)


def same(got: tenon.Tensor, expected: tenon.Tensor) -> bool:
    return got.dtype == expected.dtype and bool(
        tenon.allclose(got.float(), expected.float(), rtol=0, atol=0, equal_nan=True)
    )


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("k", range(4), ids=["add", "sub", "mul", "div"])
def test_results_round_once(k, kind):
    for count in COUNTS:
        a, b = operands(count, kind)
        expected = OPERATORS[k](a.float(), b.float()).to(kind)
        assert same(OPERATORS[k](a, b), expected), count
        assert same(IN_PLACE[k](a, b), expected), count
        assert same(a, expected), count


SHAPES = [(1, 1), (3, 5), (17, 33), (64, 64), (100, 7), (7, 100), (20, 1000), (1000, 20)]
SHAPES += [(300, 257), (9, 5000), (5000, 9), (40, 30, 20), (1, 70_000)]
TOLERANCE = {tenon.float16: 2**-10, tenon.bfloat16: 2**-7, tenon.float32: 2e-6}


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_sums_along_any_dims(shape, kind):
    tenon.manual_seed(len(shape))
    values = tenon.randn(shape).to(kind)
    several = [[d] for d in range(len(shape))] + [list(range(len(shape)))]
    if len(shape) == 3:
        several += [[0, 2], [0, 1], [1, 2]]
    for x in (values, values.transpose(0, -1), values[..., ::2]):
        for dim in several:
            for to in (kind, tenon.float32):
                scale = x.double().abs().sum(dim)
                got = x.sum(dim, dtype=to).double()
                assert ((got - x.double().sum(dim)).abs() <= TOLERANCE[to] * scale).all(), dim
                got, expected = x.mean(dim, dtype=to).double(), x.double().mean(dim)
                bound = TOLERANCE[to] * scale / (x.numel() // max(1, expected.numel()))
                assert ((got - expected).abs() <= bound).all(), dim


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_large_terms_do_not_overflow_on_the_way(kind):
    large = 6e4 if kind == tenon.float16 else 3e38
    values = tenon.full((100, 300), large)
    values[1::2] = -large
    values = values.to(kind)
    for x, dim in ((values, [0]), (values.t().contiguous(), [1]), (values, [0, 1])):
        assert (x.sum(dim) == 0).all(), dim


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_infinity_and_nan_stay_in_their_row_and_column(kind):
    values = tenon.ones(40, 70)
    values[5, 7] = math.inf
    values[30, 9] = math.nan
    values = values.to(kind)
    for dim, infinite, unordered, count in ((0, 7, 9, 40), (1, 5, 30, 70)):
        sums = values.sum([dim]).tolist()
        assert sums[infinite] == math.inf
        assert math.isnan(sums[unordered])
        others = [s for k, s in enumerate(sums) if k not in (infinite, unordered)]
        assert set(others) == {float(count)}
