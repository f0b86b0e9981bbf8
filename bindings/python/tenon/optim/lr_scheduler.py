# SPDX-License-Identifier: Apache-2.0
"""Learning rates that change from step to step, or when a metric no longer does."""

from __future__ import annotations

import math
import warnings
from bisect import bisect_right

from .._tenon import Tensor
from ..error import ArgumentTypeError, InvalidArgumentError
from .optimizer import Optimizer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any


def set_rate(group: dict[str, Any], rate: Any) -> None:
    """Sets the rate of a group; a rate that is a tensor is changed in place."""
    if isinstance(group["lr"], Tensor):
        group["lr"].detach().fill_(float(rate))
    else:
        group["lr"] = rate


def rate_of(group: dict[str, Any]) -> Any:
    """Returns the rate of a group; a copy if it is a tensor."""
    rate = group["lr"]
    return rate.detach().clone() if isinstance(rate, Tensor) else rate


class LRScheduler:
    """Base of schedules: a subclass defines `factor`, the factor of the first rate at a step.

    Args:
        optimizer: The optimiser; sets "lr" of its groups and stores the first rate as "initial_lr".
        last_epoch: Number of steps already done, minus one; -1 for a new training.

    Raises:
        ArgumentTypeError: If optimizer is not an Optimizer.
        InvalidArgumentError: If training is resumed and groups have no "initial_lr".
    """

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        """Sets the first rates."""
        name = type(self).__name__
        if not isinstance(optimizer, Optimizer):
            raise ArgumentTypeError(
                f"{name}: optimizer must be an Optimizer, got {type(optimizer).__name__}"
            )
        self.optimizer = optimizer
        for number, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", rate_of(group))
            elif "initial_lr" not in group:
                raise InvalidArgumentError(
                    f"{name}: group {number} must have initial_lr where last_epoch is given, got "
                    "none"
                )
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        self.last_epoch = last_epoch + 1
        self._steps_at_start = optimizer.steps_taken
        is_resumed = last_epoch != -1 and self._resumes_at_current
        self._set(self._rates() if is_resumed else self.get_lr())

    # True for schedules that go on from the rates of a loaded optimiser when they are resumed.
    _resumes_at_current = False

    def _rates(self) -> list[Any]:
        return [rate_of(group) for group in self.optimizer.param_groups]

    def factor(self, epoch: int) -> float:
        """Returns the factor of the first rate after `epoch` steps."""
        raise NotImplementedError(f"{type(self).__name__} must define factor or get_lr")

    def get_lr(self) -> list[float]:
        """Computes the rates of this step, one per group, from the previous ones.

        Schedules of one optimiser that step in turn multiply the rates with one another.
        """
        factor = self.factor(self.last_epoch)
        before = self.factor(self.last_epoch - 1) if self.last_epoch > 0 else 1.0
        if before == 0:
            return self._at(self.last_epoch)
        rates = [group["lr"] for group in self.optimizer.param_groups]
        return rates if factor == before else [rate * factor / before for rate in rates]

    def _at(self, epoch: int) -> list[float]:
        """Computes the rates after `epoch` steps, one per group, from the first ones."""
        try:
            factor = self.factor(epoch)
        except NotImplementedError:
            return self.get_lr()
        return [base * factor for base in self.base_lrs]

    def _move_to(self, epoch: int) -> None:
        """Sets the rates after `epoch` steps, whatever they were before."""
        self.last_epoch = epoch
        self._set(self._at(epoch))

    def get_last_lr(self) -> list[float]:
        """Returns the rates that were last set."""
        return self._last_lr

    def _set(self, rates: Sequence[float]) -> None:
        for group, rate in zip(self.optimizer.param_groups, rates, strict=False):
            set_rate(group, rate)
        self._last_lr = [rate_of(group) for group in self.optimizer.param_groups]

    def step(self, epoch: int | None = None) -> None:
        """Sets the rates of the next step; call it after the optimiser's step.

        Args:
            epoch: The number of steps to go on from; deprecated.
        """
        if self.optimizer.steps_taken == self._steps_at_start:
            warnings.warn(
                f"{type(self).__name__}: optimizer.step must be called before step, got the "
                "opposite order: the first value of the schedule is skipped",
                stacklevel=2,
            )
            self._steps_at_start = -1
        if epoch is not None:
            warnings.warn(
                f"{type(self).__name__}: epoch must not be passed to step, got {epoch}: it is "
                "deprecated, since schedulers count their steps",
                stacklevel=2,
            )
            self._move_to(epoch)
            return
        self._advance()

    def _advance(self) -> None:
        self.last_epoch += 1
        self._set(self.get_lr())

    def state_dict(self) -> dict[str, Any]:
        """Returns the state of the schedule without its optimiser."""
        return {key: one for key, one in self.__dict__.items() if key != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Restores the state that `state_dict` returned."""
        self.__dict__.update(state_dict)


def _check_factor(owner: str, name: str, factor: float, open_at_0: bool = False) -> None:
    if not 0 <= factor <= 1 or (open_at_0 and factor == 0):
        least = "above 0" if open_at_0 else "from 0"
        raise InvalidArgumentError(f"{owner}: {name} must be {least} up to 1, got {factor}")


class LambdaLR(LRScheduler):
    """Multiplies the first rate by the result of a function of the step's number.

    Args:
        optimizer: See `LRScheduler`.
        lr_lambda: One function, or one for each group.
        last_epoch: See `LRScheduler`.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        lr_lambda: Callable[[int], float] | Sequence[Callable[[int], float]],
        last_epoch: int = -1,
    ) -> None:
        """Sets the first rates."""
        count = len(optimizer.param_groups)
        self.lr_lambdas = [lr_lambda] * count if callable(lr_lambda) else list(lr_lambda)
        if len(self.lr_lambdas) != count:
            raise InvalidArgumentError(
                f"LambdaLR: lr_lambda must have one function for each of {count} groups, got "
                f"{len(self.lr_lambdas)}"
            )
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """See `LRScheduler.get_lr`."""
        pairs = zip(self.base_lrs, self.lr_lambdas, strict=True)
        return [base * function(self.last_epoch) for base, function in pairs]

    def state_dict(self) -> dict[str, Any]:
        """See `LRScheduler.state_dict`; functions are left out."""
        return {key: one for key, one in super().state_dict().items() if key != "lr_lambdas"}


class StepLR(LRScheduler):
    """Multiplies the rate by gamma every step_size steps."""

    def __init__(
        self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        """Sets the first rates."""
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer, last_epoch)

    def factor(self, epoch: int) -> float:
        """See `LRScheduler.factor`."""
        return float(self.gamma ** (epoch // self.step_size))


class MultiStepLR(LRScheduler):
    """Multiplies the rate by gamma at each milestone."""

    def __init__(
        self,
        optimizer: Optimizer,
        milestones: Sequence[int],
        gamma: float = 0.1,
        last_epoch: int = -1,
    ) -> None:
        """Sets the first rates."""
        self.milestones, self.gamma = sorted(milestones), gamma
        super().__init__(optimizer, last_epoch)

    def factor(self, epoch: int) -> float:
        """See `LRScheduler.factor`."""
        return float(self.gamma ** bisect_right(self.milestones, epoch))


class ConstantLR(LRScheduler):
    """Multiplies the rate by a factor in the first total_iters steps."""

    def __init__(
        self,
        optimizer: Optimizer,
        factor: float = 1.0 / 3,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        """Sets the first rates."""
        _check_factor("ConstantLR", "factor", factor)
        self.start_factor, self.total_iters = factor, total_iters
        super().__init__(optimizer, last_epoch)

    def factor(self, epoch: int) -> float:
        """See `LRScheduler.factor`."""
        return self.start_factor if epoch < self.total_iters else 1.0


class LinearLR(LRScheduler):
    """Multiplies the rate by a factor that changes linearly in total_iters steps."""

    _resumes_at_current = True

    def __init__(
        self,
        optimizer: Optimizer,
        start_factor: float = 1.0 / 3,
        end_factor: float = 1.0,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        """Sets the first rates."""
        _check_factor("LinearLR", "start_factor", start_factor, open_at_0=True)
        _check_factor("LinearLR", "end_factor", end_factor)
        self.start_factor, self.end_factor = start_factor, end_factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def factor(self, epoch: int) -> float:
        """See `LRScheduler.factor`."""
        done = min(epoch, self.total_iters) / self.total_iters
        return self.start_factor + (self.end_factor - self.start_factor) * done


class ExponentialLR(LRScheduler):
    """Multiplies the rate by gamma at each step."""

    _resumes_at_current = True

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        """Sets the first rates."""
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def factor(self, epoch: int) -> float:
        """See `LRScheduler.factor`."""
        return float(self.gamma**epoch)


class CosineAnnealingLR(LRScheduler):
    """The rate follows half a cosine, from the first one to eta_min in T_max steps, and back."""

    _resumes_at_current = True

    def __init__(
        self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1
    ) -> None:
        """Sets the first rates."""
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """See `LRScheduler.get_lr`."""
        groups = self.optimizer.param_groups
        if self.last_epoch == 0:
            return [group["lr"] for group in groups]
        before = self._share(self.last_epoch - 1)
        if before < 1e-12:
            # At the minimum a factor cannot raise the rate, so the difference of the cosine is
            # added.
            rise = self._share(self.last_epoch) - before
            pairs = zip(groups, self.base_lrs, strict=True)
            return [group["lr"] + (base - self.eta_min) * rise for group, base in pairs]
        share = self._share(self.last_epoch) / before
        return [self.eta_min + (group["lr"] - self.eta_min) * share for group in groups]

    def _share(self, epoch: int) -> float:
        return (1 + math.cos(math.pi * epoch / self.T_max)) / 2

    def _at(self, epoch: int) -> list[float]:
        share = self._share(epoch)
        return [self.eta_min + (base - self.eta_min) * share for base in self.base_lrs]


class ReduceLROnPlateau:
    """Multiplies the rate by factor once a metric has not improved for `patience` steps.

    Args:
        optimizer: The optimiser; sets "lr" of its groups.
        mode: "min" if lower metrics are better, "max" if higher ones are.
        factor: Factor of the rate, below 1.
        patience: Number of steps without improvement that are tolerated.
        threshold: Minimum difference that counts as an improvement.
        threshold_mode: "rel": threshold is relative to the best metric; "abs": it is absolute.
        cooldown: Number of steps after a reduction that are not counted.
        min_lr: The lowest rate, one for all groups or one per group.
        eps: Smaller reductions are not applied.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        mode: str = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: str = "rel",
        cooldown: int = 0,
        min_lr: float | Sequence[float] = 0,
        eps: float = 1e-8,
    ) -> None:
        """Initializes the schedule, without a metric yet."""
        for name, value, allowed in (
            ("mode", mode, ("min", "max")),
            ("threshold_mode", threshold_mode, ("rel", "abs")),
        ):
            if value not in allowed:
                raise InvalidArgumentError(
                    f"ReduceLROnPlateau: {name} must be {allowed[0]} or {allowed[1]}, got {value!r}"
                )
        if not factor < 1:
            raise InvalidArgumentError(f"ReduceLROnPlateau: factor must be below 1, got {factor!r}")
        count = len(optimizer.param_groups)
        self.min_lrs = [min_lr] * count if isinstance(min_lr, (int, float)) else list(min_lr)
        if len(self.min_lrs) != count:
            raise InvalidArgumentError(
                f"ReduceLROnPlateau: min_lr must have one rate for each of {count} groups, got "
                f"{len(self.min_lrs)}"
            )
        self.optimizer, self.mode, self.factor, self.patience = optimizer, mode, factor, patience
        self.threshold, self.threshold_mode = threshold, threshold_mode
        self.cooldown, self.eps = cooldown, eps
        self.best = math.inf if mode == "min" else -math.inf
        self.num_bad_epochs = self.cooldown_counter = self.last_epoch = 0
        self._last_lr = [rate_of(group) for group in optimizer.param_groups]

    def is_better(self, metric: float, best: float) -> bool:
        """Returns true if a metric is better than the best so far, by the threshold."""
        sign = 1.0 if self.mode == "max" else -1.0
        if self.threshold_mode == "rel":
            return sign * metric > sign * best * (1 + sign * self.threshold)
        return sign * metric > sign * best + self.threshold

    def get_last_lr(self) -> list[float]:
        """Returns the current rates."""
        return self._last_lr

    def step(self, metrics: Any) -> None:
        """Reports the metric of a step, a number or a tensor of one element."""
        metric = float(metrics)
        self.last_epoch += 1
        if self.is_better(metric, self.best):
            self.best, self.num_bad_epochs = metric, 0
        else:
            self.num_bad_epochs += 1
        if self.cooldown_counter > 0:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            groups = zip(self.optimizer.param_groups, self.min_lrs, strict=False)
            for group, least in groups:
                rate = max(group["lr"] * self.factor, least)
                if group["lr"] - rate > self.eps:
                    set_rate(group, rate)
            self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0
        self._last_lr = [rate_of(group) for group in self.optimizer.param_groups]

    def state_dict(self) -> dict[str, Any]:
        """Returns the state of the schedule without its optimiser."""
        return {key: one for key, one in self.__dict__.items() if key != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Restores the state that `state_dict` returned."""
        self.__dict__.update(state_dict)


__all__ = [
    "ConstantLR",
    "CosineAnnealingLR",
    "ExponentialLR",
    "LRScheduler",
    "LambdaLR",
    "LinearLR",
    "MultiStepLR",
    "ReduceLROnPlateau",
    "StepLR",
]

_LRScheduler = LRScheduler  # old name, for programs that use it

from .cyclic_schedules import (  # noqa: E402  # they derive from LRScheduler
    CosineAnnealingWarmRestarts,
    CyclicLR,
    MultiplicativeLR,
    OneCycleLR,
    PolynomialLR,
)
from .sequential_schedules import ChainedScheduler, SequentialLR  # noqa: E402

__all__ += [
    "ChainedScheduler",
    "CosineAnnealingWarmRestarts",
    "CyclicLR",
    "MultiplicativeLR",
    "OneCycleLR",
    "PolynomialLR",
    "SequentialLR",
]
