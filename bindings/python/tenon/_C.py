# SPDX-License-Identifier: Apache-2.0
"""The part of `torch._C` that programs use: the gradient policy of the whole process."""

from __future__ import annotations

from .library import Library, check_gradient_policy

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
