# SPDX-License-Identifier: Apache-2.0
"""Functions of symbolic numbers that have no operator in Python: `tenon.sym_max` and its like."""

from __future__ import annotations

from . import _tenon
from ._tenon import SymBool, SymFloat, SymInt

__all__ = ["sym_float", "sym_max", "sym_min", "sym_not", "sym_sqrt"]

Int = int | SymInt
Number = int | float | SymInt | SymFloat


def sym_max(a: Number, b: Number) -> Number:
    """The larger one of two numbers, without deciding which it is."""
    return _tenon._symbol_apply(_tenon.TENON_SYMBOL_MAX, a, b)


def sym_min(a: Number, b: Number) -> Number:
    """The smaller one of two numbers, without deciding which it is."""
    return _tenon._symbol_apply(_tenon.TENON_SYMBOL_MIN, a, b)


def sym_not(a: bool | SymBool) -> bool | SymBool:
    """Whether `a` is false, without deciding it; `not a` decides."""
    return _tenon._symbol_apply(_tenon.TENON_SYMBOL_NOT, a)


def sym_sqrt(a: Number) -> float | SymFloat:
    """The square root of a number that is 0 or more."""
    return _tenon._symbol_apply(_tenon.TENON_SYMBOL_SQRT, a)


def sym_float(a: Number) -> float | SymFloat:
    """A number as a float, without making one of a symbol; `float(a)` decides it."""
    return _tenon._symbol_apply(_tenon.TENON_SYMBOL_FLOAT, a)
