# SPDX-License-Identifier: Apache-2.0
"""Choices of how modules convert their parameters, for the whole process."""

from __future__ import annotations

_overwrite = False
_swap = False


def set_overwrite_module_params_on_conversion(value: bool) -> None:
    """Sets whether a module that is converted gets new Parameters, not new data in the old ones."""
    global _overwrite
    _overwrite = value


def get_overwrite_module_params_on_conversion() -> bool:
    """Returns whether a module that is converted gets new Parameters."""
    return _overwrite


def set_swap_module_params_on_conversion(value: bool) -> None:
    """Sets whether conversions and `load_state_dict` swap the contents of Parameters.

    The objects stay the same, and what they hold is exchanged by `utils.swap_tensors`.
    """
    global _swap
    _swap = value


def get_swap_module_params_on_conversion() -> bool:
    """Returns whether conversions and `load_state_dict` swap the contents of Parameters."""
    return _swap


__all__ = [
    "get_overwrite_module_params_on_conversion",
    "get_swap_module_params_on_conversion",
    "set_overwrite_module_params_on_conversion",
    "set_swap_module_params_on_conversion",
]
