# SPDX-License-Identifier: Apache-2.0
"""Measures calls from Python with peers in the same process, and imports in separate processes."""

from __future__ import annotations

import json
import os
import sys

import peer
from bench import HERE, Bench
from sample import Sample

# Runs in a new process: milliseconds on the clock and of the processor, page faults and modules
# that an import costs. Names after the first are modules that are not there (`-name`) or must stay
# out.
IMPORT = """
import resource, sys, time
package, *others = sys.argv[1:]
for one in others:
    if one[0] == "-": sys.modules[one[1:]] = None
before, modules = resource.getrusage(resource.RUSAGE_SELF).ru_minflt, len(sys.modules)
start, cpu = time.perf_counter(), time.process_time()
__import__(package)
cpu, end = time.process_time() - cpu, time.perf_counter()
after = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
print((end - start) * 1000, cpu * 1000, after - before, len(sys.modules) - modules)
sys.exit("loaded " + one if any(sys.modules.get(one := name) for name in others) else 0)
"""


def measure(bench: Bench) -> None:
    calls(bench)
    imports(bench)


def calls(bench: Bench) -> None:
    """Measures the rows of python_bench.py, whose rounds alternate in one process."""
    rounds, milliseconds = (3, 1) if bench.quick else (25, 4)
    without = [] if bench.with_torch else ["torch"]
    path = f"{peer.extensions(bench)}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
    program = HERE / "python_bench.py"
    out = json.loads(
        bench.run(
            [sys.executable, program, bench.plugin, rounds, milliseconds, *without],
            {"PYTHONPATH": path},
        )
    )
    for name, why in out["skipped"].items():
        # Its own rows, and our rows that take its objects: torch/add and torch_arguments.
        bench.skip(f"python:{name}/", why)
        bench.skip(f"python:{name}_", why)
    for name, one in out["rows"].items():
        median = one.get("median", one["ns"] * (1 + one["noise"]))
        sample = Sample(one["ns"], median, one.get("spread"), one.get("rounds", rounds))
        bench.put(f"python:{name}", sample)


def imports(bench: Bench) -> None:
    """Measures `import tenon` with numpy installed, which it must not load, and without it."""
    _import(bench, "import_tenon", "tenon", "numpy")
    _import(bench, "import_tenon_no_numpy", "tenon", "-numpy")
    for package in ("numpy", "tvm_ffi", *(("torch",) if bench.with_torch else ())):
        if peer.home(package) is None:
            bench.skip(f"python:import_{package}", "not installed")
        else:
            _import(bench, f"import_{package}", package)
    if not bench.with_torch:
        bench.skip("python:import_torch", "not asked for (--with-torch)")


def _import(bench: Bench, name: str, package: str, *others: str) -> None:
    """Returns the milliseconds, page faults and modules of an import with cached bytecode."""
    env = {"PYTHONPYCACHEPREFIX": str(bench.work / "pycache"), "PYTHONDONTWRITEBYTECODE": ""}
    command = [sys.executable, "-c", IMPORT, package, *others]
    rounds = 3 if bench.quick or package == "torch" else 15
    bench.run(command, env)
    turns = [bench.run(command, env).split() for _ in range(rounds)]
    bench.add(f"python:{name}", [float(one[0]) for one in turns], "ms")
    bench.add(f"python:{name}/processor", [float(one[1]) for one in turns], "ms")
    bench.put(f"python:{name}/faults", Sample(min(int(one[2]) for one in turns), unit="faults"))
    bench.put(f"python:{name}/modules", Sample(int(turns[0][3]), unit="modules"))
