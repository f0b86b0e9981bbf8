# SPDX-License-Identifier: Apache-2.0
"""Data types of the array API: promotion, casts and kinds."""

from __future__ import annotations

import builtins
import functools
from typing import Any, NamedTuple

import tenon

from .. import _tenon
from ..dtype_info import finfo as _finfo
from ..dtype_info import iinfo as _iinfo
from ..error import ArgumentTypeError, InvalidArgumentError

Tensor = _tenon.Tensor
_SCALARS = (builtins.bool, int, float, complex)


def _named(*names: str) -> tuple[Any, ...]:
    return tuple(getattr(tenon, name) for name in names if hasattr(tenon, name))


SIGNED = _named("int8", "int16", "int32", "int64")
UNSIGNED = _named("uint8", "uint16", "uint32", "uint64")
REAL = _named("float32", "float64")
COMPLEX = _named("complex64", "complex128")
BOOL = _named("bool_")
KINDS = {
    "bool": BOOL,
    "signed integer": SIGNED,
    "unsigned integer": UNSIGNED,
    "integral": SIGNED + UNSIGNED,
    "real floating": REAL,
    "complex floating": COMPLEX,
    "numeric": SIGNED + UNSIGNED + REAL + COMPLEX,
}


@functools.cache
def _promoted(one: Any, two: Any) -> Any:
    """Returns the dtype of both by the standard's table, or by PyTorch's rules outside of it."""
    signs = {one in SIGNED, two in SIGNED}
    if one in KINDS["integral"] and two in KINDS["integral"] and signs == {True, False}:
        signed, unsigned = (one, two) if one in SIGNED else (two, one)
        at = max(UNSIGNED.index(unsigned) + 1, SIGNED.index(signed))
        if at >= len(SIGNED):
            raise ArgumentTypeError(f"result_type: dtypes must promote, got {one} and {two}")
        return SIGNED[at]
    if one in UNSIGNED and two in UNSIGNED:
        return max(one, two, key=UNSIGNED.index)
    return tenon.promote_types(one, two)


def _of_scalar(value: Any, dtype: Any) -> Any:
    """Returns the dtype of an array's dtype and a Python number."""
    if isinstance(value, builtins.bool) or dtype in COMPLEX:
        return dtype
    if isinstance(value, complex):
        return COMPLEX[1] if dtype == REAL[1] else COMPLEX[0]
    if isinstance(value, float):
        return dtype if _is_float(dtype) else tenon.get_default_dtype()
    return dtype if dtype not in BOOL else SIGNED[-1]


def _is_float(dtype: Any) -> builtins.bool:
    return builtins.bool(dtype.is_floating_point)


def result_type(*arrays_and_dtypes: Any) -> Any:
    """Returns the dtype of a calculation with arrays, dtypes and Python numbers."""
    kinds = [x.dtype if isinstance(x, Tensor) else x for x in arrays_and_dtypes]
    dtypes = [kind for kind in kinds if not isinstance(kind, _SCALARS)]
    if not dtypes:
        raise InvalidArgumentError("result_type: arrays_and_dtypes must have a dtype, got none")
    result = functools.reduce(_promoted, dtypes)
    for kind in kinds:
        if isinstance(kind, _SCALARS):
            result = _of_scalar(kind, result)
    return result


def promoted(*values: Any) -> list[Tensor]:
    """Returns arrays and Python numbers as arrays of one dtype."""
    result = result_type(*values)
    first = next(x for x in values if isinstance(x, Tensor))
    return [
        (x if x.dtype == result else x.to(result))
        if isinstance(x, Tensor)
        else tenon.full((), x, dtype=result, device=first.device)
        for x in values
    ]


class FloatLimits(NamedTuple):
    """The limits of a floating-point dtype."""

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: Any


class IntegerLimits(NamedTuple):
    """The limits of an integral dtype."""

    bits: int
    max: int
    min: int
    dtype: Any


def finfo(type: Any, /) -> FloatLimits:
    """Returns the limits of a floating dtype, of the parts of a complex one, or of an array's."""
    found = _finfo(type.dtype if isinstance(type, Tensor) else type)
    limits = (found.bits, found.eps, found.max, found.min, found.smallest_normal)
    return FloatLimits(*limits, getattr(tenon, found.dtype))


def iinfo(type: Any, /) -> IntegerLimits:
    """Returns the limits of an integral dtype, or of an array's."""
    found = _iinfo(type.dtype if isinstance(type, Tensor) else type)
    return IntegerLimits(found.bits, found.max, found.min, getattr(tenon, found.dtype))


def can_cast(from_: Any, to: Any, /) -> builtins.bool:
    """Returns true if a cast keeps all values by the promotion rules."""
    source = from_.dtype if isinstance(from_, Tensor) else from_
    try:
        return _promoted(source, to) == to
    except ArgumentTypeError:
        return False


def isdtype(dtype: Any, kind: Any) -> builtins.bool:
    """Returns true if a dtype is of a kind, of one of several, or is another dtype."""
    if isinstance(kind, tuple):
        return builtins.any(isdtype(dtype, one) for one in kind)
    if isinstance(kind, str):
        if kind not in KINDS:
            raise InvalidArgumentError(
                f"isdtype: kind must be one of {', '.join(KINDS)}, got {kind}"
            )
        return dtype in KINDS[kind]
    return builtins.bool(dtype == kind)


def astype(x: Tensor, dtype: Any, /, *, copy: builtins.bool = True, device: Any = None) -> Tensor:
    """Returns an array of another dtype; `copy=False` may return the array itself."""
    return x.to(device=device or x.device, dtype=dtype, copy=copy)


def broadcast_arrays(*arrays: Tensor) -> tuple[Tensor, ...]:
    """Returns the arrays broadcast to one shape."""
    from ..broadcasting import broadcast_tensors

    return tuple(broadcast_tensors(*arrays)) if arrays else ()


__all__ = ["astype", "broadcast_arrays", "can_cast", "finfo", "iinfo", "isdtype", "result_type"]
