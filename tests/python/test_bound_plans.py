# SPDX-License-Identifier: Apache-2.0
"""Bound plans: runs of graphs return what eager calls return."""

import threading

import pytest
import tenon
from tenon import graph
from tenon.utils._python_dispatch import TorchDispatchMode


def _mlp(x, w, v, bias):
    hidden = tenon.relu(tenon.mm(x, w) + bias)
    return tenon.mm(hidden, v).sum(1), hidden.t().exp()


def _tensors(rows=5):
    return (
        tenon.randn(rows, 4),
        tenon.randn(4, 6),
        tenon.randn(6, 3),
        tenon.randn(6),
    )


def _equal(a, b):
    assert a.shape == b.shape and a.stride() == b.stride() and a.dtype is b.dtype
    assert a.tolist() == b.tolist()


def test_a_bound_run_equals_calls_bit_for_bit():
    args = _tensors()
    traced = graph.trace(_mlp, *args)
    assert traced.bind(*args) is None
    for _ in range(3):
        args = _tensors()
        for bound, eager in zip(traced(*args), _mlp(*args), strict=True):
            _equal(bound, eager)


@pytest.mark.parametrize(
    "function",
    [
        lambda x, y: x + y,
        lambda x, y: x * y.t().t() - y,
        lambda x, y: tenon.where(x > y, x, y),
        lambda x, y: (x + y[0]).abs(),
        lambda x, y: x.t() * y.t(),
        lambda x, y: x.mul(2.0).add_(y),
        lambda x, y: (x + y).sum(),
        lambda x, y: (x * y).amax(0),
        lambda x, y: tenon.mm(x, y.t()).mean(1),
    ],
)
def test_kinds_of_steps(function):
    first = tenon.randn(3, 4), tenon.randn(3, 4)
    traced = graph.trace(function, *first, below_autograd=True)
    assert traced.bind(*first) is None
    args = tenon.randn(3, 4), tenon.randn(3, 4)
    _equal(traced(*args), function(*args))


def test_other_arguments_take_calls():
    args = _tensors()
    traced = graph.trace(_mlp, *args, any_sizes=True)
    assert traced.bind(*args) is None
    larger = _tensors(rows=7)
    _equal(traced(*larger)[0], _mlp(*larger)[0])
    wide = tuple(each.double() for each in args)
    _equal(traced(*wide)[0], _mlp(*wide)[0])
    leaf = args[0].clone().requires_grad_()
    assert traced(leaf, *args[1:])[0].requires_grad
    turned = args[0].t().contiguous().t()
    _equal(traced(turned, *args[1:])[0], _mlp(turned, *args[1:])[0])


def test_another_default_dtype_takes_calls():
    def function(x):
        return x.sin(), x / 2

    args = (tenon.tensor([1, 2, 3]),)
    traced = graph.trace(function, *args)
    assert traced.bind(*args) is None
    before = tenon.get_default_dtype()
    try:
        tenon.set_default_dtype(tenon.float64)
        for _ in range(3):
            for bound, eager in zip(traced(*args), function(*args), strict=True):
                _equal(bound, eager)
    finally:
        tenon.set_default_dtype(before)
    _equal(traced(*args)[0], function(*args)[0])


def test_modes_see_each_call():
    args = tenon.ones(2), tenon.ones(2)
    traced = graph.trace(lambda x, y: x + y * x, *args)
    assert traced.bind(*args) is None
    seen = []

    class Mode(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            seen.append(func)
            return func(*args, **(kwargs or {}))

    with Mode():
        assert traced(*args).tolist() == [2.0, 2.0]
    assert len(seen) == 2


def test_a_kernel_registered_later_is_called():
    args = (tenon.ones(3),)
    traced = graph.trace(lambda x: tenon.relu(x), *args)
    assert traced.bind(*args) is None
    with tenon.library.Library("aten", "IMPL") as library:
        library.impl("relu", lambda x: x * 5, "CPU")
        assert traced(*args).tolist() == [5.0, 5.0, 5.0]
        assert traced(*args).tolist() == [5.0, 5.0, 5.0]
        assert "cannot be bound" in traced.bind(*args)
    assert traced(*args).tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (lambda x: tenon.cumsum(x, 0), "cannot be bound"),
        (lambda x: tenon.add(x[:1], 1.0, out=x[1:]), "modifies an input"),
        (lambda x: tenon.ops.aten.view.dtype(x + 1.0, tenon.int32), "outputs must be"),
    ],
)
def test_bind_returns_the_reason_against_a_plan(function, reason):
    x = tenon.ones(2, 2)
    traced = graph.trace(function, tenon.ones(2, 2), below_autograd=True)
    assert reason in traced.bind(x)
    expected = function(x.clone())
    _equal(traced(x), expected)


def test_threads_run_one_plan_at_once():
    args = _tensors()
    traced = graph.trace(_mlp, *args)
    assert traced.bind(*args) is None
    wrong = []

    def work():
        for _ in range(200):
            mine = _tensors()
            if traced(*mine)[0].tolist() != _mlp(*mine)[0].tolist():
                wrong.append(mine)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_an_attribute_that_is_a_view_may_require_grad_later():
    a = tenon.randn(3)[...]
    traced = graph.trace(lambda: a.tanh() * 2.0)
    assert traced.bind() is None
    assert not traced().requires_grad
    a.requires_grad_()
    assert traced().requires_grad


# ---- In-place writes -----------------------------------------------------------------------------


def test_an_input_is_written_and_its_version_counted():
    def function(x, y):
        x.mul_(2.0).add_(y)
        x.t().copy_(y)
        return x, x + 1.0

    args = tenon.randn(2, 2), tenon.randn(2, 2)
    traced = graph.trace(function, *args)
    assert traced.bind(*args) is None
    for _ in range(2):
        x, y = tenon.randn(2, 2), tenon.randn(2, 2)
        other = x.clone()
        before, other_before = x._version, other._version
        outputs, expected = traced(x, y), function(other, y)
        assert outputs[0] is x
        _equal(x, other)
        _equal(outputs[1], expected[1])
        assert x._version - before == other._version - other_before == 3


def test_an_attribute_is_state():
    total = tenon.zeros(3)
    traced = graph.trace(lambda x: total.add_(x), tenon.zeros(3))
    assert traced.bind(tenon.ones(3)) is None
    held = traced.attributes["w0"]
    version = held._version
    for i in range(1, 4):
        result = traced(tenon.ones(3))
        assert result.tolist() == [i] * 3
    assert held.tolist() == [3] * 3 and held._version == version + 3
    assert result.data_ptr() == held.data_ptr()


def test_inputs_that_share_memory_take_calls():
    def function(x, y):
        return x.mul_(2.0) + y

    args = tenon.ones(4), tenon.ones(4)
    traced = graph.trace(function, *args)
    assert traced.bind(*args) is None
    for view in (lambda t: t, lambda t: t.view(2, 2).t().reshape(4), lambda t: t[:]):
        x, other = tenon.arange(4.0), tenon.arange(4.0)
        _equal(traced(x, view(x)), function(other, view(other)))
        _equal(x, other)
    whole, other = tenon.arange(6.0), tenon.arange(6.0)
    _equal(traced(whole[:4], whole[2:]), function(other[:4], other[2:]))
    _equal(whole, other)


def test_memory_that_is_shared_in_part_is_refused_as_by_calls():
    def function(x, y):
        return x.add_(y)

    args = tenon.ones(4), tenon.ones(4)
    traced = graph.trace(function, *args)
    assert traced.bind(*args) is None
    whole = tenon.ones(5)
    with pytest.raises(tenon.Error, match="overlap|memory"):
        function(whole[:4], whole[1:])
    with pytest.raises(tenon.Error, match="overlap|memory"):
        traced(whole[:4], whole[1:])


def test_read_only_memory_is_refused_as_by_calls():
    numpy = pytest.importorskip("numpy")
    traced = graph.trace(lambda x: x.add_(1.0), tenon.ones(2))
    assert traced.bind(tenon.ones(2)) is None
    array = numpy.ones(2, dtype=numpy.float32)
    array.flags.writeable = False
    with pytest.raises(tenon.Error, match="read-only"):
        traced(tenon.from_dlpack(array))
    assert array.tolist() == [1, 1]


def test_attributes_that_share_memory_have_no_plan():
    whole = tenon.zeros(4)
    a, b = whole[:3], whole[1:]

    def function():
        a.add_(1.0)
        return b * 2.0

    traced = graph.trace(function)
    assert "share" in traced.bind()
    assert traced().tolist() == [4, 4, 0]


# ---- Factory functions ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x + tenon.arange(3.0),
        lambda x: tenon.zeros(3).add_(x),
        lambda x: (tenon.full((3,), 2.0), x),
        lambda x: tenon.ones_like(x).mul_(x) + tenon.zeros_like(x),
        lambda x: tenon.zeros(2, 3)[1].add_(x),
        lambda x: tenon.empty(3).fill_(2.5) * x,
        lambda x: tenon.add(x, 1.0, out=tenon.empty(3)),
        lambda x: tenon.add(x, 1.0, out=tenon.empty(0)),
        lambda x: tenon.zeros(0).sum() + x,
    ],
)
def test_factories_bind(function):
    traced = graph.trace(function, tenon.ones(3))
    assert traced.bind(tenon.ones(3)) is None
    kept = []
    for i in range(3):
        x = tenon.full((3,), float(i))
        results, expected = traced(x), function(x)
        if not isinstance(results, tuple):
            results, expected = (results,), (expected,)
        for one, other in zip(results, expected, strict=True):
            _equal(one, other)
        kept.append((results, expected))
        results[0].add_(1.0)  # results belong to the caller
        expected[0].add_(1.0) if results[0] is not expected[0] else None
    for results, expected in kept:
        _equal(results[0], expected[0])


def test_random_numbers_are_drawn_anew():
    traced = graph.trace(lambda x: x + tenon.rand(3), tenon.ones(3))
    assert traced.bind(tenon.ones(3)) is not None
    assert traced(tenon.ones(3)).tolist() != traced(tenon.ones(3)).tolist()


# ---- Copies, products and concatenation ----------------------------------------------------------


@pytest.mark.parametrize("dtype", [tenon.float64, tenon.float16, tenon.int32, tenon.bool])
@pytest.mark.parametrize(
    "function",
    [
        lambda x, dtype: x.to(dtype),
        lambda x, dtype: x.t().to(dtype),
        lambda x, dtype: x.t().clone().t().contiguous(),
        lambda x, dtype: tenon.zeros(2, 3, dtype=dtype).copy_(x[0]),
        lambda x, dtype: tenon.cat([x, x.to(dtype)], 1),
        lambda x, dtype: tenon.cat([x.t(), x.t()[1:], tenon.zeros(0)], 0),
    ],
)
def test_copies_bind(function, dtype):
    traced = graph.trace(lambda x: function(x, dtype), tenon.ones(2, 3))
    assert traced.bind(tenon.ones(2, 3)) is None
    x = tenon.tensor([[0.0, 1.5, -2.0], [3.0, 0.25, 100.0]])
    _equal(traced(x), function(x, dtype))


@pytest.mark.parametrize(
    "function",
    [
        lambda x: tenon.bmm(x, x.transpose(1, 2)),
        lambda x: tenon.softmax(x, 0),
        lambda x: tenon.softmax(x.transpose(0, 2), -1),
        lambda x: tenon.log_softmax(x.to(tenon.float16), 1),
        lambda x: tenon.ops.aten._softmax_backward_data(x, x.abs(), 2, tenon.float32),
        lambda x: (
            tenon.ops.aten._log_softmax_backward_data(x.transpose(0, 1), x, 0, tenon.float32)
            if x.shape[0] == x.shape[1]
            else x + 1.0
        ),
    ],
)
def test_rows_and_products_bind(function):
    traced = graph.trace(function, tenon.ones(3, 3, 4))
    assert traced.bind(tenon.ones(3, 3, 4)) is None
    x = tenon.randn(3, 3, 4)
    _equal(traced(x), function(x))


# ---- Views as inputs -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x.t(),
        lambda x: (x + 1.0)[1:],
        lambda x: (x * 2.0).t().detach(),
        lambda x: tuple((x + 1.0).unbind(0)),
        lambda x: tenon.zeros(4).view(2, 2),
    ],
)
def test_views_are_returned_as_views(function):
    traced = graph.trace(function, tenon.ones(2, 2))
    assert traced.bind(tenon.ones(2, 2)) is None
    x = tenon.randn(2, 2)
    results, expected = traced(x), function(x)
    if not isinstance(results, tuple):
        results, expected = (results,), (expected,)
    for one, other in zip(results, expected, strict=True):
        _equal(one, other)
        assert one.storage_offset() == other.storage_offset()
        assert one._is_view() == other._is_view()
        assert (one.data_ptr() == x.data_ptr()) == (other.data_ptr() == x.data_ptr())


def test_views_of_one_result_share_it():
    def function(x):
        y = x * 2.0
        return y, y[0], y.t(), y[0]

    traced = graph.trace(function, tenon.ones(2, 2))
    assert traced.bind(tenon.ones(2, 2)) is None
    y, row, turned, _ = traced(tenon.ones(2, 2))
    y[0, 1] = 7.0
    assert row.tolist() == [2, 7] and turned.tolist() == [[2, 2], [7, 2]]
    assert row._base is y
