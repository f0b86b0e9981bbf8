# SPDX-License-Identifier: Apache-2.0
"""Names and answers of operators, schemas, key sets and errors that PyTorch's users know."""

from __future__ import annotations

import pytest
import tenon
from tenon.library import DispatchKeySet, Library


@pytest.fixture
def named():
    library = Library("named", "DEF")
    yield library
    library._destroy()


def test_packet_and_overloads_tell_their_names(named):
    named.define("f.ov(Tensor x) -> Tensor")
    named.define("f(Tensor x) -> Tensor")
    packet = tenon.ops.named.f
    assert packet.__name__ == "f"
    assert packet.ov.__name__ == "f.ov"
    assert str(packet.ov) == "named.f.ov"
    assert str(packet.default) == "named.f.default"
    assert "overload='ov'" in repr(packet.ov)


def test_arguments_tell_defaults_and_aliases(named):
    named.define("g(Tensor(a!) x, Tensor(b|c) y, Tensor z, *, int? n=None, int m=3) -> Tensor(a!)")
    arguments = tenon.ops.named.g.default._schema.arguments
    assert [one.has_default_value() for one in arguments] == [False, False, False, True, True]
    assert [one.default_value for one in arguments[3:]] == [None, 3]
    written, either, plain = (one.alias_info for one in arguments[:3])
    assert written.is_write and written.before_set == {"a"}
    assert not either.is_write and either.before_set == {"b", "c"}
    assert plain is None


def test_0_dim_tensors_serve_as_numbers(named):
    named.define("h(Tensor t, int n, float x) -> ()")
    seen = []
    named.impl("h", lambda t, n, x: seen.append((n, x)), "CPU")
    one = tenon.ones(1)
    tenon.ops.named.h(one, tenon.tensor(3), tenon.tensor(2.5))
    tenon.ops.named.h(one, 4, tenon.tensor(2))
    assert seen == [(3, 2.5), (4, 2.0)]
    assert [type(part) for part in seen[0]] == [int, float]
    for wrong in (tenon.tensor([1, 2]), tenon.tensor([1]), tenon.tensor(1.5), tenon.tensor(True)):
        with pytest.raises(TypeError, match="named::h: n must be int, got Tensor"):
            tenon.ops.named.h(one, wrong, 1.0)


def test_what_tenon_raises_is_a_runtime_error(named):
    named.define("k(Tensor t) -> ()")
    assert issubclass(tenon.Error, RuntimeError)
    for wrong in (lambda: tenon.ops.named.k(3), lambda: tenon.ones(2) + tenon.ones(3)):
        with pytest.raises(RuntimeError):
            wrong()


def test_backends_stay_when_functionalities_are_taken_away():
    both = DispatchKeySet("CPU").add("AutogradCPU")
    assert both - DispatchKeySet("AutogradCPU") == DispatchKeySet("CPU")
    assert not (both - DispatchKeySet("AutogradCPU")).has("AutogradCPU")


def test_define_names_the_type_that_is_no_name():
    with pytest.raises(ValueError, match="qualname must be str, got int 42"):
        tenon.library.define(42, "(Tensor x) -> Tensor")
