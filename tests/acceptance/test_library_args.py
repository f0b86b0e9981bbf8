# SPDX-License-Identifier: Apache-2.0
"""Arguments of kernels and results of calls, type by type."""

import itertools
import os
import numpy as np
import pytest
from seed import sub, torch


_count = itertools.count()
_tag = os.path.basename(os.path.dirname(os.path.abspath(__file__)))


def new():
    ns = "%s_args_%d" % (_tag, next(_count))
    return sub("library").Library(ns, "DEF"), ns, getattr(torch.ops, ns)


def seen(kind, value):
    """Returns what a kernel gets when `value` is passed for an argument of type `kind`."""
    lib, _, ops = new()
    box = []
    lib.define("f(Tensor t, %s v) -> ()" % kind)
    lib.impl("f", lambda t, v: box.append(v), "CPU")
    assert ops.f(torch.ones(1), value) is None
    return box[0]


def back(kind, value):
    """Returns the result of a call whose kernel returns `value` for the result type `kind`."""
    lib, _, ops = new()
    lib.define("f(Tensor t) -> %s" % kind)
    lib.impl("f", lambda t: value, "CPU")
    return ops.f(torch.ones(1))


def default_of(text, *given, **named):
    """Returns the (args, kwargs) that the kernel of an operator with parameter `text` gets."""
    lib, _, ops = new()
    box = []
    lib.define("f(Tensor t, %s) -> ()" % text)
    lib.impl("f", lambda t, *a, **k: box.append((a, k)), "CPU")
    ops.f(torch.ones(1), *given, **named)
    return box[0]


def same(got, want):
    assert type(got) is type(want) and got == want, (got, want)


def test_bool_given_for_int_becomes_int():
    same(seen("int", True), 1)


def test_numpy_integers_serve_as_int():
    same(seen("int", np.int64(4)), 4)
    same(seen("int", np.int8(-4)), -4)


def test_objects_with_index_serve_as_int():
    class Nine:
        def __index__(self):
            return 9

    same(seen("int", Nine()), 9)


def test_zero_dim_tensor_serves_as_int_and_float():
    same(seen("int", torch.tensor(3)), 3)
    same(seen("float", torch.tensor(2.5)), 2.5)


def test_tensor_of_several_elements_is_refused_for_int():
    with pytest.raises(RuntimeError):
        seen("int", torch.tensor([1, 2]))


@pytest.mark.parametrize("kind", ["int", "float", "str", "Tensor", "int[]", "Device"])
def test_none_is_refused_for_non_optional_kinds(kind):
    with pytest.raises(RuntimeError):
        if kind == "Tensor":
            seen("Tensor[]", [None])
        else:
            seen(kind, None)


def test_int_given_for_float_becomes_float():
    same(seen("float", 3), 3.0)
    same(seen("float", True), 1.0)
    same(seen("float?", 2), 2.0)


def test_numpy_scalars_serve_as_float():
    same(seen("float", np.float32(1.5)), 1.5)
    same(seen("float", np.int64(2)), 2.0)


def test_bool_takes_bools():
    """PyTorch accepts any number for a bool; Tenon refuses an int."""
    same(seen("bool", False), False)
    same(seen("bool", True), True)


def test_scalar_keeps_the_python_kind():
    for value in (3, 2.5, True, 1 + 2j):
        same(seen("Scalar", value), value)


def test_sized_list_broadcasts_a_single_value():
    same(seen("int[2]", 3), [3, 3])
    same(seen("float[3]", 1.5), [1.5, 1.5, 1.5])


def test_unsized_list_refuses_a_single_value():
    with pytest.raises(RuntimeError):
        seen("int[]", 3)


def test_float_list_converts_each_entry():
    got = seen("float[]", [1, 2.5, True])
    assert got == [1.0, 2.5, 1.0] and all(type(g) is float for g in got)


def test_bool_list_and_string_list():
    same(seen("bool[]", [True, False]), [True, False])
    same(seen("str[]", ["a", ""]), ["a", ""])


def test_list_of_optional_tensors_keeps_nones_and_identity():
    a = torch.ones(2)
    got = seen("Tensor?[]", [None, a, None])
    assert got[0] is None and got[2] is None and got[1] is a


def test_device_list():
    got = seen("Device[]", [torch.device("cpu"), torch.device("meta")])
    assert [d.type for d in got] == ["cpu", "meta"]


def test_unknown_device_string_is_refused():
    with pytest.raises(RuntimeError, match="nosuchdevice"):
        seen("Device", "nosuchdevice")


def test_layout_and_memory_format_are_the_same_objects():
    assert seen("Layout", torch.strided) is torch.strided
    assert seen("MemoryFormat", torch.channels_last) is torch.channels_last
    assert seen("MemoryFormat?", torch.preserve_format) is torch.preserve_format


def test_generator_argument_shares_its_state():
    g = torch.Generator()
    g.manual_seed(11)
    got = seen("Generator", g)
    assert got.initial_seed() == 11
    assert bytes(got.get_state()) == bytes(g.get_state())  # a tensor in PyTorch, bytes in Tenon


def test_symint_arguments_take_plain_ints():
    same(seen("SymInt", 3), 3)
    # a list in PyTorch; in Tenon the caller's own sequence
    assert list(seen("SymInt[]", (4, 5))) == [4, 5]


def test_dictionary_arguments():
    a = torch.ones(1)
    got = seen("Dict(str, Tensor)", {"k": a})
    assert list(got) == ["k"] and got["k"] is a
    same(seen("Dict(str, int)", {"a": 1, "b": 2}), {"a": 1, "b": 2})


def test_tensor_arrives_as_the_very_same_object_with_its_class():
    class Mine(torch.Tensor):
        pass

    plain, mine = torch.ones(2), torch.ones(2).as_subclass(Mine)
    mine.note = "kept"
    assert seen("Tensor", plain) is plain
    got = seen("Tensor", mine)
    assert got is mine and got.note == "kept"


def test_results_are_converted_to_the_declared_kind():
    same(back("int", True), 1)
    same(back("float", 3), 3.0)
    same(back("Scalar", 3), 3)
    same(back("Scalar", 2.5), 2.5)


def test_wrong_result_kind_is_refused():
    for kind, value in (("int", "x"), ("int", 3.5), ("str", 3), ("Tensor", 3), ("Tensor[]", [1])):
        with pytest.raises(RuntimeError):
            back(kind, value)


def test_list_results_are_returned_as_lists():
    same(back("int[]", (1, 2)), [1, 2])
    same(back("float[]", [1, 2.5]), [1.0, 2.5])
    same(back("str[]", ("a",)), ["a"])
    a = torch.ones(1)
    got = back("Tensor[]", (a, a))
    assert type(got) is list and got[0] is a and got[1] is a


def test_list_and_tensor_results_together():
    a, b = torch.ones(1), torch.zeros(1)
    many, one = back("(Tensor[], Tensor)", ([a, b], b))
    assert type(many) is list and many[0] is a and one is b


def test_no_results_return_none():
    assert back("()", None) is None


def test_dictionary_and_device_results():
    a = torch.ones(1)
    assert back("Dict(str, Tensor)", {"k": a})["k"] is a
    assert back("Device", torch.device("meta")) == torch.device("meta")


@pytest.mark.parametrize(
    "text, value",
    [
        ("int n=-7", -7),
        ("float s=1e-3", 1e-3),
        ("float s=2", 2.0),
        ("bool b=True", True),
        ('str s="hi"', "hi"),
        ("str s='x,y'", "x,y"),
        ("int[] d=[1, 2]", [1, 2]),
        ("int[2] d=5", [5, 5]),
        ("float[] f=[0.5]", [0.5]),
        ("Tensor? t2=None", None),
        ("int? n=5", 5),
        ("Scalar s=1", 1),
        ("bool[] b=[True, False]", [True, False]),
        ("SymInt n=4", 4),
    ],
)
def test_default_values_parse(text, value):
    lib, _, ops = new()
    lib.define("f(Tensor t, %s) -> ()" % text)
    same(ops.f.default._schema.arguments[1].default_value, value)


def test_positional_parameter_given_by_name_arrives_positionally():
    assert default_of("int a, int b=2, *, int c", b=7, a=1, c=3) == ((1, 7), {"c": 3})


def test_two_out_arguments_are_returned_as_the_same_tensors():
    lib, _, ops = new()
    lib.define("two.out(Tensor x, *, Tensor(a!) lo, Tensor(b!) hi) -> (Tensor(a!), Tensor(b!))")
    lib.impl("two.out", lambda x, lo, hi: (lo.copy_(x - 1), hi.copy_(x + 1)), "CPU")
    lo, hi = torch.empty(1), torch.empty(1)
    got = ops.two.out(torch.ones(1), hi=hi, lo=lo)
    assert got[0] is lo and got[1] is hi and (lo.item(), hi.item()) == (0.0, 2.0)


def test_view_result_has_its_base():
    lib, _, ops = new()
    lib.define("flat(Tensor(a) x) -> Tensor(a)")
    lib.impl("flat", lambda x: x.view(-1), "CPU")
    x = torch.zeros(2, 2)
    y = ops.flat(x)
    y[3] = 7
    assert y._base is x and x[1, 1].item() == 7


def test_kernel_may_call_its_operator_again():
    lib, _, ops = new()
    lib.define("fact(Tensor x, int n) -> Tensor")
    lib.impl("fact", lambda x, n: x if n <= 1 else n * ops.fact(x, n - 1), "CPU")
    assert ops.fact(torch.tensor(1.0), 5).item() == 120.0


def test_wrong_argument_error_names_operator_argument_and_expectation():
    lib, ns, ops = new()
    lib.define("f(Tensor x, int[] sizes) -> Tensor")
    with pytest.raises(RuntimeError, match=ns + "::f") as info:
        ops.f.default(torch.ones(1), "abc")
    text = str(info.value)
    assert "sizes" in text and "str" in text
