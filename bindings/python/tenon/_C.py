# SPDX-License-Identifier: Apache-2.0
"""The part of `torch._C` that programs use: gradient policies and sets of dispatch keys."""

from __future__ import annotations

from .library import Library, check_gradient_policy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_library: Library | None = None
_mode = "error"


def _set_autograd_fallback_mode(mode: str) -> None:
    """Sets the policy for operators that have neither a gradient formula nor their own policy.

    Args:
        mode: "error", "warn" or "nothing", see `Library.set_gradient_policy`.

    Raises:
        InvalidArgumentError: another mode.
    """
    global _library, _mode
    check_gradient_policy("_set_autograd_fallback_mode", mode)
    if _library is not None:
        _library.close()
    _library, _mode = None, mode
    if mode != "error":
        _library = Library("_", "IMPL")
        _library.set_gradient_policy("_", mode)


def _get_autograd_fallback_mode() -> str:
    """Returns the mode that `_set_autograd_fallback_mode` last set, initially "error"."""
    return _mode


class _DispatchKeys:
    """The names of dispatch keys as attributes."""

    def __getattr__(self, name: str) -> str:
        if name.startswith("_"):
            raise AttributeError(f"DispatchKey has no attribute {name!r}")
        return name


DispatchKey = _DispatchKeys()


def DispatchKeySet(key: str) -> Any:
    """Returns the set of a key; keys of devices that Tenon lacks make an empty set."""
    from .error import NotFoundError
    from .key_set import DispatchKeySet

    try:
        return DispatchKeySet(key)
    except NotFoundError:
        return DispatchKeySet()


def _ExcludeDispatchKeyGuard(keys: Any) -> Any:
    """Returns a `with` block in which calls skip these keys."""
    from .key_set import ExcludeDispatchKeyGuard

    return ExcludeDispatchKeyGuard(keys)


def _IncludeDispatchKeyGuard(keys: Any) -> Any:
    """Returns a `with` block in which calls include these keys."""
    from .key_set import IncludeDispatchKeyGuard

    return IncludeDispatchKeyGuard(keys)
