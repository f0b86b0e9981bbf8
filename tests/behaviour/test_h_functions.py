# SPDX-License-Identifier: Apache-2.0
"""Section H, items 189 to 195, 207 and 208: custom autograd functions, gradcheck."""

from __future__ import annotations

import pytest
from items import better, same


def leaf(peer, *data):
    return peer.package.tensor(list(data), dtype=peer.package.float64, requires_grad=True)


def const(peer, *data):
    return peer.package.tensor(list(data), dtype=peer.package.float64)


def function(peer, forward, backward):
    """Makes a Function of two static methods."""
    members = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    return type("Own", (peer.package.autograd.Function,), members)


@same(189, "needs_input_grad marks arguments that need gradients; None is accepted for all others")
def test_item_189_needs_input_grad(peer):
    seen = []

    def forward(ctx, x, y, n):
        seen.append(ctx.needs_input_grad)
        return x * y * n

    def backward(ctx, grad):
        seen.append(ctx.needs_input_grad)
        return grad * 6, None, None

    x = leaf(peer, 1.0)
    function(peer, forward, backward).apply(x, const(peer, 2.0), 3).backward()
    assert seen == [(True, False, False)] * 2 and x.grad.tolist() == [6.0]


@same(190, "A wrong number of gradients is an error, but that more of them may be None")
def test_item_190_number_of_gradients(peer):
    def forward(ctx, x, y):
        return x * y

    x, y = leaf(peer, 1.0), leaf(peer, 2.0)
    few = function(peer, forward, lambda ctx, grad: grad)
    with pytest.raises(RuntimeError, match="gradients"):
        few.apply(x, y).backward()
    many = function(peer, forward, lambda ctx, grad: (grad, grad, grad))
    with pytest.raises(RuntimeError, match="gradients"):
        many.apply(x, y).backward()
    more = function(peer, forward, lambda ctx, grad: (grad * 2, grad, None, None))
    more.apply(x, y).backward()
    assert (x.grad.tolist(), y.grad.tolist()) == ([2.0], [1.0])


@same(191, "Gradients that did not come are zeros, or None where they are not to be materialized")
@pytest.mark.parametrize("materialize", [True, False])
def test_item_191_materialize(peer, materialize):
    seen = []

    def forward(ctx, x):
        ctx.set_materialize_grads(materialize)
        return x * 1, x * 2

    def backward(ctx, first, second):
        seen.append(None if second is None else second.tolist())
        return first

    function(peer, forward, backward).apply(leaf(peer, 1.0))[0].backward()
    assert seen == [[0.0] if materialize else None]


@same(192, "Deriving a once_differentiable backward again is an error")
def test_item_192_once_differentiable(peer):
    once = peer.package.autograd.function.once_differentiable
    own = function(peer, lambda ctx, x: x * 2, once(lambda ctx, grad: grad * 2))
    x = leaf(peer, 1.0)
    (slope,) = peer.package.autograd.grad((own.apply(x) * x).sum(), x, create_graph=True)
    assert slope.tolist() == [4.0]
    with pytest.raises(RuntimeError, match="once_differentiable"):
        slope.backward()


@same(193, "A tensor marked dirty must be returned, and must not be a leaf that requires grad")
def test_item_193_mark_dirty(peer):
    def forward(ctx, x, returned):
        ctx.mark_dirty(x)
        x.mul_(2)
        return x if returned else x + 1

    own = function(peer, forward, lambda ctx, grad: (grad * 2, None))
    x = leaf(peer, 1.0)
    with pytest.raises(RuntimeError, match="dirty"):
        own.apply(x * 1, False)
    h = x * 1
    assert own.apply(h, True) is h
    h.backward()
    assert x.grad.tolist() == [2.0]
    with pytest.raises(RuntimeError, match="leaf"):
        own.apply(x, True)


@same(194, "Outputs marked non-differentiable require no grad, others beside them do")
def test_item_194_mark_non_differentiable(peer):
    def forward(ctx, x):
        plain = x * 3
        ctx.mark_non_differentiable(plain)
        return x * 2, plain

    x = leaf(peer, 1.0)
    own = function(peer, forward, lambda ctx, first, second: first * 2)
    first, plain = own.apply(x)
    assert first.requires_grad and not plain.requires_grad
    first.backward()
    assert x.grad.tolist() == [2.0]
    with pytest.raises(RuntimeError):
        plain.sum().backward()


@same(195, "Results of an integral dtype never require grad")
def test_item_195_integral_outputs(peer):
    x = leaf(peer, 1.5)
    own = function(
        peer, lambda ctx, x: (x * 2, x.to(peer.package.int64)), lambda ctx, first, second: first
    )
    first, whole = own.apply(x)
    assert first.requires_grad and not whole.requires_grad
    assert not x.to(peer.package.int64).requires_grad and not (x > 1).requires_grad
    with pytest.raises(RuntimeError, match="(?i)float"):
        peer.package.tensor([1], requires_grad=True)


def wrongly_doubled(peer):
    """Returns a function that doubles, with a gradient that is twice too large."""
    return function(peer, lambda ctx, x: x * 2, lambda ctx, grad: grad * 4).apply


@better(
    207,
    "gradcheck shows both Jacobians of a gradient twice too large, and warns of float32",
    "it says what explains all entries, too, such as a factor of 2",
)
def test_item_207_gradcheck(peer):
    autograd = peer.package.autograd
    x = leaf(peer, 0.5, 1.5)
    assert autograd.gradcheck(lambda x: x.sin() * x, (x,))
    wrong = wrongly_doubled(peer)
    with pytest.raises(RuntimeError) as caught:
        autograd.gradcheck(wrong, (x,))
    text = str(caught.value)
    if peer.is_torch:
        assert "numerical:tensor([[2.0" in text and "analytical:tensor([[4." in text
    else:
        assert "[2, 0]\n  [0, 2]" in text and "[4, 0]\n  [0, 4]" in text
        assert "the gradient is twice what it should be" in text
    assert autograd.gradcheck(wrong, (x,), raise_exception=False) is False
    single = peer.package.tensor([0.5], requires_grad=True)
    with pytest.warns(UserWarning, match="(?i)double precision|float64"):
        autograd.gradcheck(lambda x: x * 2, (single,), raise_exception=False)


@same(208, "gradgradcheck compares second derivatives, and undefined gradients must count as zero")
def test_item_208_gradgradcheck(peer):
    autograd = peer.package.autograd
    x = leaf(peer, 0.5, 1.5)
    assert autograd.gradgradcheck(lambda x: x.sin() * x, (x,))

    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    def backward(ctx, grad):  # right, but its own derivative with respect to x is missing
        return grad * 2 * ctx.saved_tensors[0].detach()

    own = function(peer, forward, backward).apply
    assert autograd.gradcheck(own, (x,))
    assert autograd.gradgradcheck(own, (x,), raise_exception=False) is False

    def unmaterialized(ctx, x):
        ctx.set_materialize_grads(False)
        return x * 2

    def counts_none_as_one(ctx, grad):
        return const(peer, 1.0, 1.0) if grad is None else grad * 2

    own = function(peer, unmaterialized, counts_none_as_one).apply
    assert autograd.gradcheck(own, (x,), check_undefined_grad=False)
    with pytest.raises(RuntimeError, match="(?i)undefined"):
        autograd.gradcheck(own, (x,))
