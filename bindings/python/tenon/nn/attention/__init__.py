# SPDX-License-Identifier: Apache-2.0
"""Attention: the choice of its implementation, biases, and attention with custom scores."""

from __future__ import annotations

import enum
from contextlib import contextmanager

from . import bias, flex_attention

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

WARN_FOR_UNFUSED_KERNELS = False


class SDPBackend(enum.IntEnum):
    """Implementations of scaled dot product attention; Tenon has one, whichever is chosen."""

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4


_chosen = [
    SDPBackend.FLASH_ATTENTION,
    SDPBackend.EFFICIENT_ATTENTION,
    SDPBackend.MATH,
    SDPBackend.CUDNN_ATTENTION,
]


def _cur_sdpa_kernel_backends(with_priority: bool = False) -> list[SDPBackend]:
    """Returns the choice."""
    return list(_chosen)


@contextmanager
def sdpa_kernel(backends: Any, set_priority: bool = False) -> Iterator[None]:
    """Chooses implementations during a `with` block; results are the same for all of them."""
    global _chosen
    before = _chosen
    _chosen = [backends] if isinstance(backends, SDPBackend) else list(dict.fromkeys(backends))
    try:
        yield
    finally:
        _chosen = before


__all__ = ["WARN_FOR_UNFUSED_KERNELS", "SDPBackend", "bias", "flex_attention", "sdpa_kernel"]
