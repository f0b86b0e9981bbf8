# SPDX-License-Identifier: Apache-2.0
"""Samples in the sizes of another tensor, and seeds of the default generator."""

from __future__ import annotations

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
