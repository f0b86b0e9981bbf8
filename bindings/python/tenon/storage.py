# SPDX-License-Identifier: Apache-2.0
"""Storages: the memory of tensors, shared by a tensor and its views."""

from __future__ import annotations

import os

from ._tenon import Tensor
from .error import InvalidArgumentError
from .overridable import overridable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .device import device


class UntypedStorage:
    """The storage of a tensor, kept alive by this object. Equal if tensors share a storage."""

    __slots__ = ("_cdata", "_part", "_tensor")

    def __init__(self, tensor: Tensor) -> None:
        """Finds the storage of a tensor."""
        self._tensor = tensor
        self._part: Tensor | None = None
        self._cdata: int = tensor._storage_address()

    @classmethod
    def from_file(
        cls, filename: str | os.PathLike[str], shared: bool = False, nbytes: int = 0
    ) -> UntypedStorage:
        """Maps the first bytes of a file into memory.

        Args:
            filename: Path of the file.
            shared: If true, writes change the file, which is made or enlarged if necessary;
                otherwise writes stay private.
            nbytes: Number of bytes.
        """
        import mmap

        from .dtype import uint8
        from .factories import empty, frombuffer

        with open(
            filename, ("r+b" if os.path.exists(filename) else "w+b") if shared else "rb"
        ) as f:
            size = os.fstat(f.fileno()).st_size
            if shared and size < nbytes:
                f.truncate(nbytes)
            elif size < nbytes:
                raise InvalidArgumentError(
                    f"UntypedStorage.from_file: nbytes must be at most {size}, got {nbytes}"
                )
            if nbytes == 0:
                return cls(empty(0, dtype=uint8))
            access = mmap.ACCESS_WRITE if shared else mmap.ACCESS_COPY
            return cls(frombuffer(mmap.mmap(f.fileno(), nbytes, access=access), dtype=uint8))

    def _bytes(self) -> Tensor:
        """Returns a tensor of the bytes, in the same memory."""
        if self._part is not None:
            return self._part
        from .dtype import uint8

        flat = self._tensor.detach()
        flat = flat.as_strided((self._tensor._storage_nbytes() // flat.element_size(),), (1,), 0)
        return flat.view(uint8)

    def __len__(self) -> int:
        return self.nbytes()

    def untyped(self) -> UntypedStorage:
        """Returns the storage itself."""
        return self

    def size(self) -> int:
        """Returns the size of the memory in bytes."""
        return self.nbytes()

    def __getitem__(self, index: int | slice) -> Any:
        part = self._bytes()[index]
        if not isinstance(index, slice):
            return part.item()
        made = UntypedStorage(self._tensor)
        made._part = part
        return made

    def __setitem__(self, index: int | slice, value: int) -> None:
        self._bytes()[index] = value

    def tolist(self) -> list[int]:
        """Returns the bytes as a list of numbers."""
        return self._bytes().tolist()

    def __dlpack__(self, **options: Any) -> object:
        return self._bytes().__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._bytes().__dlpack_device__()

    def data_ptr(self) -> int:
        """Returns the address of its first byte, 0 where there is no memory."""
        if self._part is not None:
            return self._part.data_ptr()
        return self._tensor._storage_ptr() or 0

    def nbytes(self) -> int:
        """Returns the size of the memory in bytes."""
        return self._tensor._storage_nbytes() if self._part is None else self._part.numel()

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
