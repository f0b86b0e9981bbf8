# SPDX-License-Identifier: Apache-2.0
"""The state of the CPU's default generator as a tensor, which can be saved and restored."""

from __future__ import annotations

from ._tenon import Tensor, default_generator
from .dtype import uint8
from .error import ArgumentTypeError
from .factories import frombuffer


def get_rng_state() -> Tensor:
    """Returns the state of the CPU's default generator: uint8, 1-d."""
    return frombuffer(bytearray(default_generator().get_state()), dtype=uint8)


def set_rng_state(new_state: Tensor) -> None:
    """Restores a state that `get_rng_state` returned.

    Raises:
        ArgumentTypeError: for a Tensor that is not uint8.
        InvalidArgumentError: for one that is no such state.
    """
    if new_state.dtype is not uint8:
        raise ArgumentTypeError(f"set_rng_state: new_state must be uint8, got {new_state.dtype}")
    default_generator().set_state(memoryview(new_state.cpu().contiguous()).tobytes())


__all__ = ["get_rng_state", "set_rng_state"]
