# SPDX-License-Identifier: Apache-2.0
"""Autograd behaviour: views, in-place operations, version counters."""

import pytest
from seed import const, graph, leaf, near, torch


def branch(data):
    """Returns a leaf and a tracked copy of it that may be written in place."""
    x = leaf(data)
    return x, x.clone()


# ---------------------------------------------------------------- leaves and in-place


def test_in_place_on_tracked_leaf_is_refused():
    x = leaf([1.0, 2.0])
    for change in (
        lambda: x.add_(1),
        lambda: x.mul_(2),
        lambda: x.zero_(),
        lambda: x.__setitem__(0, 5.0),
    ):
        with pytest.raises(RuntimeError, match="leaf"):
            change()
    assert x.tolist() == [1.0, 2.0] and x.is_leaf


def test_in_place_on_view_of_tracked_leaf_is_refused():
    x = leaf([1.0, 2.0])
    for view in (x[0], x.view(2, 1), x[:], x.unsqueeze(0), x.view(1, 2).t()):
        with pytest.raises(RuntimeError, match="leaf"):
            view.mul_(2)
    assert x.tolist() == [1.0, 2.0]


def test_untracked_leaf_becomes_result_when_tracked_value_goes_in():
    x = leaf([2.0, 3.0])
    acc = torch.zeros(2, dtype=torch.float64)
    acc.add_(x * x)
    assert acc.requires_grad and not acc.is_leaf
    acc.sum().backward()
    near(x.grad, [4.0, 6.0])


def test_augmented_assignment_keeps_object_and_gradient():
    x, h = branch([1.0, 2.0])
    same = h
    h += 1
    h *= const([3.0, 4.0])
    h -= x
    h /= 2
    assert h is same
    h.sum().backward()
    near(x.grad, [1.0, 1.5])


def test_in_place_replaces_grad_fn():
    x, h = branch([1.0, 2.0])
    before = h.grad_fn
    h.exp_()
    assert h.grad_fn is not before and h.grad_fn.next_functions[0][0] is before


def test_in_place_multiply_knows_old_value_for_the_factor():
    x, h = branch([2.0, 3.0])
    w = leaf([10.0, 20.0])
    h.mul_(w)
    h.sum().backward()
    near(x.grad, [10.0, 20.0])
    near(w.grad, [2.0, 3.0])


def test_in_place_power_uses_old_value():
    x, h = branch([2.0, 3.0])
    h.pow_(3)
    h.sum().backward()
    near(x.grad, [12.0, 27.0])


@pytest.mark.parametrize(
    "name, slope",
    [
        ("exp_", lambda v: v.exp()),
        ("sigmoid_", lambda v: v.sigmoid() * (1 - v.sigmoid())),
        ("tanh_", lambda v: 1 - v.tanh() ** 2),
        ("relu_", lambda v: (v > 0).to(torch.float64)),
        ("sqrt_", lambda v: 0.5 / v.sqrt()),
        ("sin_", lambda v: v.cos()),
        ("neg_", lambda v: -torch.ones_like(v)),
    ],
)
def test_in_place_unary_gradients(name, slope):
    x, h = branch([0.5, 1.5])
    getattr(h, name)()
    h.sum().backward()
    near(x.grad, slope(x.detach()))


def test_in_place_cannot_grow_by_broadcasting():
    h = torch.zeros(3)
    with pytest.raises(RuntimeError, match="(?i)shape|broadcast|size"):
        h.add_(torch.ones(2, 3))
    assert h.tolist() == [0.0, 0.0, 0.0]


# ---------------------------------------------------------------- version counters


def test_version_counts_every_in_place_operation():
    x = torch.zeros(3)
    assert x._version == 0
    x.add_(1)
    x[0] = 5
    x.zero_()
    x.copy_(torch.ones(3))
    assert x._version == 4


def test_detach_shares_version_but_data_and_clone_do_not():
    x = torch.zeros(2)
    d, data, c = x.detach(), x.data, x.clone()
    d.add_(1)
    assert x._version == 1
    data.add_(1)
    c.add_(1)
    assert x._version == 1 and x.tolist() == [2.0, 2.0]


def test_reading_does_not_count():
    x = torch.zeros(3)
    x.sum(), x + 1, x.clone(), x[0], x.tolist()
    assert x._version == 0


def test_saved_input_changed_afterwards_is_detected():
    x, h = branch([1.0, 2.0])
    y = h * h
    h.add_(1)
    with pytest.raises(RuntimeError, match="(?i)in.?place"):
        y.sum().backward()
    assert x.grad is None


def test_saved_output_changed_afterwards_is_detected():
    x = leaf([1.0, 2.0])
    y = x.exp()
    y.mul_(2)
    with pytest.raises(RuntimeError, match="(?i)in.?place"):
        y.sum().backward()


def test_change_of_what_was_not_saved_is_fine():
    x, h = branch([1.0, 2.0])
    y = h + 3
    h.mul_(100)
    y.sum().backward()
    near(x.grad, [1.0, 1.0])


def test_change_of_saved_leaf_under_no_grad_is_detected():
    w, x = leaf([2.0]), leaf([3.0])
    y = w * x
    with torch.no_grad():
        w.add_(1)
    with pytest.raises(RuntimeError, match="(?i)in.?place"):
        y.backward()


def test_factor_not_needed_for_any_gradient_is_not_guarded():
    x, c = leaf([2.0]), const([3.0])
    h = x * 1
    y = c * h
    h.add_(5)
    y.backward()
    near(x.grad, [3.0])


def test_increment_version_by_hand():
    x = leaf([2.0])
    h = x * 1
    y = h * h
    graph.increment_version(h)
    assert h._version == 1
    with pytest.raises(RuntimeError, match="(?i)in.?place"):
        y.backward()
    a, b = torch.zeros(1), torch.zeros(1)
    graph.increment_version([a, b])
    assert (a._version, b._version) == (1, 1)


# ---------------------------------------------------------------- view identity


def test_base_of_a_view_chain_is_the_root():
    base = torch.zeros(4)
    view = base[1:].unsqueeze(0)
    assert view._is_view() and view._base is base
    assert not base._is_view() and base._base is None and base.clone()._base is None


# ---------------------------------------------------------------- writing through views


def test_write_to_view_changes_base_and_its_gradient():
    x, h = branch([1.0, 2.0, 3.0])
    h[1:].mul_(10)
    assert h.tolist() == [1.0, 20.0, 30.0]
    h.sum().backward()
    near(x.grad, [1.0, 10.0, 10.0])


def test_view_grad_fn_is_made_anew_after_base_changed():
    _, h = branch([1.0, 2.0])
    v = h[:1]
    before = v.grad_fn
    h.mul_(2)
    after = v.grad_fn
    assert after is not before and v.grad_fn is after


def test_setitem_cuts_overwritten_part_and_feeds_value():
    x, h = branch([1.0, 2.0, 3.0])
    w = leaf(5.0)
    h[1] = w * 2
    (h * const([1.0, 10.0, 100.0])).sum().backward()
    near(x.grad, [1.0, 0.0, 100.0])
    near(w.grad, 20.0)


def test_setitem_with_mask_and_with_index_tensor():
    x, h = branch([1.0, 2.0, 3.0, 4.0])
    w = leaf([7.0, 8.0])
    h[torch.tensor([True, False, False, True])] = w
    h[torch.tensor([1])] = 0.0
    assert h.tolist() == [7.0, 0.0, 3.0, 8.0]
    h.sum().backward()
    near(x.grad, [0.0, 0.0, 1.0, 0.0])
    near(w.grad, [1.0, 1.0])


def test_setitem_into_untracked_buffer_tracks_buffer():
    x = leaf([2.0, 3.0])
    buffer = torch.zeros(4, dtype=torch.float64)
    buffer[1:3] = x * x
    assert buffer.requires_grad
    buffer.sum().backward()
    near(x.grad, [4.0, 6.0])


def test_write_to_view_of_untracked_base_tracks_base():
    x = leaf([2.0])
    base = torch.ones(3, dtype=torch.float64)
    v = base[1:2]
    v.mul_(x)
    assert base.requires_grad and v.requires_grad and not base.is_leaf
    (base * base).sum().backward()
    near(x.grad, [4.0])
