# SPDX-License-Identifier: Apache-2.0
"""Default devices: in `with tenon.device("meta")`, factories create tensors on that device."""

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
    """A mode that passes its device to factories that are called without one."""

    def __init__(self, where: device) -> None:
        """Initializes the mode for a device that is entered."""
        self.device = where

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        """Calls the function; adds the device to calls of factories."""
        options = dict(kwargs or {})
        if func in _factories() and options.get("device") is None:
            options["device"] = self.device
        return func(*args, **options)


class _Entered(threading.local):
    def __init__(self) -> None:
        self.modes: list[DeviceMode] = []


_entered = _Entered()


def enter(where: device) -> None:
    """Implements `device.__enter__`."""
    mode = DeviceMode(where)
    mode.__enter__()
    _entered.modes.append(mode)


def leave() -> None:
    """Implements `device.__exit__`."""
    if not _entered.modes:
        raise StateError("device: a context must be entered before it is left")
    _entered.modes[-1].__exit__()
    _entered.modes.pop()


_lasting = _Entered()


def set_default_device(where: Any) -> None:
    """Sets the device of this thread's factories; None restores the CPU."""
    if _lasting.modes:
        _lasting.modes.pop().__exit__()
    if where is not None:
        from ._tenon import device

        mode = DeviceMode(device(where))
        mode.__enter__()
        _lasting.modes.append(mode)


def get_default_device() -> device:
    """Returns the device on which factories of this thread create tensors."""
    from ._tenon import device

    modes = [*_lasting.modes, *_entered.modes]
    return modes[-1].device if modes else device("cpu")
