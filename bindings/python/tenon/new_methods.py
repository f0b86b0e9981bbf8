# SPDX-License-Identifier: Apache-2.0
"""Methods of Tensor that make another of its dtype and device: `new_zeros` and so on."""

from __future__ import annotations

from ._tenon import Tensor
from .factories import _asking, empty, full, ones, tensor, zeros

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def _as(tensor: Tensor, dtype: Any, device: Any) -> dict[str, Any]:
    return {"dtype": dtype or tensor.dtype, "device": device or tensor.device}


def new_tensor(
    self: Tensor, data: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """Copies data into a new tensor."""
    return _asking(tensor(data, **_as(self, dtype, device)), requires_grad)


def new_empty(
    self: Tensor, *size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """Returns a tensor with uninitialised elements."""
    return _asking(empty(*size, **_as(self, dtype, device)), requires_grad)


def new_zeros(
    self: Tensor, *size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """Returns a tensor of zeros."""
    return _asking(zeros(*size, **_as(self, dtype, device)), requires_grad)


def new_ones(
    self: Tensor, *size: Any, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """Returns a tensor of ones."""
    return _asking(ones(*size, **_as(self, dtype, device)), requires_grad)


def new_full(
    self: Tensor,
    size: Any,
    fill_value: Any,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Returns a tensor of one number."""
    return _asking(full(size, fill_value, **_as(self, dtype, device)), requires_grad)


METHODS = (new_empty, new_full, new_ones, new_tensor, new_zeros)

__all__ = ["METHODS"]
