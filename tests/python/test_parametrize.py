# SPDX-License-Identifier: Apache-2.0
"""Parametrizations of parameters and buffers."""

from __future__ import annotations

import pytest
import tenon
from tenon import nn
from tenon.nn.utils import parametrize


class Doubled(nn.Module):
    """Doubles the original."""

    def forward(self, x):
        return x * 2

    def right_inverse(self, x):
        return x / 2


class Product(nn.Module):
    """Multiplies two originals."""

    def forward(self, a, b):
        return a * b

    def right_inverse(self, x):
        return x.clone(), tenon.ones_like(x)


def layer():
    made = nn.Linear(1, 1, bias=False)
    made.weight.data.fill_(6)
    return made


def test_the_tensor_keeps_its_value_and_can_be_assigned():
    made = layer()
    weight = made.weight
    parametrize.register_parametrization(made, "weight", Doubled())
    assert made.weight.item() == 6.0 and made.parametrizations.weight.original is weight
    assert weight.item() == 3.0 and type(made).__name__ == "ParametrizedLinear"
    made(tenon.ones(1, 1)).sum().backward()
    assert weight.grad.item() == 2.0
    made.weight = tenon.full((1, 1), 10.0)
    assert weight.item() == 5.0
    parametrize.register_parametrization(made, "weight", Doubled())
    assert made.weight.item() == 10.0 and weight.item() == 2.5
    parametrize.remove_parametrizations(made, "weight", leave_parametrized=False)
    assert made.weight is weight and type(made) is nn.Linear
    assert not parametrize.is_parametrized(made)


def test_several_originals_and_a_cache():
    made = parametrize.register_parametrization(layer(), "weight", Product())
    assert [name for name, _ in made.named_parameters()] == [
        "parametrizations.weight.original0",
        "parametrizations.weight.original1",
    ]
    assert made.weight is not made.weight
    with parametrize.cached():
        assert made.weight is made.weight
    with pytest.raises(ValueError, match="leave_parametrized"):
        parametrize.remove_parametrizations(made, "weight", leave_parametrized=False)
    parametrize.remove_parametrizations(made, "weight")
    assert made.weight.item() == 6.0 and isinstance(made.weight, nn.Parameter)


def test_invalid_parametrizations_are_refused_and_change_nothing():
    class Longer(nn.Module):
        def forward(self, x):
            return tenon.cat([x, x])

    made = layer()
    with pytest.raises(ValueError, match="shape"):
        parametrize.register_parametrization(made, "weight", Longer())
    assert type(made) is nn.Linear and list(made.state_dict()) == ["weight"]
    with pytest.raises(ValueError, match="another name"):
        parametrize.register_parametrization(made, "nothing", Longer())
    with pytest.raises(ValueError, match="parametrised"):
        parametrize.remove_parametrizations(made, "weight")
    parametrize.register_parametrization(made, "weight", Longer(), unsafe=True)
    assert made.weight.shape == (2, 1)
    with pytest.raises(RuntimeError, match="right_inverse"):
        made.weight = tenon.ones(1, 1)
