#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the benchmarks and prints what was measured beside peers and budgets, for `./dev bench`.

./dev bench                              everything that the machine has
./dev bench --quick                      shorter, to see that it works
./dev bench --only python                one part: c, instructions, python, rust or java
./dev bench --with-torch                 with PyTorch as a peer, installed when missing
./dev bench --write docs/performance.md  write the report
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib.metadata
import importlib.util
import json
import os
import pathlib
import platform
import subprocess
import sys

import table
from measure import ROOT, Bench

PARTS = {
    "c": Bench.c,
    "instructions": Bench.count,
    "python": Bench.python,
    "rust": Bench.rust,
    "java": Bench.java,
}


def first_line(*command: str) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except OSError:
        return "none"
    return (done.stdout + done.stderr).strip().splitlines()[0]


def machine() -> list[str]:
    """What the numbers depend on: processor, compilers, versions of the peers."""
    model = "unknown processor"
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            model = line.partition(":")[2].strip()
            break
    java = os.environ.get("JAVA_HOME")
    lines = [
        f"{model}, {os.cpu_count()} CPUs, Linux {platform.release()}",
        f"load average at the end {os.getloadavg()[0]:.1f}",
        first_line("c++", "--version") + ", release build (-O2)",
        f"Python {platform.python_version()}",
        first_line(f"{java}/bin/java" if java else "java", "-version"),
        first_line("rustc", "--version"),
    ]
    for package in ("numpy", "apache-tvm-ffi", "torch"):
        try:
            lines.append(f"{package} {importlib.metadata.version(package)}")
        except importlib.metadata.PackageNotFoundError:
            lines.append(f"{package}: not installed")
    return lines


def install_torch() -> None:
    if importlib.util.find_spec("torch") is None:
        wanted = ROOT / ".dev" / "requirements" / "torch.txt"
        print(f"bench: installing {wanted.name}", file=sys.stderr)
        subprocess.run(
            [
                sys.executable,
                "-m",
                "pip",
                "install",
                "-q",
                "--disable-pip-version-check",
                "-r",
                wanted,
            ],
            check=True,
        )


def report(bench: Bench) -> str:
    budgets, missed = table.budgets(bench.samples)
    parts = [
        "# Performance",
        "",
        "What calls cost, beside other libraries in the same run. Written by "
        "`./dev bench --write docs/performance.md`.",
        "",
        "Times are nanoseconds a call, the least of many short rounds that take turns; *noise* "
        "is how far the median of the rounds lies above the least. C, C++ and Python rows are "
        "CPU time, Java and Rust rows time on the clock. Ratios of one run are meant to be "
        "compared, single times are not.",
        "",
        "## Budgets",
        "",
        budgets,
        "",
    ]
    if missed:
        parts += ["**Missed:**", "", *(f"- {line}" for line in missed), ""]
    else:
        parts += ["All budgets that were measured are met.", ""]
    if bench.skipped:
        parts += ["**Not measured:**", "", *(f"- {line}" for line in bench.skipped), ""]
    parts += [
        "## Machine",
        "",
        *(f"- {line}" for line in machine()),
        "",
        "## All measurements",
        "",
        table.everything(bench.samples),
        "",
    ]
    return "\n".join(parts)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=pathlib.Path, help="also write the measurements as JSON")
    parser.add_argument("--write", type=pathlib.Path, help="also write the report as Markdown")
    parser.add_argument("--quick", action="store_true", help="shorter rounds: to see that it works")
    parser.add_argument("--only", choices=tuple(PARTS), action="append", help="one part")
    parser.add_argument("--with-torch", action="store_true", help="compare with PyTorch too")
    args = parser.parse_args()
    if args.with_torch:
        install_torch()
    bench = Bench(args.quick, args.with_torch)
    for name in args.only or PARTS:
        print(f"bench: {name}", file=sys.stderr)
        PARTS[name](bench)
    text = report(bench)
    print(text)
    if args.json:
        values = {name: dataclasses.asdict(one) for name, one in bench.samples.items()}
        args.json.write_text(
            json.dumps(
                {"samples": values, "machine": machine(), "skipped": bench.skipped}, indent=2
            )
            + "\n"
        )
    if args.write:
        args.write.parent.mkdir(parents=True, exist_ok=True)
        args.write.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
