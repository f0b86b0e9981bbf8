# SPDX-License-Identifier: Apache-2.0
"""Derivatives of scattered products whose factors are 0."""

from __future__ import annotations

import pytest
import tenon
from tenon.autograd import gradcheck, gradgradcheck


@pytest.mark.parametrize("include_self", [True, False])
@pytest.mark.parametrize("zeros", [(), (1,), (0, 2), (0, 1, 2), (0, 2, 4)])
def test_products_with_factors_of_zero_have_both_derivatives(zeros, include_self):
    index = tenon.tensor([0, 0, 0, 1, 1])
    numbers = [0.0 if i in zeros else 0.5 + i for i in range(5)]
    src = tenon.tensor(numbers, dtype=tenon.float64, requires_grad=True)
    self = tenon.tensor([2.0, 3.0, 4.0], dtype=tenon.float64, requires_grad=True)

    def product(self, src):
        return self.scatter_reduce(0, index, src, "prod", include_self=include_self)

    assert gradcheck(product, (self, src))
    assert gradgradcheck(product, (self, src))
