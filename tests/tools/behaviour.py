# SPDX-License-Identifier: Apache-2.0
"""Writes docs/behaviour.md from the numbered tests, and checks that every item has a verdict.

A Python test states its verdict in a decorator, `@better(44, "what", "how")`; a C++ test in the
comment above it, `// item 44, better: what | how`. Both have the number in their names.
"""

from __future__ import annotations

import argparse
import ast
import collections
import dataclasses
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = pathlib.Path("docs") / "behaviour.md"
SECTIONS = (
    ("A", "Keys and sets", range(1, 15)),
    ("B", "The dispatch table", range(15, 51)),
    ("C", "Keys of a call, guards, redispatch", range(51, 78)),
    ("D", "Schemas", range(78, 110)),
    ("E", "Registration", range(110, 148)),
    ("F", "The boxed convention", range(148, 165)),
    ("G", "Fake kernels of custom operators", range(173, 177)),
    ("H", "Autograd", range(188, 209)),
    ("I", "Autocast, vmap, graphs, overrides", range(209, 227)),
)
NUMBERS = tuple(number for _, _, numbers in SECTIONS for number in numbers)
VERDICTS = {"same": "same", "better": "better", "not_applicable": "not applicable"}
COMMENT = re.compile(
    r"^// item (\d+), (\w[\w ]*): ((?:.*\n)(?://.*\n)*)TEST(?:_F)?\(\w+,\s*(\w+)\)", re.M
)
NUMBERED = re.compile(r"\bItem(\d+)((?:_?(?:And|To)\d+)*)")


@dataclasses.dataclass(frozen=True)
class Item:
    """One verdict, and the test that proves it."""

    number: int
    verdict: str
    text: str
    how: str
    file: str
    on_peer: bool  # the same test runs on PyTorch


def _literal(node: ast.expr) -> object:
    try:
        return ast.literal_eval(node)
    except ValueError:
        return None


def python_items(path: pathlib.Path, name: str) -> tuple:
    """Returns the verdicts of a pytest file, and complaints about it."""
    items, found = [], []
    for node in ast.parse(path.read_text()).body:
        if not isinstance(node, ast.FunctionDef) or not node.name.startswith("test_"):
            continue
        marks = [
            mark
            for mark in node.decorator_list
            if isinstance(mark, ast.Call) and getattr(mark.func, "id", "") in VERDICTS
        ]
        numbered = re.match(r"test_item_(\d{3})_", node.name)
        if not numbered or len(marks) != 1:
            if numbered or marks:
                found.append(f"{name}: {node.name} must carry one number and one verdict")
            continue
        values = [_literal(argument) for argument in marks[0].args]
        values += [_literal(keyword.value) for keyword in marks[0].keywords]
        verdict = VERDICTS[marks[0].func.id]
        if values[:1] != [int(numbered[1])] or len(values) != 2 + (verdict != "same"):
            found.append(f"{name}: {node.name}: verdict must be (number, text) and how or why")
            continue
        peer = any(argument.arg == "peer" for argument in node.args.args)
        how = values[2] if verdict != "same" else ""
        items.append(Item(values[0], verdict, values[1], how, name, peer))
    return items, found


def native_items(path: pathlib.Path, name: str) -> tuple:
    """Returns the verdicts of a C++ test file, and complaints about it."""
    items, found = [], []
    for number, verdict, comment, test in COMMENT.findall(path.read_text()):
        lines = [line.removeprefix("//").strip() for line in comment.splitlines()]
        text, _, how = " ".join(lines).strip().rstrip(".").partition(" | ")
        if not re.match(rf"Item0*{number}(?!\d)", test):
            found.append(f"{name}: {test} must carry number {number}")
        elif verdict not in VERDICTS.values() or (how == "") != (verdict == "same"):
            found.append(f"{name}: {test}: verdict must be same, or better with ' | how'")
        else:
            items.append(Item(int(number), verdict, text, how, name, False))
    return items, found


def collect(root: pathlib.Path) -> tuple:
    """Returns the verdicts by number, further files with a test of each number, and complaints."""
    by_number, also, found = {}, {}, []
    paths = [*root.glob("tests/behaviour/test_*.py"), *root.glob("tests/**/*_test.cpp")]
    for path in sorted(paths):
        name = str(path.relative_to(root))
        read = python_items if path.suffix == ".py" else native_items
        items, complaints = read(path, name)
        found += complaints
        for item in items:
            if item.number not in NUMBERS:
                found.append(f"{name}: item must be in a section, got {item.number}")
            elif item.number in by_number:
                found.append(
                    f"{name}: item {item.number} has a verdict in {by_number[item.number].file}"
                )
            else:
                by_number[item.number] = item
        if path.suffix == ".cpp":
            for first, more in NUMBERED.findall(path.read_text()):
                for number in _spread(int(first), more):
                    also.setdefault(number, set()).add(name)
    found += [f"item {n} has no verdict" for n in NUMBERS if n not in by_number]
    return by_number, also, found


def _spread(first: int, more: str) -> list:
    """Returns the numbers in names such as Item53_To57 and Item46_And47."""
    numbers = [first]
    for word, number in re.findall(r"(And|To)(\d+)", more):
        numbers += range(numbers[-1] + 1, int(number) + 1) if word == "To" else [int(number)]
    return numbers


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _link(name: str) -> str:
    return f"[{pathlib.PurePath(name).name}](../{name})"


def random_cases(root: pathlib.Path) -> list:
    """Returns the section about random cases, from the golden files of tests/behaviour."""
    golden = root / "tests" / "behaviour" / "golden"
    if not golden.exists():
        return []
    tables, schemas, different = (
        (golden / f"{name}.txt").read_text().splitlines()
        for name in ("tables", "schemas", "schema_differences")
    )
    kinds = dict(line[2:].split(": ", 1) for line in different if line.startswith("# "))
    counts = collections.Counter(line.split("\t")[0] for line in different if line[0] != "#")
    total = len(schemas) - 1
    return [
        "## Random cases",
        "",
        f"{len(tables) - 1} random sets of registrations, removals included, give the tables that"
        " PyTorch computes for the keys that both have, but that CompositeImplicitAutograd serves"
        " ADInplaceOrView and Batched ahead of their fallbacks here. 2 000 random sequences of"
        " steps, wrong ones included, give after each step what a model works out from the active"
        " registrations alone.",
        "",
        f"Of {total} generated and mutated schema strings, {total - sum(counts.values())}"
        " are refused by both or print the same; all others differ on purpose:",
        "",
        "| strings | difference |",
        "|---|---|",
        *(f"| {counts[kind]} | {_cell(what)} |" for kind, what in kinds.items() if counts[kind]),
        "",
    ]


def page(root: pathlib.Path, by_number: dict, also: dict) -> str:
    """Returns the text of the page."""
    items = list(by_number.values())
    counts = {verdict: sum(i.verdict == verdict for i in items) for verdict in VERDICTS.values()}
    compared = sum(item.on_peer for item in items)
    lines = [
        "<!-- Generated by tests/tools/behaviour.py from the tests; do not edit. -->",
        "# Behaviour beside PyTorch",
        "",
        "What the dispatcher and autograd do, item by item, and how that compares with PyTorch's:"
        f" {len(NUMBERS)} items, {counts['same']} the same, {counts['better']} better,"
        f" {counts['not applicable']} not applicable. {compared} of the tests run on both where"
        " PyTorch is installed (`./dev test --with-torch`, written against 2.15), and show there"
        " what PyTorch does instead where it differs; PyTorch's Python cannot express the others.",
        "",
    ]
    for letter, title, numbers in SECTIONS:
        lines += [
            f"## {letter} {title}",
            "",
            "| item | behaviour | verdict | how, or why | on PyTorch | tests |",
            "|---|---|---|---|---|---|",
        ]
        for number in numbers:
            item = by_number[number]
            files = [item.file, *sorted(also.get(number, set()) - {item.file})]
            cells = (
                str(number),
                item.text,
                item.verdict,
                item.how,
                "run" if item.on_peer else "",
                " ".join(map(_link, files)),
            )
            lines.append("| " + " | ".join(map(_cell, cells)) + " |")
        lines.append("")
    lines += random_cases(root)
    return "\n".join(lines)


def main(arguments: list | None = None) -> int:
    """Checks the verdicts; with --update writes the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--update", action="store_true", help="write docs/behaviour.md")
    parser.add_argument("--root", type=pathlib.Path, default=ROOT)
    options = parser.parse_args(arguments)
    by_number, also, complaints = collect(options.root)
    path = options.root / PAGE
    if not complaints:
        text = page(options.root, by_number, also)
        if options.update:
            path.write_text(text)
        elif not path.exists() or path.read_text() != text:
            complaints.append(f"{PAGE} must be what the tests say: ./dev lint --fix behaviour")
    for text in complaints:
        print(f"behaviour: {text}")
    print(f"behaviour: {len(by_number)} of {len(NUMBERS)} items, {len(complaints)} complaints")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
