# SPDX-License-Identifier: Apache-2.0
"""Devices, device counts, streams, and registration of backends."""

from __future__ import annotations

from . import _tenon
from ._tenon import device
from .error import InvalidArgumentError


def count(type: str = "cuda") -> int:
    """Returns the number of devices of a type; 0 without driver or provider."""
    return _tenon.tenon_device_count(device(type).type_code)


def is_available(type: str = "cuda") -> bool:
    """Returns true if there is a device of a type."""
    return count(type) > 0


def current_stream(where: device | str) -> tuple[device, int]:
    """Returns the current stream of a device: (device, the vendor's handle).

    Raises:
        NotFoundError: no plugin provides the device.
    """
    return _tenon.tenon_stream_current(where)


def synchronize(where: device | str) -> None:
    """Waits for all work queued on the current stream of a device."""
    _tenon.tenon_stream_synchronize(current_stream(where))


def register_backend(name: str) -> int:
    """Registers a backend, such as "npu", if it is new; returns its device type number."""
    return _tenon.tenon_backend_register(name)


_DEFAULTS = {
    "none": 0,
    "included": _tenon.TENON_KEY_FLAG_INCLUDED,
    "excluded": _tenon.TENON_KEY_FLAG_EXCLUDED,
}


def register_functionality(
    name: str,
    *,
    below: str | None = None,
    above: str | None = None,
    per_backend: bool = False,
    default: str = "none",
) -> int:
    """Declares a functionality key, such as "Profiler" below "Autograd"; returns its number.

    Args:
        name: Name of the key, and with `per_backend` the first part of its keys' names.
        below: The key that is considered before it; it takes the nearest free place.
        above: The key that is considered after it; one of the two is given.
        per_backend: One slot for each backend rather than one for all.
        default: The initial state of the key on all threads, existing ones included: "none",
            "included" like BackendSelect, or "excluded" like Autocast. Guards change it
            temporarily.

    Raises:
        NotFoundError: an unknown anchor.
        StateError: no place is free there; the message says where there is one.
        AlreadyExistsError: the name is taken, or was declared otherwise.
        InvalidArgumentError: not exactly one of `below` and `above`, or an unknown default.
    """
    if (below is None) == (above is None):
        raise InvalidArgumentError(
            "register_functionality: one of below and above must be given, got "
            + ("none" if below is None else "both")
        )
    if default not in _DEFAULTS:
        raise InvalidArgumentError(
            f"register_functionality: default must be one of {', '.join(_DEFAULTS)}, "
            f"got {default!r}"
        )
    flags = _DEFAULTS[default]
    if above is not None:
        flags |= _tenon.TENON_KEY_FLAG_ABOVE
    if per_backend:
        flags |= _tenon.TENON_KEY_FLAG_PER_BACKEND
    return _tenon.tenon_functionality_register(name, above if above is not None else below, flags)


__all__ = [
    "count",
    "current_stream",
    "device",
    "is_available",
    "register_backend",
    "register_functionality",
    "synchronize",
]
