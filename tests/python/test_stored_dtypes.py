# SPDX-License-Identifier: Apache-2.0
"""uint16, uint32, uint64 and complex32: storage, casts, and the operators that PyTorch has."""

from __future__ import annotations

import copy
import io
import pickle

import numpy as np
import pytest
import tenon

UNSIGNED = [tenon.uint16, tenon.uint32, tenon.uint64]
INTEGERS = [tenon.uint8, tenon.int8, tenon.int16, tenon.int32, tenon.int64]
FLOATS = [tenon.float16, tenon.bfloat16, tenon.float32, tenon.float64]
STORED = [*UNSIGNED, tenon.complex32]


def largest(dtype: tenon.dtype) -> int:
    return 2 ** (8 * dtype.itemsize) - 1


def name_of(dtype: tenon.dtype) -> str:
    return str(dtype).rpartition(".")[2]


@pytest.mark.parametrize("dtype", UNSIGNED)
def test_the_whole_range_is_kept(dtype):
    values = [0, 1, largest(dtype) // 2 + 1, largest(dtype)]
    tensor = tenon.tensor(values, dtype=dtype)
    assert tensor.tolist() == values
    assert tensor[3].item() == int(tensor[3]) == largest(dtype)
    assert str(largest(dtype)) in repr(tensor)
    assert tensor.numpy().dtype == name_of(dtype)
    assert tensor.numpy().tolist() == values
    assert tenon.iinfo(dtype).max == largest(dtype)
    assert tenon.iinfo(dtype).min == 0


@pytest.mark.parametrize("dtype", UNSIGNED)
def test_numbers_out_of_range_are_refused(dtype):
    for number in (largest(dtype) + 1, 2**70, -(2**70)):
        with pytest.raises(tenon.InvalidArgumentError, match="fit dtype uint"):
            tenon.tensor([number], dtype=dtype)
    assert tenon.full((2,), -1, dtype=dtype).tolist() == [largest(dtype)] * 2


@pytest.mark.parametrize("dtype", UNSIGNED)
@pytest.mark.parametrize("other", [*INTEGERS, *UNSIGNED, *FLOATS, tenon.bool, tenon.complex64])
def test_casts_keep_small_values(dtype, other):
    values = [0, 1, 1, 0] if other is tenon.bool else [0, 1, 7, 100]
    tensor = tenon.tensor(values, dtype=dtype)
    there = tensor.to(other)
    assert there.dtype is other
    assert there.tolist() == values
    assert there.to(dtype).tolist() == values


@pytest.mark.parametrize("dtype", UNSIGNED)
def test_casts_wrap_and_keep_the_upper_half(dtype):
    top = tenon.tensor([largest(dtype)], dtype=dtype)
    assert top.to(tenon.int8).tolist() == [-1]
    assert top.to(tenon.int64).tolist() == [largest(dtype) if dtype.itemsize < 8 else -1]
    assert top.to(tenon.float64).tolist() == [float(largest(dtype))]
    assert tenon.tensor([-1]).to(dtype).tolist() == [largest(dtype)]
    half = largest(dtype) // 2 + 1
    assert tenon.tensor([half], dtype=tenon.float64).to(dtype).tolist() == [half]


@pytest.mark.parametrize("dtype", UNSIGNED)
def test_promotion_is_refused_but_for_floats(dtype):
    for other in FLOATS:
        assert tenon.promote_types(dtype, other) is other
        assert tenon.promote_types(other, dtype) is other
    for other in (tenon.bool, *INTEGERS, tenon.complex64):
        with pytest.raises(tenon.NotSupportedError, match=f"{name_of(dtype)}"):
            tenon.promote_types(dtype, other)
    with pytest.raises(tenon.NotSupportedError, match="promote"):
        tenon.ones(2, dtype=dtype) * tenon.ones(2, dtype=tenon.int64)
    assert (tenon.ones(2, dtype=dtype) * 2).dtype is dtype
    assert (tenon.ones(2, dtype=dtype) * 2.5).tolist() == [2.5, 2.5]


@pytest.mark.parametrize("dtype", UNSIGNED)
def test_operators_that_pytorch_has(dtype):
    a = tenon.tensor([3, 1, 2, 3], dtype=dtype)
    assert (a == 3).tolist() == [True, False, False, True]
    assert (a != a).tolist() == [False] * 4
    assert (a * a).tolist() == [9, 1, 4, 9]
    assert (a / 2).tolist() == [1.5, 0.5, 1.0, 1.5]
    assert [(a & 1).tolist(), (a | 4).tolist(), (a ^ 1).tolist()] == [
        *([1, 1, 0, 1], [7, 5, 6, 7], [2, 0, 3, 2])
    ]
    assert a.sum().item() == 9
    assert a.prod().dtype is tenon.int64
    assert a.cumsum(0).tolist() == [3, 4, 6, 9]
    assert bool(a.any())
    assert bool(a.all())
    assert a.sort(stable=True, descending=True).indices.tolist() == [0, 3, 2, 1]
    assert a.floor().dtype is dtype
    assert tenon.sqrt(a).dtype is tenon.float32


@pytest.mark.parametrize("dtype", UNSIGNED)
def test_sorting_orders_the_upper_half(dtype):
    values = [1, largest(dtype), 0, largest(dtype) // 2 + 1]
    assert tenon.tensor(values, dtype=dtype).sort().values.tolist() == sorted(values)


@pytest.mark.parametrize("dtype", UNSIGNED)
@pytest.mark.parametrize("name", ["add", "sub", "lt", "ge", "pow", "remainder", "logical_and"])
def test_other_operators_are_refused_by_name(name, dtype):
    a = tenon.ones(2, dtype=dtype)
    with pytest.raises(tenon.NotSupportedError, match=f"aten::{name}.* dtype {name_of(dtype)}"):
        getattr(tenon, name)(a, a)


@pytest.mark.parametrize("dtype", STORED)
def test_elements_move(dtype):
    a = tenon.tensor([[1, 2, 3], [4, 5, 6]], dtype=dtype)
    rows = a.tolist()
    assert a.t().contiguous().tolist() == [list(column) for column in zip(*rows, strict=True)]
    assert tenon.cat([a, a]).tolist() == rows * 2
    assert tenon.stack([a, a]).tolist() == [rows, rows]
    assert a[[1, 0]].tolist() == rows[::-1]
    assert a[:, ::2].tolist() == [row[::2] for row in rows]
    assert a.index_select(0, tenon.tensor([1])).tolist() == rows[1:]
    assert a.gather(1, tenon.tensor([[2], [0]])).tolist() == [[rows[0][2]], [rows[1][0]]]
    assert a.flip(0).tolist() == a.roll(1, 0).tolist() == rows[::-1]
    assert a.repeat(1, 2).tolist() == [row * 2 for row in rows]
    assert a.expand(2, 2, 3).clone().tolist() == [rows, rows]
    assert tenon.where(a == 1, a, tenon.zeros_like(a)).tolist()[1] == [0, 0, 0]
    changed = a.clone()
    changed[0] = 9
    changed[1, 1] = changed[0, 0]
    assert changed.tolist() == [[9, 9, 9], [rows[1][0], 9, rows[1][2]]]
    assert tenon.equal(tenon.full((2,), 7, dtype=dtype), tenon.ones(2, dtype=dtype) * 7)
    assert a.view(tenon.uint8).view(dtype).tolist() == rows
    assert tenon.empty(0, dtype=dtype).tolist() == []


@pytest.mark.parametrize("dtype", STORED)
def test_tensors_leave_and_return(dtype):
    a = tenon.tensor([1, 2, 3], dtype=dtype)
    exported = tenon.from_dlpack(a)
    assert exported.dtype is dtype
    assert exported.data_ptr() == a.data_ptr()
    assert tenon.equal(copy.deepcopy(a), a)
    assert tenon.equal(pickle.loads(pickle.dumps(a)), a)
    assert pickle.loads(pickle.dumps(dtype)) is dtype
    file = io.BytesIO()
    tenon.save({"a": a, "rest": a[1:]}, file)
    file.seek(0)
    loaded = tenon.load(file)
    assert tenon.equal(loaded["a"], a)
    assert loaded["rest"].data_ptr() == loaded["a"].data_ptr() + dtype.itemsize


@pytest.mark.parametrize("dtype", UNSIGNED)
def test_numpy_shares_memory(dtype):
    array = np.array([1, 2, 3], dtype=name_of(dtype))
    tensor = tenon.from_numpy(array)
    assert tensor.dtype is dtype
    array[0] = 9
    assert tensor.tolist() == [9, 2, 3]
    assert tenon.tensor(array[1]).dtype is dtype
    assert memoryview(tensor).tolist() == [9, 2, 3]
    assert tenon.tensor(memoryview(array)).dtype is dtype


def test_complex32_computes_as_complex64_and_rounds():
    a = tenon.tensor([1 + 2j, 3 - 1j], dtype=tenon.complex32)
    assert a.itemsize == 4
    assert (a * a).tolist() == [-3 + 4j, 8 - 6j]
    assert (a + 1).dtype is tenon.complex32
    assert (-a - a).tolist() == [-2 - 4j, -6 + 2j]
    assert abs(a).dtype is tenon.float16
    assert a.real.dtype is tenon.float16
    assert a.real.tolist() == [1.0, 3.0]
    assert a.conj().tolist() == [1 - 2j, 3 + 1j]
    assert a.sum().item() == 4 + 1j
    assert tenon.view_as_real(a).tolist() == [[1.0, 2.0], [3.0, -1.0]]
    assert "complex32" in repr(a)
    with pytest.raises(tenon.NotSupportedError, match="aten::exp.* dtype complex32"):
        tenon.exp(a)


def test_complex32_promotes_as_in_pytorch():
    half = tenon.ones(2, dtype=tenon.float16)
    assert (half * 1j).dtype is tenon.complex32
    assert (tenon.ones(2, dtype=tenon.bfloat16) * 1j).dtype is tenon.complex64
    pairs = {
        **dict.fromkeys((tenon.bool, *INTEGERS, tenon.float16), tenon.complex32),
        **dict.fromkeys((tenon.bfloat16, tenon.float32, tenon.complex64), tenon.complex64),
        **dict.fromkeys((tenon.float64, tenon.complex128), tenon.complex128),
    }
    for other, result in pairs.items():
        assert tenon.promote_types(tenon.complex32, other) is result
        assert tenon.promote_types(other, tenon.complex32) is result
    assert tenon.float16.to_complex() is tenon.complex32
    assert tenon.complex32.to_real() is tenon.float16
    assert half.chalf().dtype is tenon.chalf is tenon.complex32
