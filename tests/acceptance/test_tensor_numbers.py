# SPDX-License-Identifier: Apache-2.0
"""Operators, including shifts, with a Python number or numpy value on either side."""

import operator

import numpy as np
import pytest
from seed import torch

INTEGERS = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "floordiv": operator.floordiv,
    "mod": operator.mod,
    "pow": operator.pow,
    "and": operator.and_,
    "or": operator.or_,
    "xor": operator.xor,
    "lshift": operator.lshift,
    "rshift": operator.rshift,
}
IN_PLACE = {
    "add": operator.iadd,
    "sub": operator.isub,
    "mul": operator.imul,
    "floordiv": operator.ifloordiv,
    "mod": operator.imod,
    "pow": operator.ipow,
    "and": operator.iand,
    "or": operator.ior,
    "xor": operator.ixor,
    "lshift": operator.ilshift,
    "rshift": operator.irshift,
}
FLOATS = {name: INTEGERS[name] for name in ("add", "sub", "mul", "floordiv", "mod", "pow")}
FLOATS["truediv"] = operator.truediv
KINDS = ("uint8", "int8", "int16", "int32", "int64")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("number", [1, 2, 3])
@pytest.mark.parametrize("name", INTEGERS)
def test_operators_with_integers_on_either_side(name, number, kind):
    function, dtype = INTEGERS[name], getattr(torch, kind)
    values = [1, 4, 5]
    x = torch.tensor(values, dtype=dtype)
    right, left = function(x, number), function(number, x)
    wrap = 256 if kind == "uint8" else None
    expected = [function(v, number) for v in values]
    assert right.tolist() == [e % wrap if wrap else e for e in expected]
    reflected = [function(number, v) for v in values]
    if all(abs(e) < 128 for e in reflected) and (not wrap or min(reflected) >= 0):
        assert left.tolist() == reflected
    assert right.dtype is dtype and left.dtype is dtype


@pytest.mark.parametrize("name", INTEGERS)
def test_operators_in_place_keep_the_tensor(name):
    x = torch.tensor([6, 9], dtype=torch.int32)
    before, address = x, x.data_ptr()
    x = IN_PLACE[name](x, 2)
    assert x is before and x.data_ptr() == address and x.dtype is torch.int32
    assert x.tolist() == [INTEGERS[name](6, 2), INTEGERS[name](9, 2)]


@pytest.mark.parametrize("number", [2.5, -1.5, 3])
@pytest.mark.parametrize("name", FLOATS)
def test_operators_with_floats_on_either_side(name, number):
    function, values = FLOATS[name], [1.0, 4.0, 2.0]
    x = torch.tensor(values, dtype=torch.float64)
    expected = [function(v, number) for v in values]
    assert function(x, number).tolist() == pytest.approx(expected)
    assert function(number, x).tolist() == pytest.approx([function(number, v) for v in values])
    y = x.clone()
    assert IN_PLACE.get(name, operator.itruediv)(y, number) is y
    assert y.tolist() == pytest.approx(expected)


@pytest.mark.parametrize("name", ["floordiv", "mod"])
@pytest.mark.parametrize("number", [2.5, 1j])
def test_operators_in_place_refuse_another_dtype(name, number):
    x = torch.tensor([6, 9])
    with pytest.raises(RuntimeError):
        IN_PLACE[name](x, number)
    assert x.tolist() == [6, 9]


@pytest.mark.parametrize("kind", KINDS)
def test_shifts_by_too_much_leave_no_bit(kind):
    dtype = getattr(torch, kind)
    bits = 8 * torch.empty(0, dtype=dtype).element_size()
    x = torch.tensor([1, 100], dtype=dtype)
    assert (x << bits).tolist() == [0, 0] and (x >> bits).tolist() == [0, 0]
    assert (x << -1).tolist() == [0, 0] and (x >> -1).tolist() == [0, 0]
    assert (x << (bits - 1)).tolist()[1] == 0 and (x >> (bits - 1)).tolist() == [0, 0]
    if kind != "uint8":
        low = torch.tensor([-1, -100], dtype=dtype)
        assert (low >> bits).tolist() == [-1, -1] and (low >> 1).tolist() == [-1, -50]
        assert (torch.tensor([1], dtype=dtype) << (bits - 1)).item() == -(2 ** (bits - 1))
    else:
        assert (torch.tensor([255], dtype=dtype) >> 7).item() == 1
        assert (torch.tensor([1], dtype=dtype) << 7).item() == 128


def test_shifts_by_tensors_broadcast_and_promote():
    x = torch.tensor([[1], [2]], dtype=torch.int8)
    assert (x << torch.tensor([0, 3])).tolist() == [[1, 8], [2, 16]]
    assert (x << torch.tensor([0, 3])).dtype is torch.int64
    assert (torch.tensor([True, False]) << 2).tolist() == [4, 0]
    assert torch.bitwise_left_shift(torch.tensor([1]), 3).item() == 8
    assert torch.tensor([16]).bitwise_right_shift(torch.tensor(2)).item() == 4
    out = torch.empty(2, dtype=torch.int64)
    assert torch.bitwise_right_shift(torch.tensor([8, 16]), 2, out=out) is out
    assert out.tolist() == [2, 4]


@pytest.mark.parametrize("function", [operator.lshift, operator.rshift, operator.and_])
@pytest.mark.parametrize("other", [1.5, 1j])
def test_bits_of_floats_are_refused(function, other):
    for a, b in ((torch.tensor([1.0]), 1), (torch.tensor([1]), other), (other, torch.tensor([1]))):
        with pytest.raises((RuntimeError, TypeError)):
            function(a, b)


@pytest.mark.parametrize("name", [*INTEGERS, "truediv", "matmul"])
@pytest.mark.parametrize("stranger", [None, "a", [1, 2], (1, 2), {}])
def test_operators_with_strangers_are_type_errors(name, stranger):
    function = getattr(operator, {"and": "and_", "or": "or_"}.get(name, name))
    x = torch.tensor([1, 2])
    with pytest.raises(TypeError):
        function(x, stranger)
    if not (name == "mod" and isinstance(stranger, str)):
        with pytest.raises(TypeError):
            function(stranger, x)


SCALARS = [np.int64(2), np.int8(2), np.uint8(2), np.float32(2.5), np.float64(2.5), np.float16(2.5)]


@pytest.mark.parametrize("scalar", SCALARS, ids=lambda s: s.dtype.name)
@pytest.mark.parametrize("name", ["add", "sub", "mul", "floordiv", "mod", "truediv", "pow"])
def test_numpy_scalars_count_as_numbers(name, scalar):
    function, number = getattr(operator, name), scalar.item()
    for dtype in (torch.int32, torch.float32):
        x = torch.tensor([7, 2], dtype=dtype)
        for got, expected in (
            (function(x, scalar), function(x, number)),
            (function(scalar, x), function(number, x)),
        ):
            assert isinstance(got, torch.Tensor) and got.dtype is expected.dtype
            assert got.tolist() == pytest.approx(expected.tolist())


def test_ufuncs_of_numpy_return_tensors():
    x = torch.tensor([1.0, 4.0])
    assert isinstance(np.sqrt(x), torch.Tensor) and np.sqrt(x).tolist() == [1.0, 2.0]
    assert np.maximum(x, np.array([2.0, 2.0], dtype=np.float32)).tolist() == [2.0, 4.0]


def test_format_of_a_number_is_that_of_python():
    assert f"{torch.tensor(1.5)}" == "1.5" and f"{torch.tensor(3)}" == "3"
    assert str(torch.tensor(1.5)) == "tensor(1.5000)"
