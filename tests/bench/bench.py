# SPDX-License-Identifier: Apache-2.0
"""One run of the benchmarks: the build, the measurements, and the skipped ones with reasons."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

from sample import Sample

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
# Reason for an empty part when other parts were requested by name.
OTHER_PART = "not asked for (--only)"


class Bench:
    """Collects samples under names `part:what`; `skipped` maps name prefixes to reasons."""

    def __init__(self, quick: bool = False, with_torch: bool = False) -> None:
        self.quick = quick
        self.with_torch = with_torch
        self.build = pathlib.Path(os.environ.get("TENON_BUILD_DIR", ROOT / "build" / "release"))
        self.lib = self.build / "lib"
        self.work = self.build / "bench"
        self.plugin = self.lib / "libtenon_bench_operators.so"
        self.samples: dict[str, Sample] = {}
        self.skipped: dict[str, str] = {}
        # Bytes and operations of each kernel row, by `library/row/threads`.
        self.kernel_facts: dict[str, dict] = {}

    def add(self, name: str, values: list[float], unit: str = "ns") -> None:
        """Stores the rounds of one measurement."""
        self.put(name, Sample.of(values, unit))

    def put(self, name: str, sample: Sample) -> None:
        """Stores a sample, merged with an earlier one of the same name if there is one."""
        before = self.samples.get(name)
        self.samples[name] = sample if before is None else before.merged(sample)

    def skip(self, prefix: str, why: str) -> None:
        """Skips all names that begin with `prefix`, and prints the reason once."""
        if prefix not in self.skipped:
            print(f"bench: skipped {prefix}*: {why}", file=sys.stderr)
        self.skipped[prefix] = why

    def reason(self, name: str) -> str | None:
        """Returns why a name was skipped, or None if it must be present."""
        for prefix, why in self.skipped.items():
            if name.startswith(prefix):
                return why
        return None

    def run(self, command: list, env: dict | None = None) -> str:
        """Runs a program and returns its output; raises if it fails."""
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
        """Runs the command that builds `out`, unless the command and its sources are unchanged."""
        stamp = out.with_name(out.name + ".made")
        text = "\n".join([*(str(part) for part in command), *(one.read_text() for one in sources)])
        if not out.exists() or not stamp.exists() or stamp.read_text() != text:
            out.parent.mkdir(parents=True, exist_ok=True)
            stamp.unlink(missing_ok=True)
            self.run(command)
            stamp.write_text(text)
        return out
