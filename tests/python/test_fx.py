# SPDX-License-Identifier: Apache-2.0
"""tenon.fx: walks and changes nodes, prints code, tables and trees, reads attributes."""

from __future__ import annotations

import operator

import pytest
import tenon
from tenon import fx

add, mul, sin = (
    tenon.ops.aten.add.Tensor,
    tenon.ops.aten.mul.Tensor,
    tenon.ops.aten.sin.default,
)


def traced():
    return fx.make_fx(lambda a: (a + 1).sin())(tenon.ones(2))


def test_nodes_have_all_attributes():
    a, plus, wave, out = traced().graph.nodes
    assert [n.op for n in (a, plus, wave, out)] == [
        "placeholder",
        "call_function",
        "call_function",
        "output",
    ]
    assert (a.name, plus.name, wave.name) == ("a_1", "add", "sin")
    assert plus.target is add and plus.args == (a, 1) and plus.kwargs == {}
    assert list(a.users) == [plus] and wave.all_input_nodes == [plus] and out.args == (wave,)
    assert plus.next is wave and wave.prev is plus
    assert (plus.meta["shape"], plus.meta["dtype"]) == ((2,), tenon.float32)


def test_code_is_python_that_runs():
    module = traced()
    assert module.code == (
        "def forward(self, a_1):\n"
        "    add = tenon.ops.aten.add.Tensor(a_1, 1)\n"
        "    sin = tenon.ops.aten.sin.default(add)\n"
        "    return sin\n"
    )
    assert "class " in module.print_readable(print_output=False)


def test_a_call_is_replaced_by_another():
    module = traced()
    # [quote.begin rewrite]
    for node in module.graph.nodes:
        if node.target is add:
            with module.graph.inserting_after(node):
                product = module.graph.call_function(mul, (node.args[0], 3))
            node.replace_all_uses_with(product)
            module.graph.erase_node(node)
    module.graph.lint()
    module.recompile()
    # [quote.end]
    x = tenon.tensor([0.5, 1.0])
    assert tenon.allclose(module(x), (x * 3).sin())


def test_dead_code_is_removed_and_writes_stay():
    graph = fx.Graph()
    a = graph.placeholder("a")
    graph.call_function(sin, (a,))
    graph.call_function(tenon.ops.aten.add_.Tensor, (a, 1))
    graph.output(a)
    assert graph.eliminate_dead_code()
    assert [n.name for n in graph.nodes] == ["a", "add_", "output"]
    assert not graph.eliminate_dead_code()
    assert fx.GraphModule({}, graph)(tenon.zeros(2)).tolist() == [1, 1]


def test_an_erased_node_must_have_no_users():
    module = traced()
    with pytest.raises(tenon.StateError, match="sin"):
        module.graph.erase_node(module.graph.nodes[1])


def test_lint_finds_uses_before_definitions():
    graph = traced().graph
    a, plus, wave, _ = graph.nodes
    wave.append(plus)
    with pytest.raises(tenon.StateError, match="add"):
        graph.lint()


def test_nodes_of_another_graph_are_refused():
    with pytest.raises(tenon.InvalidArgumentError, match="of another"):
        fx.Graph().call_function(sin, (traced().graph.nodes[0],))


def test_print_tabular_has_a_row_for_each_node(capsys):
    traced().graph.print_tabular()
    rows = capsys.readouterr().out.splitlines()
    assert rows[0].split() == ["opcode", "name", "target", "args", "kwargs"]
    assert len(rows) == 6 and "aten.add.Tensor" in rows[3]


def test_captured_tensors_are_attributes_of_the_module():
    w = tenon.tensor([2.0, 3.0])
    module = fx.make_fx(lambda a: a * w)(tenon.ones(2))
    assert module.graph.find_nodes(op="get_attr")[0].target == "_tensor_constant0"
    assert module._tensor_constant0 is w
    assert module(tenon.ones(2)).tolist() == [2, 3]


def test_trees_in_and_out():
    def f(pair, k):
        return {"a": pair["x"] * k, "b": (pair["y"][0], None, 7)}

    one = tenon.ones(2)
    module = fx.make_fx(f)({"x": one, "y": [tenon.ones(2)]}, 3)
    two = tenon.full((2,), 2.0)
    result = module({"x": two, "y": [one]}, 3)
    assert result["a"].tolist() == [6, 6] and result["b"][0].tolist() == [1, 1]
    assert result["b"][1:] == (None, 7)
    with pytest.raises(tenon.InvalidArgumentError, match="structure"):
        module(two, 3)


def test_lists_of_results_are_taken_by_getitem():
    module = fx.make_fx(lambda a: a.split(1)[1])(tenon.ones(3))
    assert module.graph.find_nodes(op="call_function", target=operator.getitem)
    assert module(tenon.tensor([1.0, 5.0, 3.0])).tolist() == [5]


def test_constants_are_written_so_that_they_read_back():
    module = fx.make_fx(
        lambda a: (a.to(tenon.float64) * float("inf"), tenon.zeros((2,), device="cpu") + 1j)
    )(tenon.ones(2))
    first, second = module(tenon.ones(2))
    assert first.dtype == tenon.float64 and first.tolist() == [float("inf")] * 2
    assert second.tolist() == [1j, 1j]


def test_an_unknown_tracing_mode_is_refused():
    with pytest.raises(tenon.InvalidArgumentError, match="tracing_mode"):
        fx.make_fx(lambda a: a, tracing_mode="symbolik")
