# SPDX-License-Identifier: Apache-2.0
"""What a user of PyTorch expects, as tests: of tenon, or of the module that SEED_MODULE names."""

import pytest
from seed import torch


@pytest.fixture(scope="session", autouse=True)
def operators():
    """Loads the operators of ATen before the first test."""
    torch.ones(1)
