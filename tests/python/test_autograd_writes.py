# SPDX-License-Identifier: Apache-2.0
"""Gradients through in-place writes that change sizes, or whose result was saved."""

from __future__ import annotations

import pytest
import tenon


def leaf(data):
    return tenon.tensor(data, dtype=tenon.float64, requires_grad=True)


@pytest.mark.parametrize(
    "write",
    [
        lambda y, index: y.index_put_((index,), tenon.tensor(5.0, dtype=tenon.float64)),
        lambda y, index: y.index_add_(0, index, leaf([1.0, 1.0]).detach()),
        lambda y, index: y.scatter_(0, index, leaf([7.0, 7.0]).detach()),
    ],
    ids=["index_put_", "index_add_", "scatter_"],
)
def test_a_write_that_fails_counts(write):
    """A failed write may have changed elements. PyTorch ignores it and returns a wrong gradient."""
    x = leaf([0.0, 0.0, 0.0])
    y = x.exp()  # exp saves its result y for the gradient
    with pytest.raises((IndexError, RuntimeError)):
        write(y.detach(), tenon.tensor([0, 9]))
    with pytest.raises(RuntimeError, match="has been modified by an inplace operation"):
        y.sum().backward()


@pytest.mark.parametrize(
    ("data", "change"),
    [
        ([2.0], lambda y: y.squeeze_()),
        ([2.0, 3.0], lambda y: y.unsqueeze_(0)),
        ([[2.0, 3.0, 4.0]], lambda y: y.t_()),
        ([[2.0, 3.0, 4.0]], lambda y: y.transpose_(0, 1)),
    ],
)
def test_gradient_through_a_change_of_sizes(data, change):
    x = leaf(data)
    y = x * 3
    change(y)
    (grad,) = tenon.autograd.grad((y * y).sum(), x)
    assert grad.shape == x.shape
    assert grad.tolist() == (x.detach() * 18).tolist()


@pytest.mark.parametrize(
    ("data", "change"),
    [
        ([[2.0]], lambda x: x.squeeze_()),
        ([2.0, 3.0], lambda x: x.unsqueeze_(0)),
        ([[2.0, 3.0, 4.0]], lambda x: x.t_()),
        ([[2.0, 3.0, 4.0]], lambda x: x.transpose_(0, 1)),
    ],
)
def test_gradient_of_a_leaf_has_the_sizes_that_it_was_given(data, change):
    x = leaf(data)
    with pytest.raises(tenon.error.StateError, match="is a leaf Variable that requires grad"):
        change(x)
    before = x.shape
    with tenon.no_grad():
        change(x)
    assert x.shape != before and x.is_leaf and x.requires_grad
    (x * x).sum().backward()
    assert x.grad.shape == x.shape and x.grad.tolist() == (2 * x.detach()).tolist()


def test_leaf_cannot_get_many_more_dims():
    x = leaf([2.0])
    with tenon.no_grad():
        for _ in range(4):
            x.unsqueeze_(0)
        with pytest.raises(tenon.error.NotSupportedError, match="number of dims of a leaf"):
            x.unsqueeze_(0)
    assert x.shape == (1, 1, 1, 1, 1)
    (grad,) = tenon.autograd.grad((x * x).sum(), x)
    assert grad.shape == x.shape


def test_views_of_a_leaf_that_is_a_view_of_an_untracked_buffer_are_not_written():
    buffer = tenon.zeros(2, 3)
    row = buffer[0].requires_grad_()
    assert row.is_leaf and not buffer.requires_grad
    for view in (row, row.view(3), row[1:]):
        with pytest.raises(tenon.error.StateError, match="a leaf Variable that requires grad"):
            view.add_(1)
    assert buffer._version == 0
    buffer[1].add_(1)
    assert buffer.tolist() == [[0.0] * 3, [1.0] * 3]


def test_second_order_through_a_result_written_through_a_view():
    x = leaf([0.5, -1.0])
    base = tenon.tensor([0.25, 2.0], dtype=tenon.float64)
    view = base.view(-1)
    view.sub_(x)
    view.sigmoid_()
    (first,) = tenon.autograd.grad(base.sum(), x, create_graph=True)
    (second,) = tenon.autograd.grad(first.sum(), x)
    s = (tenon.tensor([0.25, 2.0], dtype=tenon.float64) - x.detach()).sigmoid()
    assert first.tolist() == pytest.approx((-s * (1 - s)).tolist())
    assert second.tolist() == pytest.approx((s * (1 - s) * (1 - 2 * s)).tolist())


def test_view_made_in_no_grad_mode_is_no_leaf_after_a_write():
    base = leaf([1.0, 2.0]) * 2
    with tenon.no_grad():
        view = base[0:1]
    assert view.is_leaf
    base.mul_(2)
    assert not view.is_leaf
    with pytest.raises(tenon.Error, match="was created in no_grad mode"):
        view + 1


def test_views_of_complex_numbers_as_real_ones_are_written():
    z = tenon.tensor([1 + 2j, 3 - 1j], dtype=tenon.complex128, requires_grad=True)
    w = tenon.tensor([3.0, 4.0], dtype=tenon.float64, requires_grad=True)
    h = z * 1
    part = h.imag
    h.real.mul_(w)
    h.mul_(1j)  # now the imaginary part is the former real part
    part.sum().backward()
    assert part.tolist() == [3.0, 12.0]
    assert w.grad.tolist() == [1.0, 3.0]
    assert z.grad.tolist() == [3 + 0j, 4 + 0j]


def test_views_of_real_numbers_as_complex_ones_are_written():
    x = tenon.tensor([[1.0, 2.0], [3.0, 4.0]], dtype=tenon.float64, requires_grad=True)
    h = x * 1
    tenon.view_as_complex(h)[1:].mul_(2 + 1j)
    assert h.tolist() == [[1.0, 2.0], [2.0, 11.0]]
    (h * h).sum().backward()
    # |(2 + i) z|^2 = 5 |z|^2
    assert x.grad.tolist() == [[2.0, 4.0], [30.0, 40.0]]


def test_written_parts_are_derived_twice():
    def parts(z):
        h = z * z
        h.imag.mul_(h.real.clone())
        return h.real * h.imag

    z = tenon.tensor([1 + 2j, 0.5 - 1j], dtype=tenon.complex128, requires_grad=True)
    assert tenon.autograd.gradcheck(parts, (z,))
    assert tenon.autograd.gradgradcheck(parts, (z,))


def test_tensors_of_a_saved_list_must_not_be_written():
    x = tenon.tensor([1.0, 2.0, 3.0], requires_grad=True)
    index = tenon.tensor([0, 2])
    y = x[index]
    kept = (x * x)[index]
    index.fill_(1)
    index.fill_(0)
    message = r"IndexBackward0: a list of tensors .* got 2 such operations"
    with pytest.raises(RuntimeError, match=message):
        y.sum().backward()
    with pytest.raises(RuntimeError, match=message):
        kept.grad_fn._saved_indices
    assert x.grad is None
