# SPDX-License-Identifier: Apache-2.0
"""The budgets: which measurements are compared with which, and the table of the result."""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True)
class Sample:
    """One measurement: the least of many rounds, and how far the median lies above it."""

    value: float
    noise: float | None = None


@dataclasses.dataclass(frozen=True)
class Row:
    """A budget: `ours` at most `limit` times `peer`, or without a peer at most `limit`."""

    what: str
    ours: str
    limit: float
    peer: str = ""
    peer_name: str = ""
    unit: str = "ns"


def _python(what: str, ours: str, limit: float, peer: str, peer_name: str) -> Row:
    return Row(f"Python: {what}", f"python:{ours}", limit, f"python:{peer}", peer_name)


ROWS = (
    Row(
        "C++: typed no-op, 2 tensors",
        "c:typed_2_tensors",
        0.25,
        "c:torch/typed_2_tensors",
        "libtorch typed call, inference mode",
    ),
    Row("C: typed no-op, begin2", "count:typed_begin2", 80, unit="instructions"),
    Row(
        "C: boxed no-op, 2 tensors",
        "c:boxed_2_tensors",
        3,
        "c:tvm_ffi/call_2_tensors",
        "tvm-ffi C call, no dispatch",
    ),
    Row("C: boxed no-op, 2 tensors", "count:boxed_2_tensors", 80, unit="instructions"),
    Row("C: what one redispatch adds", "c:redispatch_adds", 2.5),
    Row(
        "C++: add of two 1-element tensors",
        "c:aten_add_1_element",
        0.2,
        "c:torch/add_1_element",
        "at::add, inference mode",
    ),
    Row("C: error made, taken, released", "c:error_made_taken_released", 300),
    Row("100 000 operators: find one of a few", "many:hot_lookup_ns", 50),
    Row("100 000 operators: define one", "many:define_ns", 2000),
    Row("100 000 operators: register a kernel", "many:impl_ns", 2000),
    Row("100 000 operators: memory of one", "many:bytes", 1024, unit="bytes"),
    Row("libtenon, stripped", "size:libtenon", 1.5, unit="MB"),
    _python(
        "C++ no-op returning an argument",
        "first",
        0.025,
        "torch/ops_add",
        "torch.ops.aten.add.Tensor",
    ),
    _python("C++ no-op returning an argument", "first", 0.35, "tvm_ffi/nothing", "tvm-ffi no-op"),
    _python(
        "C++ no-op that allocates", "fresh", 0.035, "torch/ops_add", "torch.ops.aten.add.Tensor"
    ),
    _python("add of two 1-element tensors", "add", 0.4, "numpy/add", "np.add"),
    _python(
        "operator with a Python kernel", "python_kernel", 1.15, "partial", "functools.partial(f)"
    ),
    _python("operator with a Python kernel", "python_kernel", 2.5, "direct_call", "f(a, b)"),
    _python("C error raised and caught", "error", 1.0, "python_raise", "a Python raise"),
    _python("two numpy arguments", "numpy_arguments", 0.3, "numpy/add", "np.add"),
    _python("a.shape", "shape", 1.3, "numpy/shape", "numpy's"),
    _python("a.dtype", "dtype", 1.3, "numpy/dtype", "numpy's"),
    _python("tenon.ops.ns.op(a, b)", "module_level", 3, "direct_call", "f(a, b)"),
    Row("Python: import tenon, without numpy", "python:import_tenon", 10, unit="ms"),
    Row("Java: call, 2 tensors, no result", "java:callNothing", 1.5, "java:jniNoop", "JNI no-op"),
    Row(
        "Java: lambda kernel called from C", "java:lambdaFromC", 1.4, "java:jniUpcall", "JNI upcall"
    ),
    Row(
        "Java: lambda kernel called from Java",
        "java:lambdaFromJava",
        1.5,
        "java:jniNoop",
        "JNI no-op",
    ),
    Row(
        "Rust: call",
        "rust:rust/typed_call_c_kernel",
        1.05,
        "rust:c/typed_call_c_kernel",
        "the same in C",
    ),
    Row(
        "Rust: closure kernel",
        "rust:rust/typed_call_closure_kernel",
        1.1,
        "rust:c/typed_call_c_kernel",
        "a C kernel called from C",
    ),
)


def number(value: float) -> str:
    return f"{value:,.0f}".replace(",", " ") if value >= 1000 else f"{value:.4g}"


def result(row: Row, samples: dict[str, Sample]) -> list[str] | None:
    """Cells of a row; None when we were not measured."""
    ours, peer = samples.get(row.ours), samples.get(row.peer)
    if ours is None:
        return None
    budget = f"≤ {row.limit:g} ×" if row.peer else f"≤ {row.limit:g} {row.unit}"
    noises = [one.noise for one in (ours, peer) if one is not None and one.noise is not None]
    noise = f"{max(noises):.0%}" if noises else ""
    peer_cell = f"{number(peer.value)} ({row.peer_name})" if peer else row.peer_name
    if row.peer and peer is None:
        ratio, met = "", "no peer"
    else:
        value = ours.value / peer.value if peer else ours.value
        ratio = f"{value:.3g}" if peer else ""
        met = "yes" if value <= row.limit else "**no**"
    unit = "" if row.unit == "ns" else f" {row.unit}"
    return [row.what, number(ours.value) + unit, peer_cell, ratio, budget, met, noise]


def markdown(header: list[str], rows: list[list[str]]) -> str:
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]

    def line(cells: list[str]) -> str:
        return "| " + " | ".join(cell.ljust(width) for cell, width in zip(cells, widths)) + " |"

    rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
    return "\n".join([line(header), rule, *(line(row) for row in rows)])


def budgets(samples: dict[str, Sample]) -> tuple[str, list[str]]:
    """The table of budgets, and a line for every one that is missed."""
    header = ["what", "ours", "peer", "ratio", "budget", "met?", "noise"]
    rows = [cells for row in ROWS if (cells := result(row, samples)) is not None]
    missed = []
    for what, ours, peer, ratio, budget, met, _ in rows:
        if met == "**no**":
            got = f"{ratio} × {peer[peer.index('(') + 1 : -1]}" if ratio else ours
            missed.append(f"{what}: {got}, budget {budget}")
    return markdown(header, rows), missed


def everything(samples: dict[str, Sample]) -> str:
    """All measurements by name."""
    units = {"count": "instructions", "size": "MB"}
    rows = []
    for name, sample in samples.items():
        unit = units.get(name.partition(":")[0], "ns")
        if name.startswith("python:import"):
            unit = "ms"
        elif name.endswith("bytes"):
            unit = "bytes"
        noise = "" if sample.noise is None else f"{sample.noise:.0%}"
        rows.append([name, f"{number(sample.value)} {unit}", noise])
    return markdown(["measurement", "value", "noise"], rows)
