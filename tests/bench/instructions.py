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


def callgrind(names: list[str], folder: pathlib.Path) -> dict[str, float]:
    """Counts instructions per call of each path, in one run. Leaves the profiles in `folder`."""
    command = [
        "valgrind",
        "--tool=callgrind",
        "--dump-before=path_*",
        f"--callgrind-out-file={folder}/profile",
        program(),
        str(CALLS),
        *names,
        names[0],  # each path begins where the previous one ends
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"instructions: the run failed:\n{done.stdout}{done.stderr}")
    counts = {}
    for number, name in enumerate(names):
        text = profile(folder, number).read_text()
        found = re.search(r"^(?:totals|summary): (\d+)", text, re.MULTILINE)
        if f"path_{name}" not in text or found is None or int(found[1]) < CALLS:
            raise SystemExit(f"instructions: {name} gave no count")
        counts[name] = round(int(found[1]) / CALLS, 1)
    return counts


def profile(folder: pathlib.Path, number: int) -> pathlib.Path:
    """Returns the profile of a path's measured calls.

    A path is run once before that as a warm-up, and each run is preceded by the profile of the code
    before it, so there are two profiles per path.
    """
    return folder / f"profile.{2 * number + 3}"


def paths() -> list[str]:
    return subprocess.run([program()], capture_output=True, text=True, check=True).stdout.split()


def count() -> dict[str, float]:
    """Returns the instructions per call of every path."""
    with tempfile.TemporaryDirectory() as folder:
        return callgrind(paths(), pathlib.Path(folder))


def compiler() -> str:
    """Returns the compiler version, on which the counts depend besides the source."""
    line = subprocess.run(["c++", "--version"], capture_output=True, text=True).stdout
    return line.splitlines()[0] if line else "unknown"


def show_top(path: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "profile"
        command = ["valgrind", "--tool=callgrind", f"--toggle-collect=path_{path}"]
        command += [f"--callgrind-out-file={out}", program(), str(CALLS), path]
        subprocess.run(command, capture_output=True, check=True)
        print(f"{path}: of {CALLS + 1} calls")
        annotate = ["callgrind_annotate", "--threshold=99", "--auto=no", out]
        subprocess.run(annotate, check=True)


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
        was = baseline.get("compiler")
        print(f"instructions: skipped, the counts are of {was} and this is {compiler()}")
        return 0
    missing = sorted(set(before) - set(counts)) + sorted(set(counts) - set(before))
    if missing:
        print(f"instructions: not in both program and baseline: {', '.join(missing)}")
    if grown:
        print(f"instructions: grown by more than {GROWTH:.0%}: {', '.join(grown)}")
    if not grown and not missing:
        print(f"instructions: {len(counts)} paths, none grown by more than {GROWTH:.0%}")
    return 1 if grown or missing else 0


if __name__ == "__main__":
    sys.exit(main())
