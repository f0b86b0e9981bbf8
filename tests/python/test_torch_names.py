# SPDX-License-Identifier: Apache-2.0
"""Attributes of operators, schemas, key sets and errors that PyTorch has too."""

from __future__ import annotations

import pytest
import tenon
from tenon.library import DispatchKeySet, Library


@pytest.fixture
def named():
    library = Library("named", "DEF")
    yield library
    library._destroy()


def test_packet_and_overloads_have_names(named):
    named.define("f.ov(Tensor x) -> Tensor")
    named.define("f(Tensor x) -> Tensor")
    packet = tenon.ops.named.f
    assert packet.__name__ == "f"
    assert packet.ov.__name__ == "f.ov"
    assert str(packet.ov) == "named.f.ov"
    assert str(packet.default) == "named.f.default"
    assert "overload='ov'" in repr(packet.ov)


def test_arguments_have_defaults_and_alias_info(named):
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


def test_errors_of_tenon_are_runtime_errors(named):
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


def test_a_bool_is_no_dim_where_an_overload_takes_bools():
    x = tenon.tensor([[1.0, 2.0], [3.0, 5.0]])
    for name in ("var", "std", "var_mean", "std_mean"):
        call = getattr(tenon, name)
        biased = call(x, False)
        for one in biased if isinstance(biased, tuple) else [biased]:
            assert one.shape == ()
    assert tenon.var(x, False).item() == 2.1875
    assert tenon.var(x, 0).tolist() == [2.0, 4.5]


def test_nonzero_returns_a_vector_per_dim_as_a_tuple():
    x = tenon.tensor([[0, 7], [8, 0]])
    assert tenon.nonzero(x).tolist() == x.nonzero(as_tuple=False).tolist() == [[0, 1], [1, 0]]
    rows, columns = x.nonzero(as_tuple=True)
    assert (rows.tolist(), columns.tolist()) == ([0, 1], [1, 0])
    assert x[tenon.nonzero(x, as_tuple=True)].tolist() == [7, 8]
    assert [one.tolist() for one in tenon.nonzero(tenon.tensor(3), as_tuple=True)] == [[0]]
    out = tenon.empty(0, dtype=tenon.int64)
    assert tenon.nonzero(x, out=out) is out and out.shape == (2, 2)
    with pytest.raises(tenon.Error, match="nonzero: out must be left out"):
        tenon.nonzero(x, out=out, as_tuple=True)


def test_to_takes_non_blocking_and_copy_by_position():
    x = tenon.ones(2)
    assert x.to(tenon.float32, False) is x
    assert x.to("cpu", tenon.float32, False, False) is x
    for copy in (x.to(tenon.float32, False, True), x.to("cpu", tenon.float32, True, True)):
        assert copy is not x and copy.data_ptr() != x.data_ptr()
    assert x.to(x, False, True).data_ptr() != x.data_ptr()
    for wrong in (
        lambda: x.to(False, tenon.float32),
        lambda: x.to(tenon.float32, False, True, True),
    ):
        with pytest.raises(TypeError, match="to: argument"):
            wrong()


def test_casts_take_a_memory_format():
    x = tenon.ones(2, 3)
    assert x.float(memory_format=tenon.contiguous_format) is x
    assert x.float(tenon.preserve_format) is x
    assert x.to(tenon.float32, memory_format=tenon.contiguous_format) is x
    turned = x.t()
    assert turned.float(memory_format=tenon.contiguous_format).stride() == (2, 1)
    assert turned.double(memory_format=tenon.preserve_format).stride() == turned.stride()


def test_functions_in_place_write_their_argument():
    x = tenon.tensor([-1.0, 4.0])
    assert tenon.abs_(x) is x and x.tolist() == [1.0, 4.0]
    assert tenon.sqrt_(x) is x and x.tolist() == [1.0, 2.0]
    assert tenon.zero_(x) is x and x.tolist() == [0.0, 0.0]


def test_small_answers_of_tensors():
    x = tenon.tensor([[1 + 2j, 3], [0, 1j]])
    assert x.H.tolist() == x.mH.tolist() == x.adjoint().tolist() == [[1 - 2j, 0], [3, -1j]]
    assert x.ndimension() == 2 and x.is_signed() and not tenon.ones(1).byte().is_signed()
    assert not x.is_conj() and not x.is_neg()
    assert x.resolve_conj() is x and x.resolve_neg() is x
    assert tenon.tensor(2).is_nonzero() and not tenon.tensor([0.0]).is_nonzero()
    with pytest.raises(tenon.Error, match="Tensor.H: tensor must be a matrix"):
        _ = tenon.ones(3).H
