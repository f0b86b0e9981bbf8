# SPDX-License-Identifier: Apache-2.0
"""Checks that lines of prose in Markdown have 100 columns at most, and pages a limit of lines.

Tables, code, headings, comments and generated pages are exempt. With --write, paragraphs that have
a line that is too long are filled again; links and code in backticks stay on one line.
"""

from __future__ import annotations

import argparse
import pathlib
import re
import sys

import sizes

ROOT = pathlib.Path(__file__).resolve().parents[2]
COLUMNS = 100
MAX_LINES = {"README.md": 120, "CHANGELOG.md": 120, "docs/performance.md": 150}
FENCE = re.compile(r"^\s*(```|~~~)")
OTHER = re.compile(r"^\s*($|\||#|<|>|:::|\[\^|!\[)|^---")  # neither prose nor a list
ITEM = re.compile(r"^(\s*)([-*+]|\d+\.) ")
WORD = re.compile(r"(?:<!--.*?-->|`[^`\n]*`|!?\[[^\]]*\]\([^)]*\)|[^\s`\[<]+|.(?<!\s))+")
OPENER = re.compile(r"([-*+>#|]|\d+\.|:::.*)$")  # a word with a meaning at the start of a line


def filled(text: str, first: str, rest: str) -> list[str]:
    """Fills a paragraph with lines of at most COLUMNS; the first line has its own indent."""
    lines, line = [], ""
    for word in WORD.findall(text):
        indent = rest if lines else first
        if line and len(indent) + len(line) + 1 + len(word) > COLUMNS and not OPENER.match(word):
            lines.append(indent + line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    return [*lines, (rest if lines else first) + line]


def paragraphs(lines: list[str]) -> list[tuple[bool, list[str]]]:
    """Groups the lines of a page in order: (whether the group is a paragraph of prose, lines)."""
    groups: list[tuple[bool, list[str]]] = []
    fence = ""
    for line in lines:
        opened = FENCE.match(line)
        if fence or opened or OTHER.match(line):
            if opened:
                fence = "" if fence == opened[1] else fence or opened[1]
            groups.append((False, [line]))
        elif ITEM.match(line) or not groups or not groups[-1][0]:
            groups.append((True, [line]))
        else:
            groups[-1][1].append(line)
    return groups


def is_long(line: str) -> bool:
    return len(line) > COLUMNS and len(WORD.findall(line)) > 1


def renewed(page: str) -> str:
    """Returns the page with each paragraph filled again that has a line which is too long."""
    out = []
    for is_prose, lines in paragraphs(page.splitlines()):
        if not is_prose or not any(map(is_long, lines)):
            out += lines
            continue
        item = ITEM.match(lines[0])
        first = item[0] if item else re.match(r"\s*", lines[0])[0]
        text = " ".join([lines[0][len(first) :], *(line.strip() for line in lines[1:])])
        out += filled(text, first, " " * len(first) if item else first)
    return "\n".join(out) + "\n"


def complaints(page: str, name: str) -> list[str]:
    lines = page.splitlines()
    if lines and sizes.GENERATED.search(lines[0]):
        return []
    found, number = [], 0
    for is_prose, group in paragraphs(lines):
        for line in group:
            number += 1
            if is_prose and is_long(line):
                columns = f"must have {COLUMNS} columns at most, got {len(line)}"
                found.append(f"{name}:{number}: lines of prose {columns}")
    most = MAX_LINES.get(name)
    if most is not None and len(lines) > most:
        found.append(f"{name}: must have {most} lines at most, got {len(lines)}")
    return found


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=pathlib.Path, default=ROOT)
    parser.add_argument("--write", action="store_true", help="fill paragraphs again")
    options = parser.parse_args(arguments)
    found, pages = [], 0
    for path in sizes.tracked(options.root):
        if path.suffix != ".md" or not path.is_file():
            continue
        pages += 1
        name, text = str(path.relative_to(options.root)), path.read_text()
        if options.write and complaints(text, name):
            text = renewed(text)
            path.write_text(text)
        found += complaints(text, name)
    for text in found:
        print(f"prose: {text}; run tests/tools/prose.py --write")
    print(f"prose: {pages} pages, {len(found)} complaints")
    return 1 if found or not pages else 0


if __name__ == "__main__":
    sys.exit(main())
