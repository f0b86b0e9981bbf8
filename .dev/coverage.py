# SPDX-License-Identifier: Apache-2.0
"""Which lines of core/ the native suites run: gcov's counts, added up for each folder."""

from __future__ import annotations

import gzip
import json
import pathlib
import shutil
import subprocess
import tempfile

import environment
import machine
import native
import suites
import ui

PRESET = "coverage"
CORE = ui.ROOT / "core"


def run(missing: bool) -> int:
    """Builds, runs the suites, prints a table; 1 when a suite failed."""
    machine.ensure(native.NEEDS[PRESET])
    native.build(PRESET)
    directory = environment.build_dir(PRESET)
    for old in directory.rglob("*.gcda"):
        old.unlink()
    good = suites.run_all(suites.Run(PRESET), suites.NATIVE)
    lines = read(directory)
    if missing:
        for path, text in sorted(list_missing(lines).items()):
            print(f"{path}: {text}")
    print()
    ui.table(sum_up(lines), ["folder", "lines", "run", "%"])
    return 0 if good else 1


def read(directory: pathlib.Path) -> dict:
    """Reads all of gcov's files; returns {(path below the root, line number): number of runs}."""
    gcov = shutil.which("gcov")
    if gcov is None:
        raise ui.Failure("coverage: gcov must be installed with gcc, got none")
    counts: dict = {}
    with tempfile.TemporaryDirectory() as folder:
        data = [str(path) for path in directory.rglob("*.gcda")]
        command = [gcov, "--json-format", "--hash-filenames", *data]
        subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
        for report in pathlib.Path(folder).glob("*.gcov.json.gz"):
            add(counts, json.loads(gzip.decompress(report.read_bytes())))
    return counts


def add(counts: dict, report: dict) -> None:
    """Adds one gcov report. A line of a header counts once, however many sources include it."""
    for file in report["files"]:
        path = (pathlib.Path(report["current_working_directory"]) / file["file"]).resolve()
        if not path.is_relative_to(CORE):
            continue
        for line in file["lines"]:
            key = (str(path.relative_to(ui.ROOT)), line["line_number"])
            counts[key] = counts.get(key, 0) + line["count"]


def sum_up(counts: dict) -> list:
    """Returns rows of (folder, lines, lines that ran, percent), with a row of totals."""
    rows = {}
    for (path, _), count in counts.items():
        for name in (str(pathlib.Path(path).parent), "all of core"):
            total, ran = rows.get(name, (0, 0))
            rows[name] = (total + 1, ran + (count > 0))
    names = sorted(rows, key=lambda name: (name == "all of core", name))
    return [(name, *rows[name], f"{100 * rows[name][1] / rows[name][0]:.1f}") for name in names]


def list_missing(counts: dict) -> dict:
    """Lists, for each file, the numbers of lines that never ran; ranges are written as "5-9"."""
    files: dict = {}
    for (path, number), count in sorted(counts.items()):
        if count == 0:
            files.setdefault(path, []).append(number)
    return {path: join(numbers) for path, numbers in files.items()}


def join(numbers: list) -> str:
    """Writes numbers as ranges: [1, 2, 3, 7] becomes "1-3 7"."""
    parts: list = []
    for number in numbers:
        if parts and parts[-1][1] == number - 1:
            parts[-1][1] = number
        else:
            parts.append([number, number])
    return " ".join(f"{a}-{b}" if a != b else f"{a}" for a, b in parts)
