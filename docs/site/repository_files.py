# SPDX-License-Identifier: Apache-2.0
"""A Sphinx extension: links from pages to files of the repository lead to pages that show them.

Pages link to files and folders of the repository, such as `../examples/quickstart`. On the site, a
linked file has a page with its text, a folder has a page with a list of its files, and Markdown
documents outside of docs/ (README.md, CONTRIBUTING.md) are ordinary pages.
"""

from __future__ import annotations

import os
import pathlib
import re
from collections.abc import Iterator

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = "files"  # of the pages made here
LINK = re.compile(r"(\]\()((?:\.\./)+|(?=[A-Za-z]))([^)#\s:]*)(#[^)\s]*)?(\))")
LANGUAGES = {
    ".c": "c",
    ".h": "c",
    ".cpp": "cpp",
    ".hpp": "cpp",
    ".py": "python",
    ".java": "java",
    ".rs": "rust",
    ".md": "markdown",
    ".toml": "toml",
    ".txt": "text",
    ".json": "json",
}


def page_name(path: pathlib.Path) -> str:
    """Returns the name of the page that shows a file or folder, without suffix."""
    relative = path.relative_to(ROOT)
    return f"{FOLDER}/{relative}" if path.is_file() else f"{FOLDER}/{relative}/index"


class Pages:
    """Pages for linked files and folders, written below Sphinx's source folder."""

    def __init__(self, source: pathlib.Path) -> None:
        self.source = source
        self.written: set[pathlib.Path] = set()

    def link(self, page: pathlib.Path, target: pathlib.Path) -> str:
        """Writes the page for a file or folder outside of docs/ and returns the link to it."""
        self.write(target)
        return os.path.relpath(self.source / f"{page_name(target)}.md", page.parent)

    def write(self, target: pathlib.Path) -> None:
        if target in self.written:
            return
        self.written.add(target)
        out = self.source / f"{page_name(target)}.md"
        out.parent.mkdir(parents=True, exist_ok=True)
        title = str(target.relative_to(ROOT))
        if target.suffix == ".md":
            text = self.rewritten(target, out, target.read_text())
        elif target.is_file():
            language = LANGUAGES.get(target.suffix, "text")
            path = os.path.relpath(target, out.parent)
            text = f"# {title}\n\n```{{literalinclude}} {path}\n:language: {language}\n```\n"
        else:
            text = f"# {title}\n\n" + "".join(
                f"- [{each.name}]({self.link(out, each)})\n" for each in self.listed(target)
            )
        out.write_text("---\norphan: true\n---\n\n" + text)

    @staticmethod
    def listed(folder: pathlib.Path) -> Iterator[pathlib.Path]:
        for each in sorted(folder.iterdir()):
            is_text = each.is_dir() or each.suffix in LANGUAGES
            if is_text and not each.name.startswith((".", "__")) and each.name != "target":
                yield each

    def rewritten(self, origin: pathlib.Path, page: pathlib.Path, text: str) -> str:
        """Returns the text of the document `origin` with its links rewritten for the page
        `page`."""

        def replaced(match: re.Match) -> str:
            head, up, rest, anchor, tail = match.groups()
            target = (origin.parent / (up + rest)).resolve()
            if not target.exists() or target == origin or ROOT not in target.parents:
                return match[0]
            docs = ROOT / "docs"
            if docs not in target.parents:
                path = self.link(page, target)
            elif origin.parent == docs:
                return match[0]
            else:
                path = os.path.relpath(self.source / target.relative_to(docs), page.parent)
            return f"{head}{path}{anchor or ''}{tail}"

        return LINK.sub(replaced, text)


def setup(app) -> dict:
    pages = Pages(pathlib.Path(app.srcdir))

    def prepare(app) -> None:
        # Before Sphinx looks for documents: pages of files are documents, too.
        for path in sorted(pathlib.Path(app.srcdir).rglob("*.md")):
            if path.is_relative_to(pages.source / FOLDER):
                continue
            origin = ROOT / "docs" / path.relative_to(app.srcdir)
            if origin.exists():
                path.write_text(pages.rewritten(origin, path, origin.read_text()))

    app.connect("builder-inited", prepare)
    return {"parallel_read_safe": True}
