# SPDX-License-Identifier: Apache-2.0
"""Softmax along a dim that is not the last returns what softmax of the transposed tensor does."""

from __future__ import annotations

import math

import pytest
import tenon

aten = tenon.ops.aten
SHAPES = [(1, 3), (5, 3), (32, 32), (33, 65), (7, 256), (256, 7), (300, 300), (2, 3, 4)]
SHAPES += [(4, 50, 6), (3, 1000, 17), (2, 40_000, 3), (5, 1, 7), (2, 600, 2, 3)]
KINDS = {tenon.float32: 1e-6, tenon.float64: 1e-14}


def along_rows(call, dim: int, *tensors: tenon.Tensor) -> tenon.Tensor:
    turned = [x.transpose(dim, -1).contiguous() for x in tensors]
    return call(*turned, turned[0].dim() - 1).transpose(dim, -1)


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_columns_answer_as_rows(shape, kind):
    tenon.manual_seed(len(shape))
    x, grad = tenon.randn(shape, dtype=kind) * 3, tenon.randn(shape, dtype=kind)
    x.view(-1)[0] = -math.inf
    calls = {
        "softmax": (lambda a, dim: tenon.softmax(a, dim), (x,)),
        "log_softmax": (lambda a, dim: tenon.log_softmax(a, dim), (x,)),
        "softmax_backward": (
            lambda a, b, dim: aten._softmax_backward_data(a, b, dim, kind),
            (grad, tenon.rand(shape, dtype=kind)),
        ),
        "log_softmax_backward": (
            lambda a, b, dim: aten._log_softmax_backward_data(a, b, dim, kind),
            (grad, -tenon.rand(shape, dtype=kind)),
        ),
    }
    for dim in range(len(shape)):
        for name, (call, tensors) in calls.items():
            got, expected = call(*tensors, dim), along_rows(call, dim, *tensors)
            bounds = {"rtol": 4 * KINDS[kind], "atol": KINDS[kind] * shape[dim] ** 0.5}
            assert tenon.allclose(got, expected, equal_nan=True, **bounds), (name, dim)


def test_nan_stays_in_its_column():
    x = tenon.zeros(20, 30)
    x[3, 4] = math.nan
    found = tenon.softmax(x, 0).isnan()
    assert found[:, 4].all()
    assert found.sum().item() == 20


@pytest.mark.parametrize("rows", [1, 15, 16, 17, 100])
@pytest.mark.parametrize("length", [1, 31, 32, 512, 513, 2000])
def test_logarithms_of_several_rows_at_once(rows, length):
    tenon.manual_seed(rows)
    x = tenon.randn(rows, length)
    expected = x.double() - x.double().logsumexp(1, keepdim=True)
    assert tenon.allclose(tenon.log_softmax(x, 1).double(), expected, rtol=1e-6, atol=2e-6)
