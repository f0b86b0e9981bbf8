# SPDX-License-Identifier: Apache-2.0
"""Runs and binds calls of the conformance cases as graphs, see graph_calls.py.

A composite that is recorded at the call is one call, and a plan contains its kernel's calls.
"""

from __future__ import annotations

import collections

import cases
import graph_calls
import pytest
import tenon
from tenon import graph, ops

# Tensors without memory, and generators, whose numbers a graph would keep as constants.
UNFIT = ("'meta'", "'generator'")


def _calls():
    """Yields the calls of cases that do not fail, with CPU tensors."""
    for file, case in cases.all_cases():
        if "op" not in case or "error" in case or any(x in str(case) for x in UNFIT):
            continue
        if not case["op"].partition("::")[2].startswith(graph_calls.UNSET):
            yield f"{file}-{case['name']}", case


def test_calls_of_all_cases():
    reasons = collections.Counter()
    wrong = []
    for name, case in _calls():
        args, kwargs = cases.arguments(case)
        found, reason = graph_calls.check(case["op"], tuple(args), kwargs)
        if found:
            wrong.append(f"{name}: {found}")
        reasons[reason or "runs by a plan"] += 1
    assert not wrong, "\n".join(wrong)
    assert reasons["runs by a plan"] > reasons.total() / 3, reasons


def _traced(function, *inputs):
    """Records a function at its calls, not below autograd."""
    return graph.trace(function, *inputs, below_autograd=False)


def _equal(one, other):
    assert one.tolist() == other.tolist() and one.stride() == other.stride()


@pytest.mark.parametrize(
    "function",
    [
        lambda x, w: tenon.addmm(w[0], x, w),
        lambda x, w: tenon.addmm(w[0], x, w, beta=0.5, alpha=2.0),
        lambda x, w: tenon.nn.functional.layer_norm(x, [4], w[0], w[1]),
        lambda x, w: tenon.nn.functional.rms_norm(x, [4], w[0]),
        lambda x, w: tenon.stack([x, x + w[0], x], 1),
        lambda x, w: tenon.stack([x.t(), x.t()], -1).sum(0),
        lambda x, w: tenon.var(x, 1) + tenon.std(x, 1).mean(),
        lambda x, w: tenon.triu(x) + tenon.tril(x, -1),
        lambda x, w: (x * 1.0).triu_().t(),
        lambda x, w: tenon.nn.functional.linear(x, w.t(), w[0]),
        lambda x, w: x.t().reshape(-1)[1:],
        lambda x, w: (x @ w).expand(2, 3, 4).contiguous(),
        lambda x, w: x.masked_fill(x > 0, 0.5),
        lambda x, w: tenon.nn.functional.dropout(x, 0.5, False) * 2.0,
        lambda x, w: x.gather(1, tenon.tensor([[0], [3], [1]])),
        lambda x, w: w[tenon.tensor([0, 2]), 1:],
        lambda x, w: tenon.nn.functional.scaled_dot_product_attention(
            *(x.expand(2, 3, 4) + i for i in range(3))
        ),
    ],
)
@pytest.mark.parametrize("below_autograd", [True, False])
def test_composites_bind(function, below_autograd):
    first = tenon.randn(3, 4), tenon.randn(4, 4)
    traced = graph.trace(function, *first, below_autograd=below_autograd)
    assert traced.bind(*first) is None
    for _ in range(2):
        args = tenon.randn(3, 4), tenon.randn(4, 4)
        _equal(traced(*args), function(*args))


def test_a_composite_resizes_its_out_in_each_run():
    def function(x, out):
        return tenon.ldexp(x, x, out=out)

    traced = graph.trace(function, tenon.ones(3), tenon.empty(0))
    for _ in range(2):
        x, out = tenon.arange(3.0), tenon.empty(0)
        assert traced.bind(x, out) is not None and out.shape == (0,)
        assert traced(x, out) is out
        assert out.tolist() == [0, 2, 8]


def test_a_composites_write_happens_once_per_run():
    def function(x, a, b):
        x.addmm_(a, b)
        return x.add_(1)

    args = tenon.zeros(2, 2), tenon.ones(2, 2), tenon.ones(2, 2)
    traced = _traced(function, *args)
    x = tenon.zeros(2, 2)
    assert traced.bind(x, *args[1:]) is None
    assert x.tolist() == [[0, 0], [0, 0]] and x._version == 0
    for i in range(1, 3):
        assert traced(x, *args[1:]) is x
        assert x.tolist() == [[3 * i, 3 * i], [3 * i, 3 * i]] and x._version == 2 * i


def test_a_composite_of_others_is_called():
    called = []
    with tenon.library._scoped_library("graph_calls", "DEF") as library:
        library.define("twice(Tensor x) -> Tensor")

        def twice(x):
            called.append(x)
            return x * 2

        library.impl("twice", twice, "CompositeImplicitAutograd")
        traced = _traced(lambda x: ops.graph_calls.twice(x), tenon.ones(2))
        assert "cannot be bound" in traced.bind(tenon.ones(2))
        called.clear()
        assert traced(tenon.ones(2)).tolist() == [2, 2] and len(called) == 1


def test_differences_are_found(monkeypatch):
    """Detects a graph whose runs write wrong elements."""
    right = graph_calls.CallOfOperator.run

    def off(self, *tensors):
        return right(self, *tensors) + (tensors[0] if graph.is_recording() else 0)

    monkeypatch.setattr(graph_calls.CallOfOperator, "run", off)
    found, _ = graph_calls.check("aten::relu", (tenon.ones(2),), {})
    assert "run: results 0" in found
