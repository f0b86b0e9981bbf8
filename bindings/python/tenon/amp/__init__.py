# SPDX-License-Identifier: Apache-2.0
"""Automatic mixed precision: autocast regions and gradient scaling, with PyTorch's names."""

from __future__ import annotations

from .autocast_mode import (
    autocast,
    cached_cast,
    custom_bwd,
    custom_fwd,
    is_autocast_available,
    promote_type,
)
from .grad_scaler import GradScaler

__all__ = [
    "GradScaler",
    "autocast",
    "cached_cast",
    "custom_bwd",
    "custom_fwd",
    "is_autocast_available",
    "promote_type",
]
