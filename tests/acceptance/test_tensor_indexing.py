# SPDX-License-Identifier: Apache-2.0
"""Reading and writing by index."""

import numpy as np
import pytest
from seed import torch


def grid(rows=3, cols=4):
    return torch.arange(rows * cols).reshape(rows, cols)


def test_int_index_selects_and_is_a_view():
    x = grid()
    r = x[1]
    r[0] = 99
    assert r.shape == (4,) and x[1, 0].item() == 99 and x[1, 0].dim() == 0


def test_negative_and_out_of_range_int():
    x = grid()
    assert x[-1, -1].item() == 11
    for bad in ((3,), (-4,), (0, 4)):
        with pytest.raises(IndexError):
            x[bad]


def test_negative_or_zero_step_is_refused():
    for step in (-1, 0):
        with pytest.raises(ValueError, match="step"):
            torch.arange(4)[::step]


def test_slice_is_a_view_with_offset_and_stride():
    x = torch.arange(10)
    y = x[2:9:3]
    y.fill_(-1)
    assert (
        y.stride() == (3,)
        and y.storage_offset() == 2
        and x.tolist() == [0, 1, -1, 3, 4, -1, 6, 7, -1, 9]
    )


def test_separated_index_tensors_go_to_the_front():
    x = torch.arange(24).reshape(2, 3, 4)
    i = torch.tensor([0, 1])
    assert x[i, :, i].shape == (2, 3) and x[:, i, i].shape == (2, 2)
    assert x[i, :, i].tolist() == [x[0, :, 0].tolist(), x[1, :, 1].tolist()]


def test_lists_and_arrays_serve_as_index_tensors():
    x = grid()
    assert x[[0, 2]].tolist() == x[torch.tensor([0, 2])].tolist() == x[np.array([0, 2])].tolist()
    assert x[:, [1, -1]].tolist() == [[1, 3], [5, 7], [9, 11]]


def test_index_tensor_out_of_range_and_of_wrong_dtype():
    with pytest.raises(IndexError, match="7"):
        grid()[torch.tensor([0, 7])]
    with pytest.raises(IndexError):
        grid()[torch.tensor([0.0])]


def test_empty_index_tensor():
    assert grid()[torch.tensor([], dtype=torch.int64)].shape == (0, 4) and grid()[[]].shape == (
        0,
        4,
    )


def test_mask_selects_in_row_major_order():
    x = grid()
    assert x[x % 2 == 1].tolist() == [1, 3, 5, 7, 9, 11] and x[x > 100].shape == (0,)


def test_mask_of_wrong_shape():
    with pytest.raises(IndexError, match="shape"):
        grid()[torch.tensor([True, False])]


def test_mask_together_with_slice_and_none():
    x = grid()
    m = torch.tensor([True, False, True, False])
    assert x[:, m].tolist() == [[0, 2], [4, 6], [8, 10]] and x[None, :, m].shape == (1, 3, 2)


def test_setting_by_mask():
    x = grid().float()
    x[x > 9] = -1
    x[torch.tensor([True, False, False])] = torch.tensor([10.0, 20.0, 30.0, 40.0])
    assert x.tolist() == [[10.0, 20.0, 30.0, 40.0], [4.0, 5.0, 6.0, 7.0], [8.0, 9.0, -1.0, -1.0]]


def test_setting_by_index_tensors():
    x = torch.zeros(3, 3)
    x[torch.tensor([0, 2]), torch.tensor([1, 2])] = torch.tensor([5.0, 6.0])
    x[[1]] = 9
    assert x.tolist() == [[0.0, 5.0, 0.0], [9.0, 9.0, 9.0], [0.0, 0.0, 6.0]]


def test_augmented_assignment_with_repeated_indices_applies_once():
    x = torch.zeros(2)
    x[[0, 0, 0]] += 1
    assert x.tolist() == [1.0, 0.0]


def test_index_put_accumulates_and_index_add():
    x = torch.zeros(2)
    x.index_put_((torch.tensor([0, 0, 1]),), torch.tensor([1.0, 2.0, 5.0]), accumulate=True)
    assert x.tolist() == [3.0, 5.0]
    x.index_add_(0, torch.tensor([1, 1]), torch.tensor([1.0, 1.0]), alpha=10)
    assert x.tolist() == [3.0, 25.0]


def test_setting_bumps_the_version_reading_does_not():
    x = torch.zeros(3)
    x[0], x[1:]
    before = x._version
    x[0] = 1
    x[x > 0] = 2
    assert before == 0 and x._version == 2


def test_gradient_through_writing():
    x = torch.ones(3, requires_grad=True)
    v = torch.tensor(5.0, requires_grad=True)
    y = x * 2
    y[1] = v * 3
    y.sum().backward()
    assert x.grad.tolist() == [2.0, 0.0, 2.0] and v.grad.item() == 3.0


def test_writing_through_a_chain_of_views():
    x = torch.zeros(2, 3)
    x.t()[1:][0][1] = 7
    assert x.tolist() == [[0.0, 0.0, 0.0], [0.0, 7.0, 0.0]]


def test_overlapping_copy_from_itself():
    x = torch.arange(5)
    x[:4] = x[1:].clone()
    assert x.tolist() == [1, 2, 3, 4, 4]


def test_writing_into_an_expanded_tensor_is_refused():
    x = torch.zeros(1).expand(3)
    with pytest.raises(RuntimeError):
        x[:] = torch.arange(3.0)


def test_deleting_items_is_not_supported():
    x = torch.zeros(3)
    with pytest.raises((TypeError, AttributeError, NotImplementedError)):
        del x[0]
