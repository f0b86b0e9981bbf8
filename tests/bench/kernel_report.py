# SPDX-License-Identifier: Apache-2.0
"""Reports on kernels: means, the slowest rows and why, the full table, and a plot."""

from __future__ import annotations

import dataclasses
import html
import math

import plot
from sample import Sample, number, quantity

SMALL = 1024  # elements; up to here the call overhead dominates
LEAST = 0.95

# Why rows are slower than PyTorch's, by name prefix; the first match is printed.
REASONS = {
    "exp/float64": "twelve coefficients for 1.5 ulp, one scale for subnormal and huge results",
    "exp/": "within 1.3 ulp, vectors and tails alike; one scale for subnormal and huge results",
    "sqrt/": "the processor's square root, which rounds correctly",
    "rsqrt/": "a correctly rounded square root and a division",
    "reciprocal/": "a division, which rounds correctly",
    "pow/float64": "the C library's, for each element",
    "pow/": "by logarithm and exponential of doubles: nearly always the nearest float",
    "gelu/": "a polynomial of nine and one of seven coefficients",
    "layer_norm/": "nine operators, which all devices and gradients share; no kernel of its own",
    "mm/bfloat16": "computed as float32",
    "mm/float64": "OpenBLAS 0.3.21 beside MKL",
    "gather/": "one element at a time; of a new result a block of indices is checked before",
    "scatter/": "self is copied first; one element at a time",
    "index_select/": "by way of index, whose offsets are made first",
    "all/": "one thread folds what takes less than two to agree",
    "amax/int64": "loops of 256 bits: integers have none of 512",
    **dict.fromkeys(
        ("add/", "mul/", "div/", "relu/", "clone/", "cat/", "to ", "sum/", "mean/", "amax/"),
        "memory or the second cache bounds it; from run to run at par",
    ),
}


@dataclasses.dataclass(frozen=True)
class Row:
    """One row on one number of threads: times in nanoseconds."""

    name: str
    count: int  # number of elements; 0 for a program
    threads: int
    ours: float
    torch: float
    numpy: float | None

    @property
    def speed(self) -> float:
        return self.torch / self.ours


def rows(samples: dict[str, Sample]) -> list[Row]:
    """All rows that were measured."""
    found = []
    for name, sample in samples.items():
        if not name.startswith("kernel:tenon/"):
            continue
        what = name.removeprefix("kernel:tenon/")
        row, _, threads = what.rpartition("/")
        count = 0 if row.startswith("program/") else int(row.rpartition("/")[2])
        theirs, third = samples[f"kernel:torch/{what}"], samples.get(f"kernel:numpy/{what}")
        found.append(
            Row(
                row,
                count,
                int(threads),
                sample.least,
                theirs.least,
                None if third is None else third.least,
            )
        )
    return found


def mean(speeds: list[float]) -> float:
    """Returns the geometric mean."""
    return math.exp(sum(map(math.log, speeds)) / len(speeds))


def means(all_rows: list[Row]) -> dict[str, float]:
    """Returns PyTorch's time divided by ours: means above and up to SMALL elements, and minimum."""
    found = {}
    for threads in sorted({row.threads for row in all_rows}):
        some = [row for row in all_rows if row.threads == threads and row.count]
        groups = {
            "above_1k": [row.speed for row in some if row.count > SMALL],
            "up_to_1k": [row.speed for row in some if row.count <= SMALL],
        }
        for name, speeds in groups.items():
            if speeds:
                found[f"{name}/{threads}"] = mean(speeds)
        if groups["above_1k"]:
            found[f"least_above_1k/{threads}"] = min(groups["above_1k"])
    return found


def reason(name: str) -> str:
    return next((why for start, why in REASONS.items() if name.startswith(start)), "")


def by_size(all_rows: list[Row]) -> list[list[str]]:
    """Returns a line per size and number of threads."""
    lines = []
    for count in sorted({row.count for row in all_rows}):
        for threads in sorted({row.threads for row in all_rows}):
            some = [row for row in all_rows if (row.count, row.threads) == (count, threads)]
            if not some:
                continue
            slow = sum(row.speed < LEAST for row in some)
            third = [row.numpy / row.ours for row in some if row.numpy is not None]
            lines.append(
                [
                    f"{count:,}".replace(",", " ") if count else "whole programs",
                    str(threads),
                    str(len(some)),
                    f"{mean([row.speed for row in some]):.2f}",
                    f"{mean(third):.2f}" if third else "",
                    f"{min(row.speed for row in some):.2f}",
                    str(slow),
                ]
            )
    return lines


def slow(all_rows: list[Row]) -> list[list[str]]:
    """Describes the rows that are slower than LEAST: their speeds by number of threads, and why."""
    grouped: dict[str, dict[int, Row]] = {}
    for row in all_rows:
        grouped.setdefault(row.name, {})[row.threads] = row
    lines = []
    for name, some in grouped.items():
        if min(row.speed for row in some.values()) >= LEAST:
            continue
        speeds = " / ".join(f"{row.speed:.2f}" for row in some.values())
        ours = " / ".join(quantity(row.ours, "ns") for row in some.values())
        lines.append([name, ours, speeds, reason(name)])
    return sorted(lines, key=lambda line: min(map(float, line[2].split(" / "))))


def share(row: Row, facts: dict, samples: dict[str, Sample]) -> str:
    """Returns the share of the roofline reached: of a copy's bandwidth or of peak multiply-adds."""
    one = facts.get(f"tenon/{row.name}/{row.threads}")
    if one is None:
        return ""
    if one["flops"]:
        peak = samples.get("kernel:roof/peak")
        per_core = one["flops"] / row.ours / row.threads
        width = 2 if "/float64/" in row.name else 1
        return "" if peak is None else f"{per_core * width / peak.least:.0%} of peak"
    copy = samples.get(f"kernel:roof/copy/{row.count}/{row.threads}")
    return "" if copy is None else f"{one['nbytes'] / row.ours / copy.least:.0%}"


def every(all_rows: list[Row], facts: dict, samples: dict[str, Sample]) -> list[list[str]]:
    lines = []
    for row in all_rows:
        lines.append(
            [
                row.name,
                str(row.threads),
                quantity(row.ours, "ns"),
                quantity(row.torch, "ns"),
                "" if row.numpy is None else quantity(row.numpy, "ns"),
                f"{row.speed:.2f}",
                share(row, facts, samples),
            ]
        )
    return lines


def roof(samples: dict[str, Sample]) -> list[str]:
    """Returns the machine's peak rates, as measured in the same run."""
    lines = []
    for name, sample in samples.items():
        if name == "kernel:roof/peak":
            lines.append(
                f"- {number(sample.least)} GFLOP/s of float32 on a core (multiply and add)"
            )
        elif name.startswith("kernel:roof/copy/"):
            count, threads = name.removeprefix("kernel:roof/copy/").split("/")
            lines.append(
                f"- {number(sample.least)} GB/s, read and written, by copies of {count} float32 on "
                f"{threads} thread{'s' if threads != '1' else ''}"
            )
    return lines


def section(samples: dict[str, Sample], facts: dict, table, images: str) -> list[str]:
    """Returns the text of the report's section; `table` formats a table."""
    all_rows = rows(samples)
    if not all_rows:
        return []
    parts = ["## CPU kernels beside PyTorch and numpy", "", INTRODUCTION, "### The roof", ""]
    parts += [*roof(samples), "", "### By size", ""]
    header = ["elements", "threads", "rows", "mean", "beside numpy", "least", f"below {LEAST}"]
    parts += [table(header, by_size(all_rows)), ""]
    if images:
        parts += [f"![Speeds by size]({images}/kernel-speeds.svg)", ""]
    parts += [f"### Slower than {LEAST} times PyTorch's speed", ""]
    lines = slow(all_rows)
    parts += [table(["row", "ours", "speed", "why"], lines) if lines else "None.", ""]
    parts += ["### Whole programs", ""]
    programs = [one for one in all_rows if not one.count]
    header = ["row", "threads", "ours", "PyTorch", "numpy", "speed", "share of the roof"]
    parts += [table(header, every(programs, facts, samples)), "", "### All rows", ""]
    others = [one for one in all_rows if one.count]
    return [*parts, table(header, every(others, facts, samples)), ""]


INTRODUCTION = """\
The same calls in this library, PyTorch and numpy, from Python in one process over the same memory,
in turns. Results are new tensors, as programs have them, but where a row says *into out*. Between
turns all threads are let go to sleep. *Speed* is PyTorch's time divided by ours: above 1 is faster.
Means are geometric. *Share of the roof* is what a row must read and write at the least, beside the
bytes of a copy of as many float32 in the same time; of products, the part of the multiply and add
peak. numpy has one thread.
"""


def drawing(samples: dict[str, Sample]) -> str:
    """Plots all rows above SMALL elements on one thread, by size, on a logarithmic axis."""
    all_rows = [row for row in rows(samples) if row.count]
    groups: dict[str, list[Row]] = {}
    for row in all_rows:
        label = f"{row.count:,}".replace(",", " ") + f" elements, {row.threads} thread"
        groups.setdefault(label + ("s" if row.threads != 1 else ""), []).append(row)
    return plot.ticks("Speed beside PyTorch, each row a tick", list(_lines(groups)))


def _lines(groups: dict[str, list[Row]]):
    for label, some in groups.items():
        marks = [(row.speed, html.escape(f"{row.name}: {row.speed:.2f}")) for row in some]
        yield label, marks, mean([row.speed for row in some])
