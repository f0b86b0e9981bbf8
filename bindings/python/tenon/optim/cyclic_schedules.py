# SPDX-License-Identifier: Apache-2.0
"""Learning rates that rise and fall, restart, or follow a product or a power."""

from __future__ import annotations

import math

from ..error import InvalidArgumentError
from .lr_scheduler import LRScheduler, set_rate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def _each(scheduler: LRScheduler, name: str, value: Any) -> list[Any]:
    """Returns one value for each group."""
    count = len(scheduler.optimizer.param_groups)
    if not isinstance(value, (list, tuple)):
        return [value] * count
    if len(value) != count:
        raise InvalidArgumentError(
            f"{type(scheduler).__name__}: {name} must be {count} values, got {len(value)}"
        )
    return list(value)


class MultiplicativeLR(LRScheduler):
    """Multiplies the last rate by the result of a function of the step's number."""

    _resumes_at_current = True

    def __init__(self, optimizer: Any, lr_lambda: Any, last_epoch: int = -1) -> None:
        """Keeps one function, or one for each group."""
        count = len(optimizer.param_groups)
        self.lr_lambdas = [lr_lambda] * count if callable(lr_lambda) else list(lr_lambda)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """See `LRScheduler.get_lr`."""
        groups = self.optimizer.param_groups
        if self.last_epoch == 0:
            return [group["lr"] for group in groups]
        return [
            group["lr"] * function(self.last_epoch)
            for group, function in zip(groups, self.lr_lambdas, strict=True)
        ]


class PolynomialLR(LRScheduler):
    """The first rate times (1 - step / total_iters) ** power, 0 in the end."""

    _resumes_at_current = True

    def __init__(
        self, optimizer: Any, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1
    ) -> None:
        """Stores the options."""
        self.total_iters = total_iters
        self.power = power
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """See `LRScheduler.get_lr`."""
        rates = [group["lr"] for group in self.optimizer.param_groups]
        if self.last_epoch == 0 or self.last_epoch > self.total_iters:
            return rates
        now = 1.0 - self.last_epoch / self.total_iters
        before = 1.0 - (self.last_epoch - 1) / self.total_iters
        factor = (now / before) ** self.power
        return [rate * factor for rate in rates]

    def _at(self, epoch: int) -> list[float]:
        factor = (1.0 - min(epoch, self.total_iters) / self.total_iters) ** self.power
        return [base * factor for base in self.base_lrs]


class CosineAnnealingWarmRestarts(LRScheduler):
    """Cosine annealing from the first rate to eta_min, with restarts.

    Args:
        optimizer: See `LRScheduler`.
        T_0: Steps of the first period.
        T_mult: How much longer each period is than the one before.
        eta_min: The least rate.
        last_epoch: See `LRScheduler`.
    """

    def __init__(
        self,
        optimizer: Any,
        T_0: int,
        T_mult: int = 1,
        eta_min: float = 0.0,
        last_epoch: int = -1,
    ) -> None:
        """Stores the options."""
        if T_0 <= 0 or not isinstance(T_0, int) or T_mult < 1 or not isinstance(T_mult, int):
            raise InvalidArgumentError(
                "CosineAnnealingWarmRestarts: T_0 and T_mult must be positive ints, got "
                f"{T_0} and {T_mult}"
            )
        self.T_0 = self.T_i = T_0
        self.T_mult, self.eta_min = T_mult, eta_min
        self.T_cur: float = last_epoch
        super().__init__(optimizer, last_epoch)
        self._place(self.last_epoch)
        self._set(self.get_lr())

    def get_lr(self) -> list[float]:
        """See `LRScheduler.get_lr`."""
        share = (1 + math.cos(math.pi * self.T_cur / self.T_i)) / 2
        return [self.eta_min + (base - self.eta_min) * share for base in self.base_lrs]

    def _place(self, epoch: float) -> None:
        """Finds the period of a step, and the position of the step in it."""
        self.T_i, self.T_cur = self.T_0, epoch
        if epoch >= self.T_0 and self.T_mult == 1:
            self.T_cur = epoch % self.T_0
        elif epoch >= self.T_0:
            count = int(math.log(epoch / self.T_0 * (self.T_mult - 1) + 1, self.T_mult))
            start = self.T_0 * (self.T_mult**count - 1) / (self.T_mult - 1)
            self.T_cur = epoch - start
            self.T_i = self.T_0 * self.T_mult**count

    def step(self, epoch: float | None = None) -> None:
        """Sets the rates of the next step, or of any, which may be a fraction."""
        if epoch is None:
            epoch = self.last_epoch + 1
            self.T_cur += 1
            if self.T_cur >= self.T_i:
                self.T_cur -= self.T_i
                self.T_i *= self.T_mult
        elif epoch < 0:
            raise InvalidArgumentError(
                f"CosineAnnealingWarmRestarts: epoch must be at least 0, got {epoch}"
            )
        else:
            self._place(epoch)
        self.last_epoch = math.floor(epoch)
        self._set(self.get_lr())


class CyclicLR(LRScheduler):
    """Rates that cycle between two bounds (Smith, 2017); momentum moves the other way.

    Args:
        optimizer: See `LRScheduler`.
        base_lr: The lower bound, one for all groups or one per group.
        max_lr: The upper bound.
        step_size_up: Number of steps of the rising half.
        step_size_down: Number of steps of the falling half, by default step_size_up.
        mode: "triangular", "triangular2" (each cycle half as high) or "exp_range".
        gamma: Base of the factor gamma ** step of "exp_range".
        scale_fn: Another factor, instead of a mode.
        scale_mode: Argument of scale_fn: "cycle" or "iterations".
        cycle_momentum: If true, changes the momentum.
        base_momentum: Lower bound of the momentum.
        max_momentum: Upper bound of the momentum.
        last_epoch: See `LRScheduler`.
    """

    def __init__(
        self,
        optimizer: Any,
        base_lr: Any,
        max_lr: Any,
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: str = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None,
        scale_mode: str = "cycle",
        cycle_momentum: bool = True,
        base_momentum: float = 0.8,
        max_momentum: float = 0.9,
        last_epoch: int = -1,
    ) -> None:
        """Stores the options."""
        if mode not in ("triangular", "triangular2", "exp_range") and scale_fn is None:
            raise InvalidArgumentError(f"CyclicLR: mode must be a known one, got {mode!r}")
        self.optimizer = optimizer
        lower = _each(self, "base_lr", base_lr)
        if last_epoch == -1:
            for group, rate in zip(optimizer.param_groups, lower, strict=True):
                set_rate(group, rate)
        self.max_lrs = _each(self, "max_lr", max_lr)
        down = step_size_up if step_size_down is None else step_size_down
        self.total_size = float(step_size_up + down)
        self.step_ratio = step_size_up / self.total_size
        self.mode, self.gamma = mode, gamma
        self._scale_fn = scale_fn
        self.scale_mode = (
            scale_mode
            if scale_fn is not None
            else ("iterations" if mode == "exp_range" else "cycle")
        )
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            options = optimizer.defaults
            if "momentum" not in options and "betas" not in options:
                raise InvalidArgumentError(
                    "CyclicLR: optimizer must have momentum or betas with cycle_momentum"
                )
            self.base_momentums = _each(self, "base_momentum", base_momentum)
            self.max_momentums = _each(self, "max_momentum", max_momentum)
            if last_epoch == -1:
                for group, value in zip(optimizer.param_groups, self.max_momentums, strict=True):
                    _set_momentum(group, value)
        super().__init__(optimizer, last_epoch)
        self.base_lrs = lower

    def scale_fn(self, x: float) -> float:
        """Returns the height of a cycle."""
        if self._scale_fn is not None:
            return self._scale_fn(x)
        if self.mode == "triangular":
            return 1.0
        return 1 / (2.0 ** (x - 1)) if self.mode == "triangular2" else self.gamma**x

    def get_lr(self) -> list[float]:
        """See `LRScheduler.get_lr`; sets momentum, too."""
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        place = 1.0 + self.last_epoch / self.total_size - cycle
        if place <= self.step_ratio:
            share = place / self.step_ratio
        else:
            share = (place - 1) / (self.step_ratio - 1)
        height = self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        if self.cycle_momentum:
            bounds = zip(self.base_momentums, self.max_momentums, strict=True)
            for group, (low, high) in zip(self.optimizer.param_groups, bounds, strict=True):
                _set_momentum(group, high - (high - low) * share * height)
        return [
            low + (high - low) * share * height
            for low, high in zip(self.base_lrs, self.max_lrs, strict=True)
        ]


def _set_momentum(group: dict[str, Any], value: float) -> None:
    if "momentum" in group:
        group["momentum"] = value
    else:
        group["betas"] = (value, *group["betas"][1:])


class OneCycleLR(LRScheduler):
    """One rise and one long fall of the rate (Smith and Topin, 2019); momentum moves inversely.

    Args:
        optimizer: See `LRScheduler`.
        max_lr: The highest rate, one for all groups or one per group.
        total_steps: Total number of steps; or `epochs` times `steps_per_epoch`.
        epochs: See total_steps.
        steps_per_epoch: See total_steps.
        pct_start: Fraction of the steps in which the rate rises.
        anneal_strategy: "cos" or "linear".
        cycle_momentum: If true, changes the momentum.
        base_momentum: Lower bound of the momentum.
        max_momentum: Upper bound of the momentum.
        div_factor: The first rate is max_lr / div_factor.
        final_div_factor: The last rate is the first one / final_div_factor.
        three_phase: If true, the rate falls as it rose, and then on to the last rate.
        last_epoch: See `LRScheduler`.
    """

    def __init__(
        self,
        optimizer: Any,
        max_lr: Any,
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: str = "cos",
        cycle_momentum: bool = True,
        base_momentum: Any = 0.85,
        max_momentum: Any = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
        last_epoch: int = -1,
    ) -> None:
        """Stores the options."""
        if total_steps is None:
            if epochs is None or steps_per_epoch is None:
                raise InvalidArgumentError(
                    "OneCycleLR: total_steps, or epochs and steps_per_epoch must be given"
                )
            total_steps = epochs * steps_per_epoch
        if total_steps <= 0 or not 0 <= pct_start <= 1:
            raise InvalidArgumentError(
                "OneCycleLR: total_steps must be positive and pct_start between 0 and 1, got "
                f"{total_steps} and {pct_start}"
            )
        if anneal_strategy not in ("cos", "linear"):
            raise InvalidArgumentError(
                f"OneCycleLR: anneal_strategy must be 'cos' or 'linear', got {anneal_strategy!r}"
            )
        self.optimizer, self.total_steps = optimizer, total_steps
        self.anneal_strategy, self.cycle_momentum = anneal_strategy, cycle_momentum
        rise = float(pct_start * total_steps) - 1
        momentum = ("max_momentum", "base_momentum")
        self.phases = [(rise, "initial_lr", "max_lr", *momentum)]
        if three_phase:
            fall = float(2 * pct_start * total_steps) - 2
            self.phases.append((fall, "max_lr", "initial_lr", *reversed(momentum)))
            self.phases.append((total_steps - 1, "initial_lr", "min_lr", *momentum[:1] * 2))
        else:
            self.phases.append((total_steps - 1, "max_lr", "min_lr", *reversed(momentum)))
        if last_epoch == -1:
            highest = _each(self, "max_lr", max_lr)
            bounds = [_each(self, "base_momentum", base_momentum)]
            bounds.append(_each(self, "max_momentum", max_momentum))
            for place, group in enumerate(optimizer.param_groups):
                group["initial_lr"] = highest[place] / div_factor
                group["max_lr"] = highest[place]
                group["min_lr"] = group["initial_lr"] / final_div_factor
                if cycle_momentum:
                    group["base_momentum"], group["max_momentum"] = (
                        bounds[0][place],
                        bounds[1][place],
                    )
                    _set_momentum(group, bounds[1][place])
        super().__init__(optimizer, last_epoch)

    def _between(self, start: float, end: float, share: float) -> float:
        if self.anneal_strategy == "linear":
            return (end - start) * share + start
        return end + (start - end) / 2.0 * (1 + math.cos(math.pi * share))

    def get_lr(self) -> list[float]:
        """See `LRScheduler.get_lr`; sets momentum, too."""
        step = self.last_epoch
        if step > self.total_steps:
            raise InvalidArgumentError(
                f"OneCycleLR: steps must be at most {self.total_steps}, got {step}"
            )
        start = 0.0
        for end, *names in self.phases:
            if step <= end or names == list(self.phases[-1][1:]):
                break
            start = end
        share = (step - start) / (end - start)
        rates = []
        for group in self.optimizer.param_groups:
            rates.append(self._between(group[names[0]], group[names[1]], share))
            if self.cycle_momentum:
                _set_momentum(group, self._between(group[names[2]], group[names[3]], share))
        return rates


__all__ = [
    "CosineAnnealingWarmRestarts",
    "CyclicLR",
    "MultiplicativeLR",
    "OneCycleLR",
    "PolynomialLR",
]
