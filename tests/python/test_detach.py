# SPDX-License-Identifier: Apache-2.0
"""Detached tensors, powers, and factory functions that follow another tensor."""

from __future__ import annotations

import copy

import pytest
import tenon


def test_data_of_a_tensor_is_its_memory_alone():
    x = tenon.ones(2, requires_grad=True)
    y = x * x
    x.data.mul_(3)
    assert x.tolist() == [3.0, 3.0] and x._version == 0 and x.data.grad_fn is None
    y.sum().backward()  # PyTorch does not detect this write either
    with pytest.raises(RuntimeError, match="Tensor, got int"):
        x.data = 3
    with pytest.raises(RuntimeError, match="view"):
        x.detach()[0].data = x
    with pytest.raises(RuntimeError, match="floating"):
        x.data = tenon.ones(2, dtype=tenon.int64)


def test_tensors_with_other_data_stay_themselves():
    x = tenon.ones(2, requires_grad=True)
    views = [x.detach(), x.data]
    for size in (3, 1, 3):
        x.data = tenon.full((size, size), 2.0)
        (x * x).sum().backward()
        assert x.grad.shape == (size, size) and x.grad[0, 0].item() == 4.0
        x.grad = None
    assert all(each.tolist() == [1.0, 1.0] for each in views)


def test_buffers_stay_on_the_old_memory():
    x = tenon.full((1000,), 7.0)
    for _ in range(3):
        view = memoryview(x)
        before = x[0].item()
        x.data = tenon.full((1000,), before + 1)
        other = tenon.full((1000,), -1.0)  # would reuse the memory if it were freed
        assert view[999] == before and x[999].item() == before + 1
        view.release()
        assert other[0].item() == -1.0


def test_detach_in_place_is_for_tensors_that_are_no_views():
    x = tenon.ones(2, requires_grad=True)
    h = x * 2
    assert h.detach_() is h and h.is_leaf and not h.requires_grad
    with pytest.raises(RuntimeError, match="view"):
        x[0].detach_()


def test_powers_take_numbers_on_either_side():
    x = tenon.tensor([2.0, 3.0])
    assert (x**2).tolist() == [4.0, 9.0] and (2**x).tolist() == [4.0, 8.0]
    assert (x**x).tolist() == [4.0, 27.0]
    x **= 2
    x **= tenon.tensor([1.0, 0.5])
    assert x.tolist() == pytest.approx([4.0, 3.0])
    with pytest.raises(TypeError):
        pow(x, 2, 3)
    with pytest.raises(TypeError):
        x ** "2"


def test_new_tensors_are_like_the_first():
    x = tenon.ones(1, dtype=tenon.float64)
    made = [x.new_zeros(2, 3), x.new_ones((2, 3)), x.new_full((2, 3), 7), x.new_empty([2, 3])]
    assert all(each.shape == (2, 3) and each.dtype is tenon.float64 for each in made)
    assert x.new_tensor([1, 2]).tolist() == [1.0, 2.0]
    assert x.new_ones(1, dtype=tenon.int64).dtype is tenon.int64
    assert tenon.eye(2, 3).tolist() == [[1, 0, 0], [0, 1, 0]] and tenon.eye(0).shape == (0, 0)
    with pytest.raises(ValueError, match="-1"):
        tenon.eye(-1)


def test_batched_gradients_are_stacked():
    x = tenon.tensor([1.0, 2.0], requires_grad=True)
    (rows,) = tenon.autograd.grad(x * x, x, tenon.eye(2), is_grads_batched=True)
    assert rows.tolist() == [[2.0, 0.0], [0.0, 4.0]]
    (none,) = tenon.autograd.grad(x * x, x, tenon.empty(0, 2), is_grads_batched=True)
    assert none.shape == (0, 2)
    for bad in (None, tenon.ones(2), tenon.ones(3, 1)):
        with pytest.raises(RuntimeError, match="batched"):
            tenon.autograd.grad(x * x, x, bad, is_grads_batched=True)


def test_copies_of_tensors_keep_their_gradients():
    x = tenon.ones(1, requires_grad=True)
    (x * 2).backward()
    y = copy.deepcopy(x)
    assert y.requires_grad and y.grad.item() == 2.0 and y.grad is not x.grad
    with pytest.raises(RuntimeError, match="leaf"):
        copy.deepcopy(x * 2)
