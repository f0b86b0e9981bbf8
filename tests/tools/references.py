# SPDX-License-Identifier: Apache-2.0
"""Checks that references in docs and code resolve: links, anchors, pages and file paths.

A comment that names a file, such as `key.h`, means one of the repository. A page is cited as
`docs/page.md` or `docs/page.md#heading`, never by a word like DESIGN with a number, which no reader
can follow. In Markdown, links are resolved from the page's folder, and paths in backticks from the
page's folder or the root; a path with a placeholder (<op>, *, {a,b}, ...) is a pattern.
"""

from __future__ import annotations

import argparse
import pathlib
import re
import sys

import sizes

ROOT = pathlib.Path(__file__).resolve().parents[2]
LANGUAGES = {".h", ".hpp", ".c", ".cpp", ".cu", ".cuh", ".i", ".rs", ".java", ".cmake"}
CODE = {*sizes.SOURCES, ".rst", ".toml", ".json", ".txt"}
MADE = {"bindings/java/tenon.jar"}  # built files, in the folder of their sources
# Third-party and generated files, and files without prose.
SKIPPED = re.compile(r"(^|/)(golden|corpus|schemas)/|Cargo\.lock$|^LICENSE$|\.abi\.json$")
EXEMPT = {"references.py", "references_test.py"}  # their examples contain such names
NAMED = re.compile(r"(?<![\w/.<*>-])[a-z]\w*\.(?:h|hpp|cpp|c|py|rs|java)\b")
COMMENT = re.compile(r"(?://|/\*|^\s*\*|#).*")
ELSEWHERE = {"stdint.h", "stddef.h", "a_test.cpp", "a_test.c", "as.c"}  # the last one is a field
FENCE = re.compile(r"^(```|~~~).*?^\1[^\n]*$", re.M | re.S)
LINK = re.compile(r"!?\[[^\]]*\]\(([^()\s]+)\)")
TICKED = re.compile(r"`([^`\n]+)`")
PAGE = re.compile(r"(?<![\w/.])docs/[\w./-]*\w\.(?:md|svg)(?:#[\w-]+)?")
CITED = re.compile(r"\bDESIGN\b|\bSTYLE\.md\b|§")
PATH = re.compile(r"[\w.<>*{},-]+(?:/[\w.<>*{},-]+)+/?|[\w-]+\.(?:md|py|h|hpp|cpp|json|txt)")


def anchor(heading: str) -> str:
    """Returns the anchor that GitHub assigns to a heading."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def anchors(page: pathlib.Path) -> set:
    text = FENCE.sub("", page.read_text())
    return {anchor(found) for found in re.findall(r"^#+ (.+)$", text, re.M)}


def unresolved(target: str, folder: pathlib.Path, root: pathlib.Path) -> str:
    """Returns why a link from a page in `folder` does not resolve, '' if it does."""
    name, _, heading = target.partition("#")
    path = (folder / name).resolve() if name else None
    if path is not None and not path.exists():
        return f"must lead to a file, got {target}"
    if heading and path is not None and path.suffix == ".md" and heading not in anchors(path):
        return f"must lead to a heading, got {target}"
    if path is not None and not path.is_relative_to(root.resolve()):
        return f"must stay in the repository, got {target}"
    return ""


def _is_there(text: str, folder: pathlib.Path, root: pathlib.Path, tops: set) -> bool:
    """Returns true if a path in backticks exists, and for text that only looks like a path."""
    first = text.split("/")[0]
    if "/" in text and first not in tops and not (folder / first).exists():
        return True
    if text in MADE:
        return True
    if "/" not in text and not re.fullmatch(r"[A-Z][A-Z_]+\.md", text):
        return True  # a bare file name may be anywhere
    patterns = [re.sub(r"<[^>]*>|\.\.\.", "*", text)]
    while any("{" in one for one in patterns):
        patterns = [
            re.sub(r"\{[^{}]*\}", choice, one, count=1)
            for one in patterns
            for choice in re.search(r"\{([^{}]*)\}", one)[1].split(",")
        ]
    places = (folder, root)
    return all(any(any(place.glob(one.strip("/"))) for place in places) for one in patterns)


def check_page(path: pathlib.Path, root: pathlib.Path) -> list:
    """Complains about one Markdown page."""
    text = path.read_text()
    tops = {one.name for one in root.iterdir()}
    found = []
    in_fence = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith(("```", "~~~")):
            in_fence = not in_fence
        if in_fence:
            continue
        bare = TICKED.sub("", line)
        for target in LINK.findall(bare):
            if not re.match(r"[a-z]+:", target):
                own = f"{path.name}{target}" if target.startswith("#") else target
                why = unresolved(own, path.parent, root)
                if why:
                    found.append((number, f"link {why}"))
        for ticked in TICKED.findall(line):
            if PATH.fullmatch(ticked) and not _is_there(ticked, path.parent, root, tops):
                found.append((number, f"must name a file that is there, got {ticked}"))
    return found


def check_code(path: pathlib.Path, root: pathlib.Path, names: set) -> list:
    """Complains about one source: pages that it cites, and files that its comments name."""
    found = []
    for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
        comment = COMMENT.search(line)
        if comment and not re.match(r"\s*[#%]\s*include", line) and path.suffix in LANGUAGES:
            for name in NAMED.findall(comment[0]):
                if name not in names:
                    found.append((number, f"must name a file that is there, got {name}"))
        for page in PAGE.findall(line):
            why = unresolved(page, root, root)
            if why:
                found.append((number, why))
        cited = CITED.search(line)
        if cited:
            found.append((number, f"must cite docs/page.md#heading, got {cited[0]}"))
    return found


def check(root: pathlib.Path, files: list) -> list:
    """Returns (path, line, complaint) for all files."""
    found = []
    names = {path.name for path in files} | ELSEWHERE
    for path in files:
        name = str(path.relative_to(root))
        if not path.is_file() or SKIPPED.search(name) or path.name in EXEMPT:
            continue
        if path.suffix == ".md":
            found += [(name, *one) for one in check_page(path, root)]
        elif path.suffix in CODE or path.name in sizes.NAMED:
            found += [(name, *one) for one in check_code(path, root, names)]
    return found


def main(arguments: list | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=pathlib.Path, default=ROOT)
    root = parser.parse_args(arguments).root
    files = sizes.tracked(root)
    complaints = check(root, files)
    for name, line, text in complaints:
        print(f"references: {name}:{line}: {text}")
    pages = sum(path.suffix == ".md" for path in files)
    print(f"references: {len(files)} files, {pages} pages: {len(complaints)} complaints")
    return 1 if complaints or not pages else 0


if __name__ == "__main__":
    sys.exit(main())
