# SPDX-License-Identifier: Apache-2.0
"""Writes tables.txt, schemas.txt and schema_differences.txt: PyTorch's results for random cases.

Needs Tenon and PyTorch: `./dev test --with-torch` makes such an environment.
"""

from __future__ import annotations

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import categories  # noqa: E402
import peers  # noqa: E402
import schema_strings  # noqa: E402
import table_cases  # noqa: E402

TABLES = 1_500
SCHEMAS = 6_000
SEED = 20
CORPUS = HERE.parents[1] / "conformance" / "schemas" / "pytorch.txt"


def corpus() -> list[str]:
    """Returns PyTorch's own schemas."""
    return [line for line in CORPUS.read_text().splitlines() if line and line[0] != "#"]


def attempt(peer: object, text: str) -> tuple:
    """Returns the printed schema and "", or None and the error."""
    try:
        return peer.parse(text), ""
    except Exception as error:
        return None, str(error).strip()


def tables(peer: object, version: str) -> str:
    """Returns one line per case: the steps, and PyTorch's row."""
    lines = [f"# Steps TAB slots of table_cases.KEYS, computed by PyTorch {version}; generate.py."]
    for steps in table_cases.cases(TABLES, SEED):
        with peers.scratch(peer) as op:
            row = table_cases.row(op, steps)
        lines.append(f"{table_cases.text(steps)}\t{' '.join(row)}")
    return "\n".join(lines) + "\n"


def schemas(ours: object, theirs: object, version: str) -> tuple:
    """One line a string with what PyTorch prints, "=" for the string itself and "!" for a refusal;
    and one line a difference, with its category."""
    lines = [f"# String TAB what PyTorch {version} prints, = for the same, ! for a refusal."]
    different = [f"# {kind}: {what}" for kind, what in categories.CATEGORIES.items()]
    unexplained = []
    for text in schema_strings.strings(SCHEMAS, SEED, corpus()):
        printed, error = attempt(theirs, text)
        lines.append(f"{text}\t{'!' if printed is None else '=' if printed == text else printed}")
        our_printed, our_error = attempt(ours, text)
        if our_printed == printed:
            continue
        kind = categories.kind(text, our_printed, our_error, printed, error)
        if kind is None:
            unexplained.append(f"{text}\n    {our_printed or our_error}\n    {printed or error}")
        different.append(f"{kind}\t{text}")
    if unexplained:
        raise SystemExit("\n".join(["differences without a category:", *unexplained]))
    return "\n".join(lines) + "\n", "\n".join(different) + "\n"


def main() -> None:
    """Writes the files."""
    if len(peers.PEERS) < 2:
        raise SystemExit("generate: PyTorch must be installed, got none")
    version = peers.torch.__version__.partition("+")[0]
    ours, theirs = peers.PEERS
    (HERE / "tables.txt").write_text(tables(theirs, version))
    lines, different = schemas(ours, theirs, version)
    (HERE / "schemas.txt").write_text(lines)
    (HERE / "schema_differences.txt").write_text(different)


if __name__ == "__main__":
    main()
