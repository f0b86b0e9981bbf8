# SPDX-License-Identifier: Apache-2.0
"""Functions of symbolic numbers for which Python has no operator, such as `tenon.sym_max`."""

from __future__ import annotations

from . import _tenon
from ._tenon import SymBool, SymFloat, SymInt

__all__ = ["sym_float", "sym_max", "sym_min", "sym_not", "sym_sqrt"]

Int = int | SymInt
Number = int | float | SymInt | SymFloat


def sym_max(a: Number, b: Number) -> Number:
    """Returns the larger of two numbers, without a guard on which one that is."""
    return _tenon._symbol_apply(_tenon.TENON_SYMBOL_MAX, a, b)


def sym_min(a: Number, b: Number) -> Number:
    """Returns the smaller of two numbers, without a guard on which one that is."""
    return _tenon._symbol_apply(_tenon.TENON_SYMBOL_MIN, a, b)


def sym_not(a: bool | SymBool) -> bool | SymBool:
    """Returns the negation of `a` without a guard; `not a` would add one."""
    return _tenon._symbol_apply(_tenon.TENON_SYMBOL_NOT, a)


def sym_sqrt(a: Number) -> float | SymFloat:
    """Returns the square root of a nonnegative number."""
    return _tenon._symbol_apply(_tenon.TENON_SYMBOL_SQRT, a)


def sym_float(a: Number) -> float | SymFloat:
    """Converts a number to a float; keeps it symbolic, while `float(a)` would add a guard."""
    return _tenon._symbol_apply(_tenon.TENON_SYMBOL_FLOAT, a)
