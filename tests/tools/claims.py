# SPDX-License-Identifier: Apache-2.0
"""Keeps numbers in prose equal to their source.

A number in front of `<!-- claim: NAME -->` must be the one that SOURCES returns for NAME; --write
replaces it. MUST_BE_MARKED finds such numbers without a mark.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import re
import sys

import exports
import sizes

ROOT = pathlib.Path(__file__).resolve().parents[2]
CLAIM = re.compile(r"(\d[\d.]*)<!-- claim: ([\w-]+) -->")
MUST_BE_MARKED = re.compile(r"\b\d[\d ,]*(?: numbered)? (?:overloads|behaviours)\b(?! more)")


def _found(page: str, pattern: str, root: pathlib.Path) -> str:
    return re.search(pattern, (root / "docs" / page).read_text())[1]


def _instructions(path: str, root: pathlib.Path) -> str:
    counts = json.loads((root / "tests" / "bench" / "instructions.json").read_text())
    return str(round(counts["instructions"][path]))


SOURCES = {
    "overloads": lambda root: _found("operators.md", r"The (\d+) overloads", root),
    "behaviours": lambda root: _found("behaviour.md", r"(\d+) items", root),
    "typed-instructions": lambda root: _instructions("typed_begin2", root),
    "boxed-instructions": lambda root: _instructions("boxed_2_tensors", root),
    "libtenon-megabytes": lambda root: f"{exports.Limits.stripped / 1e6:g}",
    "shipped-megabytes": lambda root: f"{exports.SHIPPED.stripped / 1e6:g}",
}


def check(page: str, name: str, root: pathlib.Path) -> tuple[str, list[str]]:
    """Returns the page with its numbers updated, and complaints about numbers that were wrong."""
    found = []

    def renewed(match: re.Match) -> str:
        said, claim = match.groups()
        if claim not in SOURCES:
            found.append(f"{name}: claim must be one of {', '.join(SOURCES)}, got {claim}")
            return match[0]
        true = SOURCES[claim](root)
        if said != true:
            found.append(f"{name}: {claim} must be {true}, got {said}")
        return f"{true}<!-- claim: {claim} -->"

    after = CLAIM.sub(renewed, page)
    if not sizes.GENERATED.search(page.split("\n", 1)[0]):
        for match in MUST_BE_MARKED.finditer(page):
            found.append(f'{name}: number must be marked as a claim, got "{match[0]}"')
    return after, found


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=pathlib.Path, default=ROOT)
    parser.add_argument("--write", action="store_true", help="replace numbers that differ")
    options = parser.parse_args(arguments)
    found, claims = [], 0
    for path in sizes.tracked(options.root):
        if path.suffix != ".md" or not path.is_file():
            continue
        page = path.read_text()
        claims += len(CLAIM.findall(page))
        after, complaints = check(page, str(path.relative_to(options.root)), options.root)
        if options.write and after != page:
            path.write_text(after)
            _, complaints = check(after, str(path.relative_to(options.root)), options.root)
        found += complaints
    for text in found:
        print(f"claims: {text}")
    print(f"claims: {claims} numbers, {len(found)} complaints")
    return 1 if found or not claims else 0


if __name__ == "__main__":
    sys.exit(main())
