# SPDX-License-Identifier: Apache-2.0
"""Keeps the quick starts of the README equal to the tested files that they are part of.

A block of the README follows a line `<!-- quickstart: FILE -->` and must hold what FILE has between
its [quickstart.begin] and [quickstart.end] marks. With --write the blocks are replaced.
"""

from __future__ import annotations

import argparse
import pathlib
import re
import sys
import textwrap

BLOCK = re.compile(r"(<!-- quickstart: (\S+) -->\n```\w+\n)(.*?)(```)", re.S)


def region(path: pathlib.Path) -> str:
    """The marked lines of a file, without their common indentation."""
    inside, lines = False, []
    for line in path.read_text().splitlines():
        if "[quickstart.end]" in line:
            break
        if inside:
            lines.append(line)
        inside = inside or "[quickstart.begin]" in line
    if not lines:
        raise ValueError(f"{path}: must have lines between quickstart marks, got none")
    return textwrap.dedent("\n".join(lines)) + "\n"


def renewed(readme: str, root: pathlib.Path) -> str:
    """The README with every block taken from its file."""
    return BLOCK.sub(lambda m: m.group(1) + region(root / m.group(2)) + m.group(4), readme)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).parents[2])
    parser.add_argument("--write", action="store_true", help="replace the blocks")
    options = parser.parse_args(arguments)
    path = options.root / "README.md"
    before = path.read_text()
    count = len(BLOCK.findall(before))
    after = renewed(before, options.root)
    if options.write:
        path.write_text(after)
    elif after != before:
        print(
            "README.md: quick starts must equal their files; run tests/tools/quickstarts.py --write"
        )
        return 1
    if count == 0:
        print("README.md: must have quick starts, got none")
        return 1
    print(f"{count} quick starts")
    return 0


if __name__ == "__main__":
    sys.exit(main())
