# SPDX-License-Identifier: Apache-2.0
"""The limits of integral and floating-point dtypes."""

from __future__ import annotations

import math

from .dtype import (
    bfloat16,
    bool_,
    complex32,
    complex64,
    complex128,
    dtype,
    float8_e4m3fn,
    float8_e5m2,
    float16,
    float32,
    float64,
    get_default_dtype,
)
from .error import ArgumentTypeError

# Bits of the fraction, the exponent of the largest number and of the smallest normal one, and the
# digits of ten that always survive. IEEE 754-2019, and the OCP 8-bit formats, revision 1.0.
_FLOATS = {
    float16: (10, 15, -14, 3),
    bfloat16: (7, 127, -126, 2),
    float32: (23, 127, -126, 6),
    float64: (52, 1023, -1022, 15),
    float8_e4m3fn: (3, 8, -6, 0),
    float8_e5m2: (2, 15, -14, 0),
}
_PARTS = {complex32: float16, complex64: float32, complex128: float64}


class iinfo:
    """The limits of an integral dtype: `bits`, `min`, `max`, `dtype` (its name)."""

    def __init__(self, type: dtype) -> None:
        """Looks up the limits of an integral dtype.

        Raises:
            ArgumentTypeError: for a dtype that is not integral.
        """
        if type.is_floating_point or type.is_complex or type is bool_:
            raise ArgumentTypeError(f"iinfo: type must be an integral dtype, got {type}")
        self.bits = 8 * type.itemsize
        self.dtype = str(type).rpartition(".")[2]
        signed = type.is_signed
        self.min = -(1 << (self.bits - 1)) if signed else 0
        self.max = (1 << (self.bits - signed)) - 1

    def __repr__(self) -> str:
        return f"iinfo(min={self.min}, max={self.max}, dtype={self.dtype})"


class finfo:
    """The limits of a floating-point dtype, or of the parts of a complex one.

    `bits`; `eps`, from 1 to the next number; `max`, `min`, the largest and least finite ones;
    `tiny` and `smallest_normal`, the least positive one with all its digits; `resolution`, ten to
    the digits that always survive; `dtype` (its name).
    """

    def __init__(self, type: dtype | None = None) -> None:
        """Looks up the limits of a floating or complex dtype, by default the default dtype.

        Raises:
            ArgumentTypeError: for a dtype that is neither.
        """
        type = type or get_default_dtype()
        part = _PARTS.get(type, type)
        if part not in _FLOATS:
            raise ArgumentTypeError(f"finfo: type must be a floating or complex dtype, got {type}")
        fraction, largest, smallest, digits = _FLOATS[part]
        self.bits = 8 * part.itemsize
        self.dtype = str(part).rpartition(".")[2]
        self.eps = math.ldexp(1.0, -fraction)
        # A format without infinities reserves its largest fraction for NaN.
        last = 2 - self.eps * (2 if part is float8_e4m3fn else 1)
        self.max = math.ldexp(last, largest)
        self.min = -self.max
        self.tiny = self.smallest_normal = math.ldexp(1.0, smallest)
        self.resolution = float(f"1e-{digits}")

    def __repr__(self) -> str:
        return (
            f"finfo(resolution={self.resolution}, min={self.min}, max={self.max}, eps={self.eps}, "
            f"smallest_normal={self.smallest_normal}, tiny={self.tiny}, dtype={self.dtype})"
        )


__all__ = ["finfo", "iinfo"]
