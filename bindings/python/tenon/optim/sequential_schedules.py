# SPDX-License-Identifier: Apache-2.0
"""Learning rate schedules that combine several, in sequence or at the same time."""

from __future__ import annotations

from bisect import bisect_right

from ..error import InvalidArgumentError
from .lr_scheduler import LRScheduler, ReduceLROnPlateau, set_rate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from .optimizer import Optimizer


class _Several(LRScheduler):
    """Schedules of one optimiser."""

    _schedulers: list[Any]

    def _take(self, schedulers: Sequence[Any], optimizer: Optimizer | None) -> None:
        name = type(self).__name__
        if not schedulers:
            raise InvalidArgumentError(f"{name}: there must be at least one scheduler, got none")
        self.optimizer = schedulers[0].optimizer if optimizer is None else optimizer
        for number, one in enumerate(schedulers):
            if not hasattr(one, "optimizer"):
                raise TypeError(
                    f"{name}: schedulers must be schedules, got {type(one).__name__} at {number}"
                )
            if isinstance(one, ReduceLROnPlateau):
                raise InvalidArgumentError(
                    f"{name}: schedulers must step without a metric, got ReduceLROnPlateau at "
                    f"{number}"
                )
            if one.optimizer is not self.optimizer:
                raise InvalidArgumentError(
                    f"{name}: schedulers must be of one optimizer, got another one's at {number}"
                )
        self._schedulers = list(schedulers)

    def state_dict(self) -> dict[str, Any]:
        """See `LRScheduler.state_dict`; schedules are state dicts."""
        state = super().state_dict()
        state["_schedulers"] = [one.state_dict() for one in self._schedulers]
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """See `LRScheduler.load_state_dict`."""
        state = dict(state_dict)
        states = state.pop("_schedulers")
        self.__dict__.update(state)
        for one, own in zip(self._schedulers, states, strict=True):
            one.load_state_dict(own)


class SequentialLR(_Several):
    """Runs schedules in sequence.

    Args:
        optimizer: Whose rates are set.
        schedulers: The schedules, all of this optimiser.
        milestones: The numbers of steps at which the next schedule begins, from its own start.
        last_epoch: See `LRScheduler`.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        schedulers: Sequence[Any],
        milestones: Sequence[int],
        last_epoch: int = -1,
    ) -> None:
        """Sets the first rates of the first schedule."""
        self._take(schedulers, optimizer)
        if len(milestones) != len(schedulers) - 1:
            raise InvalidArgumentError(
                f"SequentialLR: milestones must be {len(schedulers) - 1}, one less than "
                f"schedulers, got {len(milestones)}"
            )
        self._milestones = list(milestones)
        self.last_epoch = last_epoch + 1
        # Only the first schedule is active: undo the changes that the other schedules made to the
        # rates.
        for group in optimizer.param_groups:
            set_rate(group, group["initial_lr"])
        for one in self._schedulers:
            _undo(one)
        self._schedulers[0]._advance()
        self._last_lr = self._schedulers[0].get_last_lr()

    def _advance(self) -> None:
        self.last_epoch += 1
        place = bisect_right(self._milestones, self.last_epoch)
        now = self._schedulers[place]
        if place > 0 and self._milestones[place - 1] == self.last_epoch:
            now._move_to(0)
        else:
            now._advance()
        self._last_lr = now.get_last_lr()

    def step(self, epoch: int | None = None) -> None:
        """Sets the rates of the next step; call it after the optimiser's step."""
        self._advance()


def _undo(scheduler: Any) -> None:
    for one in getattr(scheduler, "_schedulers", ()):
        _undo(one)
    scheduler.last_epoch -= 1


class ChainedScheduler(_Several):
    """Follows several schedules at once: each multiplies the rates that the ones before set.

    Args:
        schedulers: The schedules, all of one optimiser.
        optimizer: The optimiser; by default that of the first schedule.
    """

    def __init__(self, schedulers: Sequence[Any], optimizer: Optimizer | None = None) -> None:
        """Takes the schedules, which have set the first rates."""
        self._take(schedulers, optimizer)
        self.last_epoch = 0
        self._last_lr = [group["lr"] for group in self.optimizer.param_groups]

    def _advance(self) -> None:
        self.last_epoch += 1
        for one in self._schedulers:
            one._advance()
        self._last_lr = [group["lr"] for group in self.optimizer.param_groups]

    def _move_to(self, epoch: int) -> None:
        self.last_epoch = epoch
        for one in self._schedulers:
            one._move_to(epoch)
        self._last_lr = [group["lr"] for group in self.optimizer.param_groups]

    def step(self, epoch: int | None = None) -> None:
        """Sets the rates of the next step; call it after the optimiser's step."""
        self._advance()


__all__ = ["ChainedScheduler", "SequentialLR"]
