#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts instructions of the call path with callgrind, and compares them with a baseline.

    instructions.py                 print instructions a call for every path
    instructions.py --check         fail when a path grew by more than 3 % over instructions.json
    instructions.py --write         make the present counts the baseline
    instructions.py --top PATH      print the functions where the instructions of a path go

A count holds the client's loop and the no-op kernel. The program is the build's `instructions`.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
BASELINE = HERE / "instructions.json"
CALLS = 10000
GROWTH = 0.03


def program() -> pathlib.Path:
    build = os.environ.get("TENON_BUILD_DIR")
    return pathlib.Path(build or HERE.parents[1] / "build" / "release") / "bin" / "instructions"


def callgrind(path: str, out: pathlib.Path) -> float:
    """Instructions a call of one path; the profile is left in `out`."""
    command = [
        "valgrind",
        "--tool=callgrind",
        f"--toggle-collect=path_{path}",
        f"--callgrind-out-file={out}",
        program(),
        path,
        str(CALLS),
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or found is None or int(found[1]) < CALLS:
        raise SystemExit(f"instructions: {path} gave no count:\n{done.stdout}{done.stderr}")
    return int(found[1]) / CALLS


def paths() -> list[str]:
    return subprocess.run([program()], capture_output=True, text=True, check=True).stdout.split()


def count() -> dict[str, float]:
    """Instructions a call for every path."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "callgrind.out"
        return {path: round(callgrind(path, out), 1) for path in paths()}


def compiler() -> str:
    """What the counts depend on besides the source."""
    line = subprocess.run(["c++", "--version"], capture_output=True, text=True).stdout
    return line.splitlines()[0] if line else "unknown"


def show_top(path: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "callgrind.out"
        print(f"{path}: {callgrind(path, out):.1f} instructions a call")
        subprocess.run(["callgrind_annotate", "--threshold=99", out], check=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare with instructions.json")
    parser.add_argument("--write", action="store_true", help="write instructions.json")
    parser.add_argument("--top", metavar="PATH", help="where the instructions of a path go")
    args = parser.parse_args()
    if shutil.which("valgrind") is None:
        print("instructions: skipped, valgrind is not installed")
        return 0
    if not program().exists():
        print(f"instructions: {program()} must be built; ./dev bench does it", file=sys.stderr)
        return 1
    if args.top:
        show_top(args.top)
        return 0
    counts = count()
    baseline = json.loads(BASELINE.read_text()) if BASELINE.exists() else {}
    before = baseline.get("instructions", {})
    grown = []
    for path, now in counts.items():
        old = before.get(path)
        change = "" if old is None else f"{(now / old - 1) * 100:+7.1f} %"
        print(f"{path:34}{now:10.1f}{change}")
        if old is not None and now > old * (1 + GROWTH):
            grown.append(path)
    if args.write:
        text = {"compiler": compiler(), "instructions": counts}
        BASELINE.write_text(json.dumps(text, indent=2) + "\n")
    if not args.check:
        return 0
    if baseline.get("compiler") != compiler():
        print(f"instructions: counts are of {baseline.get('compiler')}, this is {compiler()}")
    missing = sorted(set(before) - set(counts)) + sorted(set(counts) - set(before))
    if missing:
        print(f"instructions: not in both program and baseline: {', '.join(missing)}")
    if grown:
        print(f"instructions: grown by more than {GROWTH:.0%}: {', '.join(grown)}")
    return 1 if grown or missing else 0


if __name__ == "__main__":
    sys.exit(main())
