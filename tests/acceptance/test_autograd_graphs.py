# SPDX-License-Identifier: Apache-2.0
"""Autograd behaviour: which passes a graph allows, and which gradients a tensor accepts."""

import pytest
from seed import autograd, const, graph, leaf, near, torch


# ---------------------------------------------------------------- running a graph again

KEEPING_NOTHING = {
    "add": lambda x: x + 1,
    "add_two": lambda x: x + x,
    "sub": lambda x: 3 - x,
    "neg": lambda x: -x,
    "sum": lambda x: x.sum(),
    "sum_dim": lambda x: x.sum(0),
    "mean": lambda x: x.mean(),
    "view": lambda x: x.view(2, 2),
    "reshape": lambda x: x.reshape(4, 1),
    "select": lambda x: x[1],
    "slice": lambda x: x[1:],
    "expand": lambda x: x.expand(3, 4),
    "transpose": lambda x: x.view(2, 2).t(),
    "clone": lambda x: x.clone(),
    "cat": lambda x: torch.cat([x, x]),
    "stack": lambda x: torch.stack([x, x]),
    "split": lambda x: x.split(2)[0],
    "unbind": lambda x: x.unbind()[2],
    "to": lambda x: x.to(torch.float32),
    "repeat": lambda x: x.repeat(2),
    "flip": lambda x: x.flip([0]),
    "roll": lambda x: x.roll(1),
    "diagonal": lambda x: x.view(2, 2).diagonal(),
    "pad": lambda x: torch.nn.functional.pad(x, (1, 1)),
}


@pytest.mark.parametrize("name", KEEPING_NOTHING)
def test_graph_that_saves_nothing_may_be_run_again(name):
    x = leaf([1.0, 2.0, 3.0, 4.0])
    y = KEEPING_NOTHING[name](x)
    y.backward(torch.ones_like(y))
    first = x.grad.clone()
    y.backward(torch.ones_like(y))
    near(x.grad, 2 * first)
    near(autograd.grad(y, x, torch.ones_like(y))[0], first)


KEEPING = {
    "mul": lambda x: x * x,
    "pow": lambda x: x**3,
    "exp": lambda x: x.exp(),
    "sin": lambda x: x.sin(),
    "relu": lambda x: x.relu(),
    "prod": lambda x: x.prod(),
    "matmul": lambda x: x.view(2, 2) @ x.view(2, 2),
    "softmax": lambda x: x.softmax(0),
    "where": lambda x: torch.where(x > 2, x, x * 2),
    "index": lambda x: x[torch.tensor([0, 2])],
    "div": lambda x: 1 / x,
    "abs": lambda x: x.abs(),
    "max": lambda x: x.max(),
}


@pytest.mark.parametrize("name", KEEPING)
def test_graph_that_saved_something_may_not_be_run_again(name):
    x = leaf([1.0, 2.0, 3.0, 4.0])
    y = KEEPING[name](x)
    ones = torch.ones_like(y)
    y.backward(ones)
    with pytest.raises(RuntimeError, match="(?i)second time|freed"):
        y.backward(ones)


def test_second_pass_runs_the_part_that_saved_nothing():
    x = leaf([1.0, 2.0])
    h = x * x
    (h + 1).sum().backward()
    y = x + 1
    z = y.sum()
    z.backward()
    z.backward()
    near(x.grad, [4.0, 6.0])


def test_function_that_saves_nothing_may_be_run_again():
    class Twice(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.k = 2
            return x * ctx.k

        @staticmethod
        def backward(ctx, g):
            return g * ctx.k

    x = leaf([1.0])
    y = Twice.apply(x)
    y.backward()
    y.backward()
    near(x.grad, [4.0])


def test_function_that_saved_something_may_not_be_run_again():
    class Twice(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * 2

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return g * 2

    x = leaf([1.0])
    y = Twice.apply(x)
    y.backward()
    with pytest.raises(RuntimeError, match="(?i)second time|freed"):
        y.backward()


# ---------------------------------------------------------------- backward into chosen tensors


def test_backward_into_a_result_accumulates_there():
    x = leaf([2.0])
    h = x * 3
    y = h * h
    y.backward(inputs=[h])
    near(h.grad, [12.0])
    assert x.grad is None


def test_backward_into_leaf_and_result():
    x = leaf([2.0])
    h = x * 3
    y = h * h
    y.backward(inputs=[h, x])
    near(h.grad, [12.0])
    near(x.grad, [36.0])


def test_backward_into_a_result_adds_to_what_is_there():
    x = leaf([2.0])
    h = x * 3
    y = h * h
    y.backward(inputs=h, retain_graph=True)
    y.backward(inputs=[h])
    near(h.grad, [24.0])


def test_backward_into_the_root():
    x = leaf([2.0])
    y = x * 3
    y.backward(inputs=[y])
    near(y.grad, [1.0])
    assert x.grad is None


def test_backward_into_two_results_of_one_chain():
    x = leaf([2.0])
    a = x * 2
    b = a * 3
    c = b * 4
    c.backward(inputs=[a, b])
    near(a.grad, [12.0])
    near(b.grad, [4.0])
    assert x.grad is None


def test_backward_into_an_untracked_tensor_is_refused():
    x = leaf([2.0])
    with pytest.raises(RuntimeError):
        (x * 2).backward(inputs=[const([1.0])])


def test_backward_into_an_unreached_result_leaves_it_alone():
    x = leaf([2.0])
    other = leaf([1.0])
    h = other * 2
    (x * 2).backward(inputs=[h, x])
    assert h.grad is None
    near(x.grad, [2.0])


def test_backward_into_one_of_several_results():
    x = leaf([1.0, 2.0])
    a, b = x.unbind()
    (a * b).backward(inputs=[b])
    near(b.grad, 1.0)
    assert x.grad is None


# ---------------------------------------------------------------- edges


def test_grad_of_edges():
    x = leaf([2.0])
    h = x * 3
    y = h * h
    edge = graph.get_gradient_edge(h)
    near(autograd.grad(y, edge, retain_graph=True)[0], [12.0])
    root = graph.get_gradient_edge(y)
    near(autograd.grad(root, [edge, x], const([1.0]))[0], [12.0])


def test_backward_from_an_edge():
    x = leaf([2.0])
    y = x * x
    edge = graph.get_gradient_edge(y)
    autograd.backward(edge, const([2.0]))
    near(x.grad, [8.0])


def test_backward_into_an_edge_of_a_leaf():
    x = leaf([2.0])
    edge = graph.get_gradient_edge(x)
    (x * 5).backward(inputs=[edge])
    near(x.grad, [5.0])


def test_grad_from_an_edge_without_gradient_is_refused():
    x = leaf([2.0, 3.0])
    edge = graph.get_gradient_edge(x * x)
    with pytest.raises(RuntimeError):
        autograd.grad(edge, x)


def test_grad_from_an_edge_of_one_element_starts_from_one():
    x = leaf([2.0])
    edge = graph.get_gradient_edge(x * x)
    near(autograd.grad(edge, x)[0], [4.0])


def test_grad_with_respect_to_an_edge_that_is_not_reached():
    x = leaf([2.0])
    other = leaf([3.0, 4.0])
    edge = graph.get_gradient_edge(other)
    got = autograd.grad((x * 2).sum(), [x, edge], allow_unused=True)
    near(got[0], [2.0])
    assert got[1] is None


def test_materialized_gradient_of_an_edge_is_refused():
    x = leaf([2.0])
    other = leaf([3.0, 4.0])
    edge = graph.get_gradient_edge(other)
    with pytest.raises(RuntimeError, match="GradientEdge"):
        autograd.grad((x * 2).sum(), [x, edge], materialize_grads=True)


def test_materialized_gradients_may_have_edges_that_are_reached():
    x = leaf([2.0])
    unused = leaf([3.0, 4.0])
    edge = graph.get_gradient_edge(x)
    got = autograd.grad((x * 2).sum(), [edge, unused], materialize_grads=True)
    near(got[0], [2.0])
    near(got[1], [0.0, 0.0])


def test_several_outputs_of_a_node_have_edges_by_number():
    x = leaf([1.0, 2.0, 3.0])
    parts = x.unbind()
    edges = [graph.get_gradient_edge(one) for one in parts]
    assert [edge.output_nr for edge in edges] == [0, 1, 2]
    assert all(edge.node is edges[0].node for edge in edges)
    got = autograd.grad(parts[0] * parts[2], [edges[2], edges[0]])
    near(got[0], 1.0)
    near(got[1], 3.0)


# ---------------------------------------------------------------- grad(materialize_grads)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128"])
def test_grad_materialize_fills_zeros(dtype):
    dtype = getattr(torch, dtype)
    x = leaf([2.0, 3.0])
    unused = torch.ones(2, 3, dtype=dtype, requires_grad=True)
    got = autograd.grad((x * x).sum(), [x, unused], materialize_grads=True)
    near(got[0], [4.0, 6.0])
    assert got[1].shape == (2, 3) and got[1].dtype == dtype and not got[1].any()
    assert not got[1].requires_grad


def test_grad_materialize_with_create_graph_returns_untracked_zeros():
    x, unused = leaf([2.0]), leaf([5.0, 6.0])
    first = autograd.grad((x**3).sum(), [x, unused], create_graph=True, materialize_grads=True)
    assert first[0].requires_grad
    near(first[1], [0.0, 0.0])
    second = autograd.grad(first[0].sum(), [x, unused], materialize_grads=True)
    near(second[0], [12.0])
    near(second[1], [0.0, 0.0])


def test_grad_materialize_of_a_noncontiguous_input():
    x, unused = leaf([2.0]), leaf([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]).t()
    got = autograd.grad(x.sum(), unused, materialize_grads=True)[0]
    near(got, [[0.0, 0.0]] * 3)
    assert got.stride() == unused.stride()


def test_grad_materialize_refuses_allow_unused_false():
    x, unused = leaf([2.0]), leaf([5.0])
    with pytest.raises(ValueError, match="allow_unused"):
        autograd.grad(x.sum(), unused, allow_unused=False, materialize_grads=True)


def test_grad_materialize_with_batched_gradients():
    x, unused = leaf([2.0, 3.0]), leaf([5.0, 1.0, 1.0])
    got = autograd.grad(
        x * x,
        [x, unused],
        torch.eye(2, dtype=torch.float64),
        is_grads_batched=True,
        materialize_grads=True,
    )
    near(got[0], [[4.0, 0.0], [0.0, 6.0]])
    assert not got[1].any()


# ---------------------------------------------------------------- assigning .grad


def test_assigning_grad_checks_type_shape_dtype():
    x = leaf([1.0, 2.0])
    with pytest.raises(TypeError):
        x.grad = [1.0, 2.0]
    with pytest.raises(TypeError):
        x.grad = 1.0
    with pytest.raises(RuntimeError, match="size|shape"):
        x.grad = const([1.0])
    with pytest.raises(RuntimeError, match="size|shape"):
        x.grad = const([[1.0, 2.0]])
    with pytest.raises(RuntimeError, match="type"):
        x.grad = const([1.0, 2.0], torch.float32)
    with pytest.raises(RuntimeError, match="type"):
        x.grad = torch.ones(2, dtype=torch.int64)
    with pytest.raises(RuntimeError, match="device"):
        x.grad = torch.ones(2, dtype=torch.float64, device="meta")
    with pytest.raises(RuntimeError):
        x.grad = x
    assert x.grad is None
    x.grad = const([5.0, 6.0])
    near(x.grad, [5.0, 6.0])
    with pytest.raises(RuntimeError):
        x.grad = const([1.0])
    near(x.grad, [5.0, 6.0])


def test_assigned_grad_may_require_grad_and_be_strided():
    x = leaf([1.0, 2.0])
    given = leaf([3.0, 4.0])
    x.grad = given
    assert x.grad is given
    y = leaf([[1.0, 2.0], [3.0, 4.0]])
    given = const([[1.0, 2.0], [3.0, 4.0]]).t()
    y.grad = given
    assert y.grad is given and y.grad.stride() == (1, 2)


def test_grad_may_be_deleted():
    x = leaf([1.0])
    x.grad = const([2.0])
    del x.grad
    assert x.grad is None


def test_declared_gradient_dtype_allows_another_dtype():
    x = leaf([1.0, 2.0], torch.float32)
    x.grad_dtype = torch.float64
    assert x.grad_dtype == torch.float64
    x.grad = const([1.0, 2.0])
    with pytest.raises(RuntimeError):
        x.grad = const([1.0, 2.0], torch.float32)
    x.grad = None
    x.grad_dtype = None
    x.grad = const([1.0, 2.0])
    x.grad = const([1.0, 2.0], torch.float32)
    assert x.grad_dtype is None
