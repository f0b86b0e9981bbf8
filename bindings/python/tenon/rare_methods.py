# SPDX-License-Identifier: Apache-2.0
"""Methods of Tensor that few programs use; typed storages; each is imported at its first use."""

from __future__ import annotations

from ._tenon import Tensor
from .error import InvalidArgumentError, NotSupportedError
from .ops import _packet
from .storage import UntypedStorage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any


class TypedStorage:
    """The storage of a tensor as a sequence of elements of its dtype."""

    def __init__(self, tensor: Tensor) -> None:
        """Finds the storage of a tensor."""
        self._untyped_storage = tensor.untyped_storage()
        self.dtype = tensor.dtype
        count = self._untyped_storage.nbytes() // tensor.element_size()
        self._elements = tensor.detach().as_strided((count,), (1,), 0)

    @property
    def device(self) -> Any:
        """The device of the memory."""
        return self._untyped_storage.device

    def untyped(self) -> UntypedStorage:
        """Returns the storage without a dtype."""
        return self._untyped_storage

    def size(self) -> int:
        """Returns the number of elements."""
        return self._elements.numel()

    __len__ = size

    def nbytes(self) -> int:
        """Returns the size of the memory in bytes."""
        return self._untyped_storage.nbytes()

    def element_size(self) -> int:
        """Returns the size of an element in bytes."""
        return self._elements.element_size()

    def data_ptr(self) -> int:
        """Returns the address of the first byte."""
        return self._untyped_storage.data_ptr()

    def tolist(self) -> list[Any]:
        """Returns the elements."""
        return self._elements.tolist()

    def fill_(self, value: Any) -> TypedStorage:
        """Sets all elements to a number."""
        self._elements.fill_(value)
        return self

    def copy_(self, source: TypedStorage, non_blocking: bool | None = None) -> TypedStorage:
        """Copies the elements of another storage."""
        self._elements.copy_(source._elements)
        return self

    def clone(self) -> TypedStorage:
        """Returns a storage of copies."""
        return TypedStorage(self._elements.clone())

    def __getitem__(self, index: Any) -> Any:
        found = self._elements[index]
        return TypedStorage(found) if isinstance(index, slice) else found.item()

    def __setitem__(self, index: Any, value: Any) -> None:
        self._elements[index] = value

    def __iter__(self) -> Iterator[Any]:
        return iter(self.tolist())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TypedStorage):
            return NotImplemented
        return self._untyped_storage == other._untyped_storage and self.dtype is other.dtype

    def __hash__(self) -> int:
        return hash(self._untyped_storage)

    def __repr__(self) -> str:
        lines = "\n".join(f" {one}" for one in self.tolist())
        return (
            f"{lines}\n[TypedStorage(dtype={self.dtype}, device={self.device}) of size {len(self)}]"
        )


def storage(self: Tensor) -> TypedStorage:
    """Returns the storage as a sequence of elements of the tensor's dtype."""
    return TypedStorage(self)


def storage_type(self: Tensor) -> type:
    """Returns the class of `storage`."""
    return TypedStorage


def set_(
    self: Tensor,
    source: Any = None,
    storage_offset: int = 0,
    size: Any = None,
    stride: Any = None,
) -> Tensor:
    """Makes the tensor share the memory of another one or of a storage.

    Args:
        self: The tensor.
        source: A tensor or a storage; None: no elements.
        storage_offset: Where the first element is, in elements.
        size: Shape of the result, by default the source's.
        stride: Strides of the result, in elements; by default without gaps.
    """
    if source is None:
        self.data = self.new_empty((0,))
        return self
    if isinstance(source, TypedStorage):
        flat = source._elements
    elif isinstance(source, UntypedStorage):
        tensor = source._tensor.detach()
        count = source.nbytes() // tensor.element_size()
        flat = tensor.as_strided((count,), (1,), 0)
        flat = flat if flat.dtype is self.dtype else flat.view(self.dtype)
    else:
        if size is None and storage_offset == 0:
            self.data = source.detach()
            return self
        flat = source.detach()
    if flat.dtype is not self.dtype:
        raise InvalidArgumentError(
            f"set_: source must be of the tensor's dtype {self.dtype}, got {flat.dtype}"
        )
    if size is None:
        size = (flat.numel() - storage_offset,)
    sizes = [size] if isinstance(size, int) else [*size]
    if stride is None:
        stride, step = [], 1
        for one in reversed(sizes):
            stride.insert(0, step)
            step *= max(one, 1)
    self.data = flat.as_strided(sizes, [*stride], storage_offset)
    return self


def is_set_to(self: Tensor, tensor: Tensor) -> bool:
    """Returns true if two tensors are the same view of the same memory."""
    return (
        self.untyped_storage().data_ptr() == tensor.untyped_storage().data_ptr()
        and self.storage_offset() == tensor.storage_offset()
        and self.shape == tensor.shape
        and self.stride() == tensor.stride()
    )


def const_data_ptr(self: Tensor) -> int:
    """Returns the address of the first element."""
    return self.data_ptr()


def dim_order(self: Tensor, ambiguity_check: Any = False) -> tuple[int, ...]:
    """Returns the dims from the one with the largest stride to the one with the smallest."""
    return tuple(sorted(range(self.ndim), key=lambda dim: -self.stride(dim)))


def dense_dim(self: Tensor) -> int:
    """Returns the number of dims."""
    return self.ndim


def sparse_dim(self: Tensor) -> int:
    """Returns 0: there are no sparse tensors."""
    return 0


def to_dense(self: Tensor, dtype: Any = None, *, masked_grad: bool | None = None) -> Tensor:
    """Returns the tensor, in a dtype if one is given."""
    return self if dtype is None else self.to(dtype)


def _elementwise(self: Tensor, function: Callable[..., Any], *others: Tensor) -> Tensor:
    from .factories import tensor

    columns: list[Any] = [one.expand(self.shape).reshape(-1).tolist() for one in (self, *others)]
    values = [function(*row) for row in zip(*columns, strict=True)]
    made = tensor(values, dtype=self.dtype).reshape(self.shape)
    self.detach().copy_(made)
    return self


def apply_(self: Tensor, callable: Callable[[Any], Any]) -> Tensor:
    """Replaces each element by a function's result for it."""
    return _elementwise(self, callable)


def map_(self: Tensor, tensor: Tensor, callable: Callable[[Any, Any], Any]) -> Tensor:
    """Replaces each element by a function's result for it and that of another tensor."""
    return _elementwise(self, callable, tensor)


def map2_(self: Tensor, x: Tensor, y: Tensor, callable: Callable[..., Any]) -> Tensor:
    """Replaces each element by a function's result for it and those of two tensors."""
    return _elementwise(self, callable, x, y)


def polygamma(self: Tensor, n: int) -> Tensor:
    """Returns the n-th derivative of the digamma function."""
    return _packet("aten::polygamma")(n, self)


def polygamma_(self: Tensor, n: int) -> Tensor:
    """Replaces the elements by `polygamma`."""
    return self.copy_(polygamma(self, n))


def floor_divide_(self: Tensor, other: Any) -> Tensor:
    """Replaces the elements by quotients rounded down."""
    return self.div_(other, rounding_mode="floor")


def record_stream(self: Tensor, stream: Any) -> None:
    """Has no effect: memory is not reused before the work of all streams is done."""


def reinforce(self: Tensor, *args: object) -> None:
    """Raises NotSupportedError: use `distributions` instead."""
    raise NotSupportedError("reinforce: it must be replaced by distributions, got a call of it")


def resize(self: Tensor, *sizes: Any) -> Tensor:
    """Returns `resize_` of a copy."""
    return self.clone().resize_(*sizes)


def resize_as(self: Tensor, tensor: Tensor) -> Tensor:
    """Returns `resize_as_` of a copy."""
    return self.clone().resize_as_(tensor)


__all__ = ["TypedStorage"]
