# SPDX-License-Identifier: Apache-2.0
"""Random numbers: seeds and states of the default generators."""

from __future__ import annotations

import contextlib

from . import _tenon
from ._tenon import manual_seed
from .device import count
from .rng_state import get_rng_state, set_rng_state
from .sampling import initial_seed, seed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

default_generator = _tenon.default_generator()


@contextlib.contextmanager
def fork_rng(
    devices: Iterable[Any] | None = None, enabled: bool = True, device_type: str = "cuda"
) -> Iterator[None]:
    """Restores the states of the default generators at the end of a block.

    Args:
        devices: Devices beside the CPU, by number or name; by default all of `device_type`.
        enabled: False: the block has no effect.
        device_type: The type of devices that are given by number.
    """
    if not enabled:
        yield
        return
    kinds = range(count(device_type)) if devices is None else devices
    names = [f"{device_type}:{one}" if isinstance(one, int) else str(one) for one in kinds]
    generators = [_tenon.default_generator(), *map(_tenon.default_generator, names)]
    states = [one.get_state() for one in generators]
    try:
        yield
    finally:
        for one, state in zip(generators, states, strict=True):
            one.set_state(state)


__all__ = [
    "fork_rng",
    "get_rng_state",
    "initial_seed",
    "manual_seed",
    "seed",
    "set_rng_state",
]
