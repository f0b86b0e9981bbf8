# SPDX-License-Identifier: Apache-2.0
"""Gradient scaling: small gradients in float16 are kept from becoming zero.

A loss is multiplied by a large scale before the backward pass, and gradients are divided by it
before the step. A step whose gradients are not all finite is left out, and the scale shrinks; after
many good steps it grows.
"""

from __future__ import annotations

import enum as _enum
import math as _math
import struct as _struct

from .._tenon import Tensor
from ..device import is_available
from ..dtype import float16
from ..error import ArgumentTypeError, InvalidArgumentError, StateError
from ..grad_mode import no_grad
from .autocast_mode import _number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class OptState(_enum.Enum):
    """The progress of an optimizer's step."""

    READY = 0
    UNSCALED = 1
    STEPPED = 2


def _as_float32(number: float) -> float:
    """Returns the nearest float32, so that scaling is equal on every device."""
    try:
        return float(_struct.unpack("f", _struct.pack("f", number))[0])
    except OverflowError:
        return _math.inf


class _Progress:
    """State of an optimizer since the last `update`."""

    def __init__(self) -> None:
        self.stage = OptState.READY
        self.found: list[Tensor] = []  # one per device: 0, or NaN if a gradient is not finite


class GradScaler:
    """Scales losses and the steps of optimizers.

    A training loop with one::

        scaler = tenon.amp.GradScaler("cpu")
        for data, target in batches:
            optimizer.zero_grad()
            with tenon.autocast("cpu", dtype=tenon.float16):
                loss = loss_of(model(data), target)
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()

    Args:
        device: Device type. If "cuda" has no device, scaling is disabled with a warning.
        init_scale: The first scale.
        growth_factor: Factor of the scale after `growth_interval` steps with finite gradients.
        backoff_factor: Factor of the scale after a step with a gradient that is not finite.
        growth_interval: Number of steps.
        enabled: If false, `step` only calls the optimizer, and all other methods do nothing.

    Raises:
        InvalidArgumentError: If a factor is on the wrong side of 1, or the device has no autocast.
    """

    def __init__(
        self,
        device: str = "cuda",
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        """Creates a scaler with the initial scale."""
        _number(device)
        self._device = device
        self._enabled = bool(enabled)
        if self._enabled and device == "cuda" and not is_available("cuda"):
            import warnings

            warnings.warn(
                "GradScaler: device must be available, got cuda, which is not; scaling is disabled",
                stacklevel=2,
            )
            self._enabled = False
        if not self._enabled:
            return
        if growth_factor <= 1.0:
            raise InvalidArgumentError(
                f"GradScaler: growth_factor must be above 1, got {growth_factor}"
            )
        if backoff_factor >= 1.0:
            raise InvalidArgumentError(
                f"GradScaler: backoff_factor must be below 1, got {backoff_factor}"
            )
        self._init_scale = init_scale
        self._scale: float | None = None  # until the first loss is scaled
        self._growth_factor = growth_factor
        self._backoff_factor = backoff_factor
        self._growth_interval = growth_interval
        self._growth_tracker = 0
        self._progress: dict[int, _Progress] = {}

    # ---- A step ----------------------------------------------------------------------------------

    def scale(self, outputs: Any) -> Any:
        """Multiplies a tensor, or tensors in lists, tuples and other iterables, with the scale.

        Raises:
            ArgumentTypeError: If outputs are of another type.
        """
        if not self._enabled:
            return outputs
        if self._scale is None:
            self._scale = _as_float32(self._init_scale)
        if isinstance(outputs, Tensor):
            return outputs * self._scale
        if isinstance(outputs, (list, tuple)):
            return type(outputs)(map(self.scale, outputs))
        if hasattr(outputs, "__iter__"):
            return map(self.scale, outputs)
        raise ArgumentTypeError(
            "GradScaler.scale: outputs must be a Tensor or an iterable of them, got "
            f"{type(outputs).__name__}"
        )

    def _current_scale(self, function: str) -> float:
        if self._scale is None:
            raise StateError(
                f"GradScaler.{function}: a loss must have been scaled before, got none"
            )
        return self._scale

    def unscale_(self, optimizer: Any) -> None:
        """Divides an optimizer's gradients by the scale, once per step, e.g. before clipping.

        `step` calls it if it has not been called.

        Raises:
            StateError: If gradients are already unscaled, or no loss has been scaled yet.
            InvalidArgumentError: If gradients are float16: parameters should be float32.
        """
        if not self._enabled:
            return
        scale = self._current_scale("unscale_")
        progress = self._progress.setdefault(id(optimizer), _Progress())
        if progress.stage is OptState.UNSCALED:
            raise StateError(
                "GradScaler.unscale_: unscale_() has already been called on this optimizer since "
                "the last update()"
            )
        if progress.stage is OptState.STEPPED:
            raise StateError("GradScaler.unscale_: unscale_() is being called after step()")
        progress.found = _unscale(optimizer, _as_float32(1.0 / scale) if scale != 0 else _math.inf)
        progress.stage = OptState.UNSCALED

    def step(self, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        """Runs an optimizer's step, unless a gradient is not finite.

        Returns:
            The result of the optimizer; None if the step was skipped.

        Raises:
            StateError: If the step was already taken since the last `update`, a closure is given,
                there are no gradients, or no loss has been scaled yet.
        """
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise StateError("GradScaler.step: closure must not be given, got one")
        self._current_scale("step")
        progress = self._progress.setdefault(id(optimizer), _Progress())
        if progress.stage is OptState.STEPPED:
            raise StateError(
                "GradScaler.step: step() has already been called since the last update()"
            )
        if progress.stage is OptState.READY:
            self.unscale_(optimizer)
        if not progress.found:
            raise StateError(
                "GradScaler.step: a parameter of the optimizer must have a gradient, got none"
            )
        answer = None
        if all(one.item() == 0 for one in progress.found):
            answer = optimizer.step(*args, **kwargs)
        progress.stage = OptState.STEPPED
        return answer

    def update(self, new_scale: float | Tensor | None = None) -> None:
        """Ends a step of all optimizers: the scale grows, shrinks, or becomes a new one.

        Raises:
            StateError: no gradients were checked, or no loss was scaled.
            InvalidArgumentError: a tensor that is not one number on the scaler's device, or that
                requires grad.
        """
        if not self._enabled:
            return
        scale = self._current_scale("update")
        if new_scale is not None:
            self._scale = _as_float32(self._number_of(new_scale))
        else:
            found = [one for each in self._progress.values() for one in each.found]
            if not found:
                raise StateError(
                    "GradScaler.update: gradients of an optimizer must have been checked by "
                    "unscale_() or step() before, "
                    "got none"
                )
            self._adapt(scale, all(one.item() == 0 for one in found))
        self._progress = {}

    def _number_of(self, given: float | Tensor) -> float:
        if not isinstance(given, Tensor):
            return float(given)
        if given.device.type != self._device or given.numel() != 1 or given.requires_grad:
            raise InvalidArgumentError(
                "GradScaler.update: new_scale must be a number, or a tensor of one element on "
                f"{self._device} that does not require grad, got {given!r}"
            )
        return float(given.item())

    def _adapt(self, scale: float, finite: bool) -> None:
        if not finite:
            self._scale = _as_float32(scale * self._backoff_factor)
            self._growth_tracker = 0
            return
        self._growth_tracker += 1
        if self._growth_tracker != self._growth_interval:
            return
        self._growth_tracker = 0
        grown = _as_float32(scale * self._growth_factor)
        if _math.isfinite(grown):
            self._scale = grown

    # ---- Settings
    # ------------------------------------------------------------------------------------

    def is_enabled(self) -> bool:
        """Returns true if losses are scaled."""
        return self._enabled

    def get_scale(self) -> float:
        """Returns the scale, or 1 if scaling is disabled."""
        if not self._enabled:
            return 1.0
        return float(self._init_scale) if self._scale is None else self._scale

    def get_growth_factor(self) -> float:
        """Returns the factor by which the scale grows."""
        return self._growth_factor

    def set_growth_factor(self, new_factor: float) -> None:
        """Sets the factor by which the scale grows."""
        self._growth_factor = new_factor

    def get_backoff_factor(self) -> float:
        """Returns the factor by which the scale shrinks."""
        return self._backoff_factor

    def set_backoff_factor(self, new_factor: float) -> None:
        """Sets the factor by which the scale shrinks."""
        self._backoff_factor = new_factor

    def get_growth_interval(self) -> int:
        """Returns the number of finite steps after which the scale grows."""
        return self._growth_interval

    def set_growth_interval(self, new_interval: int) -> None:
        """Sets the number of finite steps after which the scale grows."""
        self._growth_interval = new_interval

    def state_dict(self) -> dict[str, Any]:
        """Returns the scale, its options, and the count of finite steps; {} if disabled."""
        if not self._enabled:
            return {}
        return {
            "scale": self.get_scale(),
            "growth_factor": self._growth_factor,
            "backoff_factor": self._backoff_factor,
            "growth_interval": self._growth_interval,
            "_growth_tracker": self._growth_tracker,
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Restores the state that another scaler's `state_dict` returned.

        Raises:
            InvalidArgumentError: If the state is that of a disabled scaler.
        """
        if not self._enabled:
            return
        if not state_dict:
            raise InvalidArgumentError(
                "GradScaler.load_state_dict: state_dict must be of an enabled scaler, got {}"
            )
        self._init_scale = state_dict["scale"]
        if self._scale is not None:
            self._scale = _as_float32(state_dict["scale"])
        self._growth_factor = state_dict["growth_factor"]
        self._backoff_factor = state_dict["backoff_factor"]
        self._growth_interval = state_dict["growth_interval"]
        self._growth_tracker = state_dict["_growth_tracker"]

    def __getstate__(self) -> dict[str, Any]:
        if self._enabled and self._progress:
            raise StateError(
                "GradScaler: a scaler must be pickled at the beginning of a step, or after "
                "update(), got one inside of a step"
            )
        return self.__dict__.copy()


def _unscale(optimizer: Any, factor: float) -> list[Tensor]:
    """Multiplies gradients by a factor; returns 0 per device, or NaN if one is not finite."""
    found: dict[Any, Tensor] = {}
    with no_grad():
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                grad = parameter.grad
                if grad is None:
                    continue
                if grad.dtype == float16:
                    raise InvalidArgumentError(
                        "GradScaler.unscale_: gradients must not be float16, got some: Attempting "
                        "to unscale FP16 gradients."
                    )
                sizes = grad.abs() if grad.dtype.is_complex else grad
                wrong = (sizes * 0).sum()  # 0 times infinity is NaN
                where = grad.device
                found[where] = found[where] + wrong if where in found else wrong
                grad.mul_(factor)
    return list(found.values())


__all__ = ["GradScaler", "OptState"]
