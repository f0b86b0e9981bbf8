# SPDX-License-Identifier: Apache-2.0
"""DLPack: memory shared with other libraries."""

from __future__ import annotations

from .._tenon import Tensor
from ..factories import from_dlpack

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def to_dlpack(tensor: Tensor) -> Any:
    """Returns a capsule on a Tensor's memory, for one `from_dlpack` of any library."""
    return tensor.__dlpack__()


__all__ = ["from_dlpack", "to_dlpack"]
