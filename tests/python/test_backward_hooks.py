# SPDX-License-Identifier: Apache-2.0
"""Backward hooks of modules: their arguments, and what they may replace."""

from __future__ import annotations

import pytest
import tenon
from tenon import nn
from tenon.nn.modules import module as module_hooks


@pytest.fixture(scope="module", autouse=True)
def identity():
    """Creates the class that all calls with backward hooks share."""
    relu = nn.ReLU()
    relu.register_full_backward_hook(lambda *args: None)
    relu(tenon.ones(1, requires_grad=True)).backward()


class Mix(nn.Module):
    """Three inputs, one of which is not a tensor, and two results."""

    def forward(self, x, word, y):
        return x * y, x + 0 * y


def test_gradients_are_matched_by_position():
    mix, seen = Mix(), []
    mix.register_full_backward_hook(lambda m, gin, gout: seen.append((gin, gout)))
    x = tenon.tensor([2.0], requires_grad=True)
    y = tenon.tensor([3.0], requires_grad=True)
    product, other = mix(x, "word", y)
    (product * 10 + other).backward()
    ((dx, word, dy), (dproduct, dother)) = seen[0]
    assert word is None and dx.item() == 31.0 and dy.item() == 20.0
    assert dproduct.item() == 10.0 and dother.item() == 1.0


def test_untracked_inputs_have_no_gradients():
    layer, seen = nn.Linear(1, 1), []
    layer.register_full_backward_hook(lambda m, gin, gout: seen.append((gin, len(gout))))
    with pytest.warns(UserWarning, match="some input must require grad"):
        layer(tenon.ones(1, 1)).sum().backward()
    assert seen == [((None,), 1)] and layer.weight.grad.item() == 1.0


def test_without_grad_mode_the_hooks_sleep():
    layer, seen = nn.Linear(1, 1), []
    layer.register_full_backward_hook(lambda *args: seen.append(1))
    with tenon.no_grad():
        assert not layer(tenon.ones(1, 1)).requires_grad
    assert seen == []


def test_hooks_of_all_modules_and_an_error():
    seen = []
    with (
        module_hooks.register_module_full_backward_pre_hook(lambda m, gout: seen.append("pre")),
        module_hooks.register_module_full_backward_hook(lambda m, gin, gout: seen.append("hook")),
    ):
        nn.ReLU()(tenon.ones(1, requires_grad=True)).backward()
    assert seen == ["pre", "hook"]
    relu = nn.ReLU()
    relu.register_full_backward_hook(lambda m, gin, gout: (gin[0], gin[0]))
    with pytest.raises(RuntimeError, match="1 gradients, got 2"):
        relu(tenon.ones(1, requires_grad=True)).backward()


def test_several_calls_keep_their_gradients_apart():
    relu, seen = nn.ReLU(), []
    relu.register_full_backward_hook(lambda m, gin, gout: seen.append(gout[0].item()))
    x = tenon.ones(1, requires_grad=True)
    (relu(x) * 2 + relu(x) * 3).backward()
    assert sorted(seen) == [2.0, 3.0] and x.grad.item() == 5.0
