# SPDX-License-Identifier: Apache-2.0
"""Section H, items 188, 196 to 199, 205 and 206: in-place writes, passes and hooks."""

from __future__ import annotations

import warnings

import peers
import pytest
from items import same


def leaf(peer, *data):
    return peer.package.tensor(list(data), dtype=peer.package.float64, requires_grad=True)


def const(peer, *data):
    return peer.package.tensor(list(data), dtype=peer.package.float64)


@same(188, "An operator without formula is recorded, in no_grad mode it is not")
def test_item_188_no_grad(peer):
    with peers.scratch(peer) as op:
        op.add_call("CPU", lambda x: x.clone())
        x = leaf(peer, 2.0)
        assert op.overload()(x).requires_grad
        with peer.package.no_grad(), warnings.catch_warnings():
            warnings.simplefilter("error")
            y = op.overload()(x)
            assert not y.requires_grad and y.grad_fn is None and y.is_leaf


@same(196, "A backward pass that needs a tensor written since is an error that tells both versions")
def test_item_196_saved_tensor_was_written(peer):
    x = leaf(peer, 1.0)
    h = x * 2
    y = h * h
    h.add_(1)
    h.add_(1)
    with pytest.raises(RuntimeError, match=r"version.*\b2\b.*version.*\b0\b") as caught:
        y.backward()
    assert "in place" in str(caught.value) or "inplace" in str(caught.value)
    assert x.grad is None


@same(197, "A second pass over a graph that was not kept is an error, and so is what it had saved")
def test_item_197_second_backward(peer):
    x = leaf(peer, 1.0)
    y = x.exp()
    y.backward(retain_graph=True)
    y.backward()
    with pytest.raises(RuntimeError, match="second.*freed|freed.*second|second.*retain_graph"):
        y.backward()
    assert x.grad.tolist() == pytest.approx([2 * 2.718281828459045])

    class Own(peer.package.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

    z = Own.apply(x)
    assert [one.tolist() for one in z.grad_fn.saved_tensors] == [[1.0]]
    z.backward()
    with pytest.raises(RuntimeError, match="freed"):
        z.grad_fn.saved_tensors


@same(198, "Writing a leaf that requires grad, and a view of one, are two errors")
def test_item_198_leaves_in_place(peer):
    x = leaf(peer, 1.0, 2.0)
    with pytest.raises(RuntimeError, match="leaf") as first:
        x.add_(1)
    with pytest.raises(RuntimeError, match="view of a leaf") as second:
        x[0].add_(1)
    assert "view of a leaf" not in str(first.value) and "view" in str(second.value)
    assert x.tolist() == [1.0, 2.0] and x._version == 0
    with peer.package.no_grad():
        x.add_(1)
    assert x.tolist() == [2.0, 3.0]


@same(199, "Writing a view changes the gradients of its base, and those of other views")
def test_item_199_views_in_place(peer):
    x = leaf(peer, 1.0, 2.0, 3.0)
    base = x * 1
    first, sibling = base[:2], base[1:]
    first.mul_(10)
    assert "CopySlices" in base.grad_fn.name()
    (base.sum() + sibling.sum()).backward()
    # base is (10 x0, 10 x1, x2) and sibling is (10 x1, x2).
    assert x.grad.tolist() == [10.0, 20.0, 2.0]


@same(205, "Passes begun in passes work 100 deep, callbacks run after each, errors leave no trace")
def test_item_205_reentrant_passes(peer):
    package, order = peer.package, []
    when_done = peer.queue_callback

    def hook(depth):
        def run(grad):
            if depth == 0:
                order.append("bottom")
                return
            inner = leaf(peer, 1.0)
            inner.register_hook(hook(depth - 1))
            with package.enable_grad():  # hooks run in no_grad mode
                (inner * 2).backward()
            assert inner.grad.tolist() == [2.0]

        return run

    x = leaf(peer, 1.0)
    x.register_hook(hook(100))
    (x * 3).backward()
    assert order == ["bottom"] and x.grad.tolist() == [3.0]

    def outer(grad):
        when_done(lambda: order.append("outer done"))
        inner = leaf(peer, 1.0)
        inner.register_hook(lambda grad: when_done(lambda: order.append("inner done")))
        with package.enable_grad():
            (inner * 2).backward()
        order.append("inner returned")

    y = leaf(peer, 1.0)
    y.register_hook(outer)
    (y * 3).backward()
    assert order[1:] == ["inner done", "inner returned", "outer done"]

    def fail(grad):
        inner = leaf(peer, 1.0)
        inner.register_hook(lambda grad: 1 / 0)
        with package.enable_grad():
            (inner * 2).backward()

    z = leaf(peer, 1.0)
    handle = z.register_hook(fail)
    with pytest.raises(ZeroDivisionError):
        (z * 3).backward()
    handle.remove()
    assert package.is_grad_enabled() and z.grad is None
    (z * 3).backward()
    assert z.grad.tolist() == [3.0]


@same(206, "A tensor's hook replaces its gradient, by one of the same shape, until it is removed")
def test_item_206_tensor_hooks(peer):
    x = leaf(peer, 1.0, 2.0)
    h = x * 1
    handle = h.register_hook(lambda grad: grad * 5)
    (h * 2).sum().backward(retain_graph=True)
    assert x.grad.tolist() == [10.0, 10.0]
    handle.remove()
    handle.remove()
    x.grad = None
    (h * 2).sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]
    for wrong, error in (("text", TypeError), (const(peer, 1.0, 2.0, 3.0), RuntimeError)):
        h = x * 1
        h.register_hook(lambda grad, wrong=wrong: wrong)
        with pytest.raises(error):
            h.sum().backward()
    with pytest.raises(RuntimeError, match="(?i)require"):
        const(peer, 1.0).register_hook(lambda grad: None)
