# SPDX-License-Identifier: Apache-2.0
"""Makes dist/ twice of one revision, in two folders, and compares the files."""

from __future__ import annotations

import pathlib
import shutil
import subprocess

import artefacts
import dist
import ui

# The folder of the second build. The length of its path differs from that of this tree.
ELSEWHERE = ui.BUILD / "reproducible" / "the-same-revision-in-another-folder"


def check(pythons: list[str]) -> int:
    """Builds the artefacts twice, compares them, and prints the members that differ.

    The second build compiles a clone with the compiler cache off, so that equal artefacts prove a
    deterministic compiler rather than a cache hit.
    """
    changed = subprocess.check_output(["git", "-C", ui.ROOT, "status", "--porcelain"], text=True)
    if changed:
        raise ui.Failure(f"dist: all changes must be committed, got {changed.splitlines()[0]}")
    if dist.make(pythons) != 0:
        return 1
    shutil.rmtree(ELSEWHERE.parent, ignore_errors=True)
    ELSEWHERE.parent.mkdir(parents=True)
    clone = ["git", "clone", "-q", "--no-hardlinks", ui.ROOT, ELSEWHERE]
    ui.run("clone this revision", clone)
    again = [ELSEWHERE / "dev", "dist"]
    again += [word for path in pythons for word in ("--python", path)]
    ui.run("make dist in another folder", again, cwd=ELSEWHERE, env={"CCACHE_DISABLE": "1"})
    return compare(dist.DIST, ELSEWHERE / "dist")


def compare(first: pathlib.Path, second: pathlib.Path) -> int:
    """Prints a line for each file of two folders; returns 0 if all are equal."""
    names = {
        str(path.relative_to(folder))
        for folder in (first, second)
        for path in folder.rglob("*")
        if path.is_file()
    }
    rows = []
    different = 0
    for name in sorted(names):
        found = _difference(first / name, second / name)
        different += bool(found)
        rows.append((name, found or "equal"))
    ui.table(rows, ["artefact", "verdict"])
    print(f"{len(rows) - different} of {len(rows)} artefacts are equal")
    return 1 if different or not rows else 0


def _difference(one: pathlib.Path, other: pathlib.Path) -> str:
    """Describes how two files differ; returns nothing if they are equal."""
    for path in (one, other):
        if not path.exists():
            return f"missing in {path.parent}"
    if one.read_bytes() == other.read_bytes():
        return ""
    inside, outside = dict(artefacts.members(one)), dict(artefacts.members(other))
    parts = sorted(
        name for name in inside.keys() | outside.keys() if inside.get(name) != outside.get(name)
    )
    return f"differs: {', '.join(parts) or 'not in its members'}"
