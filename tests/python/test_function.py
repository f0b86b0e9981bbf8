# SPDX-License-Identifier: Apache-2.0
"""Custom autograd functions: what PyTorch does not have, leaks, and bad input."""

from __future__ import annotations

import gc
import threading
import weakref

import pytest
import tenon
from tenon import _tenon
from tenon.autograd import Function
from tenon.autograd.function import once_differentiable


class Square(Function):
    """A square whose gradient is ten times too large, so that tests recognize it."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * x * 20


def leaf(*values):
    return tenon.tensor(list(values), dtype=tenon.float64, requires_grad=True)


def live():
    gc.collect()
    return [_tenon.tenon_introspect_live_count(kind) for kind in range(32)]


def test_nothing_is_left_of_many_calls():
    def rounds():
        for _ in range(50):
            x = leaf(1.0, 2.0)
            y = Square.apply(x).sum()
            y.grad_fn.tag = object()
            y.backward()
            Square.apply(x)
            Square.apply(x.detach())

    rounds()
    before = live()
    rounds()
    assert live() == before


def test_context_is_the_node_and_lives_as_long():
    y = Square.apply(leaf(3.0))
    node = y.grad_fn
    node.note = "kept"
    gone = weakref.ref(node)
    address = id(node)
    del node
    gc.collect()
    assert id(y.grad_fn) == address and y.grad_fn.note == "kept"
    del y
    gc.collect()
    assert gone() is None


def test_node_outlives_its_output():
    y = Square.apply(leaf(3.0))
    node = y.grad_fn
    del y
    assert node.next_functions[0][0].name() == "AccumulateGrad"
    assert node.saved_tensors[0].item() == 3.0


def test_passes_of_several_threads():
    x = leaf(2.0)
    y = Square.apply(x)
    found = []

    def run():
        found.append(tenon.autograd.grad(y, x, retain_graph=True)[0].item())

    threads = [threading.Thread(target=run) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [40.0] * 8


def test_second_derivative_of_once_differentiable_is_refused():
    class Once(Square):
        @staticmethod
        @once_differentiable
        def backward(ctx, grad):
            assert not tenon.is_grad_enabled()
            (x,) = ctx.saved_tensors
            return grad * x * 2

    x = leaf(3.0)
    Once.apply(x).backward()
    assert x.grad.item() == 6.0
    (slope,) = tenon.autograd.grad(Once.apply(x), x, create_graph=True)
    assert slope.item() == 6.0
    with pytest.raises(RuntimeError, match="once_differentiable"):
        tenon.autograd.grad(slope, x)


def test_backward_must_fit_the_arguments():
    class Two(Function):
        given = None

        @staticmethod
        def forward(ctx, x, k):
            return x * k

        @staticmethod
        def backward(ctx, grad):
            return Two.given

    for given, error, words in (
        ((None,), RuntimeError, "each of 2 arguments"),
        ((None, 1), RuntimeError, "must be None"),
        ((1, None), TypeError, "must be Tensor or None, got int"),
    ):
        Two.given = given
        with pytest.raises(error, match=words):
            Two.apply(leaf(1.0), 3).backward()
    Two.given = (None, None, None)
    Two.apply(leaf(1.0), 3).backward()


def test_bad_use_of_the_context():
    kept = []

    class Keeps(Function):
        @staticmethod
        def forward(ctx, x):
            kept.append(ctx)
            with pytest.raises(TypeError, match="mark_dirty: argument 0 must be Tensor"):
                ctx.mark_dirty(3)
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad

    y = Keeps.apply(leaf(1.0))
    assert kept[0] is y.grad_fn
    with pytest.raises(RuntimeError, match="recorded"):
        kept[0].save_for_backward(y)
    Keeps.apply(tenon.tensor([1.0]))
    with pytest.raises(RuntimeError, match="must be recorded"):
        kept[1].saved_tensors  # noqa: B018
    with pytest.warns(DeprecationWarning), pytest.raises(RuntimeError, match="applied as a class"):
        Keeps()(leaf(1.0))
    with pytest.raises(RuntimeError, match="at most 256"):
        Keeps.apply(*([leaf(1.0)] * 300))


def test_a_function_is_no_base_of_others_records():
    with pytest.raises(TypeError, match="derive from FunctionContext"):
        _tenon.FunctionRecord("Odd", int, False)
