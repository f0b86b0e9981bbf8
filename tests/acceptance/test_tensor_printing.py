# SPDX-License-Identifier: Apache-2.0
"""Printing with options, messages of assert_close, and dtypes as objects."""

import copy
import math
import pickle

import numpy as np
import pytest
from seed import sub, torch


@pytest.fixture(autouse=True)
def usual_options():
    """Restores the print options after each test."""
    yield
    torch.set_printoptions(profile="default")


def shown(x, **options):
    torch.set_printoptions(**options)
    text = repr(x)
    torch.set_printoptions(profile="default")
    return text


def t(data, **options):
    return torch.tensor(data, **options)


RANGE = list(map(float, range(30)))


@pytest.mark.parametrize(
    ("data", "options", "text"),
    [
        ([1.23456789, 2.0], {"precision": 2}, "tensor([1.23, 2.00])"),
        ([1.23456789, 2.0], {"precision": 8}, "tensor([1.23456788, 2.00000000])"),
        ([1.23456789, 2.0], {"precision": 0}, "tensor([1, 2])"),
        ([1.0, 2.0], {"precision": 2}, "tensor([1., 2.])"),
        (1.23456789, {"precision": 3}, "tensor(1.235)"),
        ([1.5, 2.5], {"sci_mode": True}, "tensor([1.5000e+00, 2.5000e+00])"),
        ([1.5, 2.5], {"sci_mode": True, "precision": 1}, "tensor([1.5e+00, 2.5e+00])"),
        ([1e-8, 1.0], {"sci_mode": False}, "tensor([0.0000, 1.0000])"),
        ([1e-8, 1.0], {"precision": 2}, "tensor([1.00e-08, 1.00e+00])"),
        ([1e5, 1.0], {"precision": 1}, "tensor([1.0e+05, 1.0e+00])"),
        ([0.1, -100.25], {"precision": 1}, "tensor([ 1.0e-01, -1.0e+02])"),
        ([math.nan, math.inf, -math.inf, 1.5], {"precision": 1}, "tensor([nan, inf, -inf, 1.5])"),
        ([math.nan], {"precision": 2}, "tensor([nan])"),
        ([1 + 2j, 3.14159 - 1j], {"precision": 2}, "tensor([1.00+2.j, 3.14-1.j])"),
        ([True, False], {"precision": 2}, "tensor([ True, False])"),
        ([1, 1000], {"sci_mode": True}, "tensor([   1, 1000])"),
        (list(range(8)), {"threshold": 5}, "tensor([0, 1, 2,  ..., 5, 6, 7])"),
        (list(range(8)), {"threshold": 5, "edgeitems": 1}, "tensor([0,  ..., 7])"),
        (list(range(5)), {"threshold": 5}, "tensor([0, 1, 2, 3, 4])"),
        (list(range(6)), {"threshold": 5}, "tensor([0, 1, 2, 3, 4, 5])"),
        ([1.0, 1.23456], {"profile": "short"}, "tensor([1.00, 1.23])"),
        ([1.23456], {"profile": "short", "precision": 3}, "tensor([1.235])"),
        ([1.23456], {"profile": "full"}, "tensor([1.2346])"),
        ([], {"precision": 2}, "tensor([])"),
        (
            RANGE[:12],
            {"linewidth": 40},
            "tensor([ 0.,  1.,  2.,  3.,  4.,  5.,\n         6.,  7.,  8.,  9., 10., 11.])",
        ),
        (
            [[1.0] * 5] * 5,
            {"threshold": 4, "edgeitems": 1},
            "tensor([[1.,  ..., 1.],\n        ...,\n        [1.,  ..., 1.]])",
        ),
        (
            [[[1, 2], [3, 4]], [[5, 6], [7, 8]]],
            {"linewidth": 20},
            "tensor([[[1, 2],\n         [3, 4]],\n\n        [[5, 6],\n         [7, 8]]])",
        ),
    ],
)
def test_print_options_are_honoured(data, options, text):
    assert shown(t(data), **options) == text


def test_print_options_are_honoured_by_gradients_and_parameters():
    x = t([1.23456], requires_grad=True)
    assert shown(x, precision=2) == "tensor([1.23], requires_grad=True)"
    assert shown(x * 2, precision=2) == "tensor([2.47], grad_fn=<MulBackward0>)"
    p = sub("nn").Parameter(t([1.23456]))
    expected = "Parameter containing:\ntensor([1.23], requires_grad=True)"
    assert shown(p, precision=2) == expected
    assert shown(torch.zeros(0, 3), precision=2) == "tensor([], size=(0, 3))"


def test_print_options_are_reset_by_a_profile():
    torch.set_printoptions(precision=2, threshold=4, edgeitems=1, linewidth=20)
    assert repr(torch.arange(9)) == "tensor([0,  ..., 8])" and repr(t([0.5])) == "tensor([0.50])"
    torch.set_printoptions(profile="default")
    assert repr(torch.arange(9)) == "tensor([0, 1, 2, 3, 4, 5, 6, 7, 8])"
    assert repr(t([0.5])) == "tensor([0.5000])"


def test_print_options_are_kept_until_changed_but_for_sci_mode():
    torch.set_printoptions(precision=2)
    torch.set_printoptions(sci_mode=True)
    assert repr(t([1.5])) == "tensor([1.50e+00])"
    torch.set_printoptions(edgeitems=2)
    assert repr(t([1.5])) == "tensor([1.50])"


def test_print_options_of_the_whole():
    x = torch.arange(2000)
    assert "..." in repr(x) and "..." not in shown(x, profile="full")
    assert "..." not in shown(x, threshold=2000) and "..." in shown(x, threshold=1999)
    options = sub("_tensor_str")
    with options.printoptions(precision=1):
        assert repr(t([0.25])) == "tensor([0.2])"
    assert repr(t([0.25])) == "tensor([0.2500])" and options.PRINT_OPTS.precision == 4


# ---- assert_close ----------------------------------------------------------------------------


def message(*args, **options):
    with pytest.raises(AssertionError) as info:
        sub("testing").assert_close(*args, **options)
    return str(info.value)


@pytest.mark.parametrize(
    ("kind", "off", "far"),
    [
        ("float16", 0.0009, 0.003),
        ("bfloat16", 0.0157, 0.04),
        ("float32", 1e-6, 3e-5),
        ("float64", 5e-8, 5e-7),
        ("complex64", 1e-6, 3e-5),
        ("complex128", 5e-8, 5e-7),
    ],
)
def test_assert_close_tolerances_of_each_dtype(kind, off, far):
    dtype = getattr(torch, kind)
    one = t([1.0], dtype=dtype)
    sub("testing").assert_close(one, t([1.0 + off], dtype=dtype))
    assert "not close" in message(one, t([1.0 + far], dtype=dtype))


def test_assert_close_tolerances_that_are_given():
    close = sub("testing").assert_close
    close(t([1.0]), t([1.1]), rtol=0, atol=0.2)
    close(t([1.0]), t([1.1]), rtol=0.2, atol=0)
    close(t([1]), t([2]), rtol=0, atol=1)
    for options in ({"rtol": 0.1}, {"atol": 0.1}):
        with pytest.raises(ValueError):
            close(t([1.0]), t([1.0]), **options)
    text = message(t([1.0]), t([2.0]), rtol=0.1, atol=0.25)
    assert "(up to 0.25 allowed)" in text and "(up to 0.1 allowed)" in text


def test_assert_close_message_of_tensors():
    text = message(t([[1.0, 2.0], [3.0, 4.0]]), t([[1.0, 2.0], [3.0, 6.0]]))
    assert "Mismatched elements: 1 / 4 (25.0%)" in text
    assert "Greatest absolute difference: 2.0 at index (1, 1) (up to 1e-05 allowed)" in text
    assert "Greatest relative difference: 0.3333333432674408 at index (1, 1)" in text


def test_assert_close_message_of_what_must_be_equal():
    for one, other in ((t([1, 2]), t([1, 4])), (t([1.0]), t([2.0]))):
        options = {} if one.dtype is torch.int64 else {"rtol": 0, "atol": 0}
        text = message(one, other, **options)
        assert text.startswith("Tensor-likes are not equal!") and "allowed" not in text
    assert "Greatest absolute difference: 1 at index (1,)" in message(
        t([True, False]), t([True, True])
    )
    assert "253" in message(t([2], dtype=torch.uint8), t([255], dtype=torch.uint8))


def test_assert_close_message_of_scalars():
    text = message(t(1.0), t(2.0))
    assert text.startswith("Scalars are not close!") and "Expected 2.0 but got 1.0." in text
    assert message(1, 2).startswith("Scalars are not equal!")
    assert message(1.0, 2.0).startswith("Scalars are not close!")
    assert "True is not False" in message(True, False) and "None is not 1" in message(None, 1)


def test_assert_close_with_a_custom_message():
    assert message(t([1.0]), t([2.0]), msg="mine") == "mine"
    assert message(t([1.0]), t([2.0]), msg=lambda m: "x" + m).startswith("xTensor-likes")
    assert message([t(1.0)], [t(2.0)], msg=lambda m: m[-3:]) == "[0]"


def test_assert_close_nan_and_infinity():
    close, nan, inf = sub("testing").assert_close, math.nan, math.inf
    for one in (t([nan]), nan, [nan]):
        message(one, one if not isinstance(one, list) else [nan])
        close(one, one, equal_nan=True)
    assert "1 / 2" in message(t([nan, 1.0]), t([nan, 2.0]), equal_nan=True)
    close(t([inf, -inf]), t([inf, -inf]))
    message(t([inf]), t([-inf]))
    message(t([inf]), t([1.0]))


def test_assert_close_places_in_containers():
    assert "[1][0]" in message([1, [2]], [1, [3]])
    assert "['a'][0]" in message({"a": [t(1.0)]}, {"a": [t(2.0)]})
    assert "length" in message([1], [1, 2]) and "keys" in message({"a": 1}, {"b": 1})


def test_assert_close_of_arrays_and_of_what_cannot_be_compared():
    close = sub("testing").assert_close
    close(np.ones(2), np.ones(2))
    close(np.float64(1), 1.0)
    assert "2 / 2" in message(np.ones(2), np.zeros(2))
    for one, other in ((object(), 1), ({1: 2}, [1]), (t(1.0), 1.0), ({1}, {1})):
        with pytest.raises(TypeError):
            close(one, other)


# ---- dtypes ----------------------------------------------------------------------------------

FLOATS = {"float16": 2, "bfloat16": 2, "float32": 4, "float64": 8}
INTEGERS = {"uint8": 1, "int8": 1, "int16": 2, "int32": 4, "int64": 8, "bool": 1}
COMPLEX = {"complex64": 8, "complex128": 16}


@pytest.mark.parametrize("name", [*FLOATS, *INTEGERS, *COMPLEX])
def test_dtype_objects(name):
    dtype = getattr(torch, name)
    assert (
        isinstance(dtype, torch.dtype)
        and repr(dtype) == str(dtype) == f"torch.{name}"
        or (torch.__name__ != "torch" and repr(dtype).endswith(f".{name}"))
    )
    assert dtype.is_floating_point is (name in FLOATS) and dtype.is_complex is (name in COMPLEX)
    assert dtype.is_signed is (name not in ("uint8", "bool"))
    assert dtype.itemsize == {**FLOATS, **INTEGERS, **COMPLEX}[name]
    assert {dtype: 1}[dtype] == 1 and hash(dtype) == hash(getattr(torch, name))
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(dtype, protocol)) is dtype
    assert copy.copy(dtype) is dtype and copy.deepcopy([dtype])[0] is dtype
    assert dtype != name and torch.empty(0, dtype=dtype).dtype is dtype


def test_dtype_objects_have_other_names():
    names = {"float": "float32", "double": "float64", "half": "float16", "int": "int32"}
    names |= {"long": "int64", "short": "int16", "cfloat": "complex64", "cdouble": "complex128"}
    for one, other in names.items():
        assert getattr(torch, one) is getattr(torch, other)


def test_dtype_objects_of_complex_parts():
    assert torch.float32.to_complex() is torch.complex64 is torch.complex64.to_complex()
    assert torch.float64.to_complex() is torch.complex128
    assert torch.complex64.to_real() is torch.float32 is torch.float32.to_real()
    assert torch.complex128.to_real() is torch.float64 and torch.int8.to_real() is torch.int8
    with pytest.raises(RuntimeError):
        torch.int8.to_complex()


def test_dtype_objects_of_python_types():
    assert torch.zeros(1, dtype=float).dtype is torch.float64
    assert torch.zeros(1, dtype=int).dtype is torch.int64
    assert torch.zeros(1, dtype=bool).dtype is torch.bool
    assert torch.zeros(1, dtype=complex).dtype is torch.complex128
    with pytest.raises(TypeError):
        torch.zeros(1, dtype="float32")
    with pytest.raises(TypeError):
        torch.dtype()
