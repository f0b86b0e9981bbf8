# SPDX-License-Identifier: Apache-2.0
"""Checks length of files and lines, the licence line and the opening sentence of each source."""

from __future__ import annotations

import argparse
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = {
    ".h",
    ".hpp",
    ".c",
    ".cpp",
    ".cu",
    ".cuh",
    ".i",
    ".py",
    ".pyi",
    ".rs",
    ".java",
    ".cmake",
    ".sh",
}
NAMED = {"CMakeLists.txt", "dev", "run"}
MAX_LINES = 600
MAX_TEST_LINES = 800
MAX_COLUMNS = 100
GENERATED = re.compile(r"generated", re.I)


def tracked(root: pathlib.Path) -> list:
    """Lists files that git tracks or would track, without ignored ones."""
    done = subprocess.run(
        ["git", "-C", str(root), "ls-files", "-co", "--exclude-standard"],
        capture_output=True,
        text=True,
        check=True,
    )
    return [root / line for line in done.stdout.splitlines()]


def check_file(path: pathlib.Path, name: str) -> list:
    """Complains about one source file; `name` is its path below the root."""
    if not path.exists() or (path.suffix not in SOURCES and path.name not in NAMED):
        return []
    text = path.read_text(errors="replace")
    lines = text.splitlines()
    if not lines:
        return [] if path.name == "__init__.py" else [f"{name}: must not be empty"]
    if GENERATED.search(lines[0]):
        return []
    found = []
    limit = MAX_TEST_LINES if name.startswith("tests/") or "/src/test/" in name else MAX_LINES
    reason = any("Long file:" in line for line in lines[:12])
    if len(lines) > limit and not reason:
        found.append(
            f"{name}: must have {limit} lines at most (or say 'Long file: why' on top), "
            f"got {len(lines)}"
        )
    for number, line in enumerate(lines, 1):
        if len(line) > MAX_COLUMNS and "http" not in line:
            found.append(
                f"{name}:{number}: lines must have {MAX_COLUMNS} columns at most, got {len(line)}"
            )
    head = "\n".join(lines[:3])
    if "SPDX-License-Identifier: Apache-2.0" not in head:
        found.append(f"{name}: must name its licence in the first lines")
    if not text.endswith("\n"):
        found.append(f"{name}: must end with a newline")
    return found


def main(arguments: list | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=pathlib.Path, default=ROOT)
    root = parser.parse_args(arguments).root
    complaints, longest, count = [], (0, ""), 0
    for path in tracked(root):
        name = str(path.relative_to(root))
        complaints += check_file(path, name)
        if path.suffix in SOURCES and path.exists():
            count += 1
            longest = max(longest, (len(path.read_text(errors="replace").splitlines()), name))
    for text in complaints:
        print(f"sizes: {text}")
    print(
        f"sizes: {count} sources, longest {longest[1]} with {longest[0]} lines: "
        f"{len(complaints)} complaints"
    )
    return 1 if complaints or not count else 0


if __name__ == "__main__":
    sys.exit(main())
