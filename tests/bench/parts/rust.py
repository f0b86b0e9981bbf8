# SPDX-License-Identifier: Apache-2.0
"""Measures calls from Rust under Criterion, compared with hand-written C calls, and the build."""

from __future__ import annotations

import json
import os
import pathlib
import resource
import shutil

from bench import HERE, ROOT, Bench
from sample import Sample


def cargo() -> str | None:
    return shutil.which("cargo") or shutil.which(
        "cargo", path=str(pathlib.Path.home() / ".cargo" / "bin")
    )


def measure(bench: Bench) -> None:
    program = cargo()
    if program is None:
        bench.skip("rust:", "cargo is not installed")
        return
    calls(bench, program)
    build(bench, program)


def calls(bench: Bench, program: str) -> None:
    """Runs Criterion a few times; the rows of one run are consecutive, so runs must alternate."""
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "build" / "rust"))
    results = target / "criterion"
    env = {
        "CARGO_TARGET_DIR": str(target),
        "CRITERION_HOME": str(results),
        "TENON_LIB_DIR": str(bench.lib),
    }
    command = [program, "bench", "-q", "--locked", "--manifest-path", HERE / "rust" / "Cargo.toml"]
    length = ("0.02", "0.05", "10") if bench.quick else ("0.1", "0.3", "60")
    command += ["--", "--noplot", "--warm-up-time", length[0], "--measurement-time", length[1]]
    command += ["--sample-size", length[2]]
    rounds: dict[str, list[float]] = {}
    for _ in range(1 if bench.quick else 4):
        shutil.rmtree(results, ignore_errors=True)
        bench.run(command, env)
        for file in sorted(results.glob("**/new/sample.json")):
            name = json.loads((file.parent / "benchmark.json").read_text())["full_id"]
            times = json.loads(file.read_text())
            values = [time / count for time, count in zip(times["times"], times["iters"])]
            rounds.setdefault(name, []).extend(values)
    if not rounds:
        raise SystemExit(f"bench: cargo bench left no results in {results}")
    for name, values in rounds.items():
        bench.add(f"rust:{name}", values)


def build(bench: Bench, program: str) -> None:
    """Returns the processor seconds of a clean build of the crate `tenon` with its dependencies."""
    target = bench.work / "rust-build"
    shutil.rmtree(target, ignore_errors=True)
    manifest = ROOT / "bindings" / "rust" / "Cargo.toml"
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    bench.run(
        [
            program,
            "build",
            "-q",
            "--release",
            "--locked",
            "-p",
            "tenon",
            "--manifest-path",
            manifest,
        ],
        {"CARGO_TARGET_DIR": str(target), "TENON_LIB_DIR": str(bench.lib)},
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    shutil.rmtree(target)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    bench.put("rust:build", Sample(seconds, unit="CPU s"))
