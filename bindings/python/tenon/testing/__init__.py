# SPDX-License-Identifier: Apache-2.0
"""Comparison of tensors in tests."""

from __future__ import annotations

from .comparison import assert_close

__all__ = ["assert_close"]
