# SPDX-License-Identifier: Apache-2.0
"""Runs random functions as graphs and compares them with eager calls, see graph_programs.py."""

from __future__ import annotations

import warnings

import pytest
import tenon
import graph_programs
import programs
from graph_programs import Description, Program


@pytest.mark.parametrize("first", range(0, 600, 200))
def test_programs_agree(first):
    seeds = range(first, first + 200)
    found = programs.run_programs(graph_programs.check, tenon, None, seeds)
    assert not found, "\n\n".join(found)


def test_most_programs_run_by_plans():
    graph_programs.reasons.clear()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for seed in range(100):
            graph_programs.count_reason(graph_programs.Writer(tenon, seed).program(), tenon)
    assert graph_programs.reasons["runs by a plan"] >= 50, graph_programs.reasons


def test_differences_are_found():
    """Detects a graph whose results are wrong from the second run on, and reduces the program."""

    class Off:
        def __init__(self, function, *inputs):
            self.graph = tenon.graph.trace(function, *inputs)
            self.runs = 0

        def bind(self, *inputs):
            return self.graph.bind(*inputs)

        def __call__(self, *inputs):
            self.runs += 1
            results = self.graph(*inputs)
            if self.runs > 1 and "aten::sin" in str(self.graph):
                results[-1].mul_(0.5)
            return results

    class Other:
        """Tenon with such graphs."""

        def __getattr__(self, name):
            return getattr(tenon, name)

        class graph:
            trace = Off

    like = Description("float32", (2, 3), "contiguous")
    lines = ["t0 = x0 + x0", "t1 = t0.cos()", "t2 = x0.sin()", "t3 = t2 * t0"]
    program = Program([like], [like], [], lines, ["t0", "t2", "t3"])
    assert graph_programs.compare(program, tenon, 1) is None
    difference = graph_programs.compare(program, Other(), 1)
    assert difference is not None and difference.where == "run 1"
    smaller = graph_programs.shrink(program, Other(), 1)
    assert (smaller.lines, smaller.outputs) == (lines[:1] + lines[2:3], ["t0"])
