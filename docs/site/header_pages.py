# SPDX-License-Identifier: Apache-2.0
"""A Sphinx extension: a page of the C reference for each header, and the list of the C++ ones."""

from __future__ import annotations

import pathlib
import re

INCLUDE = pathlib.Path(__file__).resolve().parents[2] / "capi" / "include" / "tenon"
COMMENT = re.compile(r"\A/\* SPDX[^\n]*\n/\*(.*?)\*/", re.S)
LINES = re.compile(r"\A// SPDX[^\n]*\n((?://[^\n]*\n)+)")


def summary(header: pathlib.Path) -> str:
    """Returns the first paragraph of the comment at the top of a header."""
    text = header.read_text()
    if match := COMMENT.search(text):
        words = match[1].replace("\n * ", "\n")
    elif match := LINES.search(text):
        words = match[1].replace("//", "")
    else:
        raise ValueError(f"{header}: must begin with what it is for")
    return " ".join(words.split("\n\n")[0].split())


def c_page(header: pathlib.Path) -> str:
    return (
        f"# tenon/{header.name}\n\n{summary(header)}\n\n```{{doxygenfile}} {header.name}\n"
        ":sections: define typedef enum innerclass func user-defined\n```\n"
    )


def setup(app) -> dict:
    def write(app) -> None:
        folder = pathlib.Path(app.srcdir) / "api"
        (folder / "c").mkdir(exist_ok=True)
        for header in sorted(INCLUDE.glob("*.h")):
            if header.stem != "tenon":
                (folder / "c" / f"{header.stem}.md").write_text(c_page(header))
        rows = [
            f"| `tenon/hpp/{header.name}` | {summary(header)} |\n"
            for header in sorted((INCLUDE / "hpp").glob("*.hpp"))
        ]
        with (folder / "cpp.md").open("a") as page:
            page.write("\n| header | what |\n|---|---|\n" + "".join(rows))

    app.connect("builder-inited", write)
    return {"parallel_read_safe": True}
