# SPDX-License-Identifier: Apache-2.0
"""Indices of every kind, also mapped ones; sorting, selecting and splitting in all forms."""

import warnings

import numpy as np
import pytest
from seed import sub, torch


def vmap(*args, **options):
    return sub("func").vmap(*args, **options)


X = list(range(24))


def x():
    return torch.arange(24).reshape(2, 3, 4)


@pytest.mark.parametrize(
    ("key", "in_dims"),
    [
        (lambda i: i, 0),
        (lambda i: (i, 1), 0),
        (lambda i: (slice(None), i), 0),
        (lambda i: (i, slice(1, 3)), 0),
        (lambda i: (i, slice(None), i), 0),
        (lambda i: (None, i), 0),
        (lambda i: (i, None, slice(1, None)), 0),
        (lambda i: (Ellipsis, i), 0),
        (lambda i: (i, Ellipsis, -1), 0),
        (lambda i: (0, i, slice(None, None, 2)), 0),
        (lambda i: (i, i, i), 0),
    ],
)
def test_indexing_by_int_slice_and_mapped_index(key, in_dims):
    indices = torch.tensor([0, 1])
    whole = vmap(lambda i: x()[key(i)])(indices)
    each = [x()[key(int(i))] for i in indices]
    assert whole.tolist() == [one.tolist() for one in each]
    both = vmap(lambda a, i: a[key(i)], in_dims=(0, 0))(torch.stack([x(), x() + 100]), indices)
    each = [(x() + 100 * n)[key(int(i))] for n, i in enumerate(indices)]
    assert both.tolist() == [one.tolist() for one in each]


def test_indexing_by_mapped_index_in_two_levels():
    a, i = torch.arange(6).reshape(2, 3), torch.tensor([0, 2])
    inner = vmap(lambda row, k: row[k], in_dims=(None, 0))
    assert vmap(inner, in_dims=(0, None))(a, i).tolist() == [[0, 2], [3, 5]]


def test_writing_by_mapped_index():
    def write(row, i, value):
        row = row.clone()
        row[i] = value
        return row

    zeros, i = torch.zeros(2, 3), torch.tensor([0, 2])
    assert vmap(write)(zeros, i, torch.tensor([5.0, 6.0])).tolist() == [[5, 0, 0], [0, 0, 6]]
    assert vmap(write, in_dims=(0, 0, None))(zeros, i, 7.0).tolist() == [[7, 0, 0], [0, 0, 7]]


@pytest.mark.parametrize("kind", ["int64", "int32", "int16", "int8"])
def test_indices_of_zero_dims_select(kind):
    i = torch.tensor(1, dtype=getattr(torch, kind))
    assert x()[i].tolist() == x()[1].tolist() and x()[:, i].tolist() == x()[:, 1].tolist()
    assert x()[0:i].shape == (1, 3, 4)


def test_ranges_select_as_lists_do():
    assert x()[range(2)].tolist() == x()[[0, 1]].tolist()
    assert x()[:, range(0, 3, 2)].tolist() == x()[:, [0, 2]].tolist()
    assert x()[range(2), range(1, 3)].tolist() == x()[[0, 1], [1, 2]].tolist()
    y = torch.zeros(5)
    y[range(2)] = 9
    y[range(3, 5)] = torch.tensor([1.0, 2.0])
    assert y.tolist() == [9, 9, 0, 1, 2]


def test_masks_of_bytes_are_deprecated():
    v = torch.arange(5.0)
    with pytest.warns(UserWarning, match="uint8|byte"):
        got = v[torch.tensor([0, 1, 0, 1, 1], dtype=torch.uint8)]
    assert got.tolist() == [1, 3, 4]
    with pytest.warns(UserWarning):
        v[torch.tensor([0, 1, 0, 1, 1], dtype=torch.uint8)] = torch.tensor([7.0, 8.0, 9.0])
    assert v.tolist() == [0, 7, 2, 8, 9]


def test_one_element_is_cast_where_a_mask_is_true():
    y = torch.zeros(3, dtype=torch.int32)
    y[torch.tensor([True, False, True])] = torch.tensor([4])
    assert y.tolist() == [4, 0, 4]


@pytest.mark.parametrize("key", [1.0, object(), torch.tensor([1.0]), torch.tensor(1.0)])
def test_indices_of_other_kinds_are_refused(key):
    with pytest.raises((IndexError, TypeError)):
        x()[key]


def test_text_is_no_index():
    with pytest.raises((IndexError, TypeError)), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        x()["a"]


def test_indices_of_numpy():
    assert x()[np.int64(1)].tolist() == x()[1].tolist()
    assert x()[np.array([True, False])].shape == (1, 3, 4)
    assert x()[np.int8(0) : np.int64(1)].shape == (1, 3, 4)


# ---- Results in existing tensors -----------------------------------------------------------------


V = [3, 1, 2]


@pytest.mark.parametrize(
    ("name", "args", "options"),
    [
        ("sort", (), {}),
        ("sort", (), {"dim": 0, "descending": True}),
        ("sort", (), {"dim": 0, "stable": True}),
        ("topk", (2,), {}),
        ("topk", (), {"k": 2, "dim": 0, "largest": False, "sorted": True}),
        ("kthvalue", (2,), {}),
        ("kthvalue", (), {"k": 2, "dim": 0, "keepdim": True}),
        ("median", (0,), {}),
        ("mode", (0,), {}),
        ("max", (0,), {"keepdim": True}),
        ("min", (0,), {}),
        ("cummax", (0,), {}),
        ("cummin", (0,), {}),
    ],
)
@pytest.mark.parametrize("kind", [tuple, list])
def test_out_of_two_results(name, args, options, kind):
    function, v = getattr(torch, name), torch.tensor(V)
    expected = function(v, *args, **options)
    out = kind([torch.empty(0, dtype=torch.int64), torch.empty(0, dtype=torch.int64)])
    got = function(v, *args, **options, out=out)
    assert got[0] is out[0] and got[1] is out[1] and got.values is out[0]
    assert [one.tolist() for one in out] == [one.tolist() for one in expected]
    first = "k" if name in ("topk", "kthvalue") else "dim"
    named = {**options, **{first: one for one in args}}
    assert function(input=v, **named)[0].tolist() == expected[0].tolist()


def test_out_of_two_results_checks_dtypes():
    long, other = torch.empty(0, dtype=torch.int64), torch.empty(0, dtype=torch.int32)
    for function in (lambda out: torch.topk(torch.tensor(V), 2, out=out),):
        with pytest.raises(RuntimeError):
            function((long, other))
        with pytest.raises(TypeError):
            function((long,))


def test_unique_in_all_options():
    v, m = torch.tensor([3, 1, 2, 1, 3]), torch.tensor([[2, 1], [0, 5], [2, 1]])
    assert v.unique().tolist() == [1, 2, 3] and torch.unique(m, dim=0).tolist() == [[0, 5], [2, 1]]
    values, inverse = v.unique(return_inverse=True)
    assert values[inverse].tolist() == v.tolist()
    values, counts = torch.unique(v, return_counts=True)
    assert counts.tolist() == [2, 1, 2]
    values, inverse, counts = m.unique(dim=0, return_inverse=True, return_counts=True)
    assert inverse.tolist() == [1, 0, 1] and counts.tolist() == [1, 2]
    assert torch.unique(m, dim=-1).tolist() == [[1, 2], [5, 0], [1, 2]]
    with pytest.raises((IndexError, RuntimeError)):
        torch.unique(m, dim=2)


def test_unique_consecutive_in_all_options():
    v, m = torch.tensor([1, 1, 2, 2, 1]), torch.tensor([[2, 1], [2, 1], [0, 5], [2, 1]])
    assert v.unique_consecutive().tolist() == [1, 2, 1]
    values, counts = v.unique_consecutive(return_counts=True)
    assert counts.tolist() == [2, 2, 1]
    values, inverse, counts = torch.unique_consecutive(v, True, True)
    assert inverse.tolist() == [0, 0, 1, 1, 2]
    assert m.unique_consecutive(dim=0).tolist() == [[2, 1], [0, 5], [2, 1]]
    assert torch.unique_consecutive(m, dim=1, return_inverse=True)[1].tolist() == [0, 1]


def test_atleast_of_one_several_and_lists():
    one, two = torch.tensor(1), torch.tensor([2])
    for dims, name in enumerate(("atleast_1d", "atleast_2d", "atleast_3d"), 1):
        function = getattr(torch, name)
        assert function(one).ndim == dims and function(torch.ones(1, 1, 1, 1)).ndim == 4
        for got in (function(one, two), function([one, two]), function((one, two))):
            assert isinstance(got, tuple) and [g.ndim for g in got] == [dims, dims]
    with pytest.raises(TypeError):
        torch.atleast_1d(5)


def test_tensor_split_in_all_forms():
    v = torch.arange(7)

    def parts(*args, **options):
        return [one.tolist() for one in torch.tensor_split(v, *args, **options)]

    thirds = [[0, 1, 2], [3, 4], [5, 6]]
    assert parts(3) == parts(sections=3) == parts(torch.tensor(3)) == thirds
    cut = [[0], [1, 2], [3, 4, 5, 6]]
    assert parts((1, 3)) == parts([1, 3]) == parts(indices=(1, 3)) == cut
    assert parts(torch.tensor([1, 3])) == cut
    assert parts(tensor_indices_or_sections=torch.tensor([1, 3])) == cut
    assert parts((9,)) == [[0, 1, 2, 3, 4, 5, 6], []] and parts((-2,)) == [[0, 1, 2, 3, 4], [5, 6]]
    for bad in (0, -1, torch.tensor([1.0]), torch.tensor([[1]])):
        with pytest.raises(RuntimeError):
            parts(bad)
    for how in (2, (1,)):
        with pytest.raises(RuntimeError):
            torch.tensor_split(torch.tensor(1), how)


def test_narrow_takes_tensors():
    v = torch.arange(7)
    assert torch.narrow(v, 0, torch.tensor(2), 3).tolist() == [2, 3, 4]
    assert v.narrow(0, -3, 2).tolist() == [4, 5]
    with pytest.raises(RuntimeError):
        torch.narrow(v, 0, torch.tensor(2.0), 3)


def test_factories_take_sizes_in_every_form():
    for sizes in ((2, 3), ([2, 3],), ((2, 3),), (torch.Size([2, 3]),), (2, torch.tensor(3))):
        assert torch.zeros(*sizes).shape == (2, 3) and torch.empty(*sizes).shape == (2, 3)
        assert torch.rand(*sizes).shape == (2, 3) and torch.ones(*sizes).shape == (2, 3)
    assert torch.zeros(size=(2,)).shape == (2,) and torch.zeros(()).shape == ()
    assert torch.arange(end=3).tolist() == [0, 1, 2] and torch.arange(torch.tensor(2)).numel() == 2
    for bad in (2.0, "a", None):
        with pytest.raises(TypeError):
            torch.zeros(bad)


def test_linspace_and_logspace_with_out_and_tensors():
    out = torch.empty(3)
    assert torch.linspace(0, 1, 3, out=out) is out and out.tolist() == [0.0, 0.5, 1.0]
    assert torch.linspace(torch.tensor(0.0), torch.tensor(1.0), 3).tolist() == [0.0, 0.5, 1.0]
    assert torch.linspace(0, torch.tensor(1.0), steps=3).tolist() == [0.0, 0.5, 1.0]
    assert torch.logspace(0, 2, 3, out=out) is out and out.tolist() == [1.0, 10.0, 100.0]
    assert torch.logspace(torch.tensor(0.0), 2, 3, base=2).tolist() == [1.0, 2.0, 4.0]
    with pytest.raises(RuntimeError):
        torch.linspace(0, 1, -1)
