# SPDX-License-Identifier: Apache-2.0
"""Groups of tensors that optimizers of other packages update together, as torch names them."""

from __future__ import annotations

from ..nn.parameter import Parameter
from ..tensor import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

_SUPPORTED = (Tensor, Parameter)


def _group_tensors_by_device_and_dtype(
    tensorlistlist: Sequence[Sequence[Any]], with_indices: bool = False
) -> dict[tuple[Any, Any], tuple[list[list[Any]], list[int]]]:
    """Groups the columns of lists of tensors by device and dtype.

    Args:
        tensorlistlist: Lists of equal lengths; the first one decides the group, has no None.
        with_indices: If true, returns the position of each column too.

    Returns:
        The lists of each group, in order, with the positions or with an empty list.
    """
    groups: dict[tuple[Any, Any], tuple[list[list[Any]], list[int]]] = {}
    for at, first in enumerate(tensorlistlist[0]):
        key = (first.device, first.dtype)
        lists, places = groups.setdefault(key, ([[] for _ in tensorlistlist], []))
        for into, every in zip(lists, tensorlistlist, strict=True):
            if every:  # a list may be empty: then it is in every group
                into.append(every[at])
        if with_indices:
            places.append(at)
    return groups


def _get_foreach_kernels_supported_devices() -> list[str]:
    """Returns the device types on which the operators of lists run."""
    return ["cuda"]


def _get_fused_kernels_supported_devices() -> list[str]:
    """Returns the device types on which optimizers can update a whole list by one kernel."""
    return []


def _device_has_foreach_support(device: Any) -> bool:
    return device.type in (*_get_foreach_kernels_supported_devices(), "cpu")


def _has_foreach_support(tensors: Sequence[Any], device: Any) -> bool:
    """Returns true if the operators of lists take these tensors on a device."""
    plain = all(one is None or type(one) in _SUPPORTED for one in tensors)
    return plain and _device_has_foreach_support(device)


__all__ = [
    "_device_has_foreach_support",
    "_get_foreach_kernels_supported_devices",
    "_get_fused_kernels_supported_devices",
    "_group_tensors_by_device_and_dtype",
    "_has_foreach_support",
]
