# SPDX-License-Identifier: Apache-2.0
"""Decorators that let `__torch_function__` override functions and properties; see overrides."""

from __future__ import annotations

from . import _tenon

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    _F = TypeVar("_F", bound=Callable[..., Any])


def overridable(function: _F) -> _F:
    """Makes a function overridable by modes and by the classes of its arguments."""
    asking: Any = _tenon.OverridableFunction(function)
    return asking


def overridable_property(getter: Callable[[Any], Any]) -> property:
    """Makes a property that is overridable; handlers receive its `__get__`."""
    return _tenon.overridable_property(getter)


__all__ = ["overridable", "overridable_property"]
