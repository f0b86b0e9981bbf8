# SPDX-License-Identifier: Apache-2.0
"""Calls of every kind keep reference counts, return the right object and do not grow memory."""

from __future__ import annotations

import gc
import sys
import weakref

import pytest
import tenon

# One statement for each path of a call. `a` and `b` are 2 x 2, `ops` is ATen, `mine` a namespace.
WAYS = {
    "one tensor, typed": "ops.neg.default(a)",
    "two tensors, typed": "ops.mul.Tensor(a, b)",
    "three tensors, typed": "ops.where.self(a > b, a, b)",
    "typed with a default": "ops.add.Tensor(a, b)",
    "typed with a keyword": "ops.add.Tensor(a, b, alpha=2)",
    "typed, written argument": "ops.add_.Tensor(a, b)",
    "boxed, ints": "ops.select.int(a, 0, 1)",
    "boxed, list of ints": "ops.view.default(a, [4, 1])",
    "boxed, list of tensors": "ops.cat.default([a, b])",
    "boxed, tuple of tensors": "ops.cat.default((a, b))",
    "all by keyword": "ops.mul.Tensor(self=a, other=b)",
    "packet": "ops.mul(a, b)",
    "packet, second overload": "ops.sum(a, [0])",
    "number operand": "a + 2.5",
    "method": "a.mul(b)",
    "shape method": "a.reshape(4, 1)",
    "to": "a.to(tenon.float64)",
    "index": "a[0, 1:]",
    "factory": "tenon.zeros(2, 3, dtype=tenon.int64)",
    "numbers": "tenon.tensor([[1.0, 2.0], [3, True]])",
    "Python kernel": "mine.forward.default(a, b)",
    "Python kernel, converted": "mine.forward.default(a, other=b)",
    "Python kernel, key set": "mine.with_keys.default(a)",
    "Python kernel, list": "mine.listed.default([a, b])",
    "attributes": "a.shape, a.dtype, a.device, a.ndim, a.T",
}
WRONG = {
    "too few": "ops.mul.Tensor(a)",
    "too many": "ops.mul.Tensor(a, b, a)",
    "unknown keyword": "ops.mul.Tensor(a, b, beta=1)",
    "given twice": "ops.mul.Tensor(a, b, other=b)",
    "wrong type": "ops.mul.Tensor(a, 'b')",
    "wrong element": "ops.cat.default([a, 'b'])",
    "no overload": "ops.mul(a, 'b')",
    "the kernel fails": "ops.mm.default(a, tenon.ones(3, 3))",
    "the Python kernel fails": "mine.fails.default(a)",
    "the Python kernel returns rubbish": "mine.rubbish.default(a)",
    "numbers": "tenon.tensor([[1.0], [2.0, 3.0]])",
}


@pytest.fixture
def scope(library, ops):
    library.define("forward(Tensor self, Tensor other) -> Tensor")
    library.impl("forward", lambda a, b: b, "CPU")
    library.define("with_keys(Tensor self) -> Tensor")
    library.impl("with_keys", lambda keys, a: a, "CPU", with_keyset=True)
    library.define("listed(Tensor[] list) -> Tensor")
    library.impl("listed", lambda tensors: tensors[0], "CPU")
    library.define("fails(Tensor self) -> Tensor")
    library.impl("fails", lambda a: 1 / 0, "CPU")
    library.define("rubbish(Tensor self) -> Tensor")
    library.impl("rubbish", lambda a: "rubbish", "CPU")
    a, b = tenon.ones(2, 2), tenon.tensor([[1.0, 2.0], [3.0, 4.0]])
    names = {"tenon": tenon, "a": a, "b": b, "ops": tenon.ops.aten, "mine": ops}
    del a, b
    yield names
    names.clear()  # pytest keeps the dict until after the handles were counted


def counts(scope) -> dict[str, int]:
    gc.collect()
    return {
        **{name: sys.getrefcount(value) for name, value in scope.items() if name in ("a", "b")},
        "type": sys.getrefcount(tenon.Tensor),
        "dtype": sys.getrefcount(tenon.float32),
        **tenon.introspect.live_handles(),
    }


def repeat(statement: str, scope: dict, times: int) -> None:
    code = compile(f"for _ in range({times}): {statement}", "<statement>", "exec")
    exec(code, dict(scope))


@pytest.mark.parametrize("way", WAYS)
def test_counts_stay(way, scope):
    repeat(WAYS[way], scope, 100)  # fills caches and free lists
    before, blocks = counts(scope), sys.getallocatedblocks()
    repeat(WAYS[way], scope, 1000)
    assert counts(scope) == before
    assert sys.getallocatedblocks() - blocks < 100


@pytest.mark.parametrize("way", WRONG)
def test_counts_stay_when_calls_fail(way, scope):
    code = compile(WRONG[way], "<statement>", "eval")
    names = dict(scope)

    def fail(times: int) -> None:
        for _ in range(times):
            try:
                eval(code, names)
            except Exception:  # any error; the assertion below checks that one was raised
                continue
            raise AssertionError("no error")

    fail(100)
    before, blocks = counts(scope), sys.getallocatedblocks()
    fail(10_000)
    assert counts(scope) == before
    assert sys.getallocatedblocks() - blocks < 100


def test_numpy_arguments_keep_counts(scope):
    np = pytest.importorskip("numpy")
    arrays = [
        np.ones((2, 2), np.float32),
        np.ones((2, 4), np.float32)[:, ::2],
        np.broadcast_to(np.float32(1), (2, 2)),  # read-only
    ]
    for array in arrays:
        before = sys.getrefcount(array)
        for _ in range(1000):
            total = tenon.ops.aten.mul.Tensor(array, scope["b"])
        assert total.tolist() == scope["b"].tolist()
        assert sys.getrefcount(array) == before


def test_an_array_lives_as_long_as_a_result_needs_it():
    np = pytest.importorskip("numpy")
    array = np.arange(4, dtype=np.float32)
    ref = weakref.ref(array)
    views = [tenon.ops.aten.view.default(array, [2, 2]) for _ in range(100)]
    del array
    gc.collect()
    assert ref() is not None
    assert views.pop().tolist() == [[0.0, 1.0], [2.0, 3.0]]
    views.clear()
    gc.collect()
    assert ref() is None


def test_written_arguments_are_returned_as_the_callers_object():
    class Mine(tenon.Tensor):
        pass

    for t in (tenon.zeros(2), tenon.zeros(2).as_subclass(Mine)):
        assert t.add_(1) is t
        assert tenon.ops.aten.mul_.Tensor(t, t) is t
        assert tenon.ops.aten.zero_.default(t) is t
        assert t.tolist() == [0.0, 0.0]


def test_a_list_may_change_while_its_call_runs(library, ops):
    given = [tenon.ones(2), tenon.zeros(2)]

    def kernel(tensors, n):
        given.clear()
        gc.collect()
        return tenon.cat(tensors)

    library.define("k(Tensor[] list, int n) -> Tensor")
    library.impl("k", kernel, "CPU")
    # `n` is passed by keyword, so the kernel gets a new list of the elements, not the caller's
    # list.
    assert ops.k(given, n=1).tolist() == [1.0, 1.0, 0.0, 0.0]
    assert given == []


def test_an_operator_may_be_redefined_in_its_own_call(ns):
    libraries = [tenon.library.Library(ns, "DEF")]

    def define(result):
        libraries[0].define("k(Tensor a, Tensor b) -> Tensor")
        libraries[0].impl("k", lambda a, b: result(a, b), "CPU")

    def replace(a, b):
        libraries[0].close()
        libraries[0] = tenon.library.Library(ns, "DEF")
        define(lambda a, b: b)
        return a

    define(replace)
    a, b = tenon.ones(1), tenon.ones(2)
    op = tenon.find_op(f"{ns}::k")
    assert op(a, b) is a
    assert op(a, b) is b
    libraries[0].close()


def test_wrappers_beyond_the_free_list_are_freed():
    a = tenon.ones(1)
    for _ in range(3):
        many = [a * number for number in range(300)]
        assert [t.item() for t in many] == list(range(300))
        del many


def test_cycles_through_tensors_are_collected():
    t = tenon.ones(1)
    t.me, t.method = t, t.tolist
    ref = weakref.ref(t)
    del t
    gc.collect()
    assert ref() is None
