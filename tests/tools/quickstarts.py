# SPDX-License-Identifier: Apache-2.0
"""Keeps code in the README and in docs/ equal to the tested files that it quotes.

In the README, a block after a line `<!-- quickstart: FILE -->` equals the part of FILE between its
[quickstart.begin] and [quickstart.end] marks. In docs/, a block after `<!-- quote: FILE NAME -->`
equals the part between [quote.begin NAME] and [quote.end]. With --write the blocks are replaced.
"""

from __future__ import annotations

import argparse
import pathlib
import re
import sys
import textwrap

BLOCK = re.compile(
    r"(<!-- (?:quickstart: (\S+)|quote: (\S+) (\S+)) -->\n```\w+\n)(.*?)(^```)", re.S | re.M
)


def region(path: pathlib.Path, begin: str, end: str) -> str:
    """Returns the lines of a file between two marks, without their common indentation."""
    inside, lines = False, []
    for line in path.read_text().splitlines():
        if inside and end in line:
            break
        if inside:
            lines.append(line)
        inside = inside or begin in line
    else:
        raise ValueError(f"{path}: must have {begin} and {end} behind it")
    if not lines:
        raise ValueError(f"{path}: must have lines after {begin}, got none")
    return textwrap.dedent("\n".join(lines)) + "\n"


def renewed(page: str, root: pathlib.Path) -> str:
    """Returns the page with every block replaced by the text in its file."""

    def block(match: re.Match) -> str:
        head, started, quoted, name, _, tail = match.groups()
        if started:
            text = region(root / started, "[quickstart.begin]", "[quickstart.end]")
        else:
            text = region(root / quoted, f"[quote.begin {name}]", "[quote.end]")
        return head + text + tail

    return BLOCK.sub(block, page)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).parents[2])
    parser.add_argument("--write", action="store_true", help="replace the blocks")
    options = parser.parse_args(arguments)
    readme = options.root / "README.md"
    count = stale = 0
    for path in (readme, *sorted((options.root / "docs").glob("*.md"))):
        before = path.read_text()
        blocks = len(BLOCK.findall(before))
        count += blocks
        if path == readme and not blocks:
            print("README.md: must have quick starts, got none")
            return 1
        after = renewed(before, options.root)
        if options.write:
            path.write_text(after)
        elif after != before:
            name = path.relative_to(options.root)
            print(f"{name}: code must equal its file; run tests/tools/quickstarts.py --write")
            stale += 1
    print(f"{count} blocks quoted, {stale} pages differ")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
