# SPDX-License-Identifier: Apache-2.0
"""Element types by name, layouts and memory formats."""

from __future__ import annotations

from . import _tenon
from ._tenon import (
    bfloat16,
    channels_last,
    channels_last_3d,
    complex32,
    complex64,
    complex128,
    contiguous_format,
    dtype,
    float8_e4m3fn,
    float8_e5m2,
    float16,
    float32,
    float64,
    get_default_dtype,
    int8,
    int16,
    int32,
    int64,
    layout,
    memory_format,
    preserve_format,
    promote_types,
    set_default_dtype,
    strided,
    uint8,
    uint16,
    uint32,
    uint64,
)
from ._tenon import (
    bool as bool_,
)
from .error import StateError

half = float16
float = float32
double = float64
chalf = complex32
cfloat = complex64
cdouble = complex128
short = int16
int = int32
long = int64

_NUMPY = {
    uint8: "uint8",
    uint16: "uint16",
    uint32: "uint32",
    uint64: "uint64",
    int8: "int8",
    int16: "int16",
    int32: "int32",
    int64: "int64",
    float16: "float16",
    float32: "float32",
    float64: "float64",
    complex64: "complex64",
    complex128: "complex128",
    bool_: "bool",
}


def _to_complex(self: dtype) -> dtype:
    """Returns the complex dtype whose parts are of this one, itself if it is complex."""
    if self.is_complex:
        return self
    found = {float16: complex32, float32: complex64, float64: complex128}.get(self)
    if found is None:
        kinds = "float16, float32, float64 or a complex dtype"
        raise StateError(f"dtype.to_complex: dtype must be {kinds}, got {self}")
    return found


def _to_real(self: dtype) -> dtype:
    """Returns the dtype of the parts of a complex one, itself if it is real."""
    return {complex32: float16, complex64: float32, complex128: float64}.get(self, self)


dtype.to_complex = _to_complex
dtype.to_real = _to_real


def _constant(name: str) -> object:
    """Finds a dtype, layout or memory format by name; pickles refer to this."""
    return getattr(_tenon, name)


__all__ = [
    "bfloat16",
    "bool_",
    "cdouble",
    "cfloat",
    "chalf",
    "channels_last",
    "channels_last_3d",
    "complex32",
    "complex64",
    "complex128",
    "contiguous_format",
    "double",
    "dtype",
    "float",
    "float8_e4m3fn",
    "float8_e5m2",
    "float16",
    "float32",
    "float64",
    "get_default_dtype",
    "half",
    "int",
    "int8",
    "int16",
    "int32",
    "int64",
    "layout",
    "long",
    "memory_format",
    "preserve_format",
    "promote_types",
    "set_default_dtype",
    "short",
    "strided",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
]
