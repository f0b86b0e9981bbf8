# SPDX-License-Identifier: Apache-2.0
"""Introspection: operators, tables, dumps, traces and live handles."""

from __future__ import annotations

import io

import pytest
import tenon
from tenon import introspect


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
    assert table["AutogradCPU"].fallthrough
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


def test_trace_nests_and_prints(library, ops):
    library.define("outer(Tensor x) -> Tensor")
    library.define("inner(Tensor x) -> Tensor")
    library.impl("outer", lambda x: ops.inner(x) + 1, "CPU")
    library.impl("inner", lambda x: x, "CPU")
    t = tenon.ones(1)
    out = io.StringIO()
    with introspect.trace(out) as calls:
        ops.outer(t)
    ops.inner(t)
    assert [(event.op, event.key, event.depth, event.redispatch) for event in calls] == [
        (f"{library.ns}::outer", "CPU", 0, False),
        (f"{library.ns}::inner", "CPU", 1, False),
        ("aten::add.Tensor", "CPU", 1, False),
    ]
    lines = out.getvalue().splitlines()
    assert len(lines) == 3
    assert lines[0].startswith(f"call {library.ns}::outer [CPU]") and lines[0].endswith("(Python)")
    assert lines[1].startswith(f"  call {library.ns}::inner [CPU]")


def test_trace_shows_redispatch(library, ops):
    library.define("a(Tensor x) -> Tensor")
    library.impl("a", lambda x: x, "CPU")
    library.impl(
        "a",
        lambda keys, x: ops.a.default.redispatch(keys.below("AutogradCPU"), x),
        "AutogradCPU",
        with_keyset=True,
    )
    t = tenon.ones(1)
    with introspect.trace(None) as calls:
        ops.a(t)
    assert [(event.key, event.redispatch) for event in calls] == [
        ("AutogradCPU", False),
        ("CPU", True),
    ]


def test_traces_nest():
    t = tenon.ones(1)
    with introspect.trace(None) as outer:
        t + 1
        with introspect.trace(None) as inner:
            t - 1
        t * 2
    assert [event.op for event in inner] == ["aten::sub.Tensor"]
    assert [event.op for event in outer] == [
        "aten::add.Tensor",
        "aten::sub.Tensor",
        "aten::mul.Tensor",
    ]


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
