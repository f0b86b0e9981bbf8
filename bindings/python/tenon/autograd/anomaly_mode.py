# SPDX-License-Identifier: Apache-2.0
"""Anomaly mode: nodes remember where they were created, and producing NaN is an error."""

from __future__ import annotations

import warnings

from .. import _tenon

_RECORD = _tenon.TENON_ANOMALY_RECORD
_CHECK_NAN = _tenon.TENON_ANOMALY_CHECK_NAN


def is_anomaly_enabled() -> bool:
    """Returns true if anomaly mode is on for the calling thread."""
    return bool(_tenon.tenon_anomaly_get() & _RECORD)


def is_anomaly_check_nan_enabled() -> bool:
    """Returns true if NaN results of nodes are errors in the calling thread's passes."""
    return bool(_tenon.tenon_anomaly_get() & _CHECK_NAN)


def _flags(mode: bool, check_nan: bool) -> int:
    return (_RECORD if mode else 0) | (_CHECK_NAN if mode and check_nan else 0)


class set_detect_anomaly:
    """Turns anomaly mode on or off immediately; as a context manager, until exit.

    Args:
        mode: If true, nodes remember the code that recorded them. If one fails in a backward pass,
            its error has a note with that code.
        check_nan: If true, a node that produces NaN fails.
    """

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        """Sets the mode; leaving the context restores the previous one."""
        self.prev = _tenon.tenon_anomaly_get()
        _tenon.tenon_anomaly_set(_flags(mode, check_nan))

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exc: object) -> None:
        _tenon.tenon_anomaly_set(self.prev)


class detect_anomaly:
    """A context in which anomaly mode is on; slow, for debugging only.

    Args:
        check_nan: If true, a node that produces NaN fails.
    """

    def __init__(self, check_nan: bool = True) -> None:
        """Warns that the mode is slow."""
        self.check_nan = check_nan
        self.prev = _tenon.tenon_anomaly_get()
        warnings.warn(
            "Anomaly Detection has been enabled. This mode will increase the runtime and should "
            "only be enabled for debugging.",
            stacklevel=2,
        )

    def __enter__(self) -> None:
        self.prev = _tenon.tenon_anomaly_get()
        _tenon.tenon_anomaly_set(_flags(True, self.check_nan))

    def __exit__(self, *exc: object) -> None:
        _tenon.tenon_anomaly_set(self.prev)


__all__ = [
    "detect_anomaly",
    "is_anomaly_check_nan_enabled",
    "is_anomaly_enabled",
    "set_detect_anomaly",
]
