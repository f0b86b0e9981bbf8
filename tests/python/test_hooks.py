# SPDX-License-Identifier: Apache-2.0
"""Hooks of tensors and nodes, retained gradients, node objects, backward of several tensors."""

from __future__ import annotations

import gc
import weakref

import pytest
import tenon
from tenon.autograd import graph


def leaf(*elements: float) -> tenon.Tensor:
    return tenon.tensor(list(elements), requires_grad=True)


class Token:
    """An object that supports weak references."""


# ---- What hooks may do ---------------------------------------------------------------------------


def test_hooks_want_functions():
    x = leaf(1.0)
    with pytest.raises(TypeError, match="callable, got int"):
        x.register_hook(3)
    with pytest.raises(TypeError, match="callable, got str"):
        (x * 2).grad_fn.register_prehook("f")
    with pytest.raises(TypeError, match="callable, got NoneType"):
        graph.queue_callback(None)


def test_hooks_want_tensors_that_gradients_flow_to():
    with pytest.raises(RuntimeError, match="require grad"):
        tenon.ones(1).register_hook(print)
    with pytest.raises(RuntimeError, match="leaf"):
        (leaf(1.0) * 2).register_post_accumulate_grad_hook(print)


def test_result_of_a_hook_is_checked():
    x = leaf(1.0, 2.0)
    y = (x * 2).sum()
    for bad, error, text in (
        (lambda g: "g", TypeError, "Tensor or None, got str"),
        (lambda g: tenon.ones(3), TypeError, r"shape \[2\], got \[3\]"),
        (lambda g: g.to(tenon.float64), TypeError, "float32, got float64"),
    ):
        with x.register_hook(bad), pytest.raises(error, match=text):
            y.backward(retain_graph=True)
    assert x.grad is None


def test_post_accumulate_hook_returns_nothing():
    x = leaf(1.0)
    x.register_post_accumulate_grad_hook(lambda tensor: tensor)
    with pytest.raises(TypeError, match="None, got"):
        (x * 2).backward()


def test_exception_of_a_hook_is_the_same_object():
    class Odd(Exception):
        pass

    odd = Odd("hook")

    def fail(grad):
        raise odd

    x = leaf(1.0)
    with x.register_hook(fail), pytest.raises(Odd) as caught:
        (x * 2).backward()
    assert caught.value is odd


def test_node_hook_replaces_gradients_of_inputs():
    a, b = leaf(2.0), leaf(5.0)
    y = a * b
    y.grad_fn.register_hook(lambda grads, outputs: (grads[0] * 10, None))
    y.backward()
    assert a.grad.tolist() == [50.0] and b.grad is None


def test_prehook_may_return_one_tensor():
    x = leaf(2.0)
    y = x * 3
    y.grad_fn.register_prehook(lambda grads: grads[0] * 10)
    y.backward()
    assert x.grad.tolist() == [30.0]


# ---- Nodes as objects ----------------------------------------------------------------------------


def test_attributes_of_a_node_live_as_long_as_the_node():
    y = leaf(1.0) * 2
    token = Token()
    seen = weakref.ref(token)
    y.grad_fn.metadata["token"] = token
    y.grad_fn.mine = 3
    del token
    gc.collect()
    assert y.grad_fn.mine == 3 and isinstance(y.grad_fn.metadata["token"], Token)
    del y
    assert seen() is None


def test_weak_reference_sees_a_node_while_its_graph_lives():
    y = leaf(1.0) * 2
    node = weakref.ref(y.grad_fn)
    assert node() is y.grad_fn and node().name() == "MulBackward0"
    z = y + 1
    del y
    assert node().name() == "MulBackward0" and z.grad_fn.next_functions[0][0] is node()
    del z
    gc.collect()
    assert node() is None


def test_cycle_of_a_node_and_its_attributes_is_collected():
    y = leaf(1.0) * 2
    node = y.grad_fn
    node.itself = node
    node.metadata["node"] = node
    seen = weakref.ref(node)
    del y, node
    gc.collect()
    assert seen() is None


def test_variable_of_a_leaf():
    x = leaf(1.0)
    node = graph.get_gradient_edge(x).node
    assert node.variable is x
    with pytest.raises(AttributeError, match="MulBackward0"):
        _ = (x * 2).grad_fn.variable
    del x
    assert node.variable is None


# ---- Several tensors -----------------------------------------------------------------------------


def test_multi_grad_hook_gets_none_for_unreached_tensors():
    a, b, c = leaf(1.0), leaf(2.0), leaf(3.0)
    seen = []
    graph.register_multi_grad_hook((a, b, c), seen.append)
    (a * c).backward()
    assert [None if g is None else g.item() for g in seen[0]] == [3.0, None, 1.0]


def test_multi_grad_hook_forgets_a_pass_that_failed():
    a, b = leaf(1.0), leaf(2.0)
    seen = []

    def fail(grad):
        raise ValueError("b")

    handle = b.register_hook(fail)
    graph.register_multi_grad_hook((a, b), seen.append)
    with handle, pytest.raises(ValueError, match="b"):
        (a * b).backward()
    (a * b).backward()
    assert len(seen) == 1


# ---- Gradients -----------------------------------------------------------------------------------


def test_gradients_of_any_dtype():
    x = leaf(1.0)
    x.grad_dtype = None
    assert x.grad_dtype is None
    x.grad = tenon.ones(1, dtype=tenon.float64)
    assert x.grad.dtype is tenon.float64
    with pytest.raises(RuntimeError, match="float32, got one of float64"):
        x.grad_dtype = tenon.float32
    with pytest.raises(TypeError, match="dtype or None, got int"):
        x.grad_dtype = 3


def test_passes_begin_and_end_at_edges():
    x = leaf(2.0)
    h = x * x
    y = h * h
    begin, end = graph.get_gradient_edge(y), graph.get_gradient_edge(h)
    (grad,) = tenon.autograd.grad(begin, end)
    assert grad.tolist() == [8.0]
    with pytest.raises(IndexError, match="MulBackward0, got number 3"):
        tenon.autograd.grad(begin, graph.GradientEdge(end.node, 3))
    with pytest.raises(TypeError, match="Tensor or GradientEdge, got int"):
        tenon.autograd.grad(y, (3,))
