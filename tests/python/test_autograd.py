# SPDX-License-Identifier: Apache-2.0
"""Gradients in Python: leaves, backward passes, graphs, views, formulas compared with PyTorch's."""

from __future__ import annotations

import gc
import threading

import pytest
import tenon
from tenon import autograd


def leaf(data, dtype=tenon.float64):
    return tenon.tensor(data, dtype=dtype, requires_grad=True)


def const(data):
    return tenon.tensor(data, dtype=tenon.float64)


def near(tensor, expected):
    found = _flatten(tensor.detach().tolist())
    assert found == pytest.approx(_flatten(expected), rel=1e-9, abs=1e-12)


def _flatten(data):
    return [x for each in data for x in _flatten(each)] if isinstance(data, list) else [data]


# ---- Leaves and passes ---------------------------------------------------------------------------


def test_scalar_begins_with_one():
    x = leaf(3.0)
    (x * x).backward()
    near(x.grad, 6.0)
    assert x.grad.shape == x.shape and not x.grad.requires_grad


def test_factories_take_requires_grad():
    for made in (
        tenon.ones(2, requires_grad=True),
        tenon.zeros((2,), dtype=tenon.float64, requires_grad=True),
        tenon.full((2,), 1.0, requires_grad=True),
        tenon.tensor([1.0, 2.0], requires_grad=True),
        tenon.rand(2, requires_grad=True),
    ):
        assert made.requires_grad and made.is_leaf and made.grad_fn is None and made.grad is None
    assert not tenon.ones(2, requires_grad=False).requires_grad
    with pytest.raises(tenon.Error, match="floating"):
        tenon.ones(2, dtype=tenon.int64, requires_grad=True)


def test_vector_needs_a_gradient_of_its_shape():
    x = leaf([1.0, 2.0])
    with pytest.raises(RuntimeError, match="scalar"):
        (x * 2).backward()
    y = x * 2
    with pytest.raises(RuntimeError, match="shape"):
        y.backward(const([1.0, 1.0, 1.0]))
    y.backward(const([1.0, 10.0]))
    near(x.grad, [2.0, 20.0])


def test_untracked_output_is_refused():
    with pytest.raises(RuntimeError, match="require grad"):
        const(1.0).backward()


def test_second_pass_needs_the_graph():
    x = leaf([1.0, 2.0])
    y = (x * x).sum()
    y.backward(retain_graph=True)
    y.backward()
    near(x.grad, [4.0, 8.0])
    with pytest.raises(RuntimeError, match="second"):
        y.backward()


def test_accumulation_keeps_the_tensor_but_for_recorded_passes():
    x = leaf([1.0])
    (x * 2).backward()
    first = x.grad
    (x * 3).backward()
    assert x.grad is first
    near(first, [5.0])
    (x * x).backward(create_graph=True)
    assert x.grad is not first
    near(first, [5.0])
    near(x.grad, [7.0])
    x.grad = None  # breaks a reference cycle: the gradient holds the graph, which holds x


def test_assigned_grad_is_checked_and_added_to():
    x = leaf([1.0, 2.0])
    buffer = const([100.0, 200.0])
    x.grad = buffer
    (x * 3).sum().backward()
    assert x.grad is buffer
    near(buffer, [103.0, 203.0])
    with pytest.raises(RuntimeError, match="sizes"):
        x.grad = const([1.0])
    with pytest.raises(RuntimeError):
        x.grad = 3
    x.grad = None
    assert x.grad is None


def test_grad_of_a_result_is_read_with_a_warning():
    x = leaf([1.0])
    h = x * 2
    h.backward()
    with pytest.warns(UserWarning, match="leaf"):
        assert h.grad is None


def test_grad_returns_gradients_and_sets_none():
    a, b = leaf([2.0]), leaf([3.0])
    got = autograd.grad(a * b * b, (a, b))
    near(got[0], [9.0])
    near(got[1], [12.0])
    assert a.grad is None and b.grad is None
    assert list(autograd.grad(a * b, {"b": b, "a": a})) == ["b", "a"]
    with pytest.raises(RuntimeError, match="used"):
        autograd.grad(a * 2, b)
    assert autograd.grad(a * 2, b, allow_unused=True) == (None,)
    near(autograd.grad(a * 2, b, materialize_grads=True)[0], [0.0])
    with pytest.raises(RuntimeError, match="inputs"):
        autograd.grad(a * 2, ())


class _Failing(autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        raise KeyError("in backward")


def test_of_two_branches_the_newer_runs_first():
    order = []
    x = tenon.ones(1, requires_grad=True)
    branches = [x * 2, x * 3, x * 4]
    for number, branch in enumerate(branches):
        branch.grad_fn.register_prehook(lambda grads, number=number: order.append(number))
    (branches[2] + branches[0] + branches[1]).backward()
    assert order == [2, 1, 0]


def test_leaves_that_were_complete_before_a_failure_keep_their_gradients():
    early, late, both = (tenon.ones(1, requires_grad=True) for _ in range(3))
    bad = _Failing.apply(late * both)
    good = early * both * 3
    with pytest.raises(KeyError, match="in backward"):
        (bad + good).backward()
    assert early.grad.tolist() == [3.0]
    assert late.grad is None and both.grad is None


def test_leaf_that_fails_after_a_failure_is_told_in_a_note():
    early, late = (tenon.ones(1, requires_grad=True) for _ in range(2))

    def refuse(grad):
        raise ValueError("in a hook")

    early.register_hook(refuse)
    bad = _Failing.apply(late)
    good = early * 3
    with pytest.raises(KeyError, match="in backward") as caught:
        (bad + good).backward()
    assert early.grad is None and late.grad is None
    notes = caught.value.__notes__
    assert any("accumulating a gradient into a leaf then failed too" in note for note in notes)


def test_roots_inside_each_other():
    x = leaf([2.0])
    h = x * x
    autograd.backward([h * 3, h])
    near(x.grad, [16.0])


def test_backward_for_some_leaves():
    a, b = leaf([2.0]), leaf([3.0])
    (a * b).backward(inputs=a)
    near(a.grad, [3.0])
    assert b.grad is None


def test_no_grad_records_nothing():
    x = leaf([1.0])
    with tenon.no_grad():
        y = x * 2
    assert not y.requires_grad and y.is_leaf
    with tenon.no_grad():
        x.mul_(5)
    near(x, [5.0])
    assert x.is_leaf and x.requires_grad


def test_detached_shares_memory_and_no_gradient():
    x = leaf([1.0])
    d = (x * 2).detach()
    assert not d.requires_grad and d._base is None and not d._is_view()


# ---- Graphs --------------------------------------------------------------------------------------


def test_nodes_have_names_identity_and_edges():
    x = leaf([1.0])
    y = (x * x).exp()
    node = y.grad_fn
    assert node is y.grad_fn and node.name() == "ExpBackward0"
    ((before, output),) = node.next_functions
    assert before.name() == "MulBackward0" and output == 0
    assert [each.name() for each, _ in before.next_functions] == ["AccumulateGrad"] * 2
    assert before.next_functions[0][0] is before.next_functions[1][0]
    assert isinstance(node, autograd.graph.Node) and "ExpBackward0" in repr(node)


def test_higher_derivatives():
    x = leaf([2.0])
    y = x * x * x * x
    expected = [32.0, 48.0, 48.0, 24.0]
    for order in expected:
        (y,) = autograd.grad(y, x, create_graph=True)
        near(y, [order])


def test_long_chain():
    x = leaf([1.0])
    y = x
    for _ in range(20000):
        y = y + 1
    y.backward()
    near(x.grad, [1.0])
    del y
    gc.collect()


def test_threads_share_a_leaf():
    x = leaf([1.0])

    def work():
        for _ in range(100):
            (x * 2).backward()

    threads = [threading.Thread(target=work) for _ in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    near(x.grad, [1600.0])


# ---- Views and in-place writes -------------------------------------------------------------------


def test_leaves_and_their_views_are_not_written():
    x = leaf([1.0, 2.0])
    for change in (lambda: x.add_(1), lambda: x[0].mul_(2), lambda: x.view(2, 1).zero_()):
        with pytest.raises(RuntimeError, match="leaf"):
            change()
    near(x, [1.0, 2.0])


def test_write_through_a_view_reaches_base_and_siblings():
    x = leaf([1.0, 2.0, 3.0])
    h = x * 1
    sibling = h[0]
    h[1:].mul_(10)
    assert h.tolist() == [1.0, 20.0, 30.0]
    h.sum().backward(retain_graph=True)
    near(x.grad, [1.0, 10.0, 10.0])
    x.grad = None
    sibling.backward()
    near(x.grad, [1.0, 0.0, 0.0])


def test_setitem_into_an_untracked_buffer():
    x = leaf([2.0, 3.0])
    buffer = tenon.zeros(4, dtype=tenon.float64)
    buffer[1:3] = x * x
    assert buffer.requires_grad and not buffer.is_leaf
    buffer.sum().backward()
    near(x.grad, [4.0, 6.0])


def test_views_have_the_root_as_base():
    base = tenon.zeros(4)
    view = base[1:].unsqueeze(0)
    assert view._is_view() and view._base is base and base._base is None
    assert not base.clone()._is_view()


def test_saved_tensors_must_not_be_written():
    x = leaf([1.0, 2.0])
    y = x.exp()
    y.mul_(2)
    with pytest.raises(RuntimeError, match="in.?place"):
        y.sum().backward()
    h = x * 1
    z = h + 3
    h.mul_(100)
    z.sum().backward()
    near(x.grad, [1.0, 1.0])


def test_view_made_in_no_grad_mode_is_not_written():
    base = tenon.zeros(3, dtype=tenon.float64)
    with tenon.no_grad():
        view = base[:1]
    with pytest.raises(RuntimeError, match="no_grad"):
        view.add_(leaf([1.0]))


def test_expanded_gradients_are_summed():
    x = leaf([1.0, 2.0])
    x.expand(3, 2).sum().backward()
    near(x.grad, [3.0, 3.0])
    x.grad = None
    (x + const([[1.0, 1.0], [1.0, 1.0]])).sum().backward()
    near(x.grad, [2.0, 2.0])


def test_conversion_to_numpy_that_loses_information_is_refused():
    pytest.importorskip("numpy")
    with pytest.raises(RuntimeError, match="detach"):
        leaf([1.0]).numpy()


def test_nested_passes_with_and_without_inputs_are_kept_apart():
    told = []

    def tell(grad):
        told.append(tenon._tenon.passes_to_inputs())
        if len(told) == 1:
            square.backward()
            told.append(tenon._tenon.passes_to_inputs())
        if len(told) == 4:
            raise RuntimeError("enough")

    x, other = tenon.tensor([2.0], requires_grad=True), tenon.tensor([3.0], requires_grad=True)
    y, square = x * x, other * other
    y.register_hook(tell)
    other.register_hook(lambda grad: told.append(tenon._tenon.passes_to_inputs()))
    assert not tenon._tenon.passes_to_inputs()
    tenon.autograd.grad(y, x, retain_graph=True)
    assert told == [True, False, True]
    with pytest.raises(RuntimeError, match="enough"):
        y.backward(inputs=[x])
    assert told == [True, False, True, True]
    assert not tenon._tenon.passes_to_inputs()
    assert other.grad == 6


def test_output_nr():
    """A result's index among the results of the call that made it."""
    x = tenon.ones(3, requires_grad=True)
    assert x.output_nr == tenon.ones(1).output_nr == (x * 2).output_nr == 0
    parts = (x * 2).unbind()
    assert [part.output_nr for part in parts] == [0, 1, 2]
    assert parts[0].grad_fn is parts[2].grad_fn
