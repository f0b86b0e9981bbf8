#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the benchmarks and prints the measurements with peers and budgets, for `./dev bench`.

Exits with status 1 if the measurement of a row is missing without a reason.
"""

from __future__ import annotations

import json
import pathlib
import sys

import compare
import host
import options
import report
from bench import OTHER_PART, Bench
from parts import PARTS
from result import Result, fill
from sample import from_json, to_json


def measure(bench: Bench, names: list[str], before: compare.File | compare.Revision | None) -> None:
    """Measures the parts; with another revision twice, alternating with that revision."""
    for part, (function, prefixes) in PARTS.items():
        if part not in names:
            for prefix in prefixes:
                bench.skipped[prefix] = OTHER_PART
            continue
        turns = 2 if isinstance(before, compare.Revision) and not bench.quick else 1
        for _ in range(turns):
            if before is not None:
                before.measure(part)
            print(f"bench: {part}", file=sys.stderr)
            function(bench)


def as_json(bench: Bench, results: list[Result], machine: list[str]) -> str:
    """Returns the samples, and the budgets that they were compared with."""
    budgets = [
        {
            "section": one.section,
            "what": one.row.what,
            "ours": one.row.ours,
            "peer": one.row.peer,
            "ratio": one.ratio,
            "limit": one.row.limit,
            "used": one.used,
            "state": one.state.name.lower(),
        }
        for one in results
        if one.row.limit is not None
    ]
    values = {
        "samples": to_json(bench.samples),
        "budgets": budgets,
        "machine": machine,
        "skipped": bench.skipped,
    }
    return json.dumps(values, indent=2, ensure_ascii=False) + "\n"


def main() -> int:
    args = options.parser().parse_args()
    bench = Bench(args.quick, args.with_torch)
    bench.work.mkdir(parents=True, exist_ok=True)
    for path in args.add:
        for name, sample in from_json(json.loads(path.read_text())["samples"]).items():
            bench.put(name, sample)
    before = compare.opened(args.compare, args.quick) if args.compare else None
    measure(bench, args.only or list(PARTS), before)
    results, lost = fill(bench)
    machine = host.lines()
    if args.json:
        text = as_json(bench, results, machine)
        sys.stdout.write(text) if args.json == "-" else pathlib.Path(args.json).write_text(text)
    if args.json != "-":
        print(report.page(bench, results, machine))
        print(report.tables(bench, results))
        if before is not None:
            print(compare.text(bench, before))
    if args.write:
        report.write(args.write, bench, results, machine)
    for name in lost:
        print(f"bench: {name} must be measured for a row of rows.py, got none", file=sys.stderr)
    return 1 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
