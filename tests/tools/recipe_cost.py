# SPDX-License-Identifier: Apache-2.0
"""Measures what adding an operator costs, by following docs/write-a-kernel.md on a scratch copy.

For a unary and a binary operator, a reduction and a view, an existing operator is copied under
another name: its own files, each line of a list that names it, and a conformance case. Prints the
lines written, the files written or touched, and the seconds until the CPU plugin is linked again
(without ccache; the minimum of several runs, because other load on the machine adds time).
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Existing operators by kind, as `family/stem` in the list of operators.
SAMPLES = {
    "unary": "elementary/exp",
    "binary": "arithmetic/fmax",
    "reduction": "reductions/amax",
    "view": "views/select",
}
OWN_FOLDERS = ("kernels/ops", "kernels/cpu", "tests/kernels")
# Files with lists of operators: adding an operator adds a line for each that names it.
LISTS = (
    "kernels/CMakeLists.txt",
    "kernels/cpu/CMakeLists.txt",
    "kernels/cpu/plugin.cpp",
    "kernels/ops/ops.list",
    "tests/kernels/CMakeLists.txt",
)


@dataclasses.dataclass
class Cost:
    """The work of adding an operator: lines by kind, and files."""

    code: int = 0
    listed: int = 0
    test: int = 0
    new: int = 0
    touched: int = 0


def renamed(text: str, stem: str) -> str:
    """Returns an operator's own file with the operator renamed to twin_<stem>."""
    camel = stem.capitalize()
    text = re.sub(rf"\bregister_{stem}\b", f"register_twin_{stem}", text)
    text = re.sub(rf"\bk{camel}(?=[A-Z]\w*\b|\b)", f"kTwin{camel}", text)
    text = re.sub(rf"\b{camel}(?=[A-Z]\w*\b|\b)", f"Twin{camel}", text)
    text = re.sub(rf'"(aten::)?{stem}(?=[._"(])', rf'"\1twin_{stem}', text)
    text = re.sub(rf"\b{stem}_(?=\w)", f"twin_{stem}_", text)
    return re.sub(rf"(kernels/ops/\w+/){stem}\.h", rf"\1twin_{stem}.h", text)


def lines_of(text: str) -> int:
    """Counts lines that are neither blank nor the licence line."""
    return sum(1 for line in text.splitlines() if line.strip() and "SPDX" not in line)


def copy_own_files(root: pathlib.Path, header: str, cost: Cost) -> None:
    family, _, stem = header.rpartition("/")
    for folder in OWN_FOLDERS:
        for path in sorted((root / folder / family).glob(f"{stem}*")):
            if not re.fullmatch(rf"{stem}(_test)?\.(h|cpp)", path.name):
                continue
            text = renamed(path.read_text(), stem)
            (path.parent / f"twin_{path.name}").write_text(text)
            cost.new += 1
            if folder.startswith("tests"):
                cost.test += lines_of(text)
            else:
                cost.code += lines_of(text)


def add_to_lists(root: pathlib.Path, header: str, cost: Cost) -> None:
    stem = header.rpartition("/")[2]
    names = rf"\b{header}(_test)?\.cpp\b|^aten +{header} "
    for name in LISTS:
        path = root / name
        if not path.exists():
            continue
        added, lines = 0, []
        for line in path.read_text().splitlines(keepends=True):
            if not re.search(names, line):
                lines.append(line)
            else:
                twin = re.sub(rf"(?<![\w]){stem}(?=[._ ])", f"twin_{stem}", line)
                lines += [renamed(twin, stem), line]
                added += 1
        if added:
            path.write_text("".join(lines))
            cost.listed += added
            cost.touched += 1


def add_conformance_cases(root: pathlib.Path, header: str, cost: Cost) -> None:
    """Copies the first case of each form. Without a case, the recipe is incomplete."""
    stem = header.rpartition("/")[2]
    done = set()
    for path in sorted((root / "tests/conformance").glob("*.json")):
        content = json.loads(path.read_text())
        for case in list(content.get("cases", [])):
            op = case.get("op", "")
            if not re.fullmatch(rf"aten::{stem}(_|_copy)?(\.\w+)?", op) or op in done:
                continue
            done.add(op)
            twin = op.replace("aten::", "aten::twin_")
            content["cases"].append({**case, "name": f"twin_{case['name']}", "op": twin})
            path.write_text(json.dumps(content))
            cost.test += 3
    cost.touched += 1 if done else 0


def unpack(revision: str, root: pathlib.Path) -> None:
    archive = subprocess.run(
        ["git", "-C", ROOT, "archive", revision], check=True, stdout=subprocess.PIPE
    )
    subprocess.run(["tar", "-x", "-C", root], input=archive.stdout, check=True)


def build(root: pathlib.Path, without_cache: bool) -> float:
    """Builds the CPU plugin; returns the seconds that this takes."""
    environment = {**os.environ, **({"CCACHE_DISABLE": "1"} if without_cache else {})}
    start = time.monotonic()
    subprocess.run(
        ["cmake", "--build", root / "build", "--target", "tenon_cpu"],
        check=True,
        env=environment,
        stdout=subprocess.DEVNULL,
    )
    return time.monotonic() - start


def measure(root: pathlib.Path, repeat: int) -> dict:
    """Returns build seconds for each kind of operator: its copy is touched and rebuilt alone."""
    build(root, without_cache=False)
    seconds = {}
    for kind, header in SAMPLES.items():
        stem = header.rpartition("/")[2]
        own = [
            path
            for folder in ("kernels/ops", "kernels/cpu")
            for path in (root / folder).rglob(f"twin_{stem}.*")
        ]
        times = []
        for _ in range(repeat):
            for path in own:
                path.touch()
            times.append(build(root, without_cache=True))
        seconds[kind] = min(times)
    return seconds


def main(arguments: list | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--revision", default="HEAD", help="of this repository")
    parser.add_argument("--build", action="store_true", help="measure seconds too (minutes)")
    parser.add_argument("--repeat", type=int, default=3, help="builds of each operator")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        unpack(options.revision, root)
        costs = {}
        for kind, header in SAMPLES.items():
            cost = costs[kind] = Cost()
            copy_own_files(root, header, cost)
            add_to_lists(root, header, cost)
            add_conformance_cases(root, header, cost)
        seconds = {}
        if options.build:
            settings = ("-DTENON_BUILD_TESTS=OFF", "-DTENON_BUILD_PYTHON=OFF")
            more = ("-DTENON_BUILD_JAVA=OFF", "-DTENON_BUILD_EXAMPLES=OFF")
            subprocess.run(
                ["cmake", "--preset", "release", "-B", root / "build", *settings, *more],
                check=True,
                cwd=root,
                stdout=subprocess.DEVNULL,
            )
            seconds = measure(root, options.repeat)
    print("| operator | lines of code | in lists | of tests | new files | touched | seconds |")
    print("|---|---|---|---|---|---|---|")
    for kind, cost in costs.items():
        took = f"{seconds[kind]:.1f}" if kind in seconds else ""
        stem = SAMPLES[kind].rpartition("/")[2]
        counts = (cost.code, cost.listed, cost.test, cost.new, cost.touched, took)
        print(f"| {kind} ({stem}) | " + " | ".join(map(str, counts)) + " |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
