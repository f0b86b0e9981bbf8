# SPDX-License-Identifier: Apache-2.0
"""Calls from C and C++ under Google Benchmark, with peers in the same process; large registries."""

from __future__ import annotations

import json

import peer
from bench import Bench
from sample import Sample

# Units, by the last part of a many_operators key.
UNITS = {"ns": "ns", "us": "µs", "ms": "ms", "bytes": "bytes", "x": "×", "kib": "KiB"}

# A regular expression for the rows of call_bench that the part "layers" measures.
LAYERS = "^(torch/)?(gradients|graphs)/"
# Suffix of rows that time themselves.
MANUAL = "/manual_time"


def measure(bench: Bench) -> None:
    calls(bench)
    scale(bench)


def calls(bench: Bench) -> None:
    """Measures all rows of call_bench except those of layers."""
    times = call_bench(bench, f"-{LAYERS}")
    for name in sorted(times):
        bench.add(f"c:{name}", times[name])
    for what in ("boxed", "typed"):
        both = (f"c:{what}_2_tensors_one_redispatch", f"c:{what}_2_tensors")
        above, below = (bench.samples[name].least for name in both)
        bench.samples[f"c:{what}_redispatch_adds"] = Sample(above - below)


def call_bench(bench: Bench, rows: str) -> dict[str, list[float]]:
    """Returns the nanoseconds of each repetition of rows; all rows alternate in random order."""
    out = bench.work / "call_bench.json"
    bench.run(
        [
            bench.build / "bin" / "call_bench",
            f"--benchmark_filter={rows}",
            f"--benchmark_repetitions={3 if bench.quick else 25}",
            "--benchmark_enable_random_interleaving=true",
            f"--benchmark_min_time={0.001 if bench.quick else 0.004}",
            f"--benchmark_out={out}",
            "--benchmark_out_format=json",
        ],
        {"TENON_BENCH_PEERS": ":".join(str(one) for one in peer.libraries(bench))},
    )
    times: dict[str, list[float]] = {}
    for one in json.loads(out.read_text())["benchmarks"]:
        if one.get("error_occurred"):
            raise SystemExit(f"bench: {one['run_name']}: {one['error_message']}")
        if one["run_type"] == "iteration":
            name = one["run_name"].removesuffix(MANUAL)
            clock = "cpu_time" if name == one["run_name"] else "real_time"
            times.setdefault(name, []).append(one[clock])
    return times


def scale(bench: Bench) -> None:
    """Runs many_operators several times: the minimum of each figure, the maximum of ratios."""
    count = 2000 if bench.quick else 100000
    program = bench.build / "bin" / "many_operators"
    turns = [json.loads(bench.run([program, count])) for _ in range(1 if bench.quick else 3)]
    for name in turns[0]:
        unit = UNITS.get(name.rpartition("_")[2], "")
        values = [one[name] for one in turns]
        if unit == "×":
            bench.put(f"many:{name}", Sample(max(values), unit=unit))
        else:
            bench.add(f"many:{name}", values, unit)
