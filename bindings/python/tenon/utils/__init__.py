# SPDX-License-Identifier: Apache-2.0
"""Helpers around tensors and modules: checkpoints, DLPack, and handles of hooks."""

from __future__ import annotations

from . import checkpoint, dlpack, hooks
from .swap import swap_tensors

__all__ = ["checkpoint", "dlpack", "hooks", "swap_tensors"]
