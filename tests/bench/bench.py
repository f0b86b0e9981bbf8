# SPDX-License-Identifier: Apache-2.0
"""One run of the benchmarks: where the build is, what was measured, what was left out and why."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

from sample import Sample

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
# Why a part of the run is empty when others were asked for by name.
OTHER_PART = "not asked for (--only)"


class Bench:
    """Collects samples under names `part:what`; `skipped` gives a reason for prefixes of names."""

    def __init__(self, quick: bool = False, with_torch: bool = False) -> None:
        self.quick = quick
        self.with_torch = with_torch
        self.build = pathlib.Path(os.environ.get("TENON_BUILD_DIR", ROOT / "build" / "release"))
        self.lib = self.build / "lib"
        self.work = self.build / "bench"
        self.plugin = self.lib / "libtenon_bench_operators.so"
        self.samples: dict[str, Sample] = {}
        self.skipped: dict[str, str] = {}
        # What rows of kernels have to move and compute, by `library/row/threads`.
        self.kernel_facts: dict[str, dict] = {}

    def add(self, name: str, values: list[float], unit: str = "ns") -> None:
        """Keeps the rounds of one measurement."""
        self.put(name, Sample.of(values, unit))

    def put(self, name: str, sample: Sample) -> None:
        """Keeps a sample, together with an earlier one of the same name."""
        before = self.samples.get(name)
        self.samples[name] = sample if before is None else before.merged(sample)

    def skip(self, prefix: str, why: str) -> None:
        """Leaves out all names that begin with `prefix`, visibly."""
        if prefix not in self.skipped:
            print(f"bench: skipped {prefix}*: {why}", file=sys.stderr)
        self.skipped[prefix] = why

    def reason(self, name: str) -> str | None:
        """Why a name was left out, or None when it ought to be there."""
        for prefix, why in self.skipped.items():
            if name.startswith(prefix):
                return why
        return None

    def run(self, command: list, env: dict | None = None) -> str:
        """Runs a program that must succeed and returns what it printed."""
        done = subprocess.run(
            [str(part) for part in command],
            capture_output=True,
            text=True,
            env={**os.environ, **(env or {})},
            cwd=ROOT,
        )
        if done.returncode != 0:
            text = " ".join(str(part) for part in command)
            raise SystemExit(
                f"bench: {text} failed ({done.returncode}):\n"
                f"{done.stdout[-4000:]}{done.stderr[-4000:]}"
            )
        return done.stdout

    def made(self, out: pathlib.Path, command: list, sources: list[pathlib.Path]) -> pathlib.Path:
        """Runs the command that makes `out`, unless the same one made it of the same sources."""
        stamp = out.with_name(out.name + ".made")
        text = "\n".join([*(str(part) for part in command), *(one.read_text() for one in sources)])
        if not out.exists() or not stamp.exists() or stamp.read_text() != text:
            out.parent.mkdir(parents=True, exist_ok=True)
            stamp.unlink(missing_ok=True)
            self.run(command)
            stamp.write_text(text)
        return out
