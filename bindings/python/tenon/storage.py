# SPDX-License-Identifier: Apache-2.0
"""Storages: the memory of tensors, shared by a tensor and its views."""

from __future__ import annotations

from ._tenon import Tensor
from .overridable import overridable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .device import device


class UntypedStorage:
    """The storage of a tensor, kept alive by this object. Equal if tensors share a storage."""

    __slots__ = ("_cdata", "_tensor")

    def __init__(self, tensor: Tensor) -> None:
        """Finds the storage of a tensor."""
        self._tensor = tensor
        self._cdata: int = tensor._storage_address()

    def data_ptr(self) -> int:
        """Returns the address of its first byte, 0 where there is no memory."""
        return self._tensor._storage_ptr() or 0

    def nbytes(self) -> int:
        """Returns the size of the memory in bytes."""
        return self._tensor._storage_nbytes()

    @property
    def device(self) -> device:
        """The device of the memory."""
        return self._tensor.device

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UntypedStorage) and self._cdata == other._cdata

    def __hash__(self) -> int:
        return hash(self._cdata)


def untyped_storage(self: Tensor) -> UntypedStorage:
    """Returns the storage, which views of the tensor share."""
    return UntypedStorage(self)


Tensor.untyped_storage = overridable(untyped_storage)

__all__ = ["UntypedStorage"]
