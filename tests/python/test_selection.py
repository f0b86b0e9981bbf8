# SPDX-License-Identifier: Apache-2.0
"""Indexing with tensors, masks and sequences; named results; layers with indices or windows."""

from __future__ import annotations

import numpy as np
import pytest
import tenon
import tenon.nn.functional as F


def grid():
    return tenon.arange(24).reshape(2, 3, 4)


def test_masks_of_several_dims_precede_slices():
    x = grid()
    mask = tenon.tensor([[True, False, True], [False, False, True]])
    assert x[mask, 1:3].tolist() == [[1, 2], [9, 10], [21, 22]]
    assert x[..., tenon.tensor([True, False, False, True])].shape == (2, 3, 2)


def test_lists_are_tuples_if_they_have_more_than_numbers():
    x = grid()
    assert x[[[0, 1], [1, 0]]].tolist() == [x[0, 1].tolist(), x[1, 0].tolist()]
    assert x[[slice(0, 1), 0]].tolist() == x[0:1, 0].tolist()
    assert x[[1, 0]].tolist() == [x[1].tolist(), x[0].tolist()]
    assert x[[True, False]].tolist() == [x[0].tolist()]


def test_bools_put_in_a_dim():
    x = grid()
    assert x[True].shape == (1, 2, 3, 4) and x[False].shape == (0, 2, 3, 4)
    assert x[tenon.tensor(True), 0].shape == (1, 3, 4)


def test_tensors_of_zero_dims_select_a_view():
    x = grid()
    view = x[tenon.tensor(1)]
    view.fill_(0)
    assert x[1].sum().item() == 0 and x[0].sum().item() == 66


@pytest.mark.parametrize("value", [2.5, np.float32(2.5), tenon.tensor([[2.5]])])
def test_numbers_are_written_in_the_dtype_of_the_tensor(value):
    x = tenon.zeros(3)
    x[[0, 2]] = value
    assert x.tolist() == [2.5, 0.0, 2.5]


def test_writes_are_refused_where_dtypes_or_shapes_differ():
    x = tenon.zeros(3)
    with pytest.raises(RuntimeError, match="values must have the dtype of self, float32"):
        x[[0]] = tenon.ones(1, dtype=tenon.float64)
    with pytest.raises(RuntimeError, match=r"values must have a shape .*\[2\], got \[3\]"):
        x[[0, 1]] = tenon.ones(3)
    assert x.tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ((tenon.tensor([0]),) * 4, "at most 3"),
        (tenon.tensor([0, 2]), "got 2"),
        (tenon.tensor([0.5]), "float32"),
        (tenon.tensor([True]), "mask of the shape"),
        (tenon.tensor(0.5), "integers or bools"),
    ],
)
def test_bad_keys_are_index_errors(key, message):
    with pytest.raises(IndexError, match=message):
        grid()[key]


def test_results_have_the_names_of_the_schema():
    result = tenon.tensor([[3.0, 1.0], [2.0, 5.0]]).max(1)
    assert isinstance(result, tuple) and type(result).__name__ == "max"
    assert result.values.tolist() == [3.0, 5.0] and result.indices is result[1]
    values, indices = tenon.tensor([2, 3, 1]).sort(descending=True)
    assert values.tolist() == [3, 2, 1] and indices.tolist() == [1, 0, 2]
    assert type(tenon.ones(1, 2).min(1)) is type(tenon.ones(3, 1).min(0))


def test_remainder_has_the_sign_of_the_divisor():
    assert (tenon.tensor([-3, 3]) % 2).tolist() == [1, 1]
    assert (7 % tenon.tensor([2, -4])).tolist() == [1, -1]
    assert "%s" % "text" == "text"


def test_parts_of_complex_numbers_are_views():
    z = tenon.tensor([1 + 2j, 3 - 4j])
    z.real.mul_(2)
    z.imag = 1.0
    assert z.tolist() == [2 + 1j, 6 + 1j]
    with pytest.raises(NotImplementedError, match="imag"):
        _ = tenon.ones(1).imag


def test_embedding_bounds_norms_and_refuses_missing_rows():
    weight = tenon.ones(3, 2)
    index = tenon.tensor([0])
    F.embedding(index, weight, max_norm=1.0)
    assert weight[0].tolist() == pytest.approx([0.5**0.5] * 2)
    assert weight[1].tolist() == [1.0, 1.0]
    with pytest.raises(ValueError, match="padding_idx"):
        F.embedding(index, weight, padding_idx=3)


def test_pooling_returns_indices_on_request():
    image = tenon.arange(16.0).reshape(1, 1, 4, 4)
    values, places = F.max_pool2d(image, 2, return_indices=True)
    assert values.tolist() == [[[[5.0, 7.0], [13.0, 15.0]]]] and places.tolist() == values.tolist()
    assert F.max_pool2d(image, (2, 4)).shape == (1, 1, 2, 1)


def test_gradients_of_indexing_are_gradchecked():
    x = tenon.tensor([[0.5, 2.0, 1.0], [3.0, 0.25, -1.0]], dtype=tenon.float64, requires_grad=True)
    index = tenon.tensor([[0, 2], [1, 1]])
    for f in (
        lambda x: x[:, index],
        lambda x: x[tenon.tensor([1, 0, 1])] ** 2,
        lambda x: x.gather(1, index) * 2,
        lambda x: x.cumsum(1).clamp(-1.0, 3.1),
        lambda x: tenon.view_as_complex(x[:, :2].contiguous()).imag,
    ):
        assert tenon.autograd.gradcheck(f, (x,))
