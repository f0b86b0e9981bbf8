# SPDX-License-Identifier: Apache-2.0
"""Autograd behaviour: activation checkpointing, both variants."""

import gc
import weakref
import pytest
from seed import Lazy, autograd, graph, leaf, near, sub, torch


ckpt = Lazy("utils.checkpoint")
BOTH = pytest.mark.parametrize("reentrant", [False, True], ids=["plain", "reentrant"])


def counting(f):
    calls = []

    def g(*args):
        calls.append(torch.is_grad_enabled())
        return f(*args)

    return g, calls


# ---------------------------------------------------------------- both variants


@BOTH
def test_value_and_gradient_equal_the_unwrapped(reentrant):
    x, y = leaf([1.0, 2.0]), leaf([1.0, 2.0])

    def f(t):
        return (t.sin() * t).exp()

    a = ckpt.checkpoint(f, x, use_reentrant=reentrant)
    near(a, f(y))
    a.sum().backward()
    f(y).sum().backward()
    near(x.grad, y.grad)


@BOTH
def test_function_runs_again_in_backward_only(reentrant):
    f, calls = counting(lambda t: t.sin().exp())
    out = ckpt.checkpoint(f, leaf([1.0]), use_reentrant=reentrant)
    assert len(calls) == 1
    out.backward()
    assert len(calls) == 2


@BOTH
def test_randomness_is_replayed(reentrant):
    torch.manual_seed(5)
    x = torch.ones(1000, requires_grad=True)
    out = ckpt.checkpoint(
        lambda t: sub("nn.functional").dropout(t * 1, 0.5, True), x, use_reentrant=reentrant
    )
    torch.rand(7)
    out.sum().backward()
    assert torch.equal(x.grad, out.detach())


@BOTH
def test_chain_of_checkpoints(reentrant):
    x = leaf([0.5])
    y = x
    for _ in range(4):
        y = ckpt.checkpoint(lambda t: t.sin() * 2, y, use_reentrant=reentrant)
    y.backward()
    z = leaf([0.5])
    w = z
    for _ in range(4):
        w = w.sin() * 2
    w.backward()
    near(x.grad, z.grad)


@BOTH
def test_nested_checkpoints(reentrant):
    x = leaf([0.5])

    def inner(t):
        return ckpt.checkpoint(lambda s: s.sin() ** 2, t, use_reentrant=reentrant)

    ckpt.checkpoint(lambda t: inner(t.exp()) * t, x, use_reentrant=reentrant).backward()
    y = leaf([0.5])
    (y.exp().sin() ** 2 * y).backward()
    near(x.grad, y.grad)


@BOTH
def test_sequential_in_segments(reentrant):
    x, y = leaf([0.5, 1.0]), leaf([0.5, 1.0])
    steps = [torch.sin, torch.exp, lambda t: t * 3, torch.tanh]
    ckpt.checkpoint_sequential(steps, 2, x, use_reentrant=reentrant).sum().backward()
    (y.sin().exp() * 3).tanh().sum().backward()
    near(x.grad, y.grad)


# ---------------------------------------------------------------- reentrant only


def test_reentrant_refuses_autograd_grad_and_inputs():
    x = leaf([2.0])
    with pytest.raises(RuntimeError, match="(?i)reentrant|grad"):
        autograd.grad(ckpt.checkpoint(lambda t: t**2, x, use_reentrant=True), x)
    with pytest.raises(RuntimeError, match="(?i)reentrant|inputs"):
        ckpt.checkpoint(lambda t: t**2, x, use_reentrant=True).backward(inputs=[x])


def test_reentrant_refuses_keywords_and_options():
    x = leaf([2.0])
    with pytest.raises(ValueError, match="k"):
        ckpt.checkpoint(lambda t, k: t**k, x, k=2, use_reentrant=True)
    with pytest.raises(ValueError, match="debug"):
        ckpt.checkpoint(lambda t: t, x, debug=True, use_reentrant=True)


def test_not_choosing_a_variant_warns():
    with pytest.warns(UserWarning, match="use_reentrant"):
        ckpt.checkpoint(lambda t: t * 2, leaf([1.0]))


# ---------------------------------------------------------------- plain (non-reentrant) only


def test_plain_records_graph_in_forward():
    f, calls = counting(lambda t: t * 2)
    out = ckpt.checkpoint(f, leaf([1.0]), use_reentrant=False)
    assert calls == [True] and "Mul" in out.grad_fn.name()


def test_plain_does_not_replay_what_saved_nothing():
    f, calls = counting(lambda t: t + t)
    ckpt.checkpoint(f, leaf([1.0]), use_reentrant=False).backward()
    assert calls == [True]


def test_plain_drops_intermediates_until_backward():
    refs = []

    def f(t):
        h = t.exp()
        refs.append(weakref.ref(h))
        return h.sin()

    out = ckpt.checkpoint(f, leaf([1.0]), use_reentrant=False)
    gc.collect()
    assert refs[0]() is None
    out.backward()


def test_plain_double_backward():
    x = leaf([0.7])
    y = ckpt.checkpoint(lambda t: t.sin() * t**2, x, use_reentrant=False)
    (g,) = autograd.grad(y, x, create_graph=True)
    (gg,) = autograd.grad(g, x)
    z = leaf([0.7])
    (h,) = autograd.grad(z.sin() * z**2, z, create_graph=True)
    near(g, h)
    near(gg, autograd.grad(h, z)[0])


def test_plain_second_backward_of_freed_graph_is_refused():
    x = leaf([2.0])
    y = ckpt.checkpoint(lambda t: t.exp().sin(), x, use_reentrant=False)
    y.backward()
    first = x.grad.clone()
    with pytest.raises(RuntimeError):
        y.backward()
    assert torch.equal(x.grad, first)


def test_plain_notices_different_shape_in_replay():
    sizes = iter([2, 3])

    def f(t):
        n = next(sizes)
        return t.expand(n).sin().exp().sum()

    out = ckpt.checkpoint(f, leaf([1.0]), use_reentrant=False)
    with pytest.raises(RuntimeError, match="(?i)recomput|metadata"):
        out.backward()


def test_plain_notices_fewer_saved_tensors_in_replay():
    runs = []

    def f(t):
        runs.append(1)
        return t.sin().exp() if len(runs) == 1 else t + 1

    out = ckpt.checkpoint(f, leaf([1.0]), use_reentrant=False)
    with pytest.raises(RuntimeError, match="(?i)recomput|number"):
        out.backward()


def test_plain_under_saved_tensor_hooks_of_the_user():
    seen = []
    x = leaf([2.0])
    with graph.saved_tensors_hooks(
        lambda t: seen.append(tuple(t.shape)) or t.detach(), lambda t: t
    ):
        y = (x * 3).exp()
        z = ckpt.checkpoint(lambda t: t.sin(), x, use_reentrant=False)
    assert len(seen) >= 1
    (y + z).backward()
    near(x.grad, (3 * (3 * x).exp() + x.cos()).detach())


def test_module_inside_checkpoint_gets_parameter_gradients():
    layer = sub("nn").Linear(2, 1)
    x = torch.ones(3, 2)
    ckpt.checkpoint(layer, x, use_reentrant=False).sum().backward()
    assert layer.weight.grad.tolist() == [[3.0, 3.0]] and layer.bias.grad.tolist() == [3.0]


def test_replay_waits_until_a_custom_backward_asks_for_its_saved_tensors():
    runs = []

    class Square(autograd.Function):
        @staticmethod
        def forward(ctx, t):
            runs.append("forward")
            ctx.save_for_backward(t)
            return t * t

        @staticmethod
        def backward(ctx, g):
            runs.append("backward")
            return 2 * g * ctx.saved_tensors[0]

    x = leaf([3.0])
    ckpt.checkpoint(Square.apply, x * 1, use_reentrant=False).backward()
    assert runs == ["forward", "backward", "forward"]
    near(x.grad, [6.0])
