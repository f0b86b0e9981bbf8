# SPDX-License-Identifier: Apache-2.0
"""Behaviour that users of PyTorch rely on, tested with tenon or the module in SEED_MODULE."""

import pytest
from seed import torch


@pytest.fixture(scope="session", autouse=True)
def operators():
    """Loads the operators of ATen before the first test."""
    torch.ones(1)
