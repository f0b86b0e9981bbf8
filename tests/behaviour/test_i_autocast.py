# SPDX-License-Identifier: Apache-2.0
"""Section I, items 209 to 214: autocast."""

from __future__ import annotations

import peers
from items import better, same


def region(peer, dtype=None, **options):
    package = peer.package
    return package.autocast("cpu", dtype=dtype or package.bfloat16, **options)


def on(peer) -> bool:
    return peer.package.is_autocast_enabled("cpu")


def ones(peer, dtype=None, **options):
    return peer.package.ones(2, 2, dtype=dtype or peer.package.float32, **options)


def product(peer, dtype=None):
    a = ones(peer, dtype)
    return peer.package.mm(a, a).dtype


@same(209, "Autocast is off by default, and regions do not change an operator without a rule")
def test_item_209_operator_without_rule(peer):
    assert not on(peer) and product(peer) == peer.package.float32
    seen = []

    def kernel(x):
        seen.append((x.dtype, on(peer)))
        return x.clone()

    with peers.scratch(peer) as op:
        op.add_call("CPU", kernel)
        with region(peer):
            op.overload()(ones(peer))
    assert seen == [(peer.package.float32, True)]


@same(210, "Casts take float32 and the other lower precision, and leave float64 and integers alone")
def test_item_210_what_is_cast(peer):
    package = peer.package
    with region(peer):
        assert product(peer) == product(peer, package.float16) == package.bfloat16
        assert product(peer, package.float64) == package.float64
        assert product(peer, package.int64) == package.int64
    with package.autocast("cuda", enabled=False):
        assert product(peer) == package.float32


@better(
    211,
    "A parameter is cast once in a region, and anew after the outermost one",
    "one that was written since is cast anew at once; PyTorch goes on with the old values",
)
def test_item_211_cache(peer):
    package = peer.package
    w, x = ones(peer, requires_grad=True), ones(peer)

    def cast():
        """Returns the node of the parameter's cast."""
        return package.mm(x, w).grad_fn.next_functions[1][0]

    with region(peer):
        first = cast()
        with region(peer):
            assert cast() is first
        assert cast() is first
    with region(peer):
        second = cast()
        assert second is not first
        with package.no_grad():
            w.mul_(3)
        assert package.mm(x, w)[0].tolist() == ([2, 2] if peer.is_torch else [6, 6])
    with region(peer):
        assert package.mm(x, w)[0].tolist() == [6, 6]


@same(212, "A region that is not enabled suspends an outer one; leaving it restores the dtype")
def test_item_212_nested_regions(peer):
    package = peer.package
    with region(peer, package.float16):
        with region(peer, enabled=False):
            assert not on(peer) and product(peer) == package.float32
        assert package.get_autocast_dtype("cpu") == package.float16
        with region(peer, package.bfloat16):
            assert product(peer) == package.bfloat16
        assert product(peer) == package.float16
    assert package.get_autocast_dtype("cpu") == package.bfloat16


@same(213, "Promotion takes float32 where one argument is that, and float64 does not count")
def test_item_213_promotion(peer):
    package = peer.package
    full, half = ones(peer), ones(peer, package.bfloat16)
    wide = ones(peer, package.float64)
    with region(peer):
        assert package.cat([half, full]).dtype == package.float32
        assert package.cat([half, half]).dtype == package.bfloat16
        assert package.cat([half, wide]).dtype == package.float64
    if not peer.is_torch:  # PyTorch does not show this in Python
        promote = package.amp.promote_type
        assert promote(package.bfloat16, half, wide, device_type="cpu") == package.bfloat16
        assert promote(package.bfloat16, half, full, device_type="cpu") == package.float32


@same(214, "Backward runs in the dtypes of forward, and gradients are of the leaves' dtype")
def test_item_214_backward_runs_as_forward(peer):
    package, seen = peer.package, []
    w, x = ones(peer, requires_grad=True), ones(peer)
    with region(peer):
        y = package.mm(x, w)
    y.register_hook(lambda grad: seen.append(grad.dtype))
    y.sum().backward()
    assert seen == [package.bfloat16]
    assert w.grad.dtype == package.float32 and w.grad.tolist() == [[2, 2], [2, 2]]
