# SPDX-License-Identifier: Apache-2.0
"""Graphs from Python: traced, built, walked, changed, run, saved, and defined as operators."""

from __future__ import annotations

import pathlib
import threading

import pytest
import tenon
from tenon import graph
from tenon.graph import Ref


def names(traced):
    return [node.op.name() for node in traced.nodes]


def test_a_traced_function_runs_on_other_values():
    # [quote.begin record]
    def block(x, w):
        return (x @ w).relu() + 1

    traced = graph.trace(block, tenon.ones(2, 2), tenon.ones(2, 2))
    y = traced(tenon.eye(2), tenon.tensor([[3.0, -1.0], [-2.0, 4.0]]))
    # [quote.end]
    assert names(traced) == ["aten::mm", "aten::relu", "aten::add.Tensor"]
    assert y.tolist() == [[4, 1], [1, 5]]


def test_trees_keep_their_structure():
    def f(pair, named):
        return {"sum": pair[0] + pair[1], "rest": [named["a"] * 2]}

    one = tenon.ones(2)
    traced = graph.trace(f, (one, tenon.ones(2)), {"a": tenon.ones(2)})
    two = tenon.full((2,), 2.0)
    result = traced((two, one), {"a": two})
    assert result["sum"].tolist() == [3, 3] and result["rest"][0].tolist() == [4, 4]
    with pytest.raises(tenon.InvalidArgumentError, match="structure"):
        traced(one, one)


def test_above_autograd_composites_stay_whole():
    x, y = tenon.ones(2, 2), tenon.ones(2, 2)
    assert names(graph.trace(tenon.matmul, x, y)) == ["aten::mm"]
    assert names(graph.trace(tenon.matmul, x, y, below_autograd=False)) == ["aten::matmul"]


def test_one_tensor_cannot_be_two_inputs():
    x = tenon.ones(2)
    with pytest.raises(tenon.InvalidArgumentError, match="new to the recording"):
        graph.trace(lambda a, b: a + b, x, x)
    assert not graph.is_recording()


def test_a_training_step_is_one_graph():
    def step(w, x):
        loss = ((x @ w) ** 2).sum()
        (gradient,) = tenon.autograd.grad(loss, w)
        return w - 0.1 * gradient

    w = tenon.tensor([[1.0], [2.0]], requires_grad=True)
    x = tenon.tensor([[1.0, 0.0], [1.0, 1.0]])
    traced = graph.trace(step, w, x)
    other = tenon.tensor([[3.0], [-1.0]], requires_grad=True)
    assert tenon.allclose(traced(other, x), step(other, x))
    assert traced.attributes == {}


def test_a_strict_recording_refuses_item():
    with pytest.raises(tenon.DataDependentError, match="strict"):
        graph.trace(lambda x: x * x.sum().item(), tenon.ones(2), strict=True)
    assert not graph.is_recording()


def test_an_error_in_the_function_leaves_nothing_on():
    with pytest.raises(ZeroDivisionError):
        graph.trace(lambda x: x / (1 // 0), tenon.ones(2))
    assert not graph.is_recording()


def test_captured_tensors_are_attributes():
    w = tenon.tensor([2.0, 3.0])
    traced = graph.trace(lambda x: x * w, tenon.ones(2))
    assert [t.tolist() for t in traced.attributes.values()] == [[2, 3]]
    w.add_(1)
    assert traced(tenon.ones(2)).tolist() == [3, 4]


def test_nodes_and_values_describe_the_recording():
    traced = graph.trace(lambda x: x.sum(0) * 3, tenon.ones(2, 3))
    total, product = traced.nodes
    assert total.args == (Ref(0), [0], False, None) and total.first_result == 1
    assert product.args[0] == Ref(1) and product.args[1] == 3
    x, summed, _ = traced.values
    assert (x.kind, x.shape, x.dtype) == (graph.INPUT, (2, 3), tenon.float32)
    assert (summed.kind, summed.source, summed.shape) == (graph.RESULT, 0, (3,))
    assert traced.inputs == [Ref(0)] and traced.outputs == [Ref(2)]


def test_a_graph_is_built_by_hand():
    made = graph.Graph()
    x = made.add_input("x")
    parts = made.append(tenon.ops.aten.split.Tensor, x, 2)
    joined = made.append(
        tenon.ops.aten.cat.default, [made.element(parts, 1), made.element(parts, 0)]
    )
    values, indices = made.append(tenon.ops.aten.topk.default, joined, k=1)
    made.add_output([joined, values])
    made.add_output(indices)
    (turned, best), where = made(tenon.tensor([4.0, 1.0, 2.0, 3.0]))
    assert turned.tolist() == [2, 3, 4, 1] and best.tolist() == [4] and where.tolist() == [2]
    with pytest.raises(tenon.StateError, match="run"):
        made.add_input("y")


@pytest.mark.parametrize(
    ("args", "error", "text"),
    [
        ((Ref(7),), tenon.OutOfRangeError, "%7"),
        (("a",), tenon.ArgumentTypeError, "graph_append"),
        ((), tenon.InvalidArgumentError, "none for self"),
        ((Ref(0), Ref(0)), tenon.InvalidArgumentError, "aten.exp"),
    ],
)
def test_wrong_calls_are_refused(args, error, text):
    made = graph.Graph()
    made.add_input("x")
    with pytest.raises(error, match=text):
        made.append(tenon.ops.aten.exp.default, *args)
    assert made.nodes == []


def test_passes_keep_results_with_fewer_calls():
    w = tenon.tensor([2.0, 3.0])

    def f(x):
        x.sin()
        return x.exp() + x.exp() * (w * w)

    traced = graph.trace(f, tenon.ones(2))
    assert len(traced.nodes) == 6
    small = traced.fold_constants().merge_common().remove_dead()
    assert names(small) == ["aten::exp", "aten::mul.Tensor", "aten::add.Tensor"]
    x = tenon.tensor([0.5, -1.0])
    assert small(x).tolist() == f(x).tolist()


def test_random_calls_are_kept_apart():
    traced = graph.trace(lambda x: x + tenon.rand(2) - tenon.rand(2), tenon.ones(2))
    merged = traced.merge_common().remove_dead()
    assert names(merged).count("aten::rand") == 2
    tenon.manual_seed(3)
    once = merged(tenon.zeros(2))
    tenon.manual_seed(3)
    assert tenon.equal(once, tenon.rand(2) - tenon.rand(2))


def test_text_and_file_read_back(tmp_path):
    w = tenon.tensor([[1, 2], [3, 4]], dtype=tenon.int64)

    def f(x):
        y = tenon.cat([x, x.to(tenon.float64)], dim=1).sum(1, keepdim=True)
        return y.clamp(min=-1.5).split(1), w.t() * 2, x.new_zeros((2,)) + float("inf")

    traced = graph.trace(f, tenon.ones(2, 2))
    path = tmp_path / "graph.tenon"
    # [quote.begin file]
    traced.save(path)
    loaded = graph.Graph.load(path)
    # [quote.end]
    assert str(loaded) == str(traced)
    parsed = graph.Graph.parse(str(traced), list(traced.attributes.values()))
    assert str(parsed) == str(traced)
    x = tenon.tensor([[1.0, 2.0], [3.0, -9.0]])
    for again in (loaded, parsed, graph.Graph.from_bytes(traced.to_bytes())):
        results = again(x)
        expected = f(x)
        flat = [*expected[0], *expected[1:]]
        assert [r.tolist() for r in results] == [e.tolist() for e in flat]
        assert [r.dtype for r in results] == [e.dtype for e in flat]


def test_a_file_opens_as_safetensors(tmp_path):
    import json

    w = tenon.tensor([1.5, 2.5])
    path = tmp_path / "graph.tenon"
    graph.trace(lambda x: x * w, tenon.ones(2)).save(path)
    data = path.read_bytes()
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])
    metadata = header.pop("__metadata__")
    assert metadata["format"] == "tenon.graph" and "aten::mul.Tensor" in metadata["graph"]
    assert header == {"w0": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}
    assert (8 + length) % 64 == 0 and len(data) == 8 + length + 8


def test_an_unknown_operator_is_named_and_nothing_runs():
    text = "tenon.graph 1\nop nowhere::f(Tensor x) -> Tensor\ninput x = %0\nreturn %0\n"
    with pytest.raises(tenon.NotFoundError, match="nowhere::f"):
        graph.Graph.parse(text)


def test_a_graph_as_an_operator_has_gradients():
    traced = graph.trace(lambda x, w: (x * w).sin(), tenon.ones(2), tenon.ones(2))
    with tenon.library._scoped_library("graph_tests", "DEF") as library:
        op = traced.define(library, "graph_tests::wave")
        x = tenon.tensor([0.5, 1.0], requires_grad=True)
        w = tenon.tensor([2.0, 3.0])
        op(x, w).sum().backward()
        assert tenon.allclose(x.grad, (x * w).cos() * w)
        mapped = tenon.vmap(op, in_dims=(0, None))(tenon.ones(3, 2), w)
        assert tenon.allclose(mapped, w.sin().expand(3, 2))
        assert names(graph.trace(op, x, w)) == ["aten::mul.Tensor", "aten::sin"]


def test_threads_run_one_graph_at_once():
    traced = graph.trace(lambda x: (x * 2 + 1).exp().log(), tenon.ones(8))
    wrong = []

    def work(number):
        for _ in range(50):
            x = tenon.full((8,), float(number))
            if not tenon.allclose(traced(x), x * 2 + 1):
                wrong.append(number)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_an_error_of_a_run_names_its_node():
    traced = graph.trace(lambda x, y: x.exp() + y, tenon.ones(2), tenon.ones(2), any_sizes=True)
    with pytest.raises(tenon.Error) as caught:
        traced(tenon.ones(2), tenon.ones(3))
    assert any("node 1 of a graph, aten::add.Tensor" in note for note in caught.value.__notes__)


def test_the_file_that_all_languages_run_is_what_python_writes():
    w, b = tenon.tensor([[1.0, -1.0], [2.0, 0.0]]), tenon.tensor([0.5, 1.0])

    def block(x):
        best, where = ((x @ w) + b).relu().topk(1)
        return best * 2, where

    path = pathlib.Path(__file__).parents[1] / "conformance" / "graphs" / "block.safetensors"
    assert path.read_bytes() == graph.trace(block, tenon.ones(1, 2), any_sizes=True).to_bytes()
    best, where = graph.Graph.load(path)(tenon.tensor([[1.0, 2.0]]))
    assert best.tolist() == [[11]] and where.tolist() == [[0]]


SHAPES = [
    lambda x: x + 1,
    lambda x: (x + 1,),
    lambda x: [x + 1, x],
    lambda x: (x, (x + 1, 3)),
    lambda x: {"a": x + 1},
]


@pytest.mark.parametrize("function", SHAPES)
def test_results_are_in_the_structure_that_was_traced(function):
    from tenon.utils.pytree import tree_flatten

    x = tenon.tensor([2.0])
    leaves, spec = tree_flatten(graph.trace(function, tenon.ones(1))(x))
    expected, expected_spec = tree_flatten(function(x))
    assert spec == expected_spec and [float(a) for a in leaves] == [float(a) for a in expected]


def test_many_temporary_tensors_are_freed():
    inputs = [tenon.full((1,), float(i)) for i in range(20)]
    traced = graph.trace(lambda *given: tuple(reversed(given)), *inputs)
    assert [float(one) for one in traced(*inputs)] == list(range(19, -1, -1))


@pytest.mark.parametrize("arguments", [(), (1,), (None,), ("x",), ((tenon.ones(1),),)])
def test_other_arguments_are_refused(arguments):
    traced = graph.trace(lambda x: x + 1, tenon.ones(1))
    with pytest.raises((tenon.InvalidArgumentError, tenon.ArgumentTypeError)):
        traced(*arguments)
    with pytest.raises(TypeError):
        traced(x=tenon.ones(1))


def test_a_subclass_of_graph_may_be_called_its_own_way():
    class Doubled(graph.Graph):
        def __call__(self, *args):
            return super().__call__(*args) * 2

    made = Doubled(graph.trace(lambda x: x + 1, tenon.ones(1))._handle)
    assert made(tenon.ones(1)).tolist() == [4]


def test_a_graph_without_a_handle_is_refused():
    made = graph.Graph.__new__(graph.Graph)
    with pytest.raises(tenon.Error):
        made(tenon.ones(1))
    with pytest.raises(tenon.Error):
        made._handle = 3


def test_runs_refuse_sizes_that_were_numbers():
    def mean(x):
        return x.sum() / x.shape[0]

    traced = graph.trace(mean, tenon.ones(4))
    assert traced(tenon.full((4,), 3.0)).item() == 3
    for made in (traced, traced.remove_dead(), traced.functionalize(), graph_of(traced)):
        with pytest.raises(tenon.InvalidArgumentError, match="x0 must be of size 4, at dim 0, got"):
            made(tenon.ones(2))
        with pytest.raises(tenon.InvalidArgumentError, match="x0 must be of 1 dims"):
            made(tenon.ones(4, 1))
        with pytest.raises(tenon.InvalidArgumentError):
            made.bind(tenon.ones(2))


def graph_of(traced):
    return graph.Graph.from_bytes(traced.to_bytes())


def test_user_says_how_sizes_are_recorded():
    def double(x):
        return x + x

    anywhere = graph.trace(double, tenon.ones(4), any_sizes=True)
    assert anywhere(tenon.ones(2)).tolist() == [2, 2]
    assert graph_of(anywhere)(tenon.ones(3, 1)).shape == (3, 1)
    x = tenon.ones(4)
    with graph.Recording(any_sizes=True) as recorded:
        recorded.add_input(like=x)
        recorded.add_output(double(x))
    assert recorded(tenon.ones(1)).tolist() == [2]
    symbolic = graph.trace(lambda x: x.sum() / x.shape[0], tenon.ones(4), dynamic=True)
    assert symbolic(tenon.ones(2)).item() == 1


def test_constant_that_the_function_writes_is_new_in_each_run():
    def count(x):
        total = tenon.tensor([0.0, 0.0])
        total += x
        return total

    for dynamic in (None, True):
        traced = graph.trace(count, tenon.ones(2), dynamic=dynamic)
        for made in (traced, traced.fold_constants()):
            assert [made(tenon.ones(2)).tolist() for _ in range(3)] == [[1, 1]] * 3


@pytest.mark.parametrize("function", [tenon.equal, tenon.allclose])
def test_truth_of_elements_is_not_decided_while_tracing(function):
    for decide in (function, lambda a, b: a if function(a, b) else b):
        with pytest.raises(tenon.DataDependentError):
            graph.trace(decide, tenon.ones(3), tenon.ones(3), dynamic=True)
    # The sizes are known, so they are compared when the graph is recorded.
    traced = graph.trace(
        lambda a, b: a.sum() if tenon.equal(a, b) else b.sum(),
        tenon.ones(3),
        tenon.ones(3, 2),
        dynamic=True,
    )
    assert traced(tenon.ones(5), tenon.ones(5, 2)).item() == 10
