# SPDX-License-Identifier: Apache-2.0
"""Walks and changes graphs from Python: passes, patterns, checks, inference, frames."""

import pathlib
import re

import pytest

import tenon
from tenon import graph, ops

add, mul, square = ops.aten.add.Tensor, ops.aten.mul.Tensor, ops.aten.square.default


def names(one):
    return [str(node.op).removeprefix("aten.").removesuffix(".default") for node in one.nodes]


def square_and_relu():
    return graph.trace(lambda x: (x * x).relu() + x, tenon.ones(2))


def test_a_pass_keeps_replaces_and_drops():
    traced = square_and_relu()

    # [quote.begin rewrite]
    def simplify(call):
        if call.op is ops.aten.relu.default:
            return call.args[0]
        if call.op is mul and call.args[0] == call.args[1]:
            return call.append(square, call.args[0])
        return None  # the call stays as it is

    smaller = traced.rewrite(simplify)
    # [quote.end]
    assert names(smaller) == ["square", "add.Tensor"]
    assert smaller(tenon.tensor([2.0, -3.0])).tolist() == [6.0, 6.0]
    assert names(traced) == ["mul.Tensor", "relu", "add.Tensor"]
    assert smaller.values[1].shape == (2,)


def test_errors_in_a_pass_are_raised_with_a_note():
    with pytest.raises(KeyError) as caught:
        square_and_relu().rewrite(lambda call: {}[call.index])
    assert "in node 0 of a graph, aten::mul.Tensor" in caught.value.__notes__[0]


def test_a_dropped_call_must_not_be_used():
    with pytest.raises(tenon.error.StateError, match="value 1 must not be used, as its"):
        square_and_relu().rewrite(lambda call: ())


def test_results_must_be_values_of_a_graph():
    with pytest.raises(tenon.error.InvalidArgumentError, match="must be the call's 1"):
        square_and_relu().rewrite(lambda call: (1, 2, 3)[:2] if call.index else None)
    with pytest.raises(tenon.error.ArgumentTypeError, match="must be Tensor, got"):
        square_and_relu().rewrite(lambda call: object() if call.index else None)
    with pytest.raises(tenon.error.OutOfRangeError, match="%99"):
        square_and_relu().rewrite(lambda call: graph.Ref(99))


def test_tensors_and_numbers_replace_results():
    folded = square_and_relu().rewrite(
        lambda call: tenon.tensor([5.0, 6.0]) if call.op is mul else None
    )
    assert names(folded) == ["relu", "add.Tensor"]
    assert folded(tenon.tensor([1.0, 1.0])).tolist() == [6.0, 7.0]
    number = square_and_relu().rewrite(lambda call: 3 if call.index == 1 else None)
    assert number.remove_dead()(tenon.tensor([1.0, 1.0])).tolist() == [4.0, 4.0]


def test_a_list_is_replaced_by_its_elements():
    split = graph.trace(lambda x: x.split(1, 0)[1] + 1, tenon.ones(2, 1))

    def by_slices(call):
        if call.op is not ops.aten.split.Tensor:
            return None
        return [
            call.append(ops.aten.slice.Tensor, call.args[0], 0, start, start + 1)
            for start in (0, 1)
        ]

    sliced = split.rewrite(by_slices)
    assert names(sliced) == ["slice.Tensor", "slice.Tensor", "add.Tensor"]
    assert sliced(tenon.tensor([[1.0], [2.0]])).tolist() == [[3.0]]


def test_passes_nest():
    other = graph.trace(lambda x: x.exp(), tenon.ones(2))

    def look(call):
        inner = other.rewrite(lambda c: c.append(ops.aten.neg.default, c.args[0]))
        return call.append(inner.nodes[0].op, call.args[0]) if call.index == 1 else None

    assert names(square_and_relu().rewrite(look)) == ["mul.Tensor", "neg", "add.Tensor"]


# ---- Patterns ------------------------------------------------------------------------------------


def test_each_match_is_replaced():
    def model(x, y):
        return ((x * y).relu() * y).relu() + 1

    # [quote.begin pattern]
    pair = tenon.ones(2), tenon.ones(2)
    traced = graph.trace(model, *pair)
    pattern = graph.trace(lambda x, y: (x * y).relu(), *pair)
    replacement = graph.trace(lambda x, y: x + y.abs(), *pair)
    changed, count = traced.replace_pattern(pattern, replacement)
    # [quote.end]
    assert count == 2
    assert names(changed) == ["abs", "add.Tensor", "abs", "add.Tensor", "add.Tensor"]
    assert changed(tenon.tensor([1.0, 2.0]), tenon.tensor([-3.0, 4.0])).tolist() == [8.0, 11.0]


def test_constants_match_equal_ones_or_any():
    one = tenon.ones(2)
    traced = graph.trace(lambda x: x.sum(dim=0, keepdim=True), tenon.ones(2, 2))
    pattern = graph.trace(lambda x: x.sum(dim=1, keepdim=True), tenon.ones(2, 2))
    replacement = graph.trace(lambda x: x.exp(), one)
    assert traced.replace_pattern(pattern, replacement)[1] == 0
    assert traced.replace_pattern(pattern, replacement, ignore_literals=True)[1] == 1


def test_a_pattern_of_other_inputs_is_refused():
    traced = square_and_relu()
    two = graph.trace(lambda x, y: x + y, tenon.ones(2), tenon.ones(2))
    with pytest.raises(tenon.error.InvalidArgumentError, match="2 inputs, got 1"):
        traced.replace_pattern(two, traced)


def test_trees_of_inputs_stay():
    def model(pair):
        return {"sum": (pair[0] * pair[1]).relu()}

    traced = graph.trace(model, (tenon.ones(2), tenon.ones(2)))
    replaced, count = traced.replace_pattern(
        graph.trace(lambda x: x.relu(), tenon.ones(2)),
        graph.trace(lambda x: x.neg(), tenon.ones(2)),
    )
    assert count == 1
    assert replaced((tenon.ones(2), tenon.ones(2)))["sum"].tolist() == [-1.0, -1.0]


def test_a_graph_is_built_by_hand():
    # [quote.begin build]
    built = graph.Graph()
    x = built.add_input("x")
    w = built.add_attribute(tenon.tensor([2.0, 3.0]), "w")
    product = built.append(ops.aten.mul.Tensor, x, w)
    built.add_output(built.append(ops.aten.mul.Tensor, product, 10))
    # [quote.end]
    assert built(tenon.tensor([1.0, 2.0])).tolist() == [20.0, 60.0]


# ---- Reading, checks, inference ------------------------------------------------------------------


def test_users_are_calls_and_outputs():
    traced = square_and_relu()
    assert traced.users(traced.inputs[0]) == [0, 2]
    assert traced.users(graph.Ref(3)) == [3]
    with pytest.raises(tenon.error.OutOfRangeError):
        traced.users(graph.Ref(4))


def test_unknown_values_are_inferred():
    built = graph.Graph()
    x = built.add_input("x", like=tenon.ones(2, 3))
    built.add_output(built.append(ops.aten.mm.default, x, built.append(ops.aten.t.default, x)))
    assert built.values[1].shape is None
    known = built.infer()
    assert known.values[1].shape == (3, 2)
    assert known.values[2].shape == (2, 2)
    known.check()


def test_checks_find_other_values_than_recorded():
    text = str(square_and_relu()).replace("%1: float32[2]", "%1: float64[2]")
    with pytest.raises(
        tenon.error.ArgumentTypeError, match=r"float32\[2\] cpu, got float64\[2\] cpu"
    ):
        graph.Graph.parse(text).check()


def turned():
    return graph.trace(lambda x: x.t() * 1, tenon.ones(2, 3))


def test_texts_contain_strides_that_are_not_row_major():
    text = str(turned())
    assert text.startswith("tenon.graph 3\n")
    assert text.count("float32[3, 2] strides [1, 3] cpu") == 2
    again = graph.Graph.parse(text)
    assert str(again) == text
    again.check()
    x = tenon.ones(3, 2).t()
    assert "input x0 = %0: float32[2, 3] strides [1, 2] cpu" in str(graph.trace(tenon.abs, x))
    assert str(square_and_relu()).startswith("tenon.graph 1\n")


@pytest.mark.parametrize("strides", ["[1]", "[1, 3, 9]", "[1, -3]", "1, 3"])
def test_strides_of_a_text_are_checked(strides):
    text = str(turned()).replace("[1, 3]", strides)
    with pytest.raises(tenon.Error, match="line"):
        graph.Graph.parse(text)


def test_checks_find_other_strides_than_recorded():
    text = str(turned()).replace("strides [1, 3] cpu = aten::mul", "cpu = aten::mul")
    graph.Graph.parse(text).check()  # a text without strides is not checked for them
    text = str(turned()).replace("strides [1, 3] cpu = aten::mul", "strides [2, 1] cpu = aten::mul")
    with pytest.raises(tenon.error.ArgumentTypeError, match=r"strides \[1, 3\] cpu, got float32"):
        graph.Graph.parse(text).check()


# ---- Frames --------------------------------------------------------------------------------------


def recorded_here(x):
    return tenon.nn.functional.relu(x)  # this line: frames of the package itself are left out


def test_frames_show_where_calls_were_recorded():
    traced = graph.trace(recorded_here, tenon.ones(2), frames=True)
    inner, outer = traced.frames(0)[:2]
    lines = pathlib.Path(__file__).read_text().splitlines()
    assert inner.language == "Python"
    assert inner.function == "recorded_here"
    assert pathlib.Path(inner.file).name == "test_graph_pass.py"
    assert "# this line" in lines[inner.line - 1]
    assert outer.function == "test_frames_show_where_calls_were_recorded"
    assert len(traced.frames(0)) == 4


def test_without_the_flag_no_frames_are_recorded():
    assert graph.trace(recorded_here, tenon.ones(2)).frames(0) == []


def test_frames_survive_passes_and_files(tmp_path):
    traced = graph.trace(recorded_here, tenon.ones(2), frames=True)
    traced.remove_dead().save(tmp_path / "g")
    assert graph.Graph.load(tmp_path / "g").frames(0) == traced.frames(0)
    renamed = traced.rewrite(lambda call: call.append(ops.aten.neg.default, call.args[0]))
    assert renamed.frames(0) == traced.frames(0)


def test_a_runs_error_shows_where_the_call_was_recorded():
    traced = graph.trace(
        lambda x, y: x @ y, tenon.ones(2, 2), tenon.ones(2, 2), frames=True, any_sizes=True
    )
    with pytest.raises(tenon.Error) as caught:
        traced(tenon.ones(2, 2), tenon.ones(3, 3))
    assert re.search(
        r"aten::mm, recorded at .*test_graph_pass.py:\d+ in <lambda> \[Python\]",
        caught.value.__notes__[0],
    )
