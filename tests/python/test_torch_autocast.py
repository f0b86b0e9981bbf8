# SPDX-License-Identifier: Apache-2.0
"""Autocast compared with PyTorch: operators with a rule, results in regions, gradient scaling."""

from __future__ import annotations

import pytest
import tenon

torch = pytest.importorskip("torch", reason="PyTorch is not installed: ./dev test --with-torch")

# Both libraries run the same calls.
PEERS = (tenon, torch)


def has_rule_there(name: str, key: str) -> bool:
    try:
        return torch._C._dispatch_has_kernel_for_dispatch_key(name, key)
    except RuntimeError:  # no such operator
        return False


# Composites in PyTorch: it calls nll_loss or nll_loss2d, which have the rule.
INSIDE = {"aten::nll_loss_nd"}


@pytest.mark.parametrize("key", ["AutocastCPU", "AutocastCUDA"])
def test_the_same_operators_have_rules(key):
    tenon.ones(1).exp()  # loads the operators
    here, there = set(), set()
    for name in tenon.introspect.operators("aten"):
        slot = tenon.introspect.dispatch_table(name)[key]
        if not slot.fallthrough:
            here.add(name)
        if has_rule_there(name, key):
            there.add(name)
    assert here == there | INSIDE and len(here) > 80


def cpu_calls(package):
    """Calls in autocast regions, whose results' dtypes and values are compared."""
    low, full = package.bfloat16, package.float32
    eye = package.eye(3)
    dtypes = (low, package.float16, full, package.float64)
    F = package.nn.functional
    results = {}
    for dtype in dtypes:
        a = (eye + 0.5).to(dtype)
        for name, call in {
            "mm": lambda a=a: package.mm(a, a),
            "matmul": lambda a=a: a @ a[0],
            "linear": lambda a=a: F.linear(a, a),
            "exp": lambda a=a: a.exp(),
            "sum": lambda a=a: a.sum(),
            "softmax": lambda a=a: package.softmax(a, 0),
            "add": lambda a=a: a + eye,
            "mse_loss": lambda a=a: F.mse_loss(a, a * 2),
            "nll_loss": lambda a=a: F.nll_loss(a, package.tensor([0, 1, 2])),
            "cross_entropy": lambda a=a: F.cross_entropy(a, package.tensor([0, 1, 2])),
        }.items():
            results[f"{name} of {dtype}".replace("tenon.", "").replace("torch.", "")] = call
    results["cat"] = lambda: package.cat([eye.to(low), eye])
    results["stack"] = lambda: package.stack([eye.to(low), eye, eye.double()])
    return results


@pytest.mark.parametrize("lower", ["bfloat16", "float16"])
def test_calls_in_regions_have_equal_results(lower):
    found = []
    for package in PEERS:
        answers = {}
        with package.autocast("cpu", dtype=getattr(package, lower)):
            for name, call in cpu_calls(package).items():
                if lower == "float16" and name in ("cat", "stack"):
                    continue  # with a third precision: both libraries refuse
                result = call()
                answers[name] = (str(result.dtype).partition(".")[2], result.double().tolist())
        found.append(answers)
    here, there = found
    assert here.keys() == there.keys()
    for name, (dtype, values) in here.items():
        assert dtype == there[name][0], name
        assert _flat(values) == pytest.approx(_flat(there[name][1]), rel=2e-2, abs=2e-2), name


def _flat(values):
    return [one for part in values for one in _flat(part)] if isinstance(values, list) else [values]


def test_a_third_precision_is_refused_by_both():
    for package in PEERS:
        half = package.ones(1, dtype=package.float16)
        with (
            package.autocast("cpu", dtype=package.bfloat16),
            pytest.raises((RuntimeError, TypeError)),
        ):
            package.cat([half, half])


@pytest.mark.parametrize("steps", [(1.0,), (1.0, 1.0, float("inf"), 1.0), (float("nan"), 2.0)])
def test_scalers_go_through_the_same_states(steps):
    found = []
    for package in PEERS:
        made = package.amp.GradScaler("cpu", init_scale=8.0, growth_interval=2)
        made.scale(package.ones(()))
        states = []
        for grad in steps:
            w = package.ones(2, requires_grad=True)
            w.grad = package.tensor([grad, 1.0])
            optimizer = package.optim.SGD([w], lr=1.0)
            made.step(optimizer)
            made.update()
            states.append((made.state_dict(), w.tolist()))
        found.append(states)
    assert found[0] == found[1]
