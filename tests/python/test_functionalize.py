# SPDX-License-Identifier: Apache-2.0
"""Functionalized graphs and functions: values, remaining writes, and refused calls."""

from __future__ import annotations

import collections

import pytest
import tenon
import graph_programs
from tenon import func, fx, graph

REMOVED = ("mutations", "mutations_and_views")


def names(traced):
    return [str(node.op) for node in traced.nodes]


def writes(traced):
    return [name for node, name in zip(traced.nodes, names(traced)) if node.op._schema.is_mutable]


def example(*sizes):
    numel = 1
    for size in sizes:
        numel *= size
    return (tenon.arange(numel, dtype=tenon.float32) - 2).reshape(sizes)


# [quote.begin graph]
def shifted(x):
    y = x + 1
    y.view(-1).mul_(2)
    return y


def test_a_graph_without_writes():
    pure = graph.trace(shifted, example(2, 2)).functionalize()
    assert names(pure) == [
        "aten.add.Tensor",
        "aten.view.default",
        "aten.mul.Tensor",
        "aten.view.default",
    ]
    assert tenon.equal(pure(example(2, 2)), shifted(example(2, 2)))
    # [quote.end]


def written_input(x):
    x.view(-1).add_(1)
    return x


def mixed(x):
    y = x * 1
    y[0].mul_(3)
    y[:, 1:].copy_(x[:, :-1])
    y.t().relu_()
    first = y[0]
    y.unsqueeze(0).squeeze(0)[1].add_(first)
    return y, first


def parts(x):
    y = x.clone()
    first, second = y.split(1)
    second.add_(first)
    a, b = y.unbind(0)
    a.neg_()
    return y, first, b


def given(x):
    out = tenon.empty(x.shape)
    tenon.exp(x, out=out)
    tenon.add(out, x, alpha=2, out=out)
    return out.sigmoid_()


FUNCTIONS = [shifted, written_input, mixed, parts, given]


def flat(results):
    return list(results) if isinstance(results, tuple) else [results]


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("remove", REMOVED)
def test_values_are_the_functions(function, remove):
    traced = graph.trace(function, example(2, 3))
    if function is parts and remove == "mutations_and_views":
        with pytest.raises(tenon.NotSupportedError, match="split_copy"):
            traced.functionalize(remove=remove)
        return
    pure = traced.functionalize(remove=remove)
    assert set(writes(pure)) <= {"aten.copy_.default"}
    one, other = example(2, 3) * 3, example(2, 3) * 3
    for expected, got in zip(flat(function(one)), flat(pure(other)), strict=True):
        assert tenon.equal(expected, got) and expected.stride() == got.stride()
    assert tenon.equal(one, other), "an input is written"
    if remove == "mutations_and_views":
        views = [node for node in pure.nodes if "view." in str(node.op)]
        assert not views


def test_attributes_are_written_back():
    state = example(3)

    def count(x):
        state.add_(x)
        return state * 2

    pure = graph.trace(count, tenon.ones(3)).functionalize()
    before = state.clone()
    assert tenon.equal(pure(tenon.ones(3)), (before + 1) * 2)
    assert tenon.equal(state, before + 1) and writes(pure) == ["aten.copy_.default"]


def test_refusals():
    def resized(x):
        y = x * 1
        view = y.t()
        tenon.cat([x, x], out=y)
        return view

    with pytest.raises(tenon.NotSupportedError, match="resized tensor must not have views"):
        graph.trace(resized, tenon.ones(1, 1)).functionalize()
    with pytest.raises(tenon.NotSupportedError, match="resized tensor must not be an input"):
        graph.trace(lambda x, y: tenon.add(x, x, out=y), example(3), tenon.ones(0)).functionalize()
    with pytest.raises(tenon.NotSupportedError, match="as_strided"):
        graph.trace(lambda x: (x * 1).as_strided((2,), (1,)).zero_(), example(4)).functionalize()
    with pytest.raises(tenon.InvalidArgumentError, match="remove"):
        graph.trace(shifted, example(2)).functionalize(remove="views")
    with pytest.raises(tenon.StateError, match="remove"):
        func.functionalize(shifted, remove="views")


@pytest.mark.filterwarnings("ignore:.*is resized")
def test_random_programs():
    """Results and written inputs equal those of the functions, bit by bit."""
    counts: collections.Counter[str] = collections.Counter()
    for seed in range(1500):
        program = graph_programs.Writer(tenon, seed).program()
        try:
            session = graph_programs.Session(program, tenon, binds=False)
        except graph_programs.REFUSALS:
            continue  # a function that is refused has no graph
        if not writes(session.graph):
            continue
        try:
            pure = session.graph.functionalize()
        except tenon.NotSupportedError:
            counts["refused"] += 1
            continue
        assert set(writes(pure)) <= {"aten.copy_.default"}, program
        one, other = session.inputs(program.inputs, "s"), session.inputs(program.inputs, "s")
        expected = session.outcome(session.function, one)
        got = session.outcome(lambda *inputs, run=pure: run(*inputs), other)
        assert bool(expected.refusal) == bool(got.refusal), (program, expected, got)
        counts["refusals" if expected.refusal else "equal"] += 1
        if expected.refusal:
            continue
        pairs = zip([*expected.outputs, *one], [*got.outputs, *other], strict=True)
        for a, b in pairs:
            assert a.dtype == b.dtype and a.shape == b.shape, program
            assert graph_programs.same_elements(a, b), (program, expected, got)
    assert counts["equal"] > 150 and counts["refused"] < 0.1 * counts["equal"], counts


# ---- Functions -----------------------------------------------------------------------------------


@pytest.mark.parametrize("function", FUNCTIONS)
def test_functions_keep_their_values(function):
    one, other = example(2, 3), example(2, 3)
    pure = func.functionalize(function)
    for expected, got in zip(flat(function(one)), flat(pure(other)), strict=True):
        assert tenon.equal(expected, got)
    assert tenon.equal(one, other)


def test_make_fx_sees_no_writes():
    # [quote.begin make_fx]
    def f(x):
        y = x.clone()
        y.view(-1)[0].add_(1)
        return y

    pure = fx.make_fx(func.functionalize(f))(tenon.ones(2, 2))
    assert not any(str(node.target).endswith("_.default") for node in pure.graph.nodes)
    assert tenon.equal(pure(tenon.zeros(2, 2)), f(tenon.zeros(2, 2)))
    # [quote.end]


def test_transforms_go_through():
    pure = func.functionalize(lambda x: (x * x).view(-1).mul_(2).sum())
    x = example(3)
    assert tenon.equal(func.grad(pure)(x), 4 * x)
    assert tenon.equal(
        func.vmap(func.functionalize(mixed))(example(4, 2, 3))[0],
        tenon.stack([mixed(row)[0] for row in example(4, 2, 3)]),
    )
    leaf = example(3).requires_grad_()
    pure(leaf).backward()
    assert tenon.equal(leaf.grad, 4 * x)


def test_trees_numbers_and_captured_tensors():
    scale = tenon.full((3,), 2.0)

    def f(inputs, factor, *, bias):
        y = inputs["x"] * scale
        y.mul_(factor).add_(bias)
        return {"y": y, "same": inputs["x"]}

    x, bias = example(3), tenon.ones(3)
    result = func.functionalize(f)({"x": x}, 3, bias=bias)
    assert tenon.equal(result["y"], x * 6 + 1) and tenon.equal(result["same"], x)


def test_elements_are_not_read():
    with pytest.raises(tenon.error.DataDependentError):
        func.functionalize(lambda x: x.add_(x.sum().item()))(example(3))
    assert tenon.equal(func.functionalize(shifted)(example(2)), shifted(example(2))), (
        "all is as before"
    )


@pytest.mark.parametrize("name", ["rand", "randn"])
def test_functionalizing_draws_no_random_numbers(name):
    op = getattr(tenon.ops.aten, name).generator_out
    generator = tenon.Generator(seed=5)
    want = op([3], generator=tenon.Generator(seed=5), out=tenon.zeros(3))
    written = tenon.zeros(3)
    func.functionalize(lambda out: op([3], generator=generator, out=out))(written)
    assert written.tolist() == want.tolist()
