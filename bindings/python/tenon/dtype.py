# SPDX-License-Identifier: Apache-2.0
"""Element types by name, layouts and memory formats."""

from __future__ import annotations

from . import _tenon
from ._tenon import (
    bfloat16,
    channels_last,
    channels_last_3d,
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
)
from ._tenon import (
    bool as bool_,
)

half = float16
float = float32
double = float64
cfloat = complex64
cdouble = complex128
short = int16
int = int32
long = int64

_NUMPY = {
    uint8: "uint8",
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


def _constant(name: str) -> object:
    """Finds a dtype, layout or memory format by name; pickles refer to this."""
    return getattr(_tenon, name)


__all__ = [
    "bfloat16",
    "bool_",
    "cdouble",
    "cfloat",
    "channels_last",
    "channels_last_3d",
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
]
