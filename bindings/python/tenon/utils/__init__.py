# SPDX-License-Identifier: Apache-2.0
"""Helpers around tensors and modules: handles of hooks."""

from __future__ import annotations

from . import hooks

__all__ = ["hooks"]
