# SPDX-License-Identifier: Apache-2.0
"""Names of nodes: the operator's, and the number of the overload that was called."""

import pytest
from seed import torch


def leaf():
    return torch.tensor([[1.0, 2.0], [3.0, 4.0]]).requires_grad_()


def mask():
    return torch.tensor([[True, False], [False, True]])


def number():
    return torch.tensor(2.0)


NAMES = {
    "SumBackward0": lambda a: a.sum(),
    "SumBackward1": lambda a: a.sum(0),
    "MeanBackward0": lambda a: a.mean(),
    "MeanBackward1": lambda a: a.mean(0),
    "ProdBackward0": lambda a: a.prod(),
    "ProdBackward1": lambda a: a.prod(0),
    "MaxBackward0": lambda a: a.max(0)[0],
    "MaxBackward1": lambda a: a.max(),
    "MinBackward0": lambda a: a.min(0)[0],
    "MinBackward1": lambda a: a.min(),
    "MedianBackward0": lambda a: a.median(),
    "MedianBackward1": lambda a: a.median(0)[0],
    "PowBackward0": lambda a: a**2,
    "PowBackward1": lambda a: a**a,
    "ClampBackward0": lambda a: torch.clamp(a, a, a),
    "ClampBackward1": lambda a: torch.clamp(a, 0, 1),
    "LerpBackward0": lambda a: torch.lerp(a, a, 0.5),
    "LerpBackward1": lambda a: torch.lerp(a, a, a),
    "SqueezeBackward0": lambda a: a.unsqueeze(0).squeeze(),
    "SqueezeBackward1": lambda a: a.unsqueeze(0).squeeze(0),
    "DivBackward0": lambda a: a / 2,
    "DivBackward2": lambda a: torch.div(a, a, rounding_mode="floor"),
    "RemainderBackward0": lambda a: a % 2,
    "MaskedFillBackward0": lambda a: a.masked_fill(mask(), 1.0),
    "MaskedFillBackward1": lambda a: a.masked_fill(mask(), number()),
    "AddBackward0": lambda a: a + 1,
    "MulBackward0": lambda a: a * 2,
    "ScatterBackward1": lambda a: a.scatter(0, torch.tensor([[0, 1]]), 1.0),
}


@pytest.mark.parametrize("name", NAMES)
def test_node_is_named_after_the_overload(name):
    result = NAMES[name](leaf())
    assert result.grad_fn.name() == name
    assert type(result.grad_fn).__name__ == name


def test_node_of_an_operator_written_in_place():
    a = leaf().clone()
    a.clamp_(0, 1)
    assert a.grad_fn.name() == "ClampBackward1"
