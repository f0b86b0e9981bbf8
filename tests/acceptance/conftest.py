# SPDX-License-Identifier: Apache-2.0
"""What a user of PyTorch expects, as tests: of tenon, or of the module that SEED_MODULE names."""

from __future__ import annotations

import importlib
import os

import pytest


@pytest.fixture(scope="session", autouse=True)
def operators():
    """Loads the operators of ATen before the first test."""
    importlib.import_module(os.environ.get("SEED_MODULE", "tenon")).ones(1)
