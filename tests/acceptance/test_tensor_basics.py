# SPDX-License-Identifier: Apache-2.0
"""Tensors as plain objects: construction, metadata, printing, and helper objects."""

from seed import torch
import numpy as np
import pytest


def test_tensor_copies_and_as_tensor_shares():
    a = np.ones(2)
    copied, shared = torch.tensor(a), torch.as_tensor(a)
    a[0] = 5
    assert (
        copied.tolist() == [1.0, 1.0]
        and shared.tolist() == [5.0, 1.0]
        and copied.dtype is torch.float64
    )
    assert torch.as_tensor(copied) is copied


def test_legacy_constructor():
    assert torch.Tensor([1, 2]).dtype is torch.float32 and tuple(torch.Tensor(2, 3).shape) == (2, 3)
    assert tuple(torch.Tensor().shape) == (0,)


def test_full_takes_the_kind_of_its_value():
    assert [torch.full((1,), v).dtype for v in (1, 1.0, True)] == [
        torch.int64,
        torch.float32,
        torch.bool,
    ]
    assert torch.full((2, 2), 7, dtype=torch.float64).tolist() == [[7.0, 7.0], [7.0, 7.0]]


def test_item_and_python_numbers():
    assert torch.tensor(3).item() == 3 and type(torch.tensor(3).item()) is int
    assert type(torch.tensor([2.5]).item()) is float and torch.tensor([[True]]).item() is True
    assert (
        int(torch.tensor([3.7])) == 3
        and float(torch.tensor([[2]])) == 2.0
        and complex(torch.tensor(1 + 2j)) == 1 + 2j
    )
    with pytest.raises((RuntimeError, ValueError)):
        torch.tensor([1, 2]).item()


def test_truth_value():
    assert not torch.tensor([0]) and torch.tensor(0.5)
    for t in (torch.tensor([1, 2]), torch.tensor([])):
        with pytest.raises(RuntimeError, match="(?i)bool"):
            bool(t)


def test_index_protocol_needs_an_integer_scalar():
    assert [10, 20, 30][torch.tensor(1)] == 20 and list(range(torch.tensor(3))) == [0, 1, 2]
    with pytest.raises(TypeError):
        [1, 2][torch.tensor(1.0)]


def test_tolist_nests_and_scalars_come_out_plain():
    assert torch.ones(2, 2, dtype=torch.int64).tolist() == [[1, 1], [1, 1]]
    assert (
        torch.tensor(2.5).tolist() == 2.5
        and torch.zeros(0, 3).tolist() == []
        and torch.zeros(2, 0).tolist() == [[], []]
    )


def test_len_and_iteration():
    x = torch.arange(6).reshape(2, 3)
    assert len(x) == 2 and [r.tolist() for r in x] == [[0, 1, 2], [3, 4, 5]]
    a, b = x
    a[0] = 9
    assert x[0, 0].item() == 9
    for f in (len, list):
        with pytest.raises(TypeError, match="0-d"):
            f(torch.tensor(1))


def test_iteration_keeps_the_graph():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    a, b = x * 2
    (a * 10 + b).backward()
    assert x.grad.tolist() == [20.0, 2.0]


def test_contains_tests_values():
    x = torch.tensor([[1, 2], [3, 4]])
    assert 3 in x and 7 not in x and torch.tensor(2) in x
    with pytest.raises(RuntimeError):
        "a" in x


def test_format_of_scalars_and_of_tensors():
    assert f"{torch.tensor(3.14159):.2f}" == "3.14" and f"{torch.tensor(5):04d}" == "0005"
    assert f"{torch.tensor([1.0])}" == "tensor([1.])"
    with pytest.raises(TypeError):
        f"{torch.tensor([1.0]):.2f}"


def test_size_method_with_dimension():
    x = torch.ones(2, 3, 4)
    assert (
        x.size() == (2, 3, 4) and x.size(-1) == 4 and x.stride(0) == 12 and x.dim() == x.ndim == 3
    )
    assert (
        x.numel() == x.nelement() == 24
        and x.element_size() == 4
        and x.itemsize == 4
        and x.nbytes == 96
    )
    with pytest.raises(IndexError):
        x.size(3)


def test_strides_and_contiguity_of_views():
    x = torch.arange(6).reshape(2, 3)
    t = x.t()
    assert x.stride() == (3, 1) and t.stride() == (1, 3) and not t.is_contiguous()
    c = t.contiguous()
    assert c.is_contiguous() and c.tolist() == t.tolist() and c.data_ptr() != x.data_ptr()
    assert x.contiguous() is x


def test_bad_device_strings():
    for text in ("nosuch", "cpu:-1", "cpu:x", ""):
        with pytest.raises(RuntimeError):
            torch.device(text)


def test_iinfo():
    i = torch.iinfo(torch.int8)
    assert (i.min, i.max, i.bits) == (-128, 127, 8) and torch.iinfo(torch.uint8).min == 0
    assert torch.iinfo(torch.int64).max == 2**63 - 1
    with pytest.raises(TypeError):
        torch.iinfo(torch.float32)


def test_rng_state_can_be_saved_and_restored():
    state = torch.get_rng_state()
    a = torch.rand(3)
    torch.set_rng_state(state)
    assert torch.equal(a, torch.rand(3)) and state.dtype is torch.uint8
