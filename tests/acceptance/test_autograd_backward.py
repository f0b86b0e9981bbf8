# SPDX-License-Identifier: Apache-2.0
"""Autograd behaviour: backward, autograd.grad, accumulation, .grad, graph nodes and edges."""

import warnings
import pytest
from seed import autograd, const, graph, leaf, near, torch


# ---------------------------------------------------------------- Tensor.backward


def test_scalar_root_starts_from_one():
    x = leaf(3.0)
    (x * x).backward()
    near(x.grad, 6.0)
    assert x.grad.shape == x.shape and not x.grad.requires_grad


def test_vector_root_without_gradient_is_refused():
    x = leaf([1.0, 2.0])
    with pytest.raises(RuntimeError, match="scalar"):
        (x * 2).backward()
    assert x.grad is None


def test_gradient_argument_weights_the_rows():
    x = leaf([1.0, 2.0])
    (x * x).backward(gradient=const([10.0, 100.0]))
    near(x.grad, [20.0, 400.0])


def test_gradient_argument_of_wrong_shape_is_refused():
    x = leaf([1.0, 2.0])
    y = x * 2
    with pytest.raises(RuntimeError, match="(?i)shape"):
        y.backward(const([1.0, 1.0, 1.0]))
    y.backward(const([1.0, 1.0]))
    near(x.grad, [2.0, 2.0])


def test_backward_of_untracked_tensor_is_refused():
    with pytest.raises(RuntimeError, match="grad"):
        const(1.0).backward()


def test_intermediate_results_get_no_grad_and_reading_it_warns():
    x = leaf([1.0])
    h = x * 2
    (h * 3).backward()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert h.grad is None
    assert any("leaf" in str(w.message) for w in caught)
    near(x.grad, [6.0])


def test_second_backward_through_freed_graph_is_refused():
    x = leaf([1.0, 2.0])
    y = (x * x).sum()
    y.backward()
    with pytest.raises(RuntimeError, match="(?i)second time|retain_graph|freed"):
        y.backward()
    near(x.grad, [2.0, 4.0])


def test_accumulation_under_create_graph_makes_a_new_tensor():
    x = leaf([1.0])
    (x * 2).backward()
    before = x.grad
    (x * x).backward(create_graph=True)
    near(before, [2.0])
    near(x.grad, [4.0])
    assert x.grad is not before


def test_backward_inputs_takes_one_tensor_and_dict():
    a, b = leaf([2.0]), leaf([3.0])
    (a * b).backward(inputs=a)
    (a * b).backward(inputs={"b": b})
    near(a.grad, [3.0])
    near(b.grad, [2.0])


def test_backward_inputs_empty_is_refused():
    x = leaf([1.0])
    y = x * 2
    with pytest.raises(RuntimeError, match="inputs"):
        y.backward(inputs=[])
    assert x.grad is None


def test_several_roots_with_and_without_gradients():
    x = leaf([1.0, 2.0])
    a, b = (x * 2).sum(), x * x
    autograd.backward([a, b], [None, const([1.0, 10.0])])
    near(x.grad, [4.0, 42.0])


def test_root_that_is_inside_another_roots_graph():
    x = leaf([2.0])
    h = x * x
    y = h * 3
    autograd.backward([y, h])
    near(x.grad, [16.0])


def test_long_chain_runs_and_frees_without_recursion():
    x = leaf([1.0])
    y = x
    for _ in range(20000):
        y = y + 1
    y.backward()
    near(x.grad, [1.0])
    del y


# ---------------------------------------------------------------- autograd.grad


def test_grad_returns_tuple_and_leaves_grad_alone():
    a, b = leaf([2.0]), leaf([3.0])
    got = autograd.grad(a * b * b, (a, b))
    assert isinstance(got, tuple) and len(got) == 2
    near(got[0], [9.0])
    near(got[1], [12.0])
    assert a.grad is None and b.grad is None


def test_grad_same_input_twice():
    x = leaf([2.0])
    g1, g2 = autograd.grad(x * x, (x, x))
    near(g1, [4.0])
    near(g2, [4.0])


def test_grad_sums_over_outputs():
    x = leaf([2.0])
    (g,) = autograd.grad([x * x, x * 5], x, grad_outputs=[const([2.0]), None])
    near(g, [13.0])


def test_grad_untracked_input_is_refused():
    x = leaf([1.0])
    with pytest.raises(RuntimeError, match="grad"):
        autograd.grad(x * 2, const([1.0]))


def test_grad_empty_inputs_is_refused():
    with pytest.raises(RuntimeError, match="inputs"):
        autograd.grad(leaf([1.0]) * 2, ())


def test_grad_dict_of_inputs_returns_dict_in_order():
    a, b = leaf([2.0]), leaf([5.0])
    got = autograd.grad(a * b, {"second": b, "first": a})
    assert list(got) == ["second", "first"]
    near(got["first"], [5.0])
    near(got["second"], [2.0])


def test_grad_batched_shape_mismatch_is_refused():
    x = leaf([1.0, 2.0, 3.0])
    y = x * x
    with pytest.raises(RuntimeError, match="(?i)is_grads_batched|shape|size"):
        autograd.grad(y, x, torch.ones(2, 4, dtype=torch.float64), is_grads_batched=True)
    (rows,) = autograd.grad(y, x, torch.ones(2, 3, dtype=torch.float64), is_grads_batched=True)
    near(rows, [[2.0, 4.0, 6.0]] * 2)


def test_grad_outputs_may_be_tracked_themselves():
    x = leaf([2.0, 3.0])
    v = leaf([1.0, 1.0])
    (g,) = autograd.grad(x * x, x, v, create_graph=True)
    (gv,) = autograd.grad(g.sum(), v)
    near(gv, [4.0, 6.0])


def test_grad_result_is_untracked_without_create_graph():
    x = leaf([2.0])
    (g,) = autograd.grad(x * x, x)
    assert not g.requires_grad
    with pytest.raises(RuntimeError, match="grad"):
        autograd.grad(g, x)


def test_grad_of_leaf_with_respect_to_itself():
    x = leaf(2.0)
    (g,) = autograd.grad(x, x)
    near(g, 1.0)


def test_gradient_edge_outlives_its_tensor():
    x = leaf([2.0])
    h = x * 3
    edge = graph.get_gradient_edge(h)
    y = h * h
    del h
    (g,) = autograd.grad(y, edge)
    near(g, [12.0])


def test_gradient_edge_of_untracked_tensor_is_refused():
    with pytest.raises(RuntimeError, match="grad"):
        graph.get_gradient_edge(const([1.0]))


# ---------------------------------------------------------------- the .grad attribute


def test_assigned_grad_is_kept_and_added_to_in_place():
    x = leaf([1.0, 2.0])
    buffer = const([100.0, 200.0])
    x.grad = buffer
    assert x.grad is buffer
    (x * 3).sum().backward()
    assert x.grad is buffer
    near(buffer, [103.0, 203.0])


def test_grad_may_be_reset_to_none():
    x = leaf([1.0])
    (x * 2).backward()
    x.grad = None
    assert x.grad is None
    (x * 5).backward()
    near(x.grad, [5.0])
    del x.grad
    assert x.grad is None


def test_first_grad_takes_the_strides_of_its_parameter():
    p = torch.zeros(2, 3).t().requires_grad_()
    (p * torch.arange(6.0).reshape(3, 2)).sum().backward()
    assert p.stride() == (1, 3) and p.grad.stride() == (1, 3)
    assert p.grad.tolist() == [[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]]


def test_grad_of_untracked_leaf_may_be_assigned():
    x = const([1.0])
    x.grad = const([5.0])
    near(x.grad, [5.0])


def test_retain_grad_on_leaf_is_noop_and_on_untracked_refused():
    x = leaf([2.0])
    x.retain_grad()
    assert not x.retains_grad
    with pytest.raises(RuntimeError, match="grad"):
        const([1.0]).retain_grad()


# ---------------------------------------------------------------- nodes and edges


def test_node_name_follows_the_operator():
    x = leaf([1.0])
    assert "Mul" in (x * x).grad_fn.name() and "Exp" in x.exp().grad_fn.name()
    assert "Clone" in x.clone().grad_fn.name()
    assert isinstance(x.clone().grad_fn, graph.Node)


def test_node_object_is_stable_while_graph_lives():
    x = leaf([1.0])
    y = x * 2
    assert y.grad_fn is y.grad_fn
    z = y + 1
    assert z.grad_fn.next_functions[0][0] is y.grad_fn


def test_gradient_edge_fields():
    x = leaf([[1.0, 2.0], [3.0, 4.0]])
    _, b = x.unbind(0)
    edge = graph.get_gradient_edge(b)
    assert edge.output_nr == 1 and edge.node is b.grad_fn
    assert graph.get_gradient_edge(x).node.variable is x
