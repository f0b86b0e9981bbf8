# SPDX-License-Identifier: Apache-2.0
"""Parameters and buffers without elements yet: `materialize` allocates them."""

from __future__ import annotations

from ..error import StateError
from ..factories import empty
from .parameter import Buffer, Parameter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class UninitializedTensorMixin:
    """Base of the classes here; all that they can do is to be materialized or moved."""

    cls_to_become: type

    def materialize(self, shape: Any, device: Any = None, dtype: Any = None) -> None:
        """Becomes an uninitialized tensor of a shape, by default of its device and dtype."""
        this: Any = self
        options = {"device": device or this.data.device, "dtype": dtype or this.data.dtype}
        this.data = empty(shape, **options)
        this.__class__ = self.cls_to_become

    @property
    def shape(self) -> Any:
        """Raises StateError: there is no shape yet."""
        raise StateError(
            f"{type(self).__name__}: a shape must be given by materialize first, got none"
        )

    def detach(self) -> Any:
        """Returns the tensor, so that state dicts keep it."""
        return self

    def share_memory_(self) -> Any:
        """Raises StateError: there is no memory yet."""
        raise StateError(f"{type(self).__name__}: a shape must be given by materialize, got none")

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"


class UninitializedParameter(UninitializedTensorMixin, Parameter):
    """A parameter without elements yet."""

    cls_to_become = Parameter

    def __new__(cls, requires_grad: bool = True, device: Any = None, dtype: Any = None) -> Any:
        """Makes the parameter."""
        options = {} if device is None else {"device": device}
        return Parameter.__new__(cls, empty(0, dtype=dtype, **options), requires_grad)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        """Returns another parameter without elements."""
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.requires_grad, self.data.device, self.data.dtype)
        return memo[id(self)]

    def __reduce_ex__(self, protocol: Any) -> Any:
        return UninitializedParameter, (self.requires_grad, None, self.data.dtype)


class UninitializedBuffer(UninitializedTensorMixin, Buffer):
    """A buffer without elements yet."""

    cls_to_become = Buffer

    def __new__(
        cls,
        requires_grad: bool = False,
        device: Any = None,
        dtype: Any = None,
        persistent: bool = True,
    ) -> Any:
        """Makes the buffer."""
        options = {} if device is None else {"device": device}
        return Buffer.__new__(cls, empty(0, dtype=dtype, **options), persistent=persistent)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        """Returns another buffer without elements."""
        if id(self) not in memo:
            memo[id(self)] = type(self)(False, self.data.device, self.data.dtype, self.persistent)
        return memo[id(self)]

    def __reduce_ex__(self, protocol: Any) -> Any:
        return UninitializedBuffer, (False, None, self.data.dtype, self.persistent)


def is_lazy(param: object) -> bool:
    """Returns true for a parameter or buffer without elements yet."""
    return isinstance(param, UninitializedTensorMixin)


__all__ = ["UninitializedBuffer", "UninitializedParameter", "UninitializedTensorMixin", "is_lazy"]
