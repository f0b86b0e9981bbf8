# SPDX-License-Identifier: Apache-2.0
"""Devices, their number, and streams."""

from __future__ import annotations

from . import _tenon
from ._tenon import device


def count(type: str = "cuda") -> int:
    """Returns how many devices of a type there are; 0 without driver or provider."""
    return _tenon.tenon_device_count(device(type).type_code)


def is_available(type: str = "cuda") -> bool:
    """Tells whether a type has a device."""
    return count(type) > 0


def current_stream(where: device | str) -> tuple[device, int]:
    """Returns the current stream of a device: (device, the vendor's handle).

    Raises:
        NotFoundError: no plugin provides the device.
    """
    return _tenon.tenon_stream_current(where)


def synchronize(where: device | str) -> None:
    """Waits until the work queued on the current stream of a device is done."""
    _tenon.tenon_stream_synchronize(current_stream(where))


def register_backend(name: str) -> int:
    """Gives a device type number to a new backend, such as "npu", or returns the one it has."""
    return _tenon.tenon_backend_register(name)


__all__ = ["count", "current_stream", "device", "is_available", "register_backend", "synchronize"]
