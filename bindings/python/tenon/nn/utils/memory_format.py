# SPDX-License-Identifier: Apache-2.0
"""Weights of convolutions in another memory format."""

from __future__ import annotations

from typing import TypeVar

from ...grad_mode import no_grad
from ..modules.conv import Conv2d, Conv3d, ConvTranspose2d, ConvTranspose3d
from ..modules.module import Module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...dtype import memory_format

_M = TypeVar("_M", bound=Module)


def _convert(module: _M, memory_format: memory_format, kinds: tuple[type, ...]) -> _M:
    with no_grad():
        for one in module.modules():
            if isinstance(one, kinds):
                one.weight.data = one.weight.detach().clone(memory_format=memory_format)
    return module


def convert_conv2d_weight_memory_format(module: _M, memory_format: memory_format) -> _M:
    """Changes the memory format of the weights of all 2-d convolutions; returns the module."""
    return _convert(module, memory_format, (Conv2d, ConvTranspose2d))


def convert_conv3d_weight_memory_format(module: _M, memory_format: memory_format) -> _M:
    """Changes the memory format of the weights of all 3-d convolutions; returns the module."""
    return _convert(module, memory_format, (Conv3d, ConvTranspose3d))


__all__ = ["convert_conv2d_weight_memory_format", "convert_conv3d_weight_memory_format"]
