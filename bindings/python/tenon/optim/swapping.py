# SPDX-License-Identifier: Apache-2.0
"""Other parameters and state for an optimiser during a `with` block."""

from __future__ import annotations

from collections import defaultdict
from contextlib import contextmanager

from ..error import InvalidArgumentError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from .._tenon import Tensor
    from .optimizer import Optimizer


@contextmanager
def swap_in_optimizer_params_and_state(
    optimizer: Optimizer,
    swapin_parameters: dict[str, Tensor],
    swapin_optim_state: dict[str, Any],
) -> Iterator[None]:
    """Replaces parameters, state and options of an optimiser; restores them at the end.

    Args:
        optimizer: The optimiser.
        swapin_parameters: Parameters by name, in the order of the optimiser's own.
        swapin_optim_state: A result of `state_dict`; its tensors are used, not copied.
    """
    own = [one for group in optimizer.param_groups for one in group["params"]]
    given = list(swapin_parameters.values())
    if len(own) != len(given):
        raise InvalidArgumentError(
            f"swap_in_optimizer_params_and_state: swapin_parameters must be {len(own)}, got "
            f"{len(given)}"
        )
    before = (optimizer.param_groups, optimizer.state)
    groups = swapin_optim_state["param_groups"]
    order = [number for group in groups for number in group["params"]]
    by_number = dict(zip(order, given, strict=True))
    optimizer.param_groups = [
        {**group, "params": [by_number[number] for number in group["params"]]} for group in groups
    ]
    state: defaultdict[Any, dict[str, Any]] = defaultdict(dict)
    for number, values in swapin_optim_state["state"].items():
        state[by_number.get(number, number)] = dict(values)
    optimizer.state = state
    try:
        yield
    finally:
        optimizer.param_groups, optimizer.state = before


__all__ = ["swap_in_optimizer_params_and_state"]
