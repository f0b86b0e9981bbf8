# SPDX-License-Identifier: Apache-2.0
"""Graphs for people: tables, pictures, and the command that draws saved graphs."""

import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import pytest

import tenon
from tenon import graph, ops
from tenon.__main__ import main

SVG = "{http://www.w3.org/2000/svg}"


def block(x, w):
    y = (x @ w).relu()
    total = y.sum(dim=[1], keepdim=True)
    y.add_(1)
    return y * total


def traced(**flags):
    return graph.trace(block, tenon.ones(2, 3), tenon.ones(3, 3), **flags)


def texts(picture):
    """Returns the texts in a picture."""
    root = ElementTree.fromstring(picture)
    return [element.text for element in root.iter(f"{SVG}text")]


def test_a_table_has_a_line_for_each_step():
    lines = traced().tabular().splitlines()
    assert re.split(r"  +", lines[0]) == ["what", "value", "target", "type", "kernel"]
    rows = [re.split(r"  +", line) for line in lines[2:]]
    assert rows[0] == ["input", "%0", "x0", "float32[2, 3]"]
    assert rows[2] == ["call", "%2", "aten.mm.default(%0, %1)", "float32[2, 3]", "C++"]
    assert rows[4][2] == "aten.sum.dim_IntList(%3, [1], True)"
    assert rows[-1] == ["output", "%6"]
    assert len(rows) == 8


def test_a_table_shows_source_locations():
    lines = traced(frames=True).tabular().splitlines()
    assert lines[0].endswith("place")
    assert re.search(r"test_graph_drawing\.py:\d+ in block$", lines[4])


def test_print_tabular_prints_it(capsys):
    traced().print_tabular()
    assert capsys.readouterr().out == traced().tabular()


def test_a_picture_has_a_box_for_each_step(tmp_path):
    picture = traced().draw(tmp_path / "graph.svg")
    assert (tmp_path / "graph.svg").read_text() == picture
    found = texts(picture)
    for text in ("x0", "mm", "float32[2, 3]", "sum.dim_IntList", "dim=[1], keepdim=True"):
        assert text in found
    assert found.count("C++") == 5  # the badge of each call
    assert "call that writes" in found  # in the legend
    arrows = [e for e in ElementTree.fromstring(picture).iter(f"{SVG}path") if e.get("marker-end")]
    assert len(arrows) == 8


def test_arrows_lead_through_the_writing_call():
    def writes(x):
        y = x.exp()
        y.add_(1)
        return y

    made = graph.Graph()
    x = made.add_input("x")
    y = made.append(ops.aten.exp.default, x)
    made.append(ops.aten.add_.Tensor, y, 1)
    made.add_output(y)
    for one in (made, graph.trace(writes, tenon.ones(2))):
        root = ElementTree.fromstring(one.draw())
        arrows = [e for e in root.iter(f"{SVG}path") if e.get("marker-end")]
        assert len(arrows) == 3  # input to exp to add_ to output


def test_a_write_to_a_view_is_a_write_to_its_base():
    def writes(x):
        y = x.exp()
        y[0] = 1
        return y.sin()

    one = graph.trace(writes, tenon.ones(2))
    assert names(one) == ["exp", "select.int", "fill_.Scalar", "sin"]
    arrows = [e for e in ElementTree.fromstring(one.draw()).iter(f"{SVG}path")]
    assert len([e for e in arrows if e.get("marker-end")]) == 5  # one after the other


def names(one):
    return [str(node.op).removeprefix("aten.").removesuffix(".default") for node in one.nodes]


def test_an_operator_that_is_gone_is_drawn():
    with tenon.library._scoped_library("drawn", "DEF") as lib:
        lib.define("gone(Tensor x, int n) -> Tensor")
        lib.impl("gone", lambda x, n: x * n, "CPU")
        one = graph.trace(lambda x: ops.drawn.gone(x, 2), tenon.ones(2))
    assert "drawn.gone" in texts(one.draw())
    assert "drawn.gone.default(%0, 2)" in one.tabular()


def test_kernels_of_other_languages_are_labelled():
    lib = tenon.library.Library("drawn", "DEF")
    lib.define("twice(Tensor x) -> Tensor")
    lib.impl("twice", lambda x: x * 2, "CPU")
    try:
        one = graph.trace(lambda x: ops.drawn.twice(x), tenon.ones(2))
        assert "Python" in texts(one.draw())
        assert "Python" in one.tabular()
    finally:
        lib._destroy()


def test_views_random_numbers_attributes_and_several_outputs_are_drawn():
    weight = tenon.ones(2, 2)
    one = graph.trace(lambda x: (x.t() @ weight, tenon.rand(2)), tenon.ones(2, 2))
    found = texts(one.draw())
    for text in ("view", "call that draws random numbers", "attribute", "output 0", "output 1"):
        assert text in found


def test_elements_of_lists_lead_from_their_list():
    one = graph.trace(lambda x: x.split(1, 0)[1] + 1, tenon.ones(2, 2))
    assert "1" in texts(one.draw())


def test_long_graphs_are_folded():
    def long(x):
        for _ in range(300):
            x = x.sin()
        return x

    one = graph.trace(long, tenon.ones(2))
    assert "100 more calls" in texts(one.draw())
    assert texts(one.draw(limit=1000)).count("sin") == 300
    with pytest.raises(tenon.error.InvalidArgumentError, match="limit must be at least 1, got 0"):
        one.draw(limit=0)


def test_inputs_of_folded_calls_are_counted():
    weights = [tenon.ones(2) for _ in range(20)]

    def model(x):
        results = []
        for weight in weights:
            x = x * weight
            results.append(x)
        return results

    found = texts(graph.trace(model, tenon.ones(2)).draw(limit=5))
    assert "15 more calls" in found
    assert "15 attributes, 15 outputs" in found
    assert "output 4" in found
    assert "output 5" not in found
    assert "w4" in found
    assert "w5" not in found


def test_an_empty_graph_is_drawn():
    assert "</svg>" in graph.Graph().draw()
    assert graph.Graph().tabular().startswith("what")


def test_unusual_arguments_are_shown():
    made = graph.Graph()
    x = made.add_input("x")
    made.append(ops.aten.full.default, [2], float("nan"))
    made.append(ops.aten.clamp.default, x, None, 2.5)
    made.add_output([x, x])
    made.add_output(3)
    found = texts(made.draw())
    assert "size=[2], fill_value=nan" in found
    assert "max=2.5" in found
    assert "3" in found


# ---- The command ---------------------------------------------------------------------------------


def test_the_command_draws_a_file(tmp_path, capsys):
    traced().save(tmp_path / "block.graph")
    assert main(["draw", str(tmp_path / "block.graph"), str(tmp_path / "block.svg")]) == 0
    assert "sum.dim_IntList" in texts((tmp_path / "block.svg").read_text())
    assert main(["draw", "--table", str(tmp_path / "block.graph")]) == 0
    assert capsys.readouterr().out == traced().tabular()
    assert main(["draw", "--table", str(tmp_path / "block.graph"), str(tmp_path / "t")]) == 0
    assert (tmp_path / "t").read_text() == traced().tabular()
    assert main(["draw", "--code", str(tmp_path / "block.graph")]) == 0
    assert "mm = tenon.ops.aten.mm.default(x0, x1)\n" in capsys.readouterr().out


def test_the_command_prints_errors(tmp_path, capsys):
    assert main(["draw", str(tmp_path / "none")]) == 1
    assert "none" in capsys.readouterr().err
    traced().save(tmp_path / "g")
    assert main(["draw", "--limit", "0", str(tmp_path / "g")]) == 1
    assert "--limit must be at least 1, got 0" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["draw", "--table", "--code", str(tmp_path / "g")])
    assert "not allowed with" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["draw", "--help"])
    assert "saved" in capsys.readouterr().out


def test_the_picture_in_the_docs_is_current(tmp_path):
    """The code on `docs/change-a-graph.md` draws `docs/graph-of-calls.svg`."""
    docs = pathlib.Path(__file__).parents[2] / "docs"
    page = (docs / "change-a-graph.md").read_text()
    code = re.search(r"```python\n(# model\.py.*?)```", page, re.S)[1]
    (tmp_path / "model.py").write_text(code)
    subprocess.run([sys.executable, "model.py"], cwd=tmp_path, check=True, capture_output=True)
    assert (tmp_path / "graph.svg").read_text() == (docs / "graph-of-calls.svg").read_text(), (
        "docs/graph-of-calls.svg must be what the code on docs/change-a-graph.md draws"
    )
