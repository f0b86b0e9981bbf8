# SPDX-License-Identifier: Apache-2.0
"""Helpers around tensors and modules: checkpoints, DLPack, and handles of hooks."""

from __future__ import annotations

from . import checkpoint, dlpack, hooks
from .swap import swap_tensors


def __getattr__(name: str) -> object:
    """Imports the larger parts at their first use."""
    if name in ("data", "pytree"):
        from importlib import import_module

        return import_module(f"tenon.utils.{name}")
    raise AttributeError(f"module 'tenon.utils' has no attribute {name!r}")


__all__ = ["checkpoint", "dlpack", "hooks", "swap_tensors"]
