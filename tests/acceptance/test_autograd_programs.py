# SPDX-License-Identifier: Apache-2.0
"""Autograd behaviour: corner cases of the interface, and small programs that combine features."""

import collections
import gc
import weakref
import pytest
from seed import autograd, const, leaf, near, torch


# ---------------------------------------------------------------- corner cases


def test_mapping_that_is_no_dict_is_refused_as_inputs():
    x = leaf([1.0])
    with pytest.raises(TypeError, match="dict"):
        autograd.grad(x * 2, collections.UserDict(x=x))
    with pytest.raises(TypeError, match="dict"):
        (x * 2).backward(inputs=collections.UserDict(x=x))


def test_scalar_gradient_does_not_broadcast():
    x = leaf([1.0, 2.0])
    with pytest.raises(RuntimeError, match="(?i)shape"):
        (x * 2).backward(const(1.0))


def test_gradient_of_other_float_dtype_is_converted():
    x = leaf([1.0, 2.0])
    (x * 2).backward(torch.ones(2, dtype=torch.float32))
    assert x.grad.dtype == torch.float64 and x.grad.tolist() == [2.0, 2.0]


def test_variable_is_another_name_for_tensor():
    assert isinstance(torch.ones(1), autograd.Variable)
    assert not isinstance(3, autograd.Variable)


def test_grad_dtype_of_a_leaf_may_differ():
    x = leaf([1.0])
    assert x.grad_dtype == torch.float64
    x.grad_dtype = torch.float32
    (x * 2).backward()
    assert x.grad.dtype == torch.float32 and x.grad.tolist() == [2.0]


def test_hook_on_base_before_write_to_its_view_sees_gradient_of_the_old_value():
    x = leaf([1.0, 2.0])
    h = x.clone()
    seen = []
    h.register_hook(lambda g: seen.append(("old", g.tolist())))
    h[:1].mul_(5)
    h.register_hook(lambda g: seen.append(("new", g.tolist())))
    h.sum().backward()
    assert seen == [("new", [1.0, 1.0]), ("old", [5.0, 1.0])]


def test_retained_grad_of_base_follows_write_to_its_view():
    x = leaf([1.0, 2.0])
    h = x.clone()
    h.retain_grad()
    h[:1].mul_(5)
    (h * 3).sum().backward()
    near(h.grad, [3.0, 3.0])
    near(x.grad, [15.0, 3.0])


# ---------------------------------------------------------------- small programs


def test_linear_regression_by_plain_gradient_descent():
    x = torch.arange(10.0, dtype=torch.float64) / 10
    y = 3 * x - 1
    w, b = leaf(0.0), leaf(0.0)
    for _ in range(2000):
        loss = ((w * x + b - y) ** 2).mean()
        loss.backward()
        with torch.no_grad():
            for p in (w, b):
                p -= 0.5 * p.grad
                p.grad = None
    assert w.item() == pytest.approx(3, abs=1e-6) and b.item() == pytest.approx(-1, abs=1e-6)


def test_accumulated_small_batches_equal_one_large_batch():
    data = torch.arange(12.0, dtype=torch.float64).reshape(6, 2)
    w1, w2 = leaf([0.5, -0.5]), leaf([0.5, -0.5])
    ((data @ w1) ** 2).sum().backward()
    for part in data.split(2):
        ((part @ w2) ** 2).sum().backward()
    near(w1.grad, w2.grad)


def test_two_losses_one_trunk_two_backwards():
    w = leaf([2.0])
    trunk = w * 3
    one, two = trunk**2, trunk * 5
    one.backward(retain_graph=True)
    two.backward()
    near(w.grad, [36.0 + 15.0])


def test_adversaries_with_detached_generator_output():
    g, d = leaf([2.0]), leaf([3.0])
    fake = g * 5
    (d * fake.detach()).backward()
    near(d.grad, [10.0])
    assert g.grad is None
    (d * fake).backward(inputs=[g])
    near(g.grad, [15.0])
    near(d.grad, [10.0])


def test_gradient_clipping_by_total_norm():
    a, b = leaf([3.0]), leaf([4.0])
    ((a**2 + b**2) / 2).backward()
    norm = sum((p.grad**2).sum() for p in (a, b)).sqrt()
    for p in (a, b):
        p.grad.mul_(1.0 / norm)
    near(a.grad, [0.6])
    near(b.grad, [0.8])


def test_per_sample_gradients_by_batched_roots():
    w = leaf([1.0, 2.0])
    x = const([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    losses = (x @ w) ** 2
    (rows,) = autograd.grad(losses, w, torch.eye(3, dtype=torch.float64), is_grads_batched=True)
    near(rows, 2 * (x @ w.detach())[:, None] * x)


def test_memory_of_a_loop_does_not_grow_with_iterations():
    alive = []

    class Token:
        pass

    w = leaf([1.0])
    for _ in range(5):
        h = w * 2
        h.token = Token()
        alive.append(weakref.ref(h.token))
        (h * h).sum().backward()
        del h
        gc.collect()
    assert [r() for r in alive] == [None] * 5


def test_running_average_under_no_grad_holds_no_graph():
    w, average = leaf([1.0]), torch.zeros(1, dtype=torch.float64)
    for _ in range(3):
        loss = (w * 2) ** 2
        loss.backward()
        with torch.no_grad():
            average.mul_(0.5).add_(w, alpha=0.5)
            w -= 0.125 * w.grad
            w.grad = None
    assert not average.requires_grad and average.grad_fn is None
    near(average, [0.125])
