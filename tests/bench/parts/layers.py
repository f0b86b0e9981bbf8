# SPDX-License-Identifier: Apache-2.0
"""Layers compared with PyTorch: from Python in one process, and from C++ with libtorch."""

from __future__ import annotations

import json
import sys

from bench import HERE, Bench
from sample import Sample

from . import native


def measure(bench: Bench) -> None:
    for name, values in native.call_bench(bench, native.LAYERS).items():
        bench.add(f"layer:c/{name}", values)
    why = bench.skipped.get("c:torch/")
    if why is not None:
        bench.skip("layer:c/torch/", why)
    python(bench)


def python(bench: Bench) -> None:
    """Measures the rows of layers_bench.py, whose rounds alternate in one process."""
    rounds, milliseconds = (3, 1) if bench.quick else (25, 4)
    without = [] if bench.with_torch else ["torch"]
    out = json.loads(
        bench.run([sys.executable, HERE / "layers_bench.py", rounds, milliseconds, *without])
    )
    for name, why in out["skipped"].items():
        bench.skip(f"layer:{name}/", why)
    for name, one in out["rows"].items():
        sample = Sample(one["ns"], one["median"], one["spread"], one["rounds"])
        bench.put(f"layer:{name}", sample)
