# SPDX-License-Identifier: Apache-2.0
"""Writes the report: docs/performance.md, and its tables and plots in the folder below."""

from __future__ import annotations

import pathlib
import re
import textwrap

import kernel_report
import plot
from bench import OTHER_PART, Bench
from result import HEADER, Result, State, cells
from sample import Sample, quantity

EXAMPLES = 3  # rows of each group on the page
INTRODUCTION = """\
The cost of calls beside other libraries, in the same run on the same machine. Written by
`./dev bench --with-torch --write docs/performance.md`; `./dev bench --help` lists the options.

*Ours* and *peer* are each the minimum of many short rounds that take turns, and *ratio* is their
quotient. C, C++ and Python rows are processor time, with the empty loop subtracted where it
matters; Java and Rust rows are wall-clock time. Compare ratios of one run, not single times:
another machine changes both sides. Instruction counts are callgrind's.
"""
TABLES = """\
All rows of the run that [Performance](../performance.md) summarizes. *Median* and *spread* (third
quartile minus first, divided by the median) show how much our rounds were disturbed.
"""


def table(header: list[str], rows: list[list[str]]) -> str:
    """Formats a Markdown table with aligned columns."""
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]

    def line(one: list[str]) -> str:
        return "| " + " | ".join(cell.ljust(width) for cell, width in zip(one, widths)) + " |"

    rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
    return "\n".join([line(header), rule, *(line(row) for row in rows)])


def summary(results: list[Result]) -> list[str]:
    """Returns a sentence on how many budgets are met."""
    held = [one for one in results if one.used is not None]
    met = sum(one.state is not State.MISSED for one in held)
    absent = sum(
        one.row.limit is not None and one.used is None and one.why != OTHER_PART for one in results
    )
    line = f"{met} of {len(held)} budgets measured here are met."
    return [f"{line} {absent} could not be measured: see below." if absent else line]


def groups(results: list[Result]) -> str:
    """Formats a table of the groups: budgets met, and their first rows with a peer."""
    rows = []
    for name, group in sections(results).items():
        held = [one for one in group if one.used is not None]
        if not held:
            continue
        met = f"{sum(one.state is not State.MISSED for one in held)} of {len(held)}"
        shown = [one for one in held if one.row.peer][:EXAMPLES] or held[:1]
        lines = [[*cells(one)[:4], one.state.value] for one in shown]
        rows += [[name, met, *lines[0]], *(["", "", *line] for line in lines[1:])]
    return table(["group", "budgets met", "for example", "ours", "peer", "ratio", "met?"], rows)


def missed(results: list[Result]) -> list[str]:
    """Returns a line for each missed budget."""
    lines = [one.miss() for one in results if one.state is State.MISSED]
    return [textwrap.fill(f"- {line}", 100, subsequent_indent="  ") for line in lines]


def sections(results: list[Result]) -> dict[str, list[Result]]:
    """Returns the results by section, without parts that were not requested."""
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
    """Returns the summary. `images` is the folder of plots and tables, relative to the page."""
    parts = ["# Performance", "", INTRODUCTION]
    if bench.quick:
        parts += [
            "**A quick run: it shows that everything works, its figures are not for use.**",
            "",
        ]
    parts += ["## Budgets", "", *summary(results), ""]
    if images:
        parts += [
            f"[All rows, and plots of each group]({images}/tables.md) are on a page below.",
            "",
        ]
        if "budgets" in drawings(results):
            parts += [f"![Budgets used]({images}/budgets.svg)", ""]
    parts += [groups(results), ""]
    lines = missed(results)
    if lines:
        parts += ["## Missed", "", *lines, ""]
    parts += ["## Machine", "", *(f"- {line}" for line in machine), ""]
    return "\n".join(parts)


def tables(bench: Bench, results: list[Result], images: str = "") -> str:
    """Returns all rows and measurements. `images` is the plots' folder, relative to the tables."""
    plots = drawings(results) if images else {}
    parts = ["# Performance: tables", "", TABLES]
    for name, rows in sections(results).items():
        parts += [f"## {name}", ""]
        if _stem(name) in plots:
            parts += [f"![{name}]({images}/{_stem(name)}.svg)", ""]
        parts += [table(HEADER, [cells(one) for one in rows]), ""]
    parts += kernel_report.section(bench.samples, bench.kernel_facts, table, images)
    left_out = {prefix: why for prefix, why in bench.skipped.items() if why != OTHER_PART}
    if left_out:
        parts += ["## Not measured", ""]
        parts += [f"- `{prefix}*`: {why}" for prefix, why in left_out.items()] + [""]
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
    """Writes the page, and tables and plots into the folder of the same name; removes old plots."""
    folder = path.with_suffix("")
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.svg"):
        old.unlink()
    for stem, text in (drawings(results) | kernel_drawings(bench.samples)).items():
        (folder / f"{stem}.svg").write_text(text)
    (folder / "tables.md").write_text(tables(bench, results, "."))
    path.write_text(page(bench, results, machine, folder.name))


def _brief(one: Result) -> str:
    """Returns a label for a budget: part, row and peer."""
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
