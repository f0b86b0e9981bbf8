# SPDX-License-Identifier: Apache-2.0
"""Modules without initialized parameters."""

from __future__ import annotations

import inspect

from ...error import InvalidArgumentError
from ..modules.module import Module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def skip_init(module_cls: type, *args: Any, **kwargs: Any) -> Any:
    """Makes a module whose parameters and buffers are not initialized.

    Args:
        module_cls: A subclass of Module that accepts `device`.
        args: Arguments of its constructor.
        kwargs: Arguments by name; `device` is where the module goes, by default the CPU.
    """
    if not (isinstance(module_cls, type) and issubclass(module_cls, Module)):
        raise InvalidArgumentError(f"skip_init: module_cls must be a Module, got {module_cls}")
    if "device" not in inspect.signature(module_cls).parameters:
        raise InvalidArgumentError(
            f"skip_init: module_cls must accept device, got {module_cls.__name__}"
        )
    device = kwargs.pop("device", "cpu")
    return module_cls(*args, **{**kwargs, "device": "meta"}).to_empty(device=device)


__all__ = ["skip_init"]
