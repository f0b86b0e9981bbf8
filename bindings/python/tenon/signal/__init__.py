# SPDX-License-Identifier: Apache-2.0
"""Signal processing: window functions."""

from __future__ import annotations

from . import windows

__all__ = ["windows"]
