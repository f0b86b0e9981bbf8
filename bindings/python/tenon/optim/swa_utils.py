# SPDX-License-Identifier: Apache-2.0
"""Averages of a model's weights over steps: equal (Izmailov et al., 2018) or exponential."""

from __future__ import annotations

import copy
import itertools
import math

from .._tenon import Tensor
from ..dtype import int64
from ..error import InvalidArgumentError
from ..factories import tensor
from ..grad_mode import no_grad
from ..nn.modules.batchnorm import _BatchNorm
from ..nn.modules.module import Module
from .lr_scheduler import LRScheduler
from .optimizer import foreach_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from .optimizer import Optimizer


def _check_decay(function: str, decay: float) -> None:
    if not 0 <= decay <= 1:
        raise InvalidArgumentError(f"{function}: decay must be from 0 to 1, got {decay}")


def get_ema_multi_avg_fn(decay: float = 0.999) -> Callable[..., None]:
    """Returns a function that updates lists of exponential averages in place."""
    _check_decay("get_ema_multi_avg_fn", decay)

    @no_grad()
    def update(averages: list[Tensor], values: list[Tensor], _: Any) -> None:
        if averages[0].is_floating_point() or averages[0].is_complex():
            foreach_of("lerp_", averages, values, 1 - decay)
            return
        for average, value in zip(averages, values, strict=True):
            average.copy_(average * decay + value * (1 - decay))

    return update


def get_swa_multi_avg_fn() -> Callable[..., None]:
    """Returns a function that updates lists of equal averages in place."""

    @no_grad()
    def update(averages: list[Tensor], values: list[Tensor], num_averaged: Any) -> None:
        count = int(num_averaged) + 1
        if averages[0].is_floating_point() or averages[0].is_complex():
            foreach_of("lerp_", averages, values, 1 / count)
            return
        for average, value in zip(averages, values, strict=True):
            average.add_(((value - average) / count).to(average.dtype))

    return update


def get_ema_avg_fn(decay: float = 0.999) -> Callable[..., Tensor]:
    """Returns a function that returns the next exponential average of a parameter."""
    _check_decay("get_ema_avg_fn", decay)

    @no_grad()
    def average(average: Tensor, value: Tensor, _: Any) -> Tensor:
        return decay * average + (1 - decay) * value

    return average


def get_swa_avg_fn() -> Callable[..., Tensor]:
    """Returns a function that returns the next equal average of a parameter."""

    @no_grad()
    def average(average: Tensor, value: Tensor, num_averaged: Any) -> Tensor:
        return average + (value - average) / (num_averaged + 1)

    return average


class AveragedModel(Module):
    """A copy of a model whose parameters are averages.

    Args:
        model: The model; `update_parameters` takes its values into the averages.
        device: Device of the copy.
        avg_fn: Returns the next average from an average, a value, and the number of averaged ones.
        multi_avg_fn: Updates lists of averages in place from the same arguments.
        use_buffers: If true, buffers are averaged as well; otherwise they are copied.

    Attributes:
        module: The copy.
        n_averaged: Number of values in the averages.
    """

    n_averaged: Tensor

    def __init__(
        self,
        model: Module,
        device: Any = None,
        avg_fn: Callable[..., Tensor] | None = None,
        multi_avg_fn: Callable[..., None] | None = None,
        use_buffers: bool = False,
    ) -> None:
        """Copies the model."""
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise InvalidArgumentError(
                "AveragedModel: avg_fn and multi_avg_fn must not both be given, got both"
            )
        self.module = copy.deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        options = {} if device is None else {"device": device}
        self.register_buffer("n_averaged", tensor(0, dtype=int64, **options))
        self.avg_fn, self.multi_avg_fn, self.use_buffers = avg_fn, multi_avg_fn, use_buffers

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the copy."""
        return self.module(*args, **kwargs)

    def _tensors(self, model: Module) -> list[Tensor]:
        buffers = model.buffers() if self.use_buffers else ()
        return [one.detach() for one in itertools.chain(model.parameters(), buffers)]

    def update_parameters(self, model: Module) -> None:
        """Takes the parameters of a model into the averages; the first ones are copied."""
        averages = self._tensors(self.module)
        pairs = zip(averages, self._tensors(model), strict=False)
        values = [value.to(average.device) for average, value in pairs]
        if int(self.n_averaged) == 0:
            for average, value in zip(averages, values, strict=True):
                average.copy_(value)
        elif self.avg_fn is not None:
            for average, value in zip(averages, values, strict=True):
                count = self.n_averaged.to(average.device)
                average.copy_(self.avg_fn(average, value, count))
        else:
            update = self.multi_avg_fn or get_swa_multi_avg_fn()
            for of_average, of_value, device in _by_kind(averages, values):
                update(of_average, of_value, self.n_averaged.to(device))
        if not self.use_buffers:
            for buffer, value in zip(self.module.buffers(), model.buffers(), strict=True):
                buffer.detach().copy_(value.detach())
        self.n_averaged += 1


def _by_kind(averages: list[Tensor], values: list[Tensor]) -> list[tuple[Any, Any, Any]]:
    """Returns the pairs of averages and values by their dtype and device."""
    kinds: dict[Any, tuple[list[Tensor], list[Tensor], Any]] = {}
    for average, value in zip(averages, values, strict=True):
        key = (average.device, average.dtype, value.dtype)
        kind = kinds.setdefault(key, ([], [], average.device))
        kind[0].append(average)
        kind[1].append(value)
    return [*kinds.values()]


@no_grad()
def update_bn(loader: Iterable[Any], model: Module, device: Any = None) -> None:
    """Computes the running statistics of batch norms anew from one pass over data.

    Args:
        loader: Batches: tensors, or lists or tuples that begin with one.
        model: The model.
        device: Device that batches are moved to.
    """
    norms = [one for one in model.modules() if isinstance(one, _BatchNorm)]
    if not norms:
        return
    momenta = [one.momentum for one in norms]
    was_training = model.training
    model.train()
    for one in norms:
        one.reset_running_stats()
        one.momentum = None
    for batch in loader:
        first = batch[0] if isinstance(batch, (list, tuple)) else batch
        model(first if device is None else first.to(device))
    for one, momentum in zip(norms, momenta, strict=True):
        one.momentum = momentum
    model.train(was_training)


class SWALR(LRScheduler):
    """Moves the learning rates to fixed ones within some steps.

    Args:
        optimizer: The optimiser.
        swa_lr: The fixed rate, or one for each group.
        anneal_epochs: Number of steps.
        anneal_strategy: "cos" or "linear".
        last_epoch: See `LRScheduler`.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        swa_lr: Any,
        anneal_epochs: int = 10,
        anneal_strategy: str = "cos",
        last_epoch: int = -1,
    ) -> None:
        """Stores the options, and "swa_lr" in the groups."""
        groups = optimizer.param_groups
        rates = list(swa_lr) if isinstance(swa_lr, (list, tuple)) else [swa_lr] * len(groups)
        if len(rates) != len(groups):
            raise InvalidArgumentError(
                f"SWALR: swa_lr must be {len(groups)} numbers, got {len(rates)}"
            )
        if anneal_strategy not in ("cos", "linear"):
            raise InvalidArgumentError(
                f"SWALR: anneal_strategy must be 'cos' or 'linear', got {anneal_strategy!r}"
            )
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise InvalidArgumentError(
                f"SWALR: anneal_epochs must be an integer of at least 0, got {anneal_epochs}"
            )
        for group, rate in zip(groups, rates, strict=True):
            group["swa_lr"] = rate
        self.anneal_epochs, self._anneal_strategy = anneal_epochs, anneal_strategy
        super().__init__(optimizer, last_epoch)

    def _part(self, step: int) -> float:
        """Returns how far rates are from the first ones to the fixed ones, from 0 to 1."""
        t = max(0, min(1, step / max(1, self.anneal_epochs)))
        return (1 - math.cos(math.pi * t)) / 2 if self._anneal_strategy == "cos" else t

    def get_lr(self) -> list[float]:
        """See `LRScheduler.get_lr`."""
        step = self.last_epoch
        if self.anneal_epochs == 0:
            step = max(1, step)
        before, part = self._part(step - 1), self._part(step)
        rates = []
        for group in self.optimizer.param_groups:
            last = group["swa_lr"]
            first = last if before == 1 else (group["lr"] - before * last) / (1 - before)
            rates.append(last * part + first * (1 - part))
        return rates


__all__ = [
    "SWALR",
    "AveragedModel",
    "get_ema_avg_fn",
    "get_ema_multi_avg_fn",
    "get_swa_avg_fn",
    "get_swa_multi_avg_fn",
    "update_bn",
]
