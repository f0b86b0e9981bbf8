# SPDX-License-Identifier: Apache-2.0
"""The report: tables as Markdown, and the plots that docs/performance.md shows."""

from __future__ import annotations

import pathlib
import re

import kernel_report
import plot
from bench import OTHER_PART, Bench
from result import HEADER, Result, State, cells
from sample import Sample, quantity

INTRODUCTION = """\
What calls cost, beside other libraries in the same run on the same machine. Written by
`./dev bench --with-torch --write docs/performance.md`; `./dev bench --help` tells more.

*Ours* and *peer* are the least of many short rounds that take turns, *ratio* is made of them, and
*median* and *spread* (third quartile less the first, over the median) say how disturbed our rounds
were. C, C++ and Python rows are processor time, the empty loop off where it matters; Java and Rust
rows are time on the clock. Ratios of one run are meant to be compared, single times are not:
another machine moves both sides. Instruction counts are callgrind's.
"""


def table(header: list[str], rows: list[list[str]]) -> str:
    """A Markdown table with its columns lined up."""
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]

    def line(one: list[str]) -> str:
        return "| " + " | ".join(cell.ljust(width) for cell, width in zip(one, widths)) + " |"

    rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
    return "\n".join([line(header), rule, *(line(row) for row in rows)])


def summary(results: list[Result]) -> list[str]:
    """Returns the number of budgets that are met, and a line for each that is not."""
    held = [one for one in results if one.used is not None]
    missed = [one for one in held if one.state is State.MISSED]
    absent = sum(
        one.row.limit is not None and one.used is None and one.why != OTHER_PART for one in results
    )
    lines = [f"{len(held) - len(missed)} of {len(held)} budgets measured here are met."]
    if absent:
        lines[0] += f" {absent} could not be measured: see below."
    if missed:
        lines += ["", "Missed:", "", *(f"- {one.miss()}" for one in missed)]
    return lines


def sections(results: list[Result]) -> dict[str, list[Result]]:
    """Results by section, without the parts that were not asked for."""
    grouped: dict[str, list[Result]] = {}
    for one in results:
        if one.state is not State.LEFT_OUT or one.why != OTHER_PART:
            grouped.setdefault(one.section, []).append(one)
    return grouped


def everything(samples: dict[str, Sample]) -> str:
    """All measurements by name."""
    rows = []
    for name, one in samples.items():
        if name.startswith("kernel:"):
            continue  # their own table has them
        median = "" if one.median is None else quantity(one.median, one.unit)
        spread = "" if one.spread is None else f"{one.spread:.0%}"
        rows.append([name, quantity(one.least, one.unit), median, spread, str(one.rounds)])
    return table(["measurement", "least", "median", "spread", "rounds"], rows)


def page(bench: Bench, results: list[Result], machine: list[str], images: str = "") -> str:
    """The whole report. `images` is the folder of the plots as the page names it."""
    grouped = sections(results)
    plots = drawings(results) if images else {}
    parts = ["# Performance", "", INTRODUCTION]
    if bench.quick:
        parts += [
            "**A quick run: it shows that everything works, its figures are not for use.**",
            "",
        ]
    parts += ["## Budgets", "", *summary(results), ""]
    if "budgets" in plots:
        parts += [f"![Budgets used]({images}/budgets.svg)", ""]
    for name, rows in grouped.items():
        parts += [f"## {name}", ""]
        if _stem(name) in plots:
            parts += [f"![{name}]({images}/{_stem(name)}.svg)", ""]
        parts += [table(HEADER, [cells(one) for one in rows]), ""]
    parts += kernel_report.section(bench.samples, bench.kernel_facts, table, images)
    left_out = {prefix: why for prefix, why in bench.skipped.items() if why != OTHER_PART}
    if left_out:
        parts += ["## Not measured", ""]
        parts += [f"- `{prefix}*`: {why}" for prefix, why in left_out.items()] + [""]
    parts += ["## Machine", "", *(f"- {line}" for line in machine), ""]
    parts += ["## All measurements", "", everything(bench.samples), ""]
    return "\n".join(parts)


def drawings(results: list[Result]) -> dict[str, str]:
    """Returns plots by file stem: one of all budgets, and one per section with peers."""
    bars = [(_brief(one), one.used) for one in results if one.used is not None]
    drawn = {"budgets": plot.budgets("How much of each budget is used", bars)} if bars else {}
    for name, rows in sections(results).items():
        lines: dict[str, plot.Line] = {}
        for one in rows:
            if one.ours is None or one.ours.unit != "ns" or one.ours.least <= 0:
                continue
            line = lines.setdefault(one.row.ours, plot.Line(one.row.what, one.ours.least, {}))
            if one.peer is not None and one.peer.least > 0:
                line.peers[one.row.peer_name] = one.peer.least
        if any(line.peers for line in lines.values()):
            drawn[_stem(name)] = plot.dots(name, "ns", list(lines.values()))
    return drawn


def kernel_drawings(samples: dict[str, Sample]) -> dict[str, str]:
    """Returns the plot of kernels, if they were measured."""
    if not kernel_report.rows(samples):
        return {}
    return {"kernel-speeds": kernel_report.drawing(samples)}


def write(path: pathlib.Path, bench: Bench, results: list[Result], machine: list[str]) -> None:
    """Writes the page, and the plots into the folder of the same name; old plots go."""
    folder = path.with_suffix("")
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.svg"):
        old.unlink()
    for stem, text in (drawings(results) | kernel_drawings(bench.samples)).items():
        (folder / f"{stem}.svg").write_text(text)
    path.write_text(page(bench, results, machine, folder.name))


def _brief(one: Result) -> str:
    """A label for a budget: where, what, and beside whom."""
    lead = {"Calls from C and C++": "C, C++", "Small tensors from C++": "C++"}
    lead |= {
        "Layers, guards, errors, names": "C",
        "Scale: 100 000 operators, 1 000 plugins, 2 threads": "scale",
    }
    lead |= {"Weight and start": "start"}
    text = f"{lead.get(one.section, one.section)}: {one.row.what}"
    text += f" / {one.row.peer_name}" if one.row.peer else ""
    return text if len(text) <= 52 else text[:51] + "…"


def _stem(section: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", section.lower()).strip("-")
