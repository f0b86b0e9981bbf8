# SPDX-License-Identifier: Apache-2.0
"""Names of dtypes, layouts and memory formats in each language."""

from __future__ import annotations

from typing import Any

# By number, with the names that C has for them.
DTYPES = {
    **{
        0: "U8",
        1: "I8",
        2: "I16",
        3: "I32",
        4: "I64",
        5: "F16",
        6: "F32",
        7: "F64",
        8: "C32",
        9: "C64",
    },
    **{10: "C128", 11: "BOOL", 15: "BF16", 23: "F8_E5M2", 24: "F8_E4M3FN"},
    **{27: "U16", 28: "U32", 29: "U64"},
}
MEMORY_FORMATS = {0: "CONTIGUOUS", 1: "PRESERVE", 2: "CHANNELS_LAST", 3: "CHANNELS_LAST_3D"}
NAMES = {"ScalarType": DTYPES, "Layout": {0: "STRIDED"}, "MemoryFormat": MEMORY_FORMATS}
# Java has Python's names of dtypes.
JAVA = {
    **{"U16": "UINT16", "U32": "UINT32", "U64": "UINT64", "C32": "COMPLEX32"},
    **{"U8": "UINT8", "I8": "INT8", "I16": "INT16", "I32": "INT32", "I64": "INT64"},
    **{"F16": "FLOAT16", "F32": "FLOAT32", "F64": "FLOAT64", "BF16": "BFLOAT16"},
    **{"C64": "COMPLEX64", "C128": "COMPLEX128"},
    **{"F8_E5M2": "FLOAT8_E5M2", "F8_E4M3FN": "FLOAT8_E4M3FN"},
}


def number(value: Any) -> int:
    """Returns the number of a dtype, a layout or a memory format."""
    return value if isinstance(value, int) else int(value.code)


def name(kind: str, value: Any) -> str:
    """Returns the name in C, without its prefix: "F32" of a ScalarType."""
    return NAMES[kind][number(value)]


def cpp(kind: str, value: Any) -> str:
    """Returns the C++ enumerator: `Dtype::F8E5M2`."""
    text = name(kind, value)
    if kind == "ScalarType":
        return f"Dtype::{'Bool' if text == 'BOOL' else text.replace('_', '')}"
    return f"{kind}::{''.join(part.capitalize() for part in text.split('_'))}"


def rust(kind: str, value: Any) -> str:
    """Returns the Rust constant."""
    return f"{'DType' if kind == 'ScalarType' else kind}::{name(kind, value)}"


def java(kind: str, value: Any) -> str:
    """Returns the Java constant."""
    text = name(kind, value)
    return f"{'DType' if kind == 'ScalarType' else kind}.{JAVA.get(text, text)}"
