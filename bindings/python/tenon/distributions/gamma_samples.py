# SPDX-License-Identifier: Apache-2.0
"""Samples of the gamma distribution by Marsaglia and Tsang (2000), one by one.

Samples are drawn in PyTorch's order, so that equal seeds produce equal numbers. No gradients
flow
through them.
"""

from __future__ import annotations

import math
from typing import Any

from .._tenon import Tensor
from ..dtype import float64
from ..dtype_info import finfo
from ..error import NotSupportedError
from ..factories import empty, tensor


def _one(alpha: float, scratch: Tensor) -> float:
    """Draws one number with the given shape and rate 1."""
    if alpha == 0:
        return 0.0
    scale = 1.0
    if alpha < 1:
        scale = (1.0 - scratch.uniform_().item()) ** (1.0 / alpha)
        alpha += 1.0
    d = alpha - 1.0 / 3.0
    c = 1.0 / math.sqrt(9.0 * d)
    while True:
        y = 0.0
        while y <= 0:
            x = scratch.normal_().item()
            y = 1.0 + c * x
        v = y * y * y
        u = 1.0 - scratch.uniform_().item()
        square = x * x
        if u < 1.0 - 0.0331 * square * square:
            return scale * d * v
        if math.log(u) < 0.5 * square + d * (1.0 - v + math.log(v)):
            return scale * d * v


def standard_gamma(concentration: Tensor, name: str) -> Tensor:
    """Returns samples of rate 1, one for each concentration.

    Raises:
        NotSupportedError: gradients are to flow to the concentrations.
    """
    from ..grad_mode import is_grad_enabled

    if concentration.requires_grad and is_grad_enabled():
        raise NotSupportedError(f"{name}.rsample: gradients through samples are not part of Tenon")
    scratch = empty((), dtype=float64)
    flat: Any = concentration.detach().double().reshape(-1).tolist()
    drawn = tensor([_one(alpha, scratch) for alpha in flat], dtype=float64)
    made = drawn.reshape(concentration.shape).to(concentration.dtype).to(concentration.device)
    return made.clamp(min=finfo(concentration.dtype).tiny)


__all__ = ["standard_gamma"]
