# SPDX-License-Identifier: Apache-2.0
"""Elementwise functions of the array API: operators with the standard's promotion."""

from __future__ import annotations

import tenon

from .._tenon import Tensor
from .data_types import COMPLEX, KINDS, iinfo, promoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

# The standard's names of functions of one array, and the operators that compute them.
_UNARY = {
    "abs": "abs",
    "acos": "acos",
    "acosh": "acosh",
    "asin": "asin",
    "asinh": "asinh",
    "atan": "atan",
    "atanh": "atanh",
    "bitwise_invert": "bitwise_not",
    "conj": "conj",
    "cos": "cos",
    "cosh": "cosh",
    "exp": "exp",
    "expm1": "expm1",
    "imag": "imag",
    "isfinite": "isfinite",
    "isinf": "isinf",
    "isnan": "isnan",
    "log": "log",
    "log10": "log10",
    "log1p": "log1p",
    "log2": "log2",
    "logical_not": "logical_not",
    "negative": "negative",
    "reciprocal": "reciprocal",
    "signbit": "signbit",
    "sin": "sin",
    "sinh": "sinh",
    "sqrt": "sqrt",
    "square": "square",
    "tan": "tan",
    "tanh": "tanh",
}
_BINARY = {
    "add": "add",
    "atan2": "atan2",
    "bitwise_and": "bitwise_and",
    "bitwise_left_shift": "bitwise_left_shift",
    "bitwise_or": "bitwise_or",
    "bitwise_right_shift": "bitwise_right_shift",
    "bitwise_xor": "bitwise_xor",
    "copysign": "copysign",
    "divide": "divide",
    "equal": "eq",
    "greater": "gt",
    "greater_equal": "ge",
    "hypot": "hypot",
    "less": "lt",
    "less_equal": "le",
    "logaddexp": "logaddexp",
    "logical_and": "logical_and",
    "logical_or": "logical_or",
    "logical_xor": "logical_xor",
    "maximum": "maximum",
    "minimum": "minimum",
    "multiply": "multiply",
    "nextafter": "nextafter",
    "not_equal": "ne",
    "pow": "pow",
    "subtract": "subtract",
}


def _operator(name: str) -> Callable[..., Tensor]:
    found: Callable[..., Tensor] = getattr(tenon, name)
    return found


def _unary(name: str, operator: str) -> Callable[[Tensor], Tensor]:
    call = _operator(operator)

    def function(x: Tensor, /) -> Tensor:
        return call(x)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"Returns {operator} of each element."
    return function


def _binary(name: str, operator: str) -> Callable[[Any, Any], Tensor]:
    call = _operator(operator)

    def function(x1: Any, x2: Any, /) -> Tensor:
        return call(*promoted(x1, x2))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"Returns {operator} of the elements of two arrays or of a number."
    return function


def _rounding(name: str) -> Callable[[Tensor], Tensor]:
    call = _operator(name)

    def function(x: Tensor, /) -> Tensor:
        return call(x) if x.dtype.is_floating_point or x.dtype.is_complex else x.clone()

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"Returns {name} of each element; integers are unchanged."
    return function


for _name, _operators in _UNARY.items():
    globals()[_name] = _unary(_name, _operators)
for _name, _operators in _BINARY.items():
    globals()[_name] = _binary(_name, _operators)
for _name in ("ceil", "floor", "trunc"):
    globals()[_name] = _rounding(_name)


def floor_divide(x1: Any, x2: Any, /) -> Tensor:
    """Returns the quotients, rounded down; those of infinities are not NaN."""
    one, two = promoted(x1, x2)
    found = tenon.floor_divide(one, two)
    if not one.dtype.is_floating_point:
        return found
    endless = tenon.isinf(one) | tenon.isinf(two)
    return tenon.where(endless, tenon.floor(one / two), found)


def remainder(x1: Any, x2: Any, /) -> Tensor:
    """Returns the remainders with the sign of the divisor, zeros as well."""
    one, two = promoted(x1, x2)
    found = tenon.remainder(one, two)
    if not one.dtype.is_floating_point:
        return found
    return tenon.where(found == 0, tenon.copysign(found, two), found)


def real(x: Tensor, /) -> Tensor:
    """Returns the real part of each element."""
    return tenon.real(x) if x.dtype in COMPLEX else x


def positive(x: Tensor, /) -> Tensor:
    """Returns a copy."""
    return x.clone()


def round(x: Tensor, /) -> Tensor:
    """Returns the nearest whole numbers, even ones at equal distance."""
    if x.dtype in COMPLEX:
        return tenon.complex(tenon.round(x.real), tenon.round(x.imag))
    return tenon.round(x) if x.dtype.is_floating_point else x.clone()


def sign(x: Tensor, /) -> Tensor:
    """Returns the sign of each element, NaN of NaN."""
    if x.dtype in COMPLEX:
        size = tenon.abs(x)
        return tenon.where(size == 0, tenon.zeros_like(x), x / size)
    result = tenon.sign(x)
    return tenon.where(x != x, x, result) if x.dtype.is_floating_point else result


def clip(x: Tensor, /, min: Any = None, max: Any = None) -> Tensor:
    """Returns each element, moved into an interval; the dtype is that of `x`."""
    if min is None and max is None:
        return x.clone()
    if not isinstance(min, Tensor) and not isinstance(max, Tensor):
        return _clip_by_numbers(x, min, max)
    result = x
    for bound, call in ((min, tenon.maximum), (max, tenon.minimum)):
        if bound is not None:
            result = call(result, tenon.as_tensor(bound).to(x.dtype))
    return result


def _clip_by_numbers(x: Tensor, low: Any, high: Any) -> Tensor:
    if x.dtype in KINDS["integral"]:
        limits = iinfo(x.dtype)
        low = None if low is None or low <= limits.min else low
        high = None if high is None or high >= limits.max else high
        if low is None and high is None:
            return x.clone()
    return tenon.clamp(x, low, high).to(x.dtype)


__all__ = sorted(
    [
        *(*_UNARY, *_BINARY, "ceil", "clip", "floor", "floor_divide", "positive", "real"),
        *("remainder", "round", "sign", "trunc"),
    ]
)
