# SPDX-License-Identifier: Apache-2.0
"""Optimisers: they change parameters by their gradients, a step at a time."""

from __future__ import annotations

from . import lr_scheduler
from .adam import Adam, AdamW
from .optimizer import Optimizer
from .sgd import SGD

__all__ = ["SGD", "Adam", "AdamW", "Optimizer", "lr_scheduler"]
