# SPDX-License-Identifier: Apache-2.0
"""Counts idioms of the project's old dialect in comments, docstrings, messages and docs.

Each folder has a ceiling in english.json: hits per 1,000 words, which may only fall. A hit is a
sentence to look at, not a proof of a bad one, so the aim is a low rate and not zero.
"""

from __future__ import annotations

import argparse
import ast
import collections
import dataclasses
import io
import json
import math
import pathlib
import random
import re
import subprocess
import sys
import tokenize

ROOT = pathlib.Path(__file__).resolve().parents[2]
CEILINGS = pathlib.Path(__file__).with_suffix(".json")

# Each pattern is tried on one sentence.
IDIOMS = (
    r"^Of (the|a|an)?\b",
    r"^What\b(?!.*\?)",
    r"^The same\b",
    r"\b(whoever|who (is|has|comes|asks|wants|calls|reads|looks))\b",
    r"\b(somebody|nobody|anybody)\b",
    r"\b(told of|tells of|(is|are|was|be) told)\b",
    r"\bcomes? to be\b",
    r"\b(gives|gave|given back)\b",
    r"\bof (its|their) own\b",
    r"\bas (it|they) (is|are|was|were|stand|lie)\b",
    r"\b(is|are) there\b(?! (a|an|no|one|any)\b)",
    r"(, or|;|,) else\b",
    r"\b(meanwhile|for a while|for ever)\b",
    r"\bstands? (for|in|before|behind)\b",
    r"\bthe (rest|others|other one)\b",
    r"\b(so|as|that) many\b",
    r"\b(lies|lie) ",
)
PATTERNS = tuple(re.compile(one) for one in IDIOMS)

C_LIKE = {".h", ".hpp", ".c", ".cpp", ".cu", ".cuh", ".i", ".java", ".rs", ".swg"}
HASHED = {".cmake", ".toml", ".yml", ".sh"}
# A string literal, a line comment or a block comment, whichever begins first.
C_TOKEN = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'|//[^\n]*|/\*.*?\*/', re.S)
FENCE = re.compile(r"^(```|~~~).*?^\1[^\n]*$", re.S | re.M)
SENTENCE = re.compile(r"(?<=[.:;!?])\s+")
WORD = re.compile(r"[A-Za-z][A-Za-z'-]*")
FEWEST_WORDS_OF_A_MESSAGE = 4


@dataclasses.dataclass(frozen=True)
class Passage:
    """A run of prose: a comment of one or several lines, a docstring, a message or a paragraph."""

    path: str
    line: int
    text: str

    def sentences(self) -> list:
        return [one for one in SENTENCE.split(" ".join(self.text.split())) if one]


def is_idiom(sentence: str) -> bool:
    """Returns true if a sentence has one of the idioms."""
    return any(pattern.search(sentence) for pattern in PATTERNS)


def passages_of(path: str, text: str) -> list:
    """The passages of a file, by its kind; none of a kind that has no prose."""
    suffix = pathlib.PurePath(path).suffix
    if suffix == ".md":
        return _paragraphs(path, text)
    if suffix in (".py", ".pyi"):
        return _of_python(path, text)
    if suffix in C_LIKE:
        return _of_c(path, text)
    if suffix in HASHED or path.endswith("CMakeLists.txt"):
        return _join(path, _hashed_lines(text))
    return []


def _hashed_lines(text: str) -> list:
    return [
        (number, line.strip()[1:].strip())
        for number, line in enumerate(text.splitlines(), 1)
        if line.strip().startswith("#") and not line.startswith("#!")
    ]


def _join(path: str, lines: list) -> list:
    """Passages of (line number, text), where lines that follow each other are one passage."""
    found: list = []
    last = -1
    for number, line in lines:
        if "SPDX" in line:
            continue
        if found and number == last + 1 and line:
            first = found[-1]
            found[-1] = Passage(path, first.line, f"{first.text} {line}")
        elif line:
            found.append(Passage(path, number, line))
        last = number
    return found


def _of_c(path: str, text: str) -> list:
    lines, blocks = [], []
    for match in C_TOKEN.finditer(text):
        token = match.group()
        number = text.count("\n", 0, match.start()) + 1
        if token.startswith("//"):
            lines.append((number, token.lstrip("/!<").strip()))
        elif token.startswith("/*"):
            body = re.sub(r"^\s*\*+", "", token.strip("/*"), flags=re.M)
            blocks.append(Passage(path, number, body))
        elif _is_message(token[1:-1]):
            blocks.append(Passage(path, number, token[1:-1]))
    return [*_join(path, lines), *(one for one in blocks if one.sentences())]


def _is_message(literal: str) -> bool:
    return " " in literal and len(WORD.findall(literal)) >= FEWEST_WORDS_OF_A_MESSAGE


def _of_python(path: str, text: str) -> list:
    lines, strings = [], []
    try:
        tree = ast.parse(text)
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (SyntaxError, tokenize.TokenError):
        return []  # meant to be broken: a test's input
    for token in tokens:
        if token.type == tokenize.COMMENT and not token.string.startswith("#!"):
            lines.append((token.start[0], token.string.lstrip("#:").strip()))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if _is_message(node.value):
                strings.append(Passage(path, node.lineno, node.value))
    return [*_join(path, lines), *strings]


def _paragraphs(path: str, text: str) -> list:
    """Paragraphs and items of lists; not code, tables and headings."""
    prose = FENCE.sub(lambda match: "\n" * match.group().count("\n"), text)
    found: list = []
    goes_on = False
    for number, line in enumerate(prose.splitlines(), 1):
        bare = re.sub(r"`[^`]*`", "CODE", line.strip())
        item = re.sub(r"^([-*]|\d+\.) +", "", bare)
        if not bare or bare.startswith(("|", "<", "#")) or line.startswith("    "):
            goes_on = False
        elif goes_on and item == bare:
            found[-1] = Passage(path, found[-1].line, f"{found[-1].text} {bare}")
        else:
            found.append(Passage(path, number, item))
            goes_on = True
    return found


def folder_of(path: str) -> str:
    """The folder whose ceiling holds for a file: two names deep, three in bindings."""
    parts = pathlib.PurePath(path).parts[:-1]
    return "/".join(parts[: 3 if parts[:1] == ("bindings",) else 2]) or "."


def is_read(path: str) -> bool:
    """Returns true if people write a file: not generated, no data, no list of the idioms."""
    written = "generated" not in path and "/golden/" not in path and path != "docs/operators.md"
    return written and not path.startswith("tests/tools/english")


def read_tree(root: pathlib.Path) -> list:
    """The passages of all files that git tracks, or would track, below a root."""
    listed = ["git", "-C", root, "ls-files", "-co", "--exclude-standard"]
    names = subprocess.run(listed, check=True, capture_output=True, text=True).stdout.splitlines()
    found = []
    for name in filter(is_read, names):
        path = root / name
        if not path.is_file():
            continue
        text = path.read_text(errors="replace")
        if "generated" not in text.split("\n", 1)[0].lower():
            found += passages_of(name, text)
    return found


@dataclasses.dataclass
class Count:
    words: int = 0
    hits: int = 0

    def rate(self) -> float:
        """Hits per 1,000 words, rounded up to a tenth."""
        return math.ceil(self.hits * 10_000 / max(self.words, 1)) / 10


def count(passages: list) -> dict:
    """{folder: Count} of passages."""
    found: dict = collections.defaultdict(Count)
    for passage in passages:
        one = found[folder_of(passage.path)]
        one.words += len(WORD.findall(passage.text))
        one.hits += sum(map(is_idiom, passage.sentences()))
    return dict(found)


def compare(counts: dict, ceilings: dict) -> list:
    """Complaints about folders above their ceilings; a folder without one may have no hit."""
    return [
        f"{folder} has {one.rate()} idioms per 1,000 words, its ceiling is"
        f" {ceilings.get(folder, 0)}; `tests/tools/english.py --show {folder}` lists them"
        for folder, one in sorted(counts.items())
        if one.rate() > ceilings.get(folder, 0)
    ]


def lowered(counts: dict, ceilings: dict) -> dict:
    """The ceilings after a change: those of folders that exist, never raised."""
    return {
        folder: min(one.rate(), ceilings.get(folder, 0 if ceilings else one.rate()))
        for folder, one in sorted(counts.items())
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fix", action="store_true", help="lower the ceilings to today's rates")
    parser.add_argument("--table", action="store_true", help="print each folder's count")
    parser.add_argument("--show", metavar="FOLDER", help="print the sentences found in a folder")
    parser.add_argument("--sample", type=int, metavar="N", help="print N comments drawn at random")
    parser.add_argument("--seed", type=int, default=7, help="of --sample (default: 7)")
    options = parser.parse_args()
    passages = read_tree(ROOT)
    if options.sample is not None:
        long_enough = [one for one in passages if len(WORD.findall(one.text)) >= 5]
        for one in random.Random(options.seed).sample(long_enough, options.sample):
            print(f"{one.path}:{one.line}: {' '.join(one.text.split())}")
        return 0
    if options.show:
        for one in passages:
            if one.path.startswith(options.show.rstrip("/") + "/") or one.path == options.show:
                for sentence in filter(is_idiom, one.sentences()):
                    print(f"{one.path}:{one.line}: {sentence}")
        return 0
    counts = count(passages)
    ceilings = json.loads(CEILINGS.read_text()) if CEILINGS.exists() else {}
    if options.fix:
        ceilings = lowered(counts, ceilings)
        CEILINGS.write_text(json.dumps(ceilings, indent=1) + "\n")
    if options.table:
        print(f"{'folder':28} {'words':>7} {'hits':>6} {'rate':>6} {'ceiling':>8}")
        for folder, one in sorted(counts.items(), key=lambda pair: -pair[1].hits):
            ceiling = ceilings.get(folder, 0)
            print(f"{folder:28} {one.words:7} {one.hits:6} {one.rate():6} {ceiling:8}")
    complaints = compare(counts, ceilings)
    for complaint in complaints:
        print(f"english: {complaint}")
    total = Count(
        sum(one.words for one in counts.values()), sum(one.hits for one in counts.values())
    )
    print(f"english: {total.hits} idioms in {total.words:,} words, {total.rate()} per 1,000")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
