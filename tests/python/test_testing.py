# SPDX-License-Identifier: Apache-2.0
"""tenon.testing.assert_close, tenon.finfo and tenon.iinfo."""

from __future__ import annotations

import pytest
import tenon
from tenon.testing import assert_close

try:
    import torch
except ImportError:
    torch = None

NAN = float("nan")


@pytest.mark.parametrize(
    "actual, expected",
    [
        (tenon.ones(2), tenon.ones(2) + 1e-6),
        (tenon.zeros(0), tenon.zeros(0)),
        (tenon.ones(2, dtype=tenon.float16), tenon.ones(2, dtype=tenon.float16) * 1.0005),
        (tenon.tensor([1, 2]), tenon.tensor([1, 2])),
        (tenon.tensor([float("inf")]), tenon.tensor([float("inf")])),
        (tenon.ones(2, device="meta"), tenon.zeros(2, device="meta")),
        (1.0, 1.0 + 1e-9),
        ("a", "a"),
        (None, None),
        ({"a": [1, (tenon.ones(1), 2j)]}, {"a": [1, (tenon.ones(1), 2j)]}),
    ],
)
def test_close_ones_pass(actual, expected):
    assert_close(actual, expected)


@pytest.mark.parametrize(
    "actual, expected, words",
    [
        (tenon.ones(2), tenon.tensor([1.0, 3.0]), r"1 / 2 \(50\.0%\)[\s\S]*2\.0 at index \(1,\)"),
        (tenon.ones(2, 2), tenon.ones(4), "shape"),
        (tenon.ones(2), tenon.ones(2).double(), "dtype"),
        (tenon.ones(2), tenon.ones(2, device="meta"), "device"),
        (tenon.tensor([NAN]), tenon.tensor([NAN]), "1 / 1"),
        (tenon.tensor([1, 2, 3]), tenon.tensor([1, 5, 3]), "not equal"),
        (tenon.tensor([True]), tenon.tensor([False]), "1 / 1"),
        (1.0, 2.0, "Scalars are not close"),
        (1, 1.0, "types do not match"),
        ("a", "b", "'a' != 'b'"),
        ([1, 2], [1], "length"),
        ({"a": 1}, {"b": 1}, "'b'"),
        ({"a": [1, 2]}, {"a": [1, 3]}, r"item \['a'\]\[1\]"),
    ],
)
def test_assert_close_describes_differences(actual, expected, words):
    with pytest.raises(AssertionError, match=words):
        assert_close(actual, expected)


def test_options():
    a, b = tenon.ones(2, 3), tenon.ones(3, 2).t()
    assert_close(a, b)
    with pytest.raises(AssertionError, match="stride"):
        assert_close(a, b, check_stride=True)
    assert_close(a, b.double(), check_dtype=False)
    assert_close(tenon.tensor([NAN]), tenon.tensor([NAN]), equal_nan=True)
    assert_close(tenon.ones(1), tenon.ones(1) * 1.5, rtol=1, atol=0)
    with pytest.raises(AssertionError, match=r"^mine$"):
        assert_close(1, 2, msg="mine")
    with pytest.raises(AssertionError, match=r"^Scalars[\s\S]*!!$"):
        assert_close(1, 2, msg=lambda text: text + "!!")
    with pytest.raises(ValueError, match="rtol and atol"):
        assert_close(1, 1, rtol=1)
    with pytest.raises(TypeError, match="Tensor and float"):
        assert_close(tenon.ones(1), 1.0)


FLOATS = ("float16", "bfloat16", "float32", "float64", "float8_e4m3fn", "float8_e5m2", "complex64")
INTEGERS = ("uint8", "int8", "int16", "int32", "int64")


def test_numbers_of_dtypes():
    assert tenon.finfo().bits == 32 and tenon.finfo(tenon.float64).eps == 2.0**-52
    assert tenon.finfo(tenon.float16).max == 65504 and tenon.finfo(tenon.float8_e4m3fn).max == 448
    assert (tenon.iinfo(tenon.int8).min, tenon.iinfo(tenon.uint8).max) == (-128, 255)
    for kind, dtype in ((tenon.iinfo, tenon.float32), (tenon.finfo, tenon.int8)):
        with pytest.raises(TypeError, match=rf"{kind.__name__}: type must be .*, got {dtype}"):
            kind(dtype)
    with pytest.raises(TypeError):
        tenon.iinfo(tenon.bool)


@pytest.mark.skipif(torch is None, reason="PyTorch is not installed: ./dev test --with-torch")
@pytest.mark.parametrize("name", FLOATS + INTEGERS)
def test_numbers_are_pytorchs(name):
    kind = "finfo" if name in FLOATS else "iinfo"
    ours, theirs = (getattr(of, kind)(getattr(of, name)) for of in (tenon, torch))
    names = ("bits", "min", "max", "dtype")
    names += ("eps", "tiny", "smallest_normal", "resolution") if name in FLOATS else ()
    for each in names:
        assert getattr(ours, each) == getattr(theirs, each), each
