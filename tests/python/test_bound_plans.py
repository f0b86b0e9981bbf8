# SPDX-License-Identifier: Apache-2.0
"""Bound plans: runs of graphs that go through loops only give what calls give."""

import threading

import pytest
import tenon
from tenon import graph
from tenon.utils._python_dispatch import TorchDispatchMode


def _mlp(x, w, v, bias):
    hidden = tenon.relu(tenon.mm(x, w) + bias)
    return tenon.mm(hidden, v).sum(1), hidden.t().exp()


def _tensors(rows=5):
    return (
        tenon.randn(rows, 4),
        tenon.randn(4, 6),
        tenon.randn(6, 3),
        tenon.randn(6),
    )


def _equal(a, b):
    assert a.shape == b.shape and a.stride() == b.stride() and a.dtype is b.dtype
    assert a.tolist() == b.tolist()


def test_a_bound_run_equals_calls_bit_for_bit():
    args = _tensors()
    traced = graph.trace(_mlp, *args)
    assert traced.bind(*args) is None
    for _ in range(3):
        args = _tensors()
        for bound, eager in zip(traced(*args), _mlp(*args), strict=True):
            _equal(bound, eager)


@pytest.mark.parametrize(
    "function",
    [
        lambda x, y: x + y,
        lambda x, y: x * y.t().t() - y,
        lambda x, y: tenon.where(x > y, x, y),
        lambda x, y: (x + y[0]).abs(),
        lambda x, y: x.t() * y.t(),
        lambda x, y: x.mul(2.0).add_(y),
        lambda x, y: (x + y).sum(),
        lambda x, y: (x * y).amax(0),
        lambda x, y: tenon.mm(x, y.t()).mean(1),
    ],
)
def test_kinds_of_steps(function):
    first = tenon.randn(3, 4), tenon.randn(3, 4)
    traced = graph.trace(function, *first, below_autograd=True)
    assert traced.bind(*first) is None
    args = tenon.randn(3, 4), tenon.randn(3, 4)
    _equal(traced(*args), function(*args))


def test_other_arguments_take_calls():
    args = _tensors()
    traced = graph.trace(_mlp, *args)
    assert traced.bind(*args) is None
    larger = _tensors(rows=7)
    _equal(traced(*larger)[0], _mlp(*larger)[0])
    wide = tuple(each.double() for each in args)
    _equal(traced(*wide)[0], _mlp(*wide)[0])
    leaf = args[0].clone().requires_grad_()
    assert traced(leaf, *args[1:])[0].requires_grad
    turned = args[0].t().contiguous().t()
    _equal(traced(turned, *args[1:])[0], _mlp(turned, *args[1:])[0])


def test_another_default_dtype_takes_calls():
    def function(x):
        return x.sin(), x / 2

    args = (tenon.tensor([1, 2, 3]),)
    traced = graph.trace(function, *args)
    assert traced.bind(*args) is None
    before = tenon.get_default_dtype()
    try:
        tenon.set_default_dtype(tenon.float64)
        for _ in range(3):
            for bound, eager in zip(traced(*args), function(*args), strict=True):
                _equal(bound, eager)
    finally:
        tenon.set_default_dtype(before)
    _equal(traced(*args)[0], function(*args)[0])


def test_modes_see_each_call():
    args = tenon.ones(2), tenon.ones(2)
    traced = graph.trace(lambda x, y: x + y * x, *args)
    assert traced.bind(*args) is None
    seen = []

    class Mode(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            seen.append(func)
            return func(*args, **(kwargs or {}))

    with Mode():
        assert traced(*args).tolist() == [2.0, 2.0]
    assert len(seen) == 2


def test_a_kernel_registered_later_is_called():
    args = (tenon.ones(3),)
    traced = graph.trace(lambda x: tenon.relu(x), *args)
    assert traced.bind(*args) is None
    with tenon.library.Library("aten", "IMPL") as library:
        library.impl("relu", lambda x: x * 5, "CPU")
        assert traced(*args).tolist() == [5.0, 5.0, 5.0]
        assert traced(*args).tolist() == [5.0, 5.0, 5.0]
        assert "does not bind" in traced.bind(*args)
    assert traced(*args).tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (lambda x: x.add_(1.0) * 2.0, "writes an input or attribute"),
        (lambda x: x.t(), "outputs must be"),
        (lambda x: tenon.cumsum(x, 0), "does not bind"),
    ],
)
def test_what_stands_against_a_plan_is_told(function, reason):
    x = tenon.ones(2, 2)
    traced = graph.trace(function, tenon.ones(2, 2), below_autograd=True)
    assert reason in traced.bind(x)
    expected = function(x.clone())
    _equal(traced(x), expected)


def test_threads_run_one_plan_at_once():
    args = _tensors()
    traced = graph.trace(_mlp, *args)
    assert traced.bind(*args) is None
    wrong = []

    def work():
        for _ in range(200):
            mine = _tensors()
            if traced(*mine)[0].tolist() != _mlp(*mine)[0].tolist():
                wrong.append(mine)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_an_attribute_that_is_a_view_and_asks_for_gradients_later_gets_them():
    a = tenon.randn(3)[...]
    traced = graph.trace(lambda: a.tanh() * 2.0)
    assert traced.bind() is None
    assert not traced().requires_grad
    a.requires_grad_()
    assert traced().requires_grad
