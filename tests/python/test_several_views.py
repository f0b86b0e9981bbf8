# SPDX-License-Identifier: Apache-2.0
"""Calls that return several views, which share a node and must not be written in place."""

from __future__ import annotations

import pytest
import tenon
from tenon.autograd import forward_ad, graph


def leaf(data):
    return tenon.tensor(data, dtype=tenon.float64, requires_grad=True)


def rows():
    """Returns a leaf with two rows, and a tensor computed from it."""
    x = leaf([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    return x, x * 1


CALLS = [
    pytest.param(lambda h: h.unbind(0), "UnbindBackward0", 2, id="unbind"),
    pytest.param(lambda h: h.unbind(-1), "UnbindBackward0", 3, id="unbind of the last dim"),
    pytest.param(lambda h: h.split(2, 1), "SplitBackward0", 2, id="split"),
    pytest.param(lambda h: h.chunk(3, 1), "SplitBackward0", 3, id="chunk"),
    pytest.param(
        lambda h: tenon.ops.aten.split_with_sizes(h, [1, 0, 2], -1),
        "SplitWithSizesBackward0",
        3,
        id="split_with_sizes",
    ),
]


@pytest.mark.parametrize(("call", "name", "count"), CALLS)
def test_all_views_have_one_node(call, name, count):
    _, h = rows()
    views = call(h)
    node = views[0].grad_fn
    assert node.name() == name and len(views) == count
    assert all(view.grad_fn is node for view in views)
    assert node.next_functions == ((h.grad_fn, 0),)
    assert [graph.get_gradient_edge(view).output_nr for view in views] == list(range(count))
    assert all(view._base is h for view in views)


@pytest.mark.parametrize(("call", "name", "count"), CALLS)
def test_views_without_a_gradient_count_as_zeros(call, name, count):
    x, h = rows()
    call(h)[-1].sum().backward()
    ones = tenon.zeros(2, 3)
    call(ones)[-1].fill_(1)
    assert x.grad.tolist() == ones.tolist()


@pytest.mark.parametrize(("call", "name", "count"), CALLS)
def test_gradients_of_all_orders_and_tangents(call, name, count):
    x, _ = rows()

    def function(x):
        parts = call(x)
        return parts[0].sum() * (parts[-1] * parts[-1]).sum()

    assert tenon.autograd.gradcheck(function, (x,), check_forward_ad=True)
    assert tenon.autograd.gradgradcheck(function, (x,))


@pytest.mark.parametrize(("call", "name", "count"), CALLS)
def test_write_is_refused_and_changes_nothing(call, name, count):
    _, h = rows()
    view = call(h)[1]
    before = h.tolist()
    for change in (
        lambda: view.mul_(2),
        lambda: view.zero_(),
        lambda: view.unsqueeze_(0),
        lambda: view.view(-1).add_(1),
    ):
        with pytest.raises(tenon.error.StateError, match="multiple views"):
            change()
    with pytest.raises(tenon.error.StateError, match=rf"output 1 of {name}\), .* inplace"):
        view.add_(1)
    assert h._version == 0 and h.tolist() == before
    assert view.grad_fn.name() == name


def test_views_of_an_untracked_tensor_may_be_written_until_a_gradient_flows():
    base = tenon.zeros(2, 3)
    first, second = base.unbind()
    first.add_(1)
    weight = tenon.ones(3, requires_grad=True)
    with pytest.raises(tenon.error.StateError, match="a function that returns multiple views,"):
        second.add_(weight)
    with tenon.no_grad():
        second.add_(weight)
    assert base.tolist() == [[1.0] * 3] * 2 and not base.requires_grad


def test_views_made_in_no_grad_mode_say_that():
    base = tenon.zeros(2, 3)
    with tenon.no_grad():
        first, _ = base.unbind()
    with pytest.raises(tenon.error.StateError, match="created in no_grad mode"):
        first.add_(tenon.ones(3, requires_grad=True))


def test_views_are_of_no_use_once_their_base_was_written():
    _, h = rows()
    first, _ = h.unbind()
    h.mul_(2)
    assert first.requires_grad and not first.is_leaf
    assert "grad_fn=<Invalid>" in str(first)
    with pytest.raises(tenon.error.StateError, match="its base, or another view of it"):
        first * 2


def test_a_copy_of_one_view_may_be_written():
    x, h = rows()
    copy = h.unbind()[1].clone()
    copy.mul_(3)
    copy.sum().backward()
    assert x.grad.tolist() == [[0.0] * 3, [3.0] * 3]


def test_retained_gradient_of_one_view():
    _, h = rows()
    first, second = h.unbind()
    first.retain_grad()
    (first * second).sum().backward()
    assert first.grad.tolist() == [4.0, 5.0, 6.0]


def test_tangents_are_views_too():
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(tenon.zeros(2, 2), tenon.tensor([[1.0, 2.0], [3.0, 4.0]]))
        tangents = [forward_ad.unpack_dual(row).tangent for row in dual.unbind()]
        assert [tangent.tolist() for tangent in tangents] == [[1.0, 2.0], [3.0, 4.0]]


@pytest.mark.parametrize("key", ["CPU", "CompositeExplicitAutograd"])
def test_operators_of_users_mark_their_views(library, ops, key):
    library.define("halves(Tensor(a -> *) x) -> Tensor(a)[]")
    library.impl("halves", lambda x: [x[:1], x[1:]], key)
    weight = tenon.ones(1, requires_grad=True)
    for base in (tenon.zeros(2), tenon.zeros(2) * weight):
        with pytest.raises(tenon.error.StateError, match="multiple views"):
            ops.halves(base)[0].add_(weight)


def test_a_composite_is_traced_as_the_operators_it_calls(library, ops):
    library.define("halves(Tensor(a -> *) x) -> Tensor(a)[]")
    library.impl("halves", lambda x: [x[:1], x[1:]], "CompositeImplicitAutograd")
    weight = tenon.ones(1, requires_grad=True)
    for base in (tenon.zeros(2), tenon.zeros(2) * weight):
        ops.halves(base)[0].add_(weight)
        assert base.tolist() == [1.0, 0.0] and base.requires_grad
