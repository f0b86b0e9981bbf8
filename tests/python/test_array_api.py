# SPDX-License-Identifier: Apache-2.0
"""tenon.array_api, compared with NumPy's implementation of the standard."""

from __future__ import annotations

import inspect
import math

import pytest

import tenon
from tenon import array_api as xp

np = pytest.importorskip("numpy")
if not hasattr(np, "__array_namespace_info__"):
    pytest.skip("this NumPy does not have the array API", allow_module_level=True)

UNARY = (
    *("abs", "acos", "acosh", "asin", "asinh", "atan", "atanh", "ceil", "conj", "cos", "cosh"),
    *("exp", "expm1", "floor", "isfinite", "isinf", "isnan", "log", "log10", "log1p", "log2"),
    *("logical_not", "negative", "positive", "real", "reciprocal", "round", "sign", "signbit"),
    *("sin", "sinh", "sqrt", "square", "tan", "tanh", "trunc"),
)
BINARY = (
    *("add", "atan2", "copysign", "divide", "equal", "floor_divide", "greater", "greater_equal"),
    *("hypot", "less", "less_equal", "logaddexp", "logical_and", "logical_or", "logical_xor"),
    *("maximum", "minimum", "multiply", "nextafter", "not_equal", "pow", "remainder", "subtract"),
)
DTYPES = ("int8", "int16", "int32", "int64", "uint8", "float32", "float64")
VALUES = np.asarray([[0.25, 1.5, -2.0], [3.0, -0.75, 0.5]])


def same(found: object, expected: object) -> None:
    """Compares values, shape and dtype."""
    if isinstance(expected, tuple):
        assert len(found) == len(expected)
        for one, two in zip(found, expected, strict=True):
            same(one, two)
        return
    expected = np.asarray(expected)
    assert tuple(found.shape) == expected.shape
    assert str(found.dtype).removeprefix("tenon.") == str(expected.dtype)
    np.testing.assert_allclose(np.asarray(found), expected, rtol=2e-6, atol=1e-6, equal_nan=True)


def arrays(dtype: str, absolute: bool = False):
    values = np.abs(VALUES) if absolute or dtype.startswith("u") else VALUES
    array = values.astype(dtype)
    return array, xp.asarray(array)


@pytest.mark.parametrize("name", UNARY)
@pytest.mark.filterwarnings("ignore")
def test_functions_of_one_array(name):
    for dtype in ("float32", "float64"):
        a, x = arrays(dtype, name in ("sqrt", "log"))
        same(getattr(xp, name)(x), getattr(np, name)(a))


@pytest.mark.parametrize("name", BINARY)
@pytest.mark.filterwarnings("ignore")
def test_functions_of_two_arrays_promote_all_ranks(name):
    for one, two in (("float32", "float64"), ("float64", "float32"), ("float32", "float32")):
        if name == "nextafter" and one != two:
            continue
        a, x = arrays(one)
        b, y = arrays(two)
        same(getattr(xp, name)(x, y), getattr(np, name)(a, b))
        same(getattr(xp, name)(x, y[0, 1]), getattr(np, name)(a, b[0, 1]))  # 0 dims


@pytest.mark.parametrize("one", DTYPES)
@pytest.mark.parametrize("two", DTYPES)
def test_result_type_follows_the_standard(one, two):
    kinds = {np.dtype(d).kind in "iu" for d in (one, two)}
    if len(kinds) == 2:
        pytest.skip("the standard leaves integers with floating numbers open")
    expected = str(np.result_type(np.dtype(one), np.dtype(two)))
    found = xp.result_type(getattr(xp, one), getattr(xp, two))
    assert str(found).removeprefix("tenon.") == expected


@pytest.mark.parametrize("axis", [None, 0, -1, (0, 1)])
@pytest.mark.parametrize("keepdims", [False, True])
def test_reductions(axis, keepdims):
    a, x = arrays("float64")
    for name in ("sum", "prod", "max", "min", "mean", "var", "std", "all", "any"):
        same(
            getattr(xp, name)(x, axis=axis, keepdims=keepdims),
            getattr(np, name)(a, axis=axis, keepdims=keepdims),
        )


def test_sums_of_small_integers_are_wide():
    assert xp.sum(xp.asarray([100, 100], dtype=xp.int8)).dtype == xp.int64
    assert int(xp.prod(xp.asarray([100, 100], dtype=xp.int8))) == 10000


def test_shapes():
    a, x = arrays("float64")
    for call in (
        lambda m, v: m.permute_dims(v, (1, 0)),
        lambda m, v: m.expand_dims(v, axis=1),
        lambda m, v: m.flip(v),
        lambda m, v: m.roll(v, 2),
        lambda m, v: m.roll(v, (1, 2), axis=(0, 1)),
        lambda m, v: m.concat([v, v], axis=None),
        lambda m, v: m.stack([v, v], axis=1),
        lambda m, v: m.repeat(v, 2),
        lambda m, v: m.tile(v, (2, 1)),
        lambda m, v: m.moveaxis(v, 0, 1),
        lambda m, v: m.unstack(v, axis=1),
        lambda m, v: m.cumulative_sum(v, axis=1, include_initial=True),
        lambda m, v: m.cumulative_prod(v, axis=0),
        lambda m, v: m.diff(v, axis=1),
        lambda m, v: m.nonzero(v > 0),
        lambda m, v: m.argsort(v, axis=0),
        lambda m, v: m.sort(v, axis=1),
        lambda m, v: m.argmax(v),
        lambda m, v: m.argmin(v, axis=1, keepdims=True),
        lambda m, v: m.tensordot(v, v, axes=((0,), (0,))),
        lambda m, v: m.vecdot(v, v),
        lambda m, v: m.linalg.matrix_rank(v),
        lambda m, v: m.linalg.svdvals(v),
        lambda m, v: m.linalg.vector_norm(v, axis=0, ord=1),
        lambda m, v: m.fft.rfft(v),
        lambda m, v: m.clip(v, -1.0, 1.0),
        lambda m, v: m.broadcast_to(v, (2, 2, 3)),
    ):
        same(call(xp, x), call(np, a))


def test_unique_counts_each_nan():
    x = xp.asarray([2.0, math.nan, 2.0, math.nan, 1.0])
    found = xp.unique_all(x)
    expected = np.unique_all(np.asarray([2.0, math.nan, 2.0, math.nan, 1.0]))
    for name in ("values", "indices", "inverse_indices", "counts"):
        np.testing.assert_array_equal(
            np.asarray(getattr(found, name)), np.asarray(getattr(expected, name))
        )


def test_names_and_signatures_of_the_standard():
    for name in (*UNARY, *BINARY):
        parameters = inspect.signature(getattr(xp, name)).parameters.values()
        assert all(p.kind is p.POSITIONAL_ONLY for p in parameters), name
    public = {n for n in dir(xp) if not n.startswith("_")}
    assert {"astype", "isdtype", "unique_all", "linalg", "fft", "take_along_axis"} <= public
    assert xp.__array_api_version__ == "2025.12"


def test_tensors_know_their_namespace():
    x = tenon.ones(2)
    assert x.__array_namespace__() is xp
    assert x.__array_namespace__(api_version="2025.12") is xp
    assert x.to_device(x.device) is x
    with pytest.raises(ValueError, match="__array_namespace__: api_version must be one of"):
        x.__array_namespace__(api_version="1999.01")
