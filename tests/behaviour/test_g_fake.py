# SPDX-License-Identifier: Apache-2.0
"""Section G, items 173 to 176: fake kernels, and sizes that depend on data."""

from __future__ import annotations

import itertools

import pytest
from items import better, same

_numbers = itertools.count()


def defined(peer, kernel=None, key="CPU"):
    """Opens a library that defines an operator; returns it and the operator's full name."""
    ns = f"g_fakes_{peer.name}_{next(_numbers)}"
    library = peer.Library(ns, "DEF")
    library.define("f(Tensor x) -> Tensor")
    if kernel is not None:
        library.impl("f", kernel, key)
    return library, f"{ns}::f"


def like(x):
    return x.new_empty(x.shape)


def meta(peer, *sizes):
    return peer.package.empty(sizes, device="meta")


@better(
    173,
    "register_fake is refused where a CompositeImplicitAutograd kernel serves",
    "also where there is a kernel for Meta, which PyTorch silently takes another beside, and with "
    "allow_override=False a fake kernel; each error names the kernel and where it was registered",
)
def test_item_173_refused(peer):
    register = peer.package.library.register_fake
    refused = (lambda x: x.clone(), "CPU"), (like, "Meta"), (like, "CompositeImplicitAutograd")
    for number, (kernel, key) in enumerate(refused):
        library, name = defined(peer, kernel, key)
        if number == 0:
            register(name, like, lib=library)
        if peer.is_torch and key != "CompositeImplicitAutograd":
            register(name, like, lib=library)
            continue
        with pytest.raises(RuntimeError) as caught:
            register(name, like, lib=library, allow_override=False)
        if not peer.is_torch:
            assert "like at" in str(caught.value) and "test_g_fake.py" in str(caught.value)


@same(174, "A fake kernel serves Meta; without one the error says that it is missing")
def test_item_174_meta(peer):
    library, name = defined(peer, lambda x: x.clone())
    ns, _, base = name.partition("::")
    call = getattr(getattr(peer.ops, ns), base)
    with pytest.raises(NotImplementedError, match=name):
        call(meta(peer, 3))
    peer.package.library.register_fake(name, lambda x: x.new_empty(7, 2), lib=library)
    assert tuple(call(meta(peer, 3)).shape) == (7, 2)
    assert call(meta(peer, 3)).device.type == "meta"


def symbolic_fakes(peer):
    if not peer.is_torch:
        return peer.package.FakeTensorMode()
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.fx.experimental.symbolic_shapes import ShapeEnv

    return FakeTensorMode(shape_env=ShapeEnv())


def check_bounds(peer):
    """The bounds are numbers, and the lower one is at least 0."""
    library, name = defined(peer, lambda x: x.clone())

    def fake(x):
        ctx = peer.package.library.get_ctx()
        size = ctx.new_dynamic_size()
        for bounds in ({"min": -1}, {"min": size}, {"max": size}):
            with pytest.raises(ValueError):
                ctx.new_dynamic_size(**bounds)
        return x.new_empty([size, 2])

    peer.package.library.register_fake(name, fake, lib=library)
    ns, _, base = name.partition("::")
    with symbolic_fakes(peer):
        result = getattr(getattr(peer.ops, ns), base)(peer.package.ones(3))
    assert not isinstance(result.shape[0], int) and result.shape[1] == 2


@better(
    175,
    "new_dynamic_size takes numbers from 0 on, and is an error in a fake kernel that runs on Meta",
    "get_ctx outside of a fake kernel is an error that says so; PyTorch's answers None",
)
def test_item_175_context(peer):
    if peer.is_torch:
        assert peer.package.library.get_ctx() is None
    else:
        with pytest.raises(RuntimeError, match="get_ctx: must be called in a fake kernel"):
            peer.package.library.get_ctx()
    library, name = defined(peer, lambda x: x.clone())

    def asks(x):
        peer.package.library.get_ctx().new_dynamic_size()
        return like(x)

    peer.package.library.register_fake(name, asks, lib=library)
    ns, _, base = name.partition("::")
    with pytest.raises(RuntimeError):
        getattr(getattr(peer.ops, ns), base)(meta(peer, 3))
    check_bounds(peer)


@better(
    176,
    "An operator whose result's shape depends on data fails without data",
    "as a DataDependentError that names operator and argument; on fake tensors the device, too, "
    "and how to go on",
)
def test_item_176_data_dependent(peer):
    with pytest.raises((RuntimeError, NotImplementedError)):
        meta(peer, 3).nonzero()
    if not peer.is_torch:
        package = peer.package
        with package.FakeTensorMode(), pytest.raises(package.DataDependentError) as caught:
            package.ones(2, device="cuda:1").nonzero()
        message = f"{caught.value}\n" + "\n".join(getattr(caught.value, "__notes__", ()))
        assert "aten::nonzero: self must have data" in message
        assert "fake tensor on cuda:1" in message
        assert "register a fake kernel" in message
