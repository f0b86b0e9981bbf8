# SPDX-License-Identifier: Apache-2.0
"""Section H, items 200 and 201: forward mode."""

from __future__ import annotations

import pytest
from items import same


def const(peer, *data):
    return peer.package.tensor(list(data), dtype=peer.package.float64)


def forward_ad(peer):
    return peer.package.autograd.forward_ad


def function(peer, forward, jvp):
    """Makes a Function with a jvp."""
    members = {"forward": staticmethod(forward), "jvp": staticmethod(jvp)}
    return type("Own", (peer.package.autograd.Function,), members)


def tangent(peer, own, to_call):
    """Returns the tangent of a function's result for an argument with tangent 1."""
    fw = forward_ad(peer)
    with fw.dual_level():
        dual = fw.make_dual(const(peer, 2.0), const(peer, 1.0))
        return fw.unpack_dual(own.apply(to_call(dual))).tangent


def itself(x):
    return x


def written(ctx, x):
    ctx.mark_dirty(x)
    return x.mul_(3)


@same(200, "Rules of forward mode give a tangent a result, of a view a view, in place in place")
def test_item_200_rules_of_forward_mode(peer):
    right = function(peer, lambda ctx, x: x * 3, lambda ctx, t: t * 3)
    assert tangent(peer, right, itself).tolist() == [3.0]
    several = function(peer, lambda ctx, x: x * 3, lambda ctx, t: (t * 3, t))
    with pytest.raises(RuntimeError, match=r"(?s)jvp.*\b1\b.*\b2\b"):
        tangent(peer, several, itself)

    view = function(peer, lambda ctx, x: x[:], lambda ctx, t: t[:])
    assert tangent(peer, view, itself).tolist() == [1.0]
    no_view = function(peer, lambda ctx, x: x[:], lambda ctx, t: t * 1)
    with pytest.raises(RuntimeError, match="(?s)jvp.*view"):
        tangent(peer, no_view, itself)

    in_place = function(peer, written, lambda ctx, t: t.mul_(3))
    assert tangent(peer, in_place, lambda dual: dual * 1).tolist() == [3.0]
    apart = function(peer, written, lambda ctx, t: t * 3)
    with pytest.raises(RuntimeError, match="(?i)in.?place"):
        tangent(peer, apart, lambda dual: dual * 1)


@same(201, "Dual levels do not nest, end in order, and are needed to make a dual tensor")
def test_item_201_dual_levels(peer):
    fw = forward_ad(peer)
    x, t = const(peer, 2.0), const(peer, 1.0)
    with pytest.raises(RuntimeError, match="level"):
        fw.make_dual(x, t)
    with fw.dual_level():
        dual = fw.make_dual(x, t)
        with pytest.raises(RuntimeError, match="(?i)nest"):
            fw.enter_dual_level()
        with pytest.raises(RuntimeError, match="level"):
            fw.exit_dual_level(level=3)
        assert fw.unpack_dual(dual * 2).tangent.tolist() == [2.0]
    assert fw.unpack_dual(dual).tangent is None
    with pytest.raises(RuntimeError, match="level"):
        fw.exit_dual_level(level=0)
