# SPDX-License-Identifier: Apache-2.0
"""Autograd behaviour: custom Function: dirty inputs, errors, double backward, nesting, dtypes."""

import pytest
from seed import autograd, const, leaf, near, torch


def make(forward, backward, **more):
    body = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    body.update(more)
    return type("Made", (autograd.Function,), body)


def doubler(returned=lambda x: x):
    def forward(ctx, x):
        x.mul_(2)
        ctx.mark_dirty(x)
        return returned(x)

    return make(forward, lambda ctx, g: g * 2)


# ---------------------------------------------------------------- mark_dirty


def test_dirty_input_must_be_returned():
    with pytest.raises(RuntimeError, match="dirty"):
        doubler(lambda x: x * 3).apply(leaf([1.0]) * 1)


def test_two_dirty_inputs():
    def forward(ctx, a, b):
        a.mul_(2)
        b.mul_(3)
        ctx.mark_dirty(a, b)
        return a, b

    x = leaf([1.0])
    a, b = x * 1, x * 1
    ra, rb = make(forward, lambda ctx, ga, gb: (ga * 2, gb * 3)).apply(a, b)
    assert ra is a and rb is b
    (a + b).backward()
    near(x.grad, [5.0])


class Odd(Exception):
    pass


# ---------------------------------------------------------------- exceptions


def test_exception_in_forward_keeps_type_and_grad_mode():
    def forward(ctx, x):
        raise Odd("in forward")

    with pytest.raises(Odd, match="in forward"):
        make(forward, lambda ctx, g: g).apply(leaf([1.0]))
    assert torch.is_grad_enabled() and (leaf([1.0]) * 2).requires_grad


def test_exception_leaves_already_accumulated_gradients():
    def backward(ctx, g):
        raise Odd("late")

    early, late = leaf([1.0]), leaf([1.0])
    bad = make(lambda ctx, x: x * 2, backward).apply(late)
    good = early * 3
    with pytest.raises(Odd):
        (bad + good).backward()
    near(early.grad, [3.0])
    assert late.grad is None


def cube():
    class Cube(autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return g * 3 * x**2

    return Cube


# ---------------------------------------------------------------- double backward


def test_double_backward_through_chain_of_custom_and_builtin():
    x = leaf([1.5])
    y = cube().apply(x.sin()).exp()
    (g,) = autograd.grad(y, x, create_graph=True)
    (gg,) = autograd.grad(g, x)
    s, c = x.detach().sin(), x.detach().cos()
    e = (s**3).exp()
    near(gg, e * ((3 * s * s * c) ** 2 + 6 * s * c * c - 3 * s**3))


def test_saved_intermediate_has_no_history_and_spoils_the_second_derivative():
    seen = []

    def forward(ctx, x):
        inner = x * x
        ctx.save_for_backward(inner)
        return inner * x

    def backward(ctx, g):
        (inner,) = ctx.saved_tensors
        seen.append(inner.requires_grad)
        return g * 3 * inner

    x = leaf([2.0])
    F = make(forward, backward)
    v = leaf([1.0])
    (g,) = autograd.grad(F.apply(x), x, v, create_graph=True)
    near(g, [12.0])
    assert seen == [False]
    assert autograd.grad(g, x, allow_unused=True) == (None,)


def test_custom_function_called_inside_backward_of_another():
    inner = cube()
    F = make(
        lambda ctx, x: ctx.save_for_backward(x) or x.sum(),
        lambda ctx, g: g * inner.apply(ctx.saved_tensors[0]),
    )
    x = leaf([2.0])
    (g,) = autograd.grad(F.apply(x), x, create_graph=True)
    near(g, [8.0])
    near(autograd.grad(g, x)[0], [12.0])


def test_custom_function_called_inside_forward_of_another_records_only_the_outer():
    inner = cube()
    F = make(lambda ctx, x: inner.apply(x) * 2, lambda ctx, g: g * 100)
    x = leaf([2.0])
    y = F.apply(x)
    assert y.tolist() == [16.0]
    y.backward()
    near(x.grad, [100.0])


def test_tracking_inside_forward_with_enable_grad_stays_private():
    def forward(ctx, x):
        with torch.enable_grad():
            leaf_in = x.detach().requires_grad_()
            y = leaf_in**3
        ctx.pair = leaf_in, y
        return y.detach()

    def backward(ctx, g):
        leaf_in, y = ctx.pair
        return autograd.grad(y, leaf_in, g)[0]

    x = leaf([2.0])
    make(forward, backward).apply(x * 3).backward()
    near(x.grad, [3 * 3 * 36.0])


# ---------------------------------------------------------------- hooks, in-place results, dtypes


def test_hooks_on_the_node_of_a_custom_function():
    x = leaf([2.0])
    y = cube().apply(x)
    order = []
    y.grad_fn.register_prehook(lambda go: order.append("pre") or (go[0] * 10,))
    y.grad_fn.register_hook(lambda gi, go: order.append((gi[0].item(), go[0].item())))
    y.backward()
    assert order == ["pre", (120.0, 10.0)]
    near(x.grad, [120.0])


def test_incoming_gradient_is_delivered_in_the_dtype_of_the_output():
    seen = []
    F = make(lambda ctx, x: x.to(torch.float32), lambda ctx, g: seen.append(g.dtype) or g)
    x = leaf([1.0])
    (F.apply(x).to(torch.float64) * 3).backward()
    assert seen == [torch.float32] and x.grad.dtype == torch.float64


def test_same_tensor_as_two_arguments_sums_both_gradients():
    F = make(lambda ctx, a, b: a * b, lambda ctx, g: (g * 10, g * 1))
    x = leaf([1.0])
    F.apply(x, x).backward()
    near(x.grad, [11.0])


def test_absent_gradient_travels_up_as_none_or_as_materialized_zeros():
    calls = []
    stop = make(lambda ctx, x: x * 2, lambda ctx, g: None)

    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        return x * 2

    as_none = make(forward, lambda ctx, g: calls.append(g))
    as_zeros = make(lambda ctx, x: x * 2, lambda ctx, g: calls.append(g.tolist()))
    x = leaf([1.0])
    stop.apply(as_none.apply(x)).backward()
    stop.apply(as_zeros.apply(x)).backward()
    assert calls == [None, [0.0]] and x.grad is None


def test_node_outlives_python_name_of_the_output():
    seen = []
    F = make(lambda ctx, x: x * 2, lambda ctx, g: seen.append(ctx.tag) or g)
    y = F.apply(leaf([1.0]))
    y.grad_fn.tag = "kept"
    z = y * 3
    del y
    z.backward()
    assert seen == ["kept"]


def test_function_over_noncontiguous_input_and_gradient():
    x = leaf([[1.0, 2.0], [3.0, 4.0]])
    y = cube().apply(x.t())
    assert y.tolist() == [[1.0, 27.0], [8.0, 64.0]]
    (y.t() * const([[1.0, 10.0], [100.0, 1000.0]])).sum().backward()
    near(x.grad, [[3.0, 120.0], [2700.0, 48000.0]])


def test_partial_gradient_buffer_is_offered_to_a_later_producer():
    seen = []

    def forward(ctx, x, w):
        ctx.save_for_backward(x, w)
        return x * w

    def backward(ctx, g):
        seen.append([None if b is None else b.tolist() for b in ctx.input_grad_buffers])
        x, w = ctx.saved_tensors
        return g * w, g * x

    x, w = leaf([2.0]), leaf([5.0])
    (make(forward, backward).apply(x, w) + x * 7).backward()
    assert seen == [[[7.0], None]]
    near(x.grad, [12.0])
