# SPDX-License-Identifier: Apache-2.0
"""Helpers around parameters: as one vector and back, computed ones, gradients within bounds."""

from __future__ import annotations

from . import parametrize
from .clip_grad import clip_grad_norm_, clip_grad_value_, get_total_norm
from .convert_parameters import parameters_to_vector, vector_to_parameters

__all__ = [
    "clip_grad_norm_",
    "clip_grad_value_",
    "get_total_norm",
    "parameters_to_vector",
    "parametrize",
    "vector_to_parameters",
]
