# SPDX-License-Identifier: Apache-2.0
"""Kernels written in Python: what they receive, what they may return, how they fail.

Each case runs twice: called from Python, where the kernel gets the caller's own objects, and
through a boxed call, where arguments and results cross the C interface.
"""

from __future__ import annotations

import sys
import threading

import pytest
import tenon
from tenon.library import Library


class Palette:
    """A class that a schema names."""


TYPES = [
    ("Tensor", lambda: tenon.ones(2)),
    ("Tensor?", lambda: None),
    ("Tensor?", lambda: tenon.ones(2)),
    ("int", lambda: -(2**62)),
    ("int?", lambda: None),
    ("float", lambda: 0.1),
    ("bool", lambda: True),
    ("complex", lambda: 1 + 2j),
    ("Scalar", lambda: 3),
    ("Scalar", lambda: 2.5),
    ("Scalar", lambda: True),
    ("Scalar", lambda: 1j),
    ("str", lambda: "tenon \u2713 \x00 end"),
    ("str?", lambda: None),
    ("ScalarType", lambda: tenon.bfloat16),
    ("Layout", lambda: tenon.strided),
    ("MemoryFormat", lambda: tenon.channels_last),
    ("Device", lambda: tenon.device("cuda:3")),
    ("int[]", lambda: [1, 2, 3]),
    ("int[]", lambda: []),
    ("SymInt[]", lambda: [4, 5]),
    ("float[]", lambda: [0.5, 1.5]),
    ("bool[]", lambda: [True, False]),
    ("str[]", lambda: ["a", "bc"]),
    ("Tensor[]", lambda: [tenon.ones(1), tenon.zeros(2)]),
    ("Tensor?[]", lambda: [tenon.ones(1), None]),
    ("int[]?", lambda: None),
    ("int?[]", lambda: [1, None]),
    ("int[][]", lambda: [[1, 2], [3]]),
    ("Tensor[][]", lambda: [[tenon.ones(1)], []]),
    ("Dict(str, Tensor)", lambda: {"a": tenon.ones(1)}),
    ("Dict(str, int)[]", lambda: [{"a": 1}, {"b": 2}]),
    ("(int, str)", lambda: (1, "x")),
    ("Any", lambda: [1, "x", None]),
    ("Any", lambda: {"k": (1, 2)}),
    ("Any", lambda: Palette()),
    ("__torch__.torch.classes.vision.Palette", lambda: Palette()),
]


def same(a, b) -> bool:
    if isinstance(a, tenon.Tensor) or isinstance(b, tenon.Tensor):
        return a is b
    if isinstance(a, (list, tuple)):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    return type(a) is type(b) and (a is b or a == b)


@pytest.mark.parametrize(("type_", "make"), TYPES, ids=[name for name, _ in TYPES])
@pytest.mark.parametrize("boxed", [False, True])
def test_every_type_is_passed_and_returned(library, ops, type_, make, boxed):
    library.define(f"a({type_} x) -> {type_}")
    seen = []
    library.impl("a", lambda x: seen.append(x) or x, "CompositeExplicitAutograd", with_keyset=False)
    value = make()
    if boxed:
        # A kernel that takes the key set gets converted arguments, as from a caller in another
        # language.
        with Library(library.ns, "IMPL") as other:
            other.impl(
                "a",
                lambda keys, x: seen.append(x) or x,
                "CompositeExplicitAutograd",
                with_keyset=True,
                allow_override=True,
            )
            result = ops.a(value)
    else:
        result = ops.a(value)
    assert same(seen[0], value), (seen[0], value)
    assert same(result, value), (result, value)


def test_converted_arguments(library, ops):
    library.define(
        "a(float f, int[2] d, Device dev, ScalarType t) -> (float, int[], Device, ScalarType)"
    )
    library.impl("a", lambda *args: args, "CompositeExplicitAutograd")
    assert ops.a(1, 3, "cpu", float) == (1.0, [3, 3], tenon.device("cpu"), tenon.float64)
    assert ops.a(True, (1, 2), tenon.device("meta"), int)[1] == [1, 2]
    assert ops.a(0.5, range(2), "cpu", bool)[1] == [0, 1]


def test_defaults_are_trimmed(library, ops):
    seen = []
    library.define("a(Tensor x, int n=2, float f=0.5, *, str s='s', int[] d=[1]) -> Tensor")

    def kernel(*args, **kwargs):
        seen.append((args[1:], kwargs))
        return args[0]

    library.impl("a", kernel, "CPU")
    t = tenon.ones(1)
    ops.a(f=0.5, n=2, x=t, s="s")
    ops.a(f=1.5, x=t)
    ops.a(n=3, x=t, d=[2])
    assert seen == [((), {}), ((2, 1.5), {}), ((3,), {"d": [2]})]


def test_with_keyset(library, ops):
    library.define("a(Tensor x, *, int n=1) -> str")
    library.impl("a", lambda keys, x, n=1: f"{keys.highest()} {n}", "CPU", with_keyset=True)
    assert ops.a(tenon.ones(1), n=2) == "CPU 2"


@pytest.mark.parametrize(
    ("returns", "result", "message"),
    [
        ("Tensor", None, "result 0 of the Python kernel must be Tensor, got None"),
        ("Tensor", "text", "result 0 of the Python kernel must be Tensor, got str 'text'"),
        ("int", "text", "result 0 of the Python kernel must be int"),
        ("int[]", [1, "x"], "result 0 of the Python kernel must be int[]"),
        ("(int, int)", (1, 2, 3), "must return 2 results, got 3"),
        ("(int, int)", (1,), "must return 2 results, got 1"),
        ("(int, int)", 1, "must return a tuple of 2 results, got int"),
        ("(int, Tensor)", (1, None), "result 1 of the Python kernel must be Tensor, got None"),
        ("()", 1, "must return None, got int"),
    ],
)
@pytest.mark.parametrize("with_keyset", [False, True])
def test_wrong_results(library, ops, returns, result, message, with_keyset):
    library.define(f"a(Tensor x) -> {returns}")
    library.impl("a", lambda *args: result, "CPU", with_keyset=with_keyset)
    with pytest.raises(TypeError) as caught:
        ops.a(tenon.ones(1))
    assert message in str(caught.value) and f"{library.ns}::a" in str(caught.value)


def test_results_are_normalised(library, ops):
    library.define("a(Tensor x) -> (float, int[])")
    library.impl("a", lambda x: [1, (2, 3)], "CPU")
    assert ops.a(tenon.ones(1)) == (1.0, [2, 3])
    library.define("b() -> ()")
    library.impl("b", lambda: None, "CompositeExplicitAutograd")
    assert ops.b() is None


def test_in_place_returns_its_argument(library, ops):
    library.define("a_(Tensor(a!) x) -> Tensor(a!)")
    library.impl("a_", lambda x: x.add_(1), "CPU")
    t = tenon.zeros(2)
    assert ops.a_(t) is t and t.tolist() == [1.0, 1.0]
    with Library(library.ns, "IMPL") as other:
        other.impl("a_", lambda x: x + 1, "CPU", allow_override=True)
        with pytest.raises(TypeError, match="argument 'x' itself"):
            ops.a_(t)


@pytest.mark.parametrize("with_keyset", [False, True])
def test_exception_reaches_the_caller_as_the_same_object(library, ops, with_keyset):
    class MyError(Exception):
        pass

    error = MyError("boom")

    def kernel(*args):
        raise error

    library.define("a(Tensor x) -> Tensor")
    library.impl("a", kernel, "CPU", with_keyset=with_keyset)
    with pytest.raises(MyError) as caught:
        ops.a(tenon.ones(1))
    assert caught.value is error
    names = []
    traceback = error.__traceback__
    while traceback is not None:
        names.append(traceback.tb_frame.f_code.co_name)
        traceback = traceback.tb_next
    assert "kernel" in names


def test_recursion_ends_in_an_error(library, ops):
    library.define("a(Tensor x) -> Tensor")
    library.impl("a", lambda x: ops.a(x), "CPU")
    with pytest.raises(RecursionError):
        ops.a(tenon.ones(1))


@pytest.mark.parametrize("kib", [32, 64, 256, 1024, 8192])
def test_recursion_ends_in_an_error_on_stacks_of_every_size(library, ops, kib):
    library.define("a(Tensor x) -> Tensor")
    library.define("b(Tensor x) -> Tensor")
    library.impl("a", lambda x: ops.a(x), "CPU")
    # `map` makes this call come through C
    library.impl("b", lambda x: next(map(ops.b, [x])), "CPU")
    x, ends = tenon.ones(1), []

    def dive():
        for op in (ops.a, ops.b):
            try:
                op(x)
            except RecursionError as error:
                ends.append(str(error))
        ends.append((x + x).item())

    if sys.version_info >= (3, 14) and kib < 256:
        pytest.skip("Python 3.14 frees no container on a stack of 64 KiB")
    old_size = threading.stack_size(kib * 1024)
    old_limit = sys.getrecursionlimit()
    sys.setrecursionlimit(100_000)  # so that Tenon's own limit is reached first
    try:
        thread = threading.Thread(target=dive)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(old_size)
        sys.setrecursionlimit(old_limit)
    assert len(ends) == 3 and ends[2] == 2
    # Python 3.14 also checks the stack, and may raise first.
    texts = "nested calls must be at most 4096", "Stack overflow"
    assert all(any(text in end for text in texts) for end in ends[:2]), ends


def test_subclass_and_user_objects_arrive_unchanged(library, ops):
    class Mine(tenon.Tensor):
        pass

    library.define("a(Tensor x) -> Tensor")
    library.impl("a", lambda x: x, "CPU")
    mine = tenon.ones(2).as_subclass(Mine)
    assert type(mine) is Mine
    assert ops.a(mine) is mine


def test_nested_lists_that_change_while_read(library, ops):
    library.define("a(int[] x) -> int[]")
    library.impl("a", lambda x: x, "CompositeExplicitAutograd")
    values: list = [1, 2, 3]

    class Shrinks:
        def __index__(self):
            values.clear()
            return 7

    values[0] = Shrinks()
    with pytest.raises(TypeError, match="changes while it is read"):
        ops.a(values)
