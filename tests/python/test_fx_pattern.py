# SPDX-License-Identifier: Apache-2.0
"""Replaces patterns in graphs of nodes as torch.fx does; nodes know their source lines."""

import pytest

import tenon
from tenon import fx, graph, ops

mul, relu = ops.aten.mul.Tensor, ops.aten.relu.default


def targets(module):
    found = module.graph.find_nodes(op="call_function")
    return [str(n.target).removeprefix("aten.").removesuffix(".default") for n in found]


def model(x, y):
    return ((x * y).relu() * y).relu() + 1


def relu_of_product(x, y):
    return (x * y).relu()


def sum_with_abs(x, y):
    return x + y.abs()


X, Y = tenon.tensor([1.0, 2.0]), tenon.tensor([-3.0, 4.0])


def test_each_match_is_replaced():
    module = fx.make_fx(model)(X, Y)
    # [quote.begin pattern]
    matches = fx.replace_pattern(module, relu_of_product, sum_with_abs)
    # [quote.end]
    assert [str(match.anchor) for match in matches] == ["relu", "relu_1"]
    assert targets(module) == ["abs", "add.Tensor", "abs", "add.Tensor", "add.Tensor"]
    assert module(X, Y).tolist() == [8.0, 11.0]
    assert module.graph.find_nodes(op="call_function")[1].meta["shape"] == (2,)


def test_patterns_may_be_modules_and_graphs():
    module = fx.make_fx(model)(X, Y)
    pattern = fx.make_fx(relu_of_product)(X, Y)
    replacement = fx.make_fx(sum_with_abs)(X, Y)
    assert len(fx.replace_pattern(module, pattern, replacement.graph)) == 2
    assert module(X, Y).tolist() == [8.0, 11.0]


def test_a_value_used_elsewhere_is_no_match():
    module = fx.make_fx(lambda x, y: (x * y).relu() + x * y)(X, Y)
    assert len(fx.replace_pattern(module, relu_of_product, sum_with_abs)) == 1

    def used_twice(x, y):
        product = x * y
        return product.relu() + product

    module = fx.make_fx(used_twice)(X, Y)
    assert fx.replace_pattern(module, relu_of_product, sum_with_abs) == []
    assert targets(module) == ["mul.Tensor", "relu", "add.Tensor"]


def test_literals_match_equal_ones_or_any():
    def summed(x):
        return x.sum(dim=1)

    def other(x):
        return x.sum(dim=0)

    one = tenon.ones(2, 2)
    for ignore, count in ((False, 0), (True, 1)):
        module = fx.make_fx(summed)(one)
        found = fx.replace_pattern(module, other, lambda x: x.exp(), ignore_literals=ignore)
        assert len(found) == count


def test_a_placeholder_matches_a_number():
    module = fx.make_fx(lambda x: (x * 3).relu())(X)
    assert len(fx.replace_pattern(module, relu_of_product, lambda x, y: x - y)) == 1
    assert module(X).tolist() == [-2.0, -1.0]


def test_writes_between_are_respected():
    def writes(x, y):
        product = x * y
        x.add_(1)
        return product.relu()

    module = fx.make_fx(writes)(X.clone(), Y)
    assert fx.replace_pattern(module, relu_of_product, sum_with_abs) == []


def test_several_results_and_overlaps():
    def pair(x):
        return x.exp(), x.abs()

    def swapped(x):
        return x.abs(), x.exp()

    module = fx.make_fx(lambda x: x.exp().sqrt() + x.abs())(X)
    assert len(fx.replace_pattern(module, pair, swapped)) == 1
    assert targets(module) == ["abs", "exp", "sqrt", "add.Tensor"]
    module = fx.make_fx(lambda x: x.exp().exp().exp())(X)
    assert len(fx.replace_pattern(module, lambda x: x.exp().exp(), lambda x: x.abs())) == 1
    assert targets(module) == ["abs", "exp"]


def test_attributes_of_the_replacement_become_the_modules():
    weight = tenon.tensor([10.0, 20.0])
    module = fx.make_fx(lambda x: x.exp().exp())(X)
    found = fx.replace_pattern(module, lambda x: x.exp(), lambda x: x * weight, [X])
    assert len(found) == 2
    assert module(X).tolist() == [100.0, 800.0]


def test_impossible_replacements_are_refused():
    module = fx.make_fx(model)(X, Y)
    with pytest.raises(tenon.error.InvalidArgumentError, match="2 inputs and 1 results, got 1"):
        fx.replace_pattern(module, relu_of_product, lambda x: x)
    with pytest.raises(tenon.error.InvalidArgumentError, match="y_1 unused"):
        fx.replace_pattern(module, lambda x, y: x.exp(), sum_with_abs)
    with pytest.raises(tenon.error.InvalidArgumentError, match="must be results of its nodes"):
        fx.replace_pattern(module, lambda x: x, lambda x: x)


def test_counts_are_those_of_torch():
    torch = pytest.importorskip("torch")

    torch_fx = pytest.importorskip("torch.fx", reason="PyTorch is not installed")
    cases = [
        (lambda x, y: torch.relu(x * y) + x * y, lambda x, y: torch.relu(x * y)),
        (lambda x, y: torch.exp(torch.exp(torch.exp(x))), lambda x: torch.exp(torch.exp(x))),
        (lambda x, y: (x * y) * (x * y), lambda x, y: x * y),
        (lambda x, y: torch.exp(x) + torch.abs(y), lambda x, y: (torch.exp(x), torch.abs(y))),
        (lambda x, y: x + y + x, lambda x, y: x + y),
        (lambda x, y: torch.relu(x) * torch.relu(x), lambda x: x * x),
    ]
    ours = [
        (lambda x, y: (x * y).relu() + x * y, lambda x, y: (x * y).relu()),
        (lambda x, y: x.exp().exp().exp(), lambda x: x.exp().exp()),
        (lambda x, y: (x * y) * (x * y), lambda x, y: x * y),
        (lambda x, y: x.exp() + y.abs(), lambda x, y: (x.exp(), y.abs())),
        (lambda x, y: x + y + x, lambda x, y: x + y),
        (lambda x, y: x.relu() * x.relu(), lambda x: x * x),
    ]
    for (their_model, their_pattern), (our_model, our_pattern) in zip(cases, ours, strict=True):
        theirs = torch_fx.symbolic_trace(their_model)
        expected = len(torch_fx.replace_pattern(theirs, their_pattern, their_pattern))
        module = fx.make_fx(our_model)(X, Y)
        assert len(fx.replace_pattern(module, our_pattern, our_pattern)) == expected


def test_a_graph_of_a_file_is_walked_as_nodes(tmp_path):
    weight = tenon.tensor([2.0, 3.0])
    saved = graph.trace(lambda x: (x.split(1, 0)[1], x * weight), tenon.ones(2), frames=True)
    saved.save(tmp_path / "g")
    # [quote.begin nodes]
    module = fx.from_graph(graph.Graph.load(tmp_path / "g"))
    for node in module.graph.nodes:
        if node.target is mul:
            node.target = ops.aten.add.Tensor
    module.recompile()
    # [quote.end]
    one, two = module(tenon.tensor([10.0, 20.0]))
    assert one.tolist() == [20.0]
    assert two.tolist() == [12.0, 23.0]
    assert "# File " in module.code
    assert module.graph.nodes[0].meta["shape"] == (2,)


def test_nodes_have_their_source_lines():
    module = fx.make_fx(relu_of_product, record_stack_traces=True)(X, Y)
    node = module.graph.find_nodes(op="call_function")[0]
    assert node.stack_trace.splitlines()[-1].endswith("in relu_of_product")
    assert module.code.count("# File ") == 1
    assert fx.make_fx(relu_of_product)(X, Y).graph.nodes[2].stack_trace is None
