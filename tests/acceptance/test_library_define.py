# SPDX-License-Identifier: Apache-2.0
"""torch.library: definitions, names, overloads, errors and lifetimes."""

import gc
import itertools
import os
import pytest
from seed import sub, torch


_count = itertools.count()
_tag = os.path.basename(os.path.dirname(os.path.abspath(__file__)))


def fresh():
    """Returns a namespace that no other test uses."""
    return "%s_def_%d" % (_tag, next(_count))


def new(kind="DEF", ns=None, key=""):
    ns = ns or fresh()
    return sub("library").Library(ns, kind, key), ns, getattr(torch.ops, ns)


def test_define_returns_plain_name():
    lib, _, _ = new()
    assert lib.define("scale(Tensor x, float by) -> Tensor") == "scale"


def test_overload_added_later_appears_in_packet_already_fetched():
    lib, _, ops = new()
    lib.define("f(Tensor x) -> Tensor")
    packet = ops.f
    assert packet.overloads() == ["default"]
    lib.define("f.more(Tensor x, Tensor y) -> Tensor")
    lib.impl("f.more", lambda x, y: x * 10 + y, "CPU")
    assert "more" in packet.overloads()
    assert packet(torch.tensor(2.0), torch.tensor(3.0)).item() == 23.0


def test_packet_error_names_the_operator_when_nothing_matches():
    lib, ns, ops = new()
    lib.define("pick.a(Tensor x, int y) -> Tensor")
    lib.define("pick.b(Tensor x, str y) -> Tensor")
    with pytest.raises(RuntimeError, match=ns + "::pick"):
        ops.pick(torch.ones(1), object())


def test_first_defined_matching_overload_wins():
    lib, _, ops = new()
    lib.define("g.wide(Tensor x, Scalar s) -> str")
    lib.define("g.narrow(Tensor x, int s) -> str")
    lib.impl("g.wide", lambda x, s: "wide", "CPU")
    lib.impl("g.narrow", lambda x, s: "narrow", "CPU")
    assert ops.g(torch.ones(1), 3) == "wide"
    assert ops.g.narrow(torch.ones(1), 3) == "narrow"


def test_overload_object_reports_its_names():
    lib, ns, ops = new()
    lib.define("f.ov(Tensor x) -> Tensor")
    lib.define("f(Tensor x) -> Tensor")
    assert ops.f.ov.name() == ns + "::f.ov"
    assert ops.f.default.name() == ns + "::f"
    assert ops.f.ov.namespace == ns
    assert str(ops.f.ov) == ns + ".f.ov"
    assert str(ops.f.default) == ns + ".f.default"


def test_overload_has_its_packet_and_python_names():
    lib, _, ops = new()
    lib.define("f.ov(Tensor x) -> Tensor")
    assert ops.f.ov.overloadpacket is ops.f
    assert ops.f.__name__ == "f"
    assert ops.f.ov.__name__ == "f.ov"


def test_schema_arguments_carry_names_defaults_and_keyword_only():
    lib, _, ops = new()
    lib.define("f(Tensor x, int n=3, *, str? m=None) -> Tensor")
    args = ops.f.default._schema.arguments
    assert [a.name for a in args] == ["x", "n", "m"]
    assert [a.kwarg_only for a in args] == [False, False, True]
    assert [a.has_default_value() for a in args] == [False, True, True]
    assert args[1].default_value == 3 and args[2].default_value is None


def test_schema_returns_and_names():
    lib, ns, ops = new()
    lib.define("f.k(Tensor x) -> (Tensor values, Tensor)")
    schema = ops.f.k._schema
    assert (schema.name, schema.overload_name) == (ns + "::f", "k")
    assert [r.name for r in schema.returns] == ["values", ""]


def test_alias_info_of_arguments():
    lib, _, ops = new()
    lib.define("f(Tensor(a!) x, Tensor y, Tensor(b) z) -> Tensor(b)")
    infos = [a.alias_info for a in ops.f.default._schema.arguments]
    assert infos[0].is_write is True
    assert infos[1] is None
    assert infos[2].is_write is False


def test_overloads_are_cached_and_hashable():
    lib, _, ops = new()
    lib.define("f(Tensor x) -> Tensor")
    assert ops.f is ops.f and ops.f.default is ops.f.default
    assert {ops.f.default: 1}[ops.f.default] == 1


def test_missing_operator_is_attribute_error_and_hasattr_false():
    lib, ns, ops = new()
    lib.define("f(Tensor x) -> Tensor")
    assert not hasattr(ops, "absent")
    with pytest.raises(AttributeError, match="absent"):
        ops.absent
    with pytest.raises(AttributeError, match="nooverload"):
        ops.f.nooverload


def test_def_library_can_be_reopened_after_the_first_went_away():
    lib, ns, _ = new()
    lib.define("f(Tensor x) -> Tensor")
    del lib
    gc.collect()
    again, _, ops = new(ns=ns)
    again.define("f(Tensor x, int n) -> Tensor")
    assert len(ops.f.default._schema.arguments) == 2


def test_fragment_and_def_library_share_a_namespace():
    a, ns, ops = new("DEF")
    b, _, _ = new("FRAGMENT", ns)
    b.define("h(Tensor x) -> Tensor")
    b.impl("h", lambda x: -x, "CPU")
    assert ops.h(torch.ones(())).item() == -1 and a is not None


def test_impl_library_cannot_define():
    lib, _, _ = new("IMPL")
    with pytest.raises(RuntimeError, match="(?i)def"):
        lib.define("f(Tensor x) -> Tensor")


def test_unknown_kind_is_value_error():
    with pytest.raises(ValueError, match="SOMETHING"):
        sub("library").Library(fresh(), "SOMETHING")


def test_unknown_type_in_schema_is_named():
    lib, _, _ = new()
    with pytest.raises(RuntimeError, match="Tensr"):
        lib.define("f(Tensr x) -> Tensor")


def test_bad_alias_analysis_is_refused():
    lib, _, ops = new()
    with pytest.raises(RuntimeError, match="PURE"):
        lib.define("f(Tensor x) -> Tensor", "PURE_FUNCTION")
    lib.define("f(Tensor x) -> Tensor", "CONSERVATIVE")
    assert hasattr(ops, "f")


def test_impl_name_must_be_string_or_overload():
    lib, _, ops = new()
    lib.define("f(Tensor x) -> Tensor")
    with pytest.raises(RuntimeError):
        lib.impl(3.5, lambda x: x, "CPU")
    lib.impl(ops.f.default, lambda x: x + 2, "CPU")
    assert ops.f(torch.ones(())).item() == 3


def test_impl_without_key_is_composite_implicit():
    lib, _, ops = new()
    lib.define("sq(Tensor x) -> Tensor")
    lib.impl("sq", lambda x: x * x)
    x = torch.tensor(3.0, requires_grad=True)
    ops.sq(x).backward()
    assert x.grad.item() == 6.0
    assert ops.sq(torch.ones(2, device="meta")).shape == (2,)


def test_impl_before_define_takes_effect_once_defined():
    lib, ns, ops = new("FRAGMENT")
    lib.impl("later", lambda x: x + 100, "CPU")
    lib.define("later(Tensor x) -> Tensor")
    assert ops.later(torch.zeros(())).item() == 100


def test_unimplemented_operator_names_itself_and_the_backend():
    lib, ns, ops = new()
    lib.define("f(Tensor x) -> Tensor")
    with pytest.raises(NotImplementedError, match=ns + "::f") as info:
        ops.f(torch.ones(1))
    assert "CPU" in str(info.value)


def test_argument_given_twice_is_refused():
    lib, ns, ops = new()
    lib.define("f(Tensor x, int n=1) -> Tensor")
    lib.impl("f", lambda x, n=1: x * n, "CPU")
    with pytest.raises(RuntimeError, match="n"):
        ops.f.default(torch.ones(1), 1, n=2)


def test_keyword_only_argument_is_refused_positionally():
    lib, _, ops = new()
    lib.define("f(Tensor x, *, int n) -> Tensor")
    lib.impl("f", lambda x, n: x + n, "CPU")
    with pytest.raises(RuntimeError):
        ops.f.default(torch.ones(()), 3)
    assert ops.f(torch.ones(()), n=3).item() == 4


def test_positional_arguments_may_be_given_by_name_in_any_order():
    lib, _, ops = new()
    lib.define("f(Tensor x, int a, int b) -> int[]")
    seen = []
    lib.impl("f", lambda x, a, b: seen.append((a, b)) or [a, b], "CPU")
    assert ops.f(b=2, a=1, x=torch.ones(1)) == [1, 2] and seen == [(1, 2)]


def test_self_can_be_an_argument_name_given_by_keyword():
    lib, _, ops = new()
    lib.define("f(Tensor self, Tensor other) -> Tensor")
    lib.impl("f", lambda self, other: self - other, "CPU")
    assert ops.f(other=torch.tensor(1.0), self=torch.tensor(5.0)).item() == 4.0


def test_removing_an_impl_library_restores_the_earlier_kernel():
    lib, ns, ops = new()
    lib.define("f(Tensor x) -> str")
    lib.impl("f", lambda x: "old", "CPU")
    over, _, _ = new("IMPL", ns)
    over.impl("f", lambda x: "new", "CPU", allow_override=True)
    assert ops.f(torch.ones(1)) == "new"
    del over
    gc.collect()
    assert ops.f(torch.ones(1)) == "old"


def test_allow_override_false_refuses_a_second_python_kernel():
    lib, ns, ops = new()
    lib.define("f(Tensor x) -> str")
    lib.impl("f", lambda x: "first", "CPU")
    with pytest.raises(RuntimeError, match="f"):
        lib.impl("f", lambda x: "second", "CPU", allow_override=False)
    assert ops.f(torch.ones(1)) == "first"


def test_destroying_the_library_removes_the_operator():
    lib, _, ops = new()
    lib.define("gone(Tensor x) -> Tensor")
    assert hasattr(ops, "gone")
    del lib
    gc.collect()
    assert not hasattr(ops, "gone")


@pytest.mark.parametrize("name", ["plain", "a::b::c"])
def test_module_level_define_needs_namespace_and_name(name):
    with pytest.raises(ValueError, match=name):
        sub("library").define(name, "(Tensor x) -> Tensor")


def test_module_level_define_refuses_a_name_inside_the_schema():
    with pytest.raises(ValueError, match="schema"):
        sub("library").define(fresh() + "::f", "f(Tensor x) -> Tensor")


def test_module_level_define_refuses_non_string_name():
    with pytest.raises(ValueError, match="str"):
        sub("library").define(42, "(Tensor x) -> Tensor")


def test_overriding_a_builtin_kernel_and_getting_it_back():
    lib, _, _ = new("IMPL", "aten")
    calls = []

    def my_neg(x):
        calls.append(x)
        return x * -1

    lib.impl("neg", my_neg, "CPU", allow_override=True)
    assert torch.neg(torch.tensor(4.0)).item() == -4.0 and len(calls) == 1
    del lib
    gc.collect()
    assert torch.neg(torch.tensor(4.0)).item() == -4.0 and len(calls) == 1


def test_load_library_of_missing_file_names_it():
    """PyTorch raises OSError, Tenon NotFoundError, as for a plugin that is loaded by name."""
    missing = (OSError, LookupError)
    with pytest.raises(missing, match="no_such_library_here"):
        torch.ops.load_library("/nonexistent/no_such_library_here.so")
