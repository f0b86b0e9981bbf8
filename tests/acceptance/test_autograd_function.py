# SPDX-License-Identifier: Apache-2.0
"""Autograd behaviour: custom Function, the classic style (forward with ctx, backward)."""

import pytest
from seed import autograd, const, graph, leaf, near, torch


def make(forward, backward, **more):
    """Makes a Function class of plain functions."""
    body = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    body.update(more)
    return type("Made", (autograd.Function,), body)


def square():
    class Square(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return 2 * x * g

    return Square


# ---------------------------------------------------------------- basics


def test_apply_records_one_node_named_after_the_class():
    x = leaf([3.0])
    y = square().apply(x)
    assert y.requires_grad and not y.is_leaf and type(y.grad_fn).__name__ == "SquareBackward"
    assert y.grad_fn.name() == "SquareBackward" and isinstance(y.grad_fn, graph.Node)
    assert y.grad_fn.next_functions[0][0].variable is x
    y.backward()
    near(x.grad, [6.0])


def test_user_formula_wins_over_true_derivative():
    x = leaf([3.0])
    make(lambda ctx, x: x * x, lambda ctx, g: g * 100).apply(x).backward()
    near(x.grad, [100.0])


def test_input_objects_reach_forward_unchanged():
    got = []
    x, marker = leaf([1.0]), object()
    make(
        lambda ctx, a, b, c: got.extend([a is x, b is marker, c]) or a * 1,
        lambda ctx, g: (g, None, None),
    ).apply(x, marker, None)
    assert got == [True, True, None]


def test_untracked_inputs_record_nothing():
    y = square().apply(const([3.0]))
    assert not y.requires_grad and y.grad_fn is None


def test_apply_under_no_grad_records_nothing():
    with torch.no_grad():
        y = square().apply(leaf([3.0]))
    assert not y.requires_grad


def test_keyword_arguments_may_be_passed_to_apply():
    F = make(lambda ctx, x, k=3: x * k, lambda ctx, g: (g * 3, None))
    assert F.apply(leaf([2.0]), k=5).tolist() == [10.0]
    assert F.apply(leaf([2.0])).tolist() == [6.0]


def test_missing_methods_are_reported():
    class NoForward(autograd.Function):
        pass

    class NoBackward(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

    with pytest.raises(NotImplementedError, match="forward"):
        NoForward.apply(leaf([1.0]))
    y = NoBackward.apply(leaf([1.0]))
    with pytest.raises(NotImplementedError, match="backward"):
        y.backward()


def test_vjp_is_another_name_of_backward_but_not_both():
    class OnlyVjp(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def vjp(ctx, g):
            return g * 7

    class Both(OnlyVjp):
        @staticmethod
        def backward(ctx, g):
            return g

    x = leaf([1.0])
    OnlyVjp.apply(x).backward()
    near(x.grad, [7.0])
    with pytest.raises(RuntimeError, match="vjp"):
        Both.apply(x).backward()


# ---------------------------------------------------------------- what backward returns


@pytest.mark.parametrize("returned", [lambda g: g, lambda g: (g, g, g)])
def test_wrong_number_of_gradients_is_refused(returned):
    F = make(lambda ctx, a, b: a * b, lambda ctx, g: returned(g))
    a, b = leaf([1.0]), leaf([1.0])
    y = F.apply(a, b)
    with pytest.raises(RuntimeError, match="(?i)gradient"):
        y.backward()
    assert a.grad is None and b.grad is None


def test_extra_trailing_none_gradients_are_ignored():
    x = leaf([1.0])
    make(lambda ctx, x: x * 2, lambda ctx, g: (g * 2, None, None)).apply(x).backward()
    near(x.grad, [2.0])


def test_gradient_of_wrong_shape_is_refused_but_a_broadcast_one_is_summed():
    x = leaf([1.0, 2.0])
    with pytest.raises(RuntimeError, match="(?i)shape"):
        make(lambda ctx, x: x * 2, lambda ctx, g: torch.ones(7, dtype=torch.float64)).apply(
            x
        ).sum().backward()
    make(lambda ctx, x: x * 2, lambda ctx, g: torch.ones(4, 2, dtype=torch.float64)).apply(
        x
    ).sum().backward()
    near(x.grad, [4.0, 4.0])


def test_gradient_of_wrong_dtype_is_converted():
    x = leaf([1.0])
    make(lambda ctx, x: x * 2, lambda ctx, g: torch.tensor([0.1], dtype=torch.float32)).apply(
        x
    ).backward()
    assert x.grad.dtype == torch.float64
    near(x.grad, [0.1], tol=1e-6)


# ---------------------------------------------------------------- saving


def test_saved_tensors_in_order_with_none():
    seen = []

    def forward(ctx, x, c):
        ctx.save_for_backward(c, None, x)
        return x * c

    def backward(ctx, g):
        c, nothing, x = ctx.saved_tensors
        seen.append((c.item(), nothing, x.item(), x.requires_grad))
        return g, None

    make(forward, backward).apply(leaf([2.0]), const([5.0])).backward()
    assert seen == [(5.0, None, 2.0, True)]


def test_saving_what_is_no_tensor_is_refused():
    F = make(lambda ctx, x, other: ctx.save_for_backward(other) or x * 1, lambda ctx, g: (g, None))
    assert F.apply(leaf([1.0]), const([2.0])).tolist() == [1.0]
    with pytest.raises(TypeError):
        F.apply(leaf([1.0]), 3)


def test_saved_tensors_are_gone_after_backward():
    x = leaf([2.0])
    y = square().apply(x)
    y.backward()
    with pytest.raises(RuntimeError, match="(?i)freed|second time"):
        y.backward()
    with pytest.raises(RuntimeError, match="(?i)freed|second time"):
        y.grad_fn.saved_tensors


def test_saved_tensors_readable_from_outside_and_twice():
    x = leaf([2.0])
    y = square().apply(x)
    (saved,) = y.grad_fn.saved_tensors
    assert saved is x and y.grad_fn.saved_tensors[0] is x


def test_saved_tensors_once_when_class_asks_so():
    seen = []

    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        with pytest.raises(RuntimeError):
            ctx.saved_tensors
        seen.append(x.item())
        return g

    F = make(
        lambda ctx, x: ctx.save_for_backward(x) or x * 1,
        backward,
        clear_saved_tensors_on_access=True,
    )
    F.apply(leaf([2.0])).backward()
    assert seen == [2.0]


# ---------------------------------------------------------------- several and odd outputs


def test_tuple_of_one_stays_a_tuple_and_lists_are_opaque():
    out = make(lambda ctx, x: (x * 2,), lambda ctx, g: g).apply(leaf([1.0]))
    assert isinstance(out, tuple) and out[0].requires_grad
    out = make(lambda ctx, x: [x * 2], lambda ctx, g: g).apply(leaf([1.0]))
    assert isinstance(out, list) and not out[0].requires_grad


def test_integer_outputs_are_untracked_by_themselves():
    F = make(lambda ctx, x: (x * 2, x.argmax(), x > 1), lambda ctx, g, a, b: g * 2)
    y, index, mask = F.apply(leaf([1.0, 2.0]))
    assert y.requires_grad and not index.requires_grad and not mask.requires_grad
    assert index.item() == 1 and mask.tolist() == [False, True]


def test_marked_output_is_untracked_and_gets_zero_gradient():
    seen = []

    def forward(ctx, x):
        y, z = x * 2, x * 3
        ctx.mark_non_differentiable(y)
        return y, z

    x = leaf([1.0])
    y, z = make(forward, lambda ctx, a, b: seen.append(a.tolist()) or b * 3).apply(x)
    assert not y.requires_grad and y.grad_fn is None and z.requires_grad
    z.backward()
    assert seen == [[0.0]]
    near(x.grad, [3.0])


def test_input_returned_as_is_becomes_another_tensor_on_same_memory():
    x = leaf([1.0, 2.0])
    y = make(lambda ctx, x: x, lambda ctx, g: g * 7).apply(x)
    assert y is not x and y.data_ptr() == x.data_ptr()
    y.sum().backward()
    near(x.grad, [7.0, 7.0])
