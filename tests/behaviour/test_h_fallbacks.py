# SPDX-License-Identifier: Apache-2.0
"""Section H, items 202 to 204: operators without a gradient formula."""

from __future__ import annotations

import contextlib
import warnings

import peers
import pytest
import tenon
from items import better


def leaf(peer, *data):
    return peer.package.tensor(list(data), dtype=peer.package.float64, requires_grad=True)


def without_history(x):
    """Doubles a tensor without an operator that autograd sees."""
    return x.detach() * 2


@better(
    202,
    "An operator without formula is recorded, its result requires grad, and a backward pass that "
    "comes to it, or a call in forward mode,",
    "fails and names the operator; PyTorch warns and leaves the gradient out, and drops tangents "
    "silently",
)
def test_item_202_derivatives_through_no_formula(peer):
    with peers.scratch(peer) as op:
        op.add_call("CPU", without_history)
        x, other = leaf(peer, 1.0), leaf(peer, 1.0)
        y = op.overload()(x)
        assert y.requires_grad and y.tolist() == [2.0]
        (other * y.detach()).backward()
        assert other.grad.tolist() == [2.0]
        if peer.is_torch:
            with pytest.warns(UserWarning, match="autograd kernel was not registered"):
                y.backward()
        else:
            with pytest.raises(NotImplementedError, match=f"{op.name}.*formula"):
                y.backward()
        assert x.grad is None
        forward_ad = peer.package.autograd.forward_ad
        with forward_ad.dual_level():
            dual = forward_ad.make_dual(x.detach(), x.detach())
            if peer.is_torch:
                assert forward_ad.unpack_dual(op.overload()(dual)).tangent is None
            else:
                with pytest.raises(NotImplementedError, match=f"{op.name}.*formula"):
                    op.overload()(dual)


def overwrite(x):
    """Doubles a tensor's elements in place without an operator that autograd sees."""
    elements = x.numpy()
    elements *= 2


@better(
    203,
    "Operators in place and of views, whatever their kernels do, count versions and make views",
    "a kernel that writes by itself counts, too, and any result may be a view of any argument; "
    "PyTorch counts what operators inside the kernel write",
)
def test_item_203_versions_and_views_without_formula(peer):
    with peers.scratch(peer, "op(Tensor(a!) x) -> ()") as op:
        op.add_call("CPU", overwrite)
        x = peer.tensor()
        op.overload()(x)
        assert x.tolist() == [2.0, 2.0] and x._version == (0 if peer.is_torch else 1)
    with peers.scratch(peer, "op_(Tensor(a!) x) -> Tensor(a!)") as op:
        op.add_call("CPU", lambda x: x.mul_(2))
        h = leaf(peer, 1.0) * 1
        assert op.overload()(h) is h and h._version == 1 and h.requires_grad
        with pytest.raises(RuntimeError, match="leaf"):
            op.overload()(leaf(peer, 1.0))
    with peers.scratch(peer, "op(Tensor x, Tensor(a) y) -> (Tensor, Tensor(a))") as op:
        op.add_call("CPU", lambda x, y: (x.clone(), y[:1]))
        first, second = leaf(peer, 1.0, 2.0) * 1, leaf(peer, 1.0, 2.0)
        base = second * 1
        _, view = op.overload()(first, base)
        assert view._base is base
        view.mul_(3)
        base.sum().backward()
        assert second.grad.tolist() == [3.0, 1.0]


@contextlib.contextmanager
def policy(peer, op, name):
    """Sets what happens to gradients that arrive at the operator."""
    if not peer.is_torch:
        with tenon.library.Library(op.ns, "IMPL") as library:
            library.set_gradient_policy(op.op, name)
            yield
        return
    before = peer.package._C._get_autograd_fallback_mode()
    peer.package._C._set_autograd_fallback_mode(name)
    try:
        yield
    finally:
        peer.package._C._set_autograd_fallback_mode(before)


@better(
    204,
    "With the policy to warn a backward pass tells the operator and goes on, with nothing it does "
    "not even that",
    "policies are of an operator, too, not only of the process, and to fail is the usual one",
)
def test_item_204_policies(peer):
    with peers.scratch(peer) as op:
        op.add_call("CPU", without_history)
        x, other = leaf(peer, 1.0), leaf(peer, 1.0)
        with policy(peer, op, "warn"):
            y = op.overload()(x)
            assert y.requires_grad
            with pytest.warns(UserWarning, match=op.name) as told:
                (y + other).backward()
            assert len(told) == 1 and x.grad is None and other.grad.tolist() == [1.0]
        with policy(peer, op, "nothing"), warnings.catch_warnings():
            warnings.simplefilter("error")
            y = op.overload()(x)
            (y + other).backward()
            assert not y.requires_grad and x.grad is None and other.grad.tolist() == [2.0]
