# SPDX-License-Identifier: Apache-2.0
"""Compares docs/glossary.md with the code: its identifiers exist, and no replaced word is used.

REPLACED is the only table of words that the code must not use. EXCEPTIONS names the files that
still use one; an exception that is no longer needed is a complaint, so that the table only shrinks.
"""

from __future__ import annotations

import argparse
import dataclasses
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = "docs/glossary.md"
CORE = ("core", "capi")
INTERNAL = ("core", "capi/src", "kernels", "bindings/python/native", "bindings/java/native")
FOLDERS = ("core", "capi", "kernels", "bindings", "tests")
SOURCES = {".h", ".hpp", ".cpp", ".c", ".cu", ".cuh", ".java", ".rs", ".py"}
SKIPPED = ("tests/tools/", "/build/", "/target/", "/__pycache__/")  # tools quote replaced words
ROW = re.compile(r"^\| ([^|]+?) \| [^|]+ \| ([^|]+) \|$", re.M)


@dataclasses.dataclass(frozen=True)
class Word:
    """A replaced word, as a pattern of identifiers and comments, and its replacement."""

    name: str
    pattern: str
    instead: str
    folders: tuple = CORE  # folders where the word is replaced; it has other meanings elsewhere


REPLACED = (
    Word("epoch", r"\bepochs?\b|epoch_", "reclaim"),
    Word(
        "way",
        r"\b(slow|careful|quick|fast|common|usual) ways?\b|\b[Tt]he ways? (of|that)\b|^// Way:",
        "fast path or slow path",
    ),
    Word("careful", r"\bcareful|_careful", "slow, or what differs"),
    Word("unusual", r"unusual", "slow, or what differs"),
    Word("usual", r"\busual\b|_usual\b|\busual_", "plain, or what it is", ("core/dispatch",)),
    Word("common path", r"\bcommon path", "fast path"),
    Word("place", r"kPlace[A-Z]|->places\b|\*\s?places\[", "local"),
    Word("slot of calls", r"\bRunningSlot\b", "RunningPlace"),
    Word("trace", r"\b[Tt]rac(e|es|ed|ing)\b|\btenon_trace|TENON_TRACE", "profile"),
    Word("symint", r"\bsymint\b|_symint\b", "symbol"),
    Word("entry", r"\bOperatorEntry\b|\bLayerEntry\b", "tenon_op; StackedLayer"),
    Word("key words", r"\b[Kk]ey[ _]words\b|\bKeyWords\b", "key state", ("core", "capi/src")),
    Word("flow", r"\bFlow\b|\b\w*flow_to\w*\b", "gradient edge", ("core", "capi/src")),
    Word("situation", r"[Ss]ituation", "plan guard, or conditions", INTERNAL),
    Word("settle dead", r"settle_dead", "unwrap ended levels", INTERNAL),
    Word("several views", r"several_views", "multi-output view", INTERNAL),
    Word("lost team", r"lost_team", "openmp_fork", INTERNAL),
    Word("late", r"\bLate(Operator|Function)\b|\blate_(operator|library)\b", "lazy", INTERNAL),
    Word("noting", r"\bNoting|\bnoting\b|_noting\b", "capture, or logging", INTERNAL),
    Word("ask", r"\btnp_(\w+_)?asks?(_\w+)?\b", "call handlers, has a handler", INTERNAL),
    Word(
        "everyday name of a type",
        r"\b(struct|class|enum class) (Told|Given|Handed|Entered|Turn|Ends|Waiting|Done|Place|Entry"
        r"|Way|Wanted|Asking|Known|Made|Needed|Served|Undoing|Keeper|Flow|Outcome|Written)\b",
        "what the type holds or does",
        INTERNAL,
    ),
)

# Files that still use replaced words, and which: none.
EXCEPTIONS: dict = {}


def words(page: str) -> dict:
    """Returns {word: identifiers} of the glossary's rows."""
    found = {}
    for word, cell in ROW.findall(page):
        if word != "word" and not set(word) <= {"-"}:
            found[word] = re.findall(r"`([^`]+)`", cell)
    return found


def sources(root: pathlib.Path, folders: tuple = FOLDERS) -> dict:
    """Returns {path below the root: text} of the sources that the glossary covers."""
    return {
        str(path.relative_to(root)): path.read_text(errors="replace")
        for folder in folders
        for path in sorted((root / folder).rglob("*"))
        if path.suffix in SOURCES
        and not any(part in f"{path.relative_to(root)}" for part in SKIPPED)
    }


def check_words(page: str, texts: dict) -> list:
    """Complains about rows without identifiers, unknown identifiers, and repeated words."""
    found = []
    rows = words(page)
    if not rows:
        return [f"{PAGE}: must have rows, got none"]
    said = re.findall(r"^\| ([^|]+?) \|", page, re.M)
    found += [
        f"{PAGE}: {word} must have one row, got several"
        for word in rows
        if said.count(word) > 1 and word != "word"
    ]
    known = {token for text in texts.values() for token in re.findall(r"\w+", text)}
    names = {pathlib.PurePath(name).name for name in texts}
    for word, identifiers in rows.items():
        if not identifiers:
            found.append(f"{PAGE}: {word} must name the identifiers that carry it, got none")
        found += [
            f"{PAGE}: {word}: {one} must be in {' or '.join(FOLDERS)}, got none"
            for one in identifiers
            if one not in known and one not in names
        ]
    return found


def check_replaced(texts: dict, exceptions: dict) -> list:
    """Complains about replaced words in code, and about exceptions that are no longer needed."""
    found = []
    still = set()
    for word in REPLACED:
        pattern = re.compile(word.pattern)
        for name, text in texts.items():
            if not name.startswith(word.folders):
                continue
            # Included files are checked under their own names.
            found_at = [
                (number, pattern.search(line))
                for number, line in enumerate(text.splitlines(), 1)
                if not line.startswith("#include")
            ]
            hits = [f"{name}:{number}: {hit[0].strip()}" for number, hit in found_at if hit]
            if pattern.search(pathlib.PurePath(name).stem):
                hits.append(f"{name}: its name")
            if hits:
                still.add((name, word.name))
                if word.name not in exceptions.get(name, ()):
                    found += [f"{hit}: say {word.instead}" for hit in hits]
    found += [
        f"EXCEPTIONS: {name} no longer says {word}: remove it from tests/tools/glossary.py"
        for name, said in exceptions.items()
        for word in said
        if (name, word) not in still
    ]
    return found


def main(arguments: list | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=pathlib.Path, default=ROOT)
    parser.add_argument("--open", action="store_true", help="also list what exceptions still allow")
    args = parser.parse_args(arguments)
    texts = sources(args.root)
    page = (args.root / PAGE).read_text()
    complaints = check_words(page, texts) + check_replaced(texts, EXCEPTIONS)
    for text in complaints:
        print(f"glossary: {text}")
    if args.open:
        for text in check_replaced(texts, {}):
            print(f"glossary: still open: {text}")
    print(
        f"glossary: {len(words(page))} words, {len(REPLACED)} replaced, "
        f"{len(EXCEPTIONS)} files excepted: {len(complaints)} complaints"
    )
    return 1 if complaints or not texts else 0


if __name__ == "__main__":
    sys.exit(main())
