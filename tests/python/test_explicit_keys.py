# SPDX-License-Identifier: Apache-2.0
"""Kernels that are called by explicit keys never see a tensor that their backend cannot read."""

from __future__ import annotations

import pytest
import tenon
from tenon import FakeTensorMode
from tenon.key_set import DispatchKeySet
from tenon.library import ExcludeDispatchKeyGuard, IncludeDispatchKeyGuard

from test_fake_operators import CALLS, arguments, convert, tensors_in


def fake_of(args):
    mode = FakeTensorMode()
    return convert(args, mode.from_tensor)


def meta_of(args):
    return convert(args, lambda tensor: tensor.to("meta"))


@pytest.mark.parametrize("replace", [fake_of, meta_of])
@pytest.mark.parametrize("name", sorted(CALLS))
def test_redispatch_refuses_tensors_without_memory(name, replace):
    op = tenon.find_op(name)
    for spec in CALLS[name]:
        args, kwargs = arguments(spec, "float32")
        values, named = replace([args, list(kwargs.values())])
        given = dict(zip(kwargs, named, strict=True))
        if not tensors_in([values, named]):
            continue
        for key in ("CPU", "AutogradCPU"):
            chosen = DispatchKeySet(key, "CPU")
            with pytest.raises((tenon.Error, TypeError)):
                op.redispatch(chosen, *values, **given)


def test_error_names_argument_and_backend():
    x, meta = tenon.ones(4), tenon.empty(4, device="meta")
    add = tenon.ops.aten.add.Tensor
    with pytest.raises(
        tenon.InvalidArgumentError,
        match=r"aten::add\.Tensor: other must be a tensor that kernels for CPU can read, got one "
        "on meta, which has no memory",
    ):
        add.redispatch(DispatchKeySet("CPU"), x, meta)
    with FakeTensorMode() as mode:
        fake = mode.from_tensor(x)
    with pytest.raises(tenon.InvalidArgumentError, match="self must .* got a fake tensor on cpu"):
        add.redispatch(DispatchKeySet("CPU"), fake, x)


def test_readable_tensors_go_through():
    x = tenon.ones(4)
    add = tenon.ops.aten.add.Tensor
    assert add.redispatch(DispatchKeySet("CPU"), x, x).tolist() == [2.0] * 4
    meta = tenon.empty(4, device="meta")
    assert add.redispatch(DispatchKeySet("Meta"), meta, meta).device.type == "meta"


def test_kernel_may_not_put_a_tensor_without_memory_in_place_of_its_argument(library, ops):
    library.define("f(Tensor a) -> Tensor")
    meta = tenon.empty(4, device="meta")
    library.impl("f", lambda a: a.clone(), "CPU")

    def layer(key_set, a):
        return ops.f.default.redispatch(key_set & DispatchKeySet("CPU"), meta)

    library.impl("f", layer, "AutogradCPU", with_keyset=True)
    with pytest.raises(tenon.InvalidArgumentError, match="a must be a tensor that kernels for CPU"):
        ops.f(tenon.ones(4))


def test_guards_lead_no_kernel_to_fake_tensors():
    x = tenon.ones(4)
    with FakeTensorMode() as mode:
        fake = mode.from_tensor(x)
    with ExcludeDispatchKeyGuard("Fake"):
        assert isinstance(fake + fake, tenon.FakeTensor)
        with pytest.raises(tenon.Error):
            fake + x
        with IncludeDispatchKeyGuard("CPU"):
            assert isinstance(fake + fake, tenon.FakeTensor)
