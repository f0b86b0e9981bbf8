# SPDX-License-Identifier: Apache-2.0
"""Operators of other libraries that tags describe: views, functional overloads and factories.

Layers know no operator by name, so each gets what the operators of `aten` get.
"""

from __future__ import annotations

import pytest
import tenon
from tenon import graph
from tenon.library import Library

NS = "described"


def column(x, index):
    return x.select(1, index)


def halves(x, size):
    return list(x.split(size))


def reversed_dims(x, dims):
    return x.permute(*dims)


def view_of(x):
    return x.view(x.shape)


def test_a_view_of_another_library(library):
    # [quote.begin view]
    library.define(
        "row(Tensor(a) x, int i) -> Tensor(a)", tags="inverse=aten::select_scatter($base,$part,0,i)"
    )
    library.impl("row", lambda x, i: x.select(0, i), "CPU")

    def function(x):
        y = x + 1
        tenon.ops.described.row(y, 1).add_(1)
        return y

    pure = graph.trace(function, tenon.zeros(2, 2)).functionalize()
    print(pure(tenon.zeros(2, 2)))  # tensor([[1., 1.], [2., 2.]])
    # [quote.end]
    assert pure(tenon.zeros(2, 2)).tolist() == [[1, 1], [2, 2]]


# Schema, tags and kernel of each view, and a call that makes something to write.
VIEWS = {
    "column": (
        "column(Tensor(a) self, int index) -> Tensor(a)",
        "inverse=aten::select_scatter($base,$part,1,index)",
        column,
        lambda op, x: op(x, 1),
    ),
    "halves": (
        "halves(Tensor(a -> *) self, int size) -> Tensor(a)[]",
        "inverse=aten::slice_scatter($base,$part,0,$start,$end,1)",
        halves,
        lambda op, x: op(x, 1)[1],
    ),
    "reversed_dims": (
        "reversed_dims(Tensor(a) self, int[] dims) -> Tensor(a)",
        "inverse=aten::permute($part,$inverse:dims)",
        reversed_dims,
        lambda op, x: op(x, [2, 0, 1]),
    ),
    "same": ("same(Tensor(a) self) -> Tensor(a)", "inverse=$part", view_of, lambda op, x: op(x)),
    "line": (
        "line(Tensor(a) self) -> Tensor(a)",
        "inverse=aten::view($part,$sizes)",
        lambda x: x.view(-1),
        lambda op, x: op(x),
    ),
    "bits": (
        "bits(Tensor(a) self) -> Tensor(a)",
        "inverse=aten::view.dtype($part,$dtype)",
        lambda x: x.view(tenon.int32),
        lambda op, x: op(x),
    ),
}


@pytest.fixture
def library():
    with Library(NS, "FRAGMENT") as made:
        yield made


def define(library, schema, kernel, tags):
    name = library.define(schema, tags=tags)
    library.impl(name, kernel, "CPU")
    return getattr(getattr(tenon.ops, NS), name.partition(".")[0])


def example():
    return tenon.arange(8, dtype=tenon.float32).reshape(2, 2, 2)


def plain():
    """A tensor that is no view, as plans need."""
    return tenon.arange(8, dtype=tenon.float32)


def written(op, view):
    def function(x):
        whole = x + 1
        view(op, whole).add_(1)
        return whole

    return function


@pytest.mark.parametrize("name", VIEWS)
def test_writes_of_a_view_reach_its_base(library, name):
    schema, tag, kernel, view = VIEWS[name]
    function = written(define(library, schema, kernel, [tag]), view)
    traced = graph.trace(function, example())
    pure = traced.functionalize()
    assert not any(node.op._schema.is_mutable for node in pure.nodes)
    assert tenon.equal(pure(example()), function(example()))


@pytest.mark.parametrize(
    ("tags", "kind", "message"),
    [
        ([], tenon.NotSupportedError, "share memory"),
        (["inverse=none"], tenon.NotSupportedError, "must not be written"),
        (["inverse=aten::view"], tenon.InvalidArgumentError, "inverse"),
        (["inverse=aten::view($part,other)"], tenon.InvalidArgumentError, "other"),
        (["inverse=aten::view($part,$inverse:self)"], tenon.InvalidArgumentError, "inverse:self"),
        (["inverse=aten::absent($part)"], tenon.NotFoundError, "absent"),
    ],
)
def test_a_view_without_a_usable_inverse_is_refused(library, tags, kind, message):
    op = define(library, "line(Tensor(a) self) -> Tensor(a)", lambda x: x.view(-1), tags)
    traced = graph.trace(written(op, lambda op, x: op(x)), example())
    with pytest.raises(kind, match=message):
        traced.functionalize()


@pytest.mark.parametrize("tagged", [True, False])
def test_a_functional_overload_of_another_name(library, tagged):
    define(library, "double(Tensor self) -> Tensor", lambda x: x * 2, [])
    grow = define(
        library,
        "grow_(Tensor(a!) self) -> Tensor(a!)",
        lambda x: x.mul_(2),
        [f"functional={NS}::double"] if tagged else [],
    )

    def function(x):
        return grow(x + 1)

    traced = graph.trace(function, example())
    if not tagged:
        with pytest.raises(tenon.NotSupportedError, match="functional overload"):
            traced.functionalize()
        return
    pure = traced.functionalize()
    assert f"{NS}.double.default" in [str(node.op) for node in pure.nodes]
    assert tenon.equal(pure(example()), function(example()))


@pytest.mark.parametrize("tagged", [True, False])
def test_a_factory_that_reads_metadata_only_is_bound(library, tagged):
    calls = []

    def sevens(x):
        calls.append(x)
        return tenon.full_like(x, 7)

    op = define(
        library, "sevens(Tensor self) -> Tensor", sevens, ["metadata_only"] if tagged else []
    )

    def function(x):
        return x + op(x)

    traced = graph.trace(function, plain())
    reason = traced.bind(plain())
    assert (reason is None) == tagged
    calls.clear()
    assert tenon.equal(traced(plain()), plain() + 7)
    assert bool(calls) != tagged, "a bound factory runs once, when the plan is made"


@pytest.mark.parametrize("tagged", [True, False])
def test_a_copy_is_bound(library, tagged):
    op = define(
        library,
        "duplicate(Tensor self) -> Tensor",
        lambda x: x.clone(),
        ["copies_input"] if tagged else [],
    )
    traced = graph.trace(lambda x: op(x).neg_(), plain())
    assert (traced.bind(plain()) is None) == tagged
    for by in (1, 2):
        x = plain() * by
        assert tenon.equal(traced(x), -x) and tenon.equal(x, plain() * by)


@pytest.mark.parametrize("has_kernel", [True, False])
def test_symbolic_sizes_come_from_the_kernel_without_data(library, has_kernel):
    op = define(library, "pairs(Tensor self) -> Tensor", lambda x: x[::2] + 0, [])
    env = tenon.ShapeEnv()
    size = env.new_size(10)
    if not has_kernel:
        with pytest.raises(tenon.Error, match="pairs"):
            op(tenon.empty([size], device="meta"))
        return

    def without_data(x):
        return tenon.empty([x.shape[0] // 2], device="meta")

    library.impl("pairs", without_data, "Meta")
    made = op(tenon.empty([size], device="meta"))
    assert repr(made.shape[0]) == f"{size!r} // 2"
    assert env.guards == []
