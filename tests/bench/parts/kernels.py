# SPDX-License-Identifier: Apache-2.0
"""Kernels compared with PyTorch and numpy, by operator, dtype, layout, size and thread count."""

from __future__ import annotations

import json
import subprocess
import sys

import kernel_report
import peer
from bench import HERE, ROOT, Bench
from sample import Sample

QUICK = ("--sizes", "16,65536,1048576", "--seconds", "0.005")


def measure(bench: Bench) -> None:
    if not bench.with_torch:
        bench.skip("kernel:", "PyTorch is their peer, and was not asked for (--with-torch)")
        return
    source = HERE / "roof.c"
    roof = bench.work / "roof.so"
    flags = ("-O2", "-shared", "-fPIC", "-fvisibility=hidden")
    bench.made(roof, [peer.compiler(), "-x", "c", *flags, source, "-o", roof], [source])
    command = [sys.executable, HERE / "kernels_bench.py", "--roof", roof]
    # Shows progress, because a full run takes some minutes.
    done = subprocess.run(
        [str(one) for one in (*command, *(QUICK if bench.quick else ()))],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    if done.returncode != 0:
        raise SystemExit(f"bench: kernels_bench.py failed ({done.returncode})")
    add(bench, json.loads(done.stdout))


def add(bench: Bench, measured: dict) -> None:
    """Stores all samples, the roof, and the means that have budgets."""
    for name, one in measured["times"].items():
        sample = Sample(one["least"], one["median"], None, one["rounds"])
        bench.put(f"kernel:{name}", sample)
    for name, value in measured["roof"].items():
        bench.put(f"kernel:roof/{name}", Sample(value / 1e9, unit="G/s"))
    bench.kernel_facts = {name: one for name, one in measured["times"].items() if "nbytes" in one}
    for name, value in kernel_report.means(kernel_report.rows(bench.samples)).items():
        bench.samples[f"kernel:mean/{name}"] = Sample(value, unit="×")
