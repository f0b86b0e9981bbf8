# SPDX-License-Identifier: Apache-2.0
"""The backward graph: its nodes."""

from .._tenon import Node

__all__ = ["Node"]
