# SPDX-License-Identifier: Apache-2.0
"""What makes functions and properties of the package ask `__torch_function__`: see overrides."""

from __future__ import annotations

from . import _tenon

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    _F = TypeVar("_F", bound=Callable[..., Any])


def overridable(function: _F) -> _F:
    """Makes a function ask modes and the classes of its arguments to serve a call, first."""
    asking: Any = _tenon.OverridableFunction(function)
    return asking


def overridable_property(getter: Callable[[Any], Any]) -> property:
    """Makes a property that asks with its `__get__`."""
    return _tenon.overridable_property(getter)


__all__ = ["overridable", "overridable_property"]
