# SPDX-License-Identifier: Apache-2.0
"""Helpers around parameters: as one vector and back, and computed ones."""

from __future__ import annotations

from . import parametrize
from .convert_parameters import parameters_to_vector, vector_to_parameters

__all__ = ["parameters_to_vector", "parametrize", "vector_to_parameters"]
