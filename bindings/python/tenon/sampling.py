# SPDX-License-Identifier: Apache-2.0
"""Samples in the sizes of another tensor, and seeds of the default generator."""

from __future__ import annotations

import math

from ._tenon import Tensor, default_generator
from .factories import _asking, empty_like
from .overridable import overridable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def _empty(
    input: Tensor, dtype: Any, layout: Any, device: Any, pin_memory: Any, memory_format: Any
) -> Tensor:
    return empty_like(input, dtype=dtype, device=device, memory_format=memory_format).detach()


@overridable
def rand_like(
    input: Tensor,
    *,
    generator: Any = None,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    memory_format: Any = None,
) -> Tensor:
    """Returns samples of the uniform distribution from 0 up to 1 in the sizes of a tensor."""
    made = _empty(input, dtype, layout, device, pin_memory, memory_format)
    return _asking(made.uniform_(generator=generator), requires_grad)


@overridable
def randn_like(
    input: Tensor,
    *,
    generator: Any = None,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    memory_format: Any = None,
) -> Tensor:
    """Returns samples of the standard normal distribution in the sizes of a tensor."""
    made = _empty(input, dtype, layout, device, pin_memory, memory_format)
    return _asking(made.normal_(generator=generator), requires_grad)


_TAIL = (
    *(0.0810614667953272, 0.0413406959554092, 0.0276779256849983, 0.02079067210376509),
    *(0.0166446911898211, 0.0138761288230707, 0.0118967099458917, 0.0104112652619720),
    *(0.00925546218271273, 0.00833056343336287),
)


def _stirling_tail(k: float) -> float:
    """Returns by how much Stirling's approximation of log k! is too small."""
    if k <= 9:
        return _TAIL[int(k)]
    square = (k + 1) ** 2
    return (1 / 12 - (1 / 360 - 1 / 1260 / square) / square) / (k + 1)


def _few_successes(count: float, prob: float, draw: Any) -> float:
    """Draws a binomial number with a small mean by the gaps between successes."""
    place, found, log = 0.0, 0, math.log1p(-prob)
    while True:
        place += math.ceil(math.log(draw()) / log)
        if place > count:
            return float(found)
        found += 1


def _many_successes(count: float, prob: float, draw: Any) -> float:
    """Draws a binomial number with a large mean by transformed rejection (Hormann, 1993)."""
    deviation = math.sqrt(count * prob * (1 - prob))
    b = 1.15 + 2.53 * deviation
    a = -0.0873 + 0.0248 * b + 0.01 * prob
    c = count * prob + 0.5
    ratio, alpha = prob / (1 - prob), (2.83 + 5.1 / b) * deviation
    mode = math.floor((count + 1) * prob)
    while True:
        u, v = draw() - 0.5, draw()
        us = 0.5 - abs(u)
        k = math.floor((2 * a / us + b) * u + c)
        if us >= 0.07 and v <= 0.92 - 4.2 / b:
            return float(k)
        if k < 0 or k > count:
            continue
        v = math.log(v * alpha / (a / (us * us) + b))
        bound = (mode + 0.5) * math.log((mode + 1) / (ratio * (count - mode + 1)))
        bound += (count + 1) * math.log((count - mode + 1) / (count - k + 1))
        bound += (k + 0.5) * math.log(ratio * (count - k + 1) / (k + 1))
        bound += _stirling_tail(mode) + _stirling_tail(count - mode)
        bound -= _stirling_tail(k) + _stirling_tail(count - k)
        if v <= bound:
            return float(k)


def _one_binomial(count: float, prob: float, draw: Any) -> float:
    if count <= 0 or prob <= 0:
        return 0.0
    if prob >= 1:
        return count
    if math.isnan(prob) or math.isnan(count):
        return math.nan
    if prob > 0.5:
        return count - _one_binomial(count, 1 - prob, draw)
    return (_many_successes if count * prob >= 10 else _few_successes)(count, prob, draw)


@overridable
def binomial(count: Tensor, prob: Tensor, generator: Any = None) -> Tensor:
    """Returns samples of binomial distributions; numbers are drawn one by one, in PyTorch's order.

    Args:
        count: Numbers of trials, of a floating dtype.
        prob: Probabilities, which broadcast with the numbers.
        generator: The generator; None: the default one.
    """
    from .broadcasting import broadcast_tensors
    from .dtype import float64
    from .factories import empty, tensor

    count, prob = broadcast_tensors(count.detach(), prob.detach())
    scratch = empty((), dtype=float64)
    counts, probs = (one.double().reshape(-1).tolist() for one in (count, prob))
    pairs = zip(counts, probs, strict=True)

    def draw() -> Any:
        return scratch.uniform_(generator=generator).item()

    drawn = [_one_binomial(n, p, draw) for n, p in pairs]
    return tensor(drawn, dtype=count.dtype, device=count.device).reshape(count.shape)


def seed() -> int:
    """Seeds the default generators with an unpredictable number, and returns it."""
    from ._tenon import manual_seed

    number = default_generator().seed()
    manual_seed(number)
    return number


def initial_seed() -> int:
    """Returns the seed of the CPU's default generator."""
    return default_generator().initial_seed()


__all__ = ["initial_seed", "rand_like", "randn_like", "seed"]
