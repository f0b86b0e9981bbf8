# SPDX-License-Identifier: Apache-2.0
"""Default devices: `with tenon.device("meta")` has factories make their tensors there."""

from __future__ import annotations

import functools
import threading

from . import factories
from .error import StateError
from .overrides import TorchFunctionMode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ._tenon import device

_NAMES = (
    "arange",
    "as_tensor",
    "empty",
    "empty_strided",
    "eye",
    "full",
    "ones",
    "rand",
    "randn",
    "tensor",
    "zeros",
)


@functools.cache
def _factories() -> frozenset[Callable[..., Any]]:
    return frozenset(getattr(factories, name) for name in _NAMES)


class DeviceMode(TorchFunctionMode):
    """Gives factories that are called without a device this one."""

    def __init__(self, where: device) -> None:
        """Made where a device is entered."""
        self.device = where

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        """Calls the function, a factory with the device."""
        options = dict(kwargs or {})
        if func in _factories() and options.get("device") is None:
            options["device"] = self.device
        return func(*args, **options)


class _Entered(threading.local):
    def __init__(self) -> None:
        self.modes: list[DeviceMode] = []


_entered = _Entered()


def enter(where: device) -> None:
    """What `device.__enter__` does."""
    mode = DeviceMode(where)
    mode.__enter__()
    _entered.modes.append(mode)


def leave() -> None:
    """What `device.__exit__` does."""
    if not _entered.modes:
        raise StateError("device: a context must be entered before it is left")
    _entered.modes[-1].__exit__()
    _entered.modes.pop()


_lasting = _Entered()


def set_default_device(where: Any) -> None:
    """Has factories of this thread make their tensors on a device; None puts back the CPU."""
    if _lasting.modes:
        _lasting.modes.pop().__exit__()
    if where is not None:
        from ._tenon import device

        mode = DeviceMode(device(where))
        mode.__enter__()
        _lasting.modes.append(mode)


def get_default_device() -> device:
    """Returns the device on which factories of this thread make their tensors."""
    from ._tenon import device

    modes = [*_lasting.modes, *_entered.modes]
    return modes[-1].device if modes else device("cpu")
