# SPDX-License-Identifier: Apache-2.0
"""The class Schema; the conformance cases and the core's tests cover the grammar."""

from __future__ import annotations

import pickle

import pytest
import tenon
from tenon import Schema


def test_facts():
    schema = Schema.parse(
        "ns::f.o(Tensor(a!) x, int[2] d=1, *, float? e=None) -> (Tensor(a!), int n)"
    )
    assert (schema.name, schema.overload_name) == ("ns::f", "o")
    x, d, e = schema.arguments
    assert (x.name, x.type, x.alias, x.is_write, x.has_default) == (
        "x",
        "Tensor",
        "(a!)",
        True,
        False,
    )
    assert (d.default, d.size, d.kwarg_only) == ([1, 1], 2, False)
    assert (e.default, e.has_default, e.kwarg_only, e.type) == (None, True, True, "float?")
    assert [r.name for r in schema.returns] == ["", "n"]
    assert schema.is_mutable and not schema.is_functional and not schema.is_vararg


def test_equality_hash_and_pickle():
    a, b = Schema.parse("ns::f(int x) -> int"), Schema.parse("ns::f( int x )-> int")
    assert a == b and hash(a) == hash(b)
    assert a != Schema.parse("ns::f(int x=1) -> int") and a != "text"
    assert pickle.loads(pickle.dumps(a)) == a
    assert repr(a) == "Schema('ns::f(int x) -> int')"


def test_text_that_is_not_ascii():
    text = 'ns::f(str s="\u2713") -> ()'
    assert Schema.parse(text).arguments[0].default == "\u2713"


def test_compatibility():
    old = Schema.parse("ns::f(int x) -> int")
    new = Schema.parse("ns::f(int x, int y=1) -> int")
    assert new.is_backward_compatible_with(old) and not old.is_backward_compatible_with(new)
    with pytest.raises(ValueError, match="y"):
        Schema.parse("ns::f(int x, int y) -> int").check_compatible(old)


def test_errors_show_the_position():
    with pytest.raises(tenon.error.ParseError) as caught:
        Schema.parse("ns::f(int x, wrong y) -> int")
    assert "wrong" in str(caught.value) and "^" in str(caught.value)
    with pytest.raises(TypeError):
        Schema.parse(3)
