# SPDX-License-Identifier: Apache-2.0
"""Devices, dtypes and capabilities, as the array API reports them."""

from __future__ import annotations

import tenon

from .. import _tenon
from .data_types import COMPLEX, KINDS, REAL, isdtype

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_NAMES = (
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float32", "float64", "complex64", "complex128"),
)


class Info:
    """The answers of `__array_namespace_info__`."""

    def capabilities(self) -> dict[str, Any]:
        """Returns the optional features of the standard that are implemented."""
        return {
            "boolean indexing": True,
            "data-dependent shapes": True,
            "max dimensions": 64,
        }

    def default_device(self) -> Any:
        """Returns the device of new arrays."""
        from ..default_device import get_default_device

        return get_default_device()

    def default_dtypes(self, *, device: Any = None) -> dict[str, Any]:
        """Returns the dtypes of new arrays by kind."""
        real = tenon.get_default_dtype()
        return {
            "real floating": real,
            "complex floating": COMPLEX[1] if real == REAL[1] else COMPLEX[0],
            "integral": tenon.int64,
            "indexing": tenon.int64,
        }

    def dtypes(self, *, device: Any = None, kind: Any = None) -> dict[str, Any]:
        """Returns the dtypes of the standard by name, those of a kind if one is given."""
        known = {*KINDS["bool"], *KINDS["numeric"]}
        named = {name: getattr(tenon, "bool_" if name == "bool" else name, None) for name in _NAMES}
        return {
            name: dtype
            for name, dtype in named.items()
            if dtype in known and (kind is None or isdtype(dtype, kind))
        }

    def devices(self) -> tuple[Any, ...]:
        """Returns the devices on which arrays can be."""
        from ..device import device

        code = device("cuda").type_code
        count = _tenon.tenon_device_count(code)
        return (device("cpu"), *(device(f"cuda:{index}") for index in range(count)))


def __array_namespace_info__() -> Info:
    """Returns what the namespace reports about itself."""
    return Info()
