# SPDX-License-Identifier: Apache-2.0
"""Introspection: operators, tables, dumps, profiles and live handles."""

from __future__ import annotations

import io
import threading
import time

import pytest
import tenon
from tenon import introspect, picture
from tenon.overrides import DisableTorchFunctionSubclass


def test_operators_and_dangling(library):
    library.define("b(int x) -> int")
    library.define("a.x(int x) -> int")
    library.impl("c", lambda x: x, "CPU")
    assert introspect.operators(library.ns) == [f"{library.ns}::a.x", f"{library.ns}::b"]
    assert f"{library.ns}::c" in introspect.dangling()
    assert "aten::add.Tensor" in introspect.operators()


def test_dispatch_table_names_kernel_and_place(library):
    def my_kernel(x):
        return x

    library.define("a(Tensor x) -> Tensor")
    library.impl("a", my_kernel, "CPU")
    library.impl("a", lambda x: x, "CompositeExplicitAutograd")
    table = introspect.dispatch_table(f"{library.ns}::a")
    assert table["CPU"].provenance == "kernel" and table["CPU"].language == "Python"
    assert "my_kernel" in table["CPU"].name and table["CPU"].file == __file__
    assert table["CPU"].line == my_kernel.__code__.co_firstlineno
    assert table["Meta"].provenance == "default backend kernel"
    assert table["Meta"].source == "CompositeExplicitAutograd"
    assert table["AutogradCPU"].name == "record_unknown"
    assert table["AutocastCPU"].fallthrough
    text = introspect.dump(f"{library.ns}::a")
    assert f"schema: {library.ns}::a(Tensor x) -> Tensor" in text and "my_kernel" in text
    assert "CPU: " in introspect.dump_table(f"{library.ns}::a")
    with pytest.raises(LookupError):
        introspect.dispatch_table("no::such")


def test_invariants(library):
    library.define("a(Tensor x) -> Tensor")
    library.impl("a", lambda x: x, "CPU")
    introspect.invariants(f"{library.ns}::a")
    introspect.invariants()


def test_profile_nests_and_prints(library, ops):
    library.define("outer(Tensor x) -> Tensor")
    library.define("inner(Tensor x) -> Tensor")
    library.impl("outer", lambda x: ops.inner(x) + 1, "CPU")
    library.impl("inner", lambda x: x, "CPU")
    t = tenon.ones(1)
    out = io.StringIO()
    with introspect.profile(out) as calls:
        ops.outer(t)
    ops.inner(t)
    assert [(event.op, event.key, event.depth, event.redispatch) for event in calls] == [
        (f"{library.ns}::outer", "CPU", 0, False),
        (f"{library.ns}::inner", "CPU", 1, False),
        ("aten::add.Tensor", "CPU", 1, False),
    ]
    lines = out.getvalue().splitlines()
    assert len(lines) == 3
    assert lines[0].startswith(f"call {library.ns}::outer [CPU]") and "(Python) " in lines[0]
    assert all(line.endswith(" us") for line in lines)
    assert lines[1].startswith(f"  call {library.ns}::inner [CPU]")


def test_profile_shows_redispatch(library, ops):
    library.define("a(Tensor x) -> Tensor")
    library.impl("a", lambda x: x, "CPU")
    library.impl(
        "a",
        lambda keys, x: ops.a.default.redispatch(keys.below("AutogradCPU"), x),
        "AutogradCPU",
        with_keyset=True,
    )
    t = tenon.ones(1)
    with introspect.profile(None) as calls:
        ops.a(t)
    assert [(event.key, event.redispatch) for event in calls] == [
        ("AutogradCPU", False),
        ("CPU", True),
    ]


def test_profile_keeps_at_most_max_spans():
    t = tenon.ones(2)
    with introspect.profile(None, max_events=2) as calls:
        for _ in range(5):
            t.sin()
        assert repr(calls) == "<profile running>"
    assert [event.op for event in calls] == ["aten::sin"] * 2 and calls.dropped == 3
    assert repr(calls) == "<profile of 2 dispatches, 3 more dropped>"
    assert repr(introspect.profile()) == "<profile not begun>"
    with introspect.profile(None) as calls:
        t.sin()
    assert len(calls) == 1 and calls.dropped == 0
    with pytest.raises(ValueError, match="max_spans"), introspect.profile(None, max_events=-1):
        pass


def test_profiles_nest():
    t = tenon.ones(1)
    with introspect.profile(None) as outer:
        t + 1
        with introspect.profile(None) as inner:
            t - 1
        t * 2
    assert [event.op for event in inner] == ["aten::sub.Tensor"]
    assert [event.op for event in outer] == [
        "aten::add.Tensor",
        "aten::sub.Tensor",
        "aten::mul.Tensor",
    ]


def test_profile_times_cover_the_kernel_and_nest(library, ops):
    library.define("outer(Tensor x) -> Tensor")
    library.define("inner(Tensor x) -> Tensor")
    library.impl("outer", lambda x: ops.inner(ops.inner(x)), "CPU")

    def inner(x):
        time.sleep(0.002)
        return x

    library.impl("inner", inner, "CPU")
    t = tenon.ones(1)
    with introspect.profile(None) as calls:
        begin = time.perf_counter_ns()
        ops.outer(t)
        taken = time.perf_counter_ns() - begin
        time.sleep(0.005)
    outer, first, second = calls.events
    assert [outer.parent, first.parent, second.parent] == [None, 0, 0]
    assert first.duration >= 2_000_000 and second.duration >= 2_000_000
    assert outer.time <= first.time and first.end <= second.time and second.end <= outer.end
    assert first.duration + second.duration <= outer.duration <= taken
    assert (inner.__code__.co_firstlineno, __file__) == (first.line, first.file)


def test_profile_of_a_failing_call(library, ops):
    def broken(x):
        raise KeyError("lost")

    library.define("outer(Tensor x) -> Tensor")
    library.define("inner(Tensor x) -> Tensor")
    library.impl("outer", lambda x: ops.inner(x), "CPU")
    library.impl("inner", broken, "CPU")
    t = tenon.ones(1)
    with introspect.profile(None) as calls, pytest.raises(KeyError, match="lost"):
        ops.outer(t)
    assert [(event.failed, event.end is not None) for event in calls] == [(True, True)] * 2
    assert str(calls.events[0]).startswith(f"call {library.ns}::outer")
    with pytest.raises(KeyError), introspect.profile(None) as ended:
        ops.inner(t)
    with pytest.raises(KeyError):
        ops.inner(t)
    assert len(ended) == 1


def test_profiled_kernels_get_the_same_arguments(library, ops):
    seen = []

    def kernel(x, numbers, name="d", *, any=None):
        seen.append((x, numbers, name, any))
        return x

    library.define('f(Tensor x, int[] numbers, str name="d", *, float? any=None) -> Tensor')
    library.impl("f", kernel, "CPU")
    t = tenon.ones(1)
    unprofiled = ops.f(t, [1, 2], any=2.5)
    with introspect.profile(None):
        profiled = ops.f(t, [1, 2], any=2.5)
    assert profiled is unprofiled is t
    assert seen[0] == seen[1] and seen[0][0] is seen[1][0] is t


def test_each_thread_profiles_its_own(library, ops):
    library.define("f(Tensor x) -> Tensor")
    library.impl("f", lambda x: x, "CPU")
    t = tenon.ones(1)
    counts = {}

    def work(number):
        with introspect.profile(None) as calls:
            for _ in range(number):
                ops.f(t)
        counts[number] = len(calls)

    with introspect.profile(None) as mine:
        threads = [threading.Thread(target=work, args=(n,)) for n in (1, 2, 3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert counts == {1: 1, 2: 2, 3: 3} and len(mine) == 0


def test_profiles_begin_and_end_inside_kernels(library, ops):
    inside = introspect.profile(None)

    def outer(x):
        with inside:
            return ops.inner(x)

    around = introspect.profile(None)

    def ending(x):
        around.__exit__()
        return x

    library.define("outer(Tensor x) -> Tensor")
    library.define("inner(Tensor x) -> Tensor")
    library.define("ending(Tensor x) -> Tensor")
    library.impl("outer", outer, "CPU")
    library.impl("inner", lambda x: x, "CPU")
    library.impl("ending", ending, "CPU")
    t = tenon.ones(1)
    ops.outer(t)
    assert [(event.op, event.depth) for event in inside] == [(f"{library.ns}::inner", 0)]
    around.__enter__()
    ops.ending(t)
    assert [event.end for event in around] == [None]
    assert "us" not in str(around)
    with pytest.raises(tenon.Error, match="one that has ended"):
        around.__exit__()


def test_profiles_leave_nothing():
    before = introspect.live_handles()
    with introspect.profile(None) as kept:
        pass
    assert introspect.live_handles()["profile"] == before["profile"] + 1
    del kept
    assert introspect.live_handles()["profile"] == before["profile"]


def test_live_handles_counts_tensors():
    before = introspect.live_handles()
    kept = [tenon.ones(1) for _ in range(10)]
    assert introspect.live_handles()["tensor"] == before["tensor"] + 10
    del kept
    assert introspect.live_handles() == before


def test_keys():
    keys = introspect.keys()
    assert "CPU" in keys and "AutogradCPU" in keys
    assert keys.index("CPU") < keys.index("AutogradCPU")


# ---- Handlers of Python's functions --------------------------------------------------------------


class Watching(tenon.overrides.TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


class Twice(tenon.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        with DisableTorchFunctionSubclass():
            return func(*args, **(kwargs or {})) * 2


def test_profile_shows_handlers_of_modes_and_classes():
    x, twice = tenon.ones(2), tenon.ones(2).as_subclass(Twice)
    with introspect.profile(None) as calls:
        x.sin()
        with Watching():
            tenon.relu(x)
        tenon.abs(twice)
        x.cos()
    told = [(event.op, event.key, event.handler, event.depth, event.parent) for event in calls]
    here = __name__
    handler = "__torch_function__"
    assert told == [
        ("aten::sin", "CPU", "", 0, None),
        ("tenon.relu", handler, f"{here}.Watching (Python)", 0, None),
        ("aten::relu", "CPU", "", 1, 1),
        ("tenon.abs", handler, f"{here}.Twice (Python)", 0, None),
        ("aten::abs", "CPU", "", 1, 3),
        ("aten::mul.Tensor", "CPU", "", 1, 3),
        ("aten::cos", "CPU", "", 0, None),
    ]
    assert all(event.end >= event.time for event in calls)
    line = f"call tenon.relu [{handler}] (Python) for {here}.Watching (Python)"
    assert f"{calls.events[1]:plain}" == line
    drawn = picture.profile_svg(calls)
    assert f"{here}.Watching (Python)" in drawn and "tenon.relu" in drawn


def test_profile_shows_handlers_inside_kernels(library, ops):
    library.define("outer(Tensor x) -> Tensor")

    def outer(x):
        with Watching():
            return tenon.relu(x)

    library.impl("outer", outer, "CPU")
    x = tenon.ones(1)
    with introspect.profile(None) as calls:
        ops.outer(x)
    assert [(event.op, event.depth, event.parent) for event in calls] == [
        (f"{library.ns}::outer", 0, None),
        ("tenon.relu", 1, 0),
        ("aten::relu", 2, 1),
    ]


def test_profile_of_a_handler_that_fails():
    class Failing(tenon.overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            func(*args, **(kwargs or {}))
            raise KeyError("lost")

    x = tenon.ones(1)
    with introspect.profile(None) as calls, pytest.raises(KeyError, match="lost"), Failing():
        tenon.relu(x)
    assert [(event.op, event.failed) for event in calls] == [
        ("tenon.relu", True),
        ("aten::relu", False),
    ]
    with Watching():
        tenon.relu(x)  # after the profile has ended, so not recorded
    assert len(calls) == 2
