# SPDX-License-Identifier: Apache-2.0
"""Names of types for annotations."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import Union

from ._tenon import Size, SymInt, Tensor, device, dtype

Number = Union[builtins.int, builtins.float, builtins.bool]  # noqa: UP007
Device = Union[device, str, builtins.int, None]  # noqa: UP007
_TensorOrTensors = Union[Tensor, Sequence[Tensor]]  # noqa: UP007
_dtype, _device = dtype, device
_size = Union[Size, list[builtins.int], tuple[builtins.int, ...]]  # noqa: UP007
_int, _float, _bool = builtins.int, builtins.float, builtins.bool
_symsize = Union[Size, Sequence[Union[builtins.int, SymInt]]]  # noqa: UP007

__all__ = ["Device", "Number", "Size", "SymInt", "Tensor"]
