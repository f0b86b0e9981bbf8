# SPDX-License-Identifier: Apache-2.0
"""Helpers around tensors and modules: checkpoints, and handles of hooks."""

from __future__ import annotations

from . import checkpoint, hooks

__all__ = ["checkpoint", "hooks"]
