# SPDX-License-Identifier: Apache-2.0
"""tenon.ops: namespaces, packets and overloads, kept current as operators are added and removed."""

from __future__ import annotations

import types
import warnings

import pytest
import tenon
from tenon.library import Library


def test_namespace_is_a_plain_module(library, ops):
    library.define("a(Tensor x) -> Tensor")
    assert type(ops) is types.ModuleType
    assert "__getattr__" not in vars(ops)
    assert vars(ops)["a"] is ops.a
    assert library.ns in dir(tenon.ops)


def test_packet_and_overloads(library, ops):
    library.define("a(Tensor x) -> Tensor")
    library.define("a.Scalar(Scalar x) -> Tensor")
    assert ops.a.overloads() == ["default", "Scalar"]
    assert ops.a.default.name() == f"{library.ns}::a"
    assert ops.a.Scalar.name() == f"{library.ns}::a.Scalar"
    assert ops.a.Scalar.namespace == library.ns and ops.a.Scalar._overloadname == "Scalar"
    assert ops.a.Scalar.overloadpacket is ops.a
    assert str(ops.a.Scalar._schema) == f"{library.ns}::a.Scalar(Scalar x) -> Tensor"
    assert {"default", "Scalar"} <= set(dir(ops.a))
    assert repr(ops.a.Scalar) == f"<OpOverload(op='{library.ns}.a', overload='Scalar')>"


def test_missing_operator_and_overload(library, ops):
    library.define("a(Tensor x) -> Tensor")
    with pytest.raises(AttributeError, match=rf"{library.ns}.*nope"):
        ops.nope
    with pytest.raises(AttributeError, match=rf"{library.ns}::a.*default.*nope"):
        ops.a.nope
    with pytest.raises(LookupError, match=f"{library.ns}::nope"):
        tenon.find_op(f"{library.ns}::nope")


def test_operator_without_definition_is_invisible(library, ops):
    library.impl("only_impl", lambda x: x, "CPU")
    assert not hasattr(ops, "only_impl")
    assert f"{library.ns}::only_impl" in tenon.introspect.dangling()
    library.define("only_impl(Tensor x) -> Tensor")
    t = tenon.ones(1)
    assert ops.only_impl(t) is t


def test_overload_added_after_the_packet_was_used(library, ops):
    library.define("a(Tensor x) -> Tensor")
    library.impl("a", lambda x: x, "CPU")
    packet = ops.a
    with pytest.raises(TypeError):
        packet("text")
    library.define("a.str(str x) -> str")
    library.impl("a.str", lambda x: x + "!", "CompositeExplicitAutograd")
    assert packet is ops.a
    assert packet("text") == "text!"


def test_destroyed_operator_is_a_clean_error(ns):
    library = Library(ns, "DEF")
    library.define("a(Tensor x) -> Tensor")
    library.impl("a", lambda x: x, "CPU")
    packet = getattr(tenon.ops, ns).a
    overload = packet.default
    t = tenon.ones(1)
    assert packet(t) is t
    library._destroy()
    assert not hasattr(getattr(tenon.ops, ns), "a")
    with pytest.raises(LookupError, match=f"{ns}::a"):
        packet(t)
    with pytest.raises(LookupError, match=f"{ns}::a"):
        overload(t)
    with Library(ns, "DEF") as again:
        again.define("a(str x) -> str")
        again.impl("a", lambda x: x * 2, "CompositeExplicitAutograd")
        assert overload("ab") == "abab", "the handle serves the new definition"
        assert getattr(tenon.ops, ns).a("ab") == "abab"


def test_packet_call_takes_the_first_that_fits(library, ops):
    library.define("a.tensor(Tensor x) -> str")
    library.define("a.int(int x) -> str")
    library.define("a.str(str x) -> str")
    library.impl("a.tensor", lambda x: "tensor", "CPU")
    library.impl("a.int", lambda x: "int", "CompositeExplicitAutograd")
    library.impl("a.str", lambda x: "str", "CompositeExplicitAutograd")
    assert [ops.a(tenon.ones(1)), ops.a(1), ops.a("x")] == ["tensor", "int", "str"]
    with pytest.raises(TypeError) as caught:
        ops.a(None)
    for overload in ("tensor", "int", "str"):
        assert f"{library.ns}::a.{overload}: x must" in str(caught.value)


def test_keyword_and_default_arguments(library, ops):
    seen = []
    library.define("a(Tensor x, int n=2, *, str mode='m', float? f=None) -> Tensor")
    library.impl("a", lambda x, n=2, *, mode="m", f=None: seen.append((n, mode, f)) or x, "CPU")
    t = tenon.ones(1)
    ops.a(t)
    ops.a(t, 3)
    ops.a(n=4, x=t)
    ops.a(t, mode="k", f=1)
    assert seen == [(2, "m", None), (3, "m", None), (4, "m", None), (2, "k", 1.0)]


def test_argument_named_like_pythons_words(library, ops):
    library.define("a(int from, int self) -> int")
    library.impl("a", lambda a, b: a - b, "CompositeExplicitAutograd")
    assert ops.a(**{"self": 1, "from": 3}) == 2


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda op, t: op(), "x must be given, got nothing"),
        (lambda op, t: op(3), "x must be Tensor, got int at position 0"),
        (lambda op, t: op(t, "two"), "n must be int, got str at position 1"),
        (lambda op, t: op(t, 2.5), "n must be int, got float at position 1"),
        (lambda op, t: op(t, 1, 2), "mode must be given by name, got it at position 2"),
        (lambda op, t: op(t, 1, 2, 3), "positional arguments must be at most 2, got 4"),
        (lambda op, t: op(t, k=1), "argument name must be one of x, n, mode, got 'k'"),
        (lambda op, t: op(t, x=t), "x must be given once, got it twice"),
        (lambda op, t: op(None), "x must be Tensor, got None at position 0"),
        (lambda op, t: op(t, 2**70), "outside the range of int64"),
        (lambda op, t: op(t, mode=3), "mode must be str, got int; schema: "),
    ],
)
def test_argument_errors_name_operator_and_argument(library, ops, call, message):
    library.define("a(Tensor x, int n=2, *, str mode='m') -> Tensor")
    library.impl("a", lambda x, *a, **k: x, "CPU")
    t = tenon.ones(1)
    for op in (ops.a, ops.a.default):
        with pytest.raises(TypeError) as caught:
            call(op, t)
        text = str(caught.value)
        assert text.startswith(f"{library.ns}::a: ") and message in text
        assert caught.value.code == "TENON_ERROR_TYPE"


def test_no_kernel(library, ops):
    library.define("a(Tensor x) -> Tensor")
    with pytest.raises(NotImplementedError, match=f"{library.ns}::a.*CPU"):
        ops.a(tenon.ones(1))
    library.define("b() -> int")
    with pytest.raises(NotImplementedError, match=f"{library.ns}::b"):
        ops.b()


def test_redispatch_and_compute_keys(library, ops):
    library.define("a(Tensor x) -> str")
    library.impl("a", lambda x: "cpu", "CPU")

    def below(keys, x):
        return "autograd>" + ops.a.default.redispatch(keys.below("AutogradCPU"), x)

    library.impl("a", below, "AutogradCPU", with_keyset=True)
    t = tenon.ones(1)
    assert ops.a(t) == "autograd>cpu"
    keys = ops.a.default.compute_keys(t)
    assert isinstance(keys, tenon.library.DispatchKeySet) and keys.highest() == "AutogradCPU"
    assert ops.a.default.redispatch(tenon.library.DispatchKeySet("CPU"), t) == "cpu"
    with pytest.raises(TypeError, match="keyset"):
        ops.a.default.redispatch(t)


def test_aten_namespace_is_filled():
    assert "add" in dir(tenon.ops.aten)
    assert tenon.ops.aten.add is tenon.add
    assert tenon.ops.aten.add.Tensor(tenon.ones(1), tenon.ones(1), alpha=2).item() == 3.0
    assert "Tensor" in tenon.add.overloads()


def test_an_out_with_elements_that_is_resized_is_warned_of_once():
    x = tenon.ones(2)
    tenon._tenon.tenon_warning_reset_once()
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        tenon.add(x, x, out=tenon.empty(0))
        tenon.add(x, x, out=tenon.empty(2))
        for _ in range(2):
            out = tenon.empty(3)
            tenon.add(x, x, out=out)
            assert out.tolist() == [2.0, 2.0]
    assert [one.category for one in told] == [UserWarning]
    assert str(told[0].message).startswith("aten::add.out: out has elements and does not match")
    assert told[0].filename == __file__


def test_a_resize_warning_that_is_an_error_leaves_out_unchanged():
    tenon._tenon.tenon_warning_reset_once()
    out = tenon.tensor([7.0, 8.0, 9.0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning, match=r"resized from \[3\] to \[2\]"):
            tenon.add(tenon.ones(2), tenon.ones(2), out=out)
    assert out.tolist() == [7.0, 8.0, 9.0]
