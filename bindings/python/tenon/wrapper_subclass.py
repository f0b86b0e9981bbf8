# SPDX-License-Identifier: Apache-2.0
"""Tensors of subclasses whose `__torch_dispatch__` runs their operators."""

from __future__ import annotations

from . import _tenon
from ._tenon import Tensor, device, dtype
from .dtype import get_default_dtype
from .error import ArgumentTypeError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, TypeVar

    _T = TypeVar("_T", bound=Tensor)


def wrapper(
    cls: type[_T],
    sizes: Sequence[int],
    *,
    strides: Sequence[int] | None = None,
    storage_offset: int = 0,
    dtype: dtype | None = None,
    device: device | str = "cpu",
    keys: str | int | Sequence[str | int] = (),
    alias_of: Tensor | None = None,
) -> _T:
    """Makes a tensor of class `cls`: geometry, dtype and device as claimed, without memory.

    Args:
        cls: A subclass of Tensor with `__torch_dispatch__`. State that this method needs, such as
            the wrapped tensor, is stored in attributes of the result.
        sizes: The shape that it claims.
        strides: The strides that it claims, in elements; row-major if not given.
        storage_offset: Where its first element would lie, in elements.
        dtype: The dtype that it claims; the default dtype if not given.
        device: The device that it claims.
        keys: Functionalities that it carries besides Wrapper: names such as "Tracer", or sets.
        alias_of: A tensor whose version counter it shares, such as the one that it views.

    Raises:
        ArgumentTypeError: cls is no such class.
        InvalidArgumentError: a bad shape, strides that do not go with it, or a key that wrappers
            cannot carry.
    """
    from .library import DispatchKeySet

    carried = DispatchKeySet(*((keys,) if isinstance(keys, (str, int)) else keys))
    return _tenon.wrapper(
        cls,
        tuple(sizes),
        None if strides is None else tuple(strides),
        storage_offset,
        dtype or get_default_dtype(),
        device,
        carried,
        alias_of,
    )


def _make_wrapper_subclass(
    cls: type[_T],
    size: Sequence[int],
    strides: Sequence[int] | None = None,
    storage_offset: int | None = None,
    memory_format: Any = None,
    dtype: dtype | None = None,
    layout: Any = None,
    device: device | str | None = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> _T:
    """Makes a tensor of a subclass with `__torch_dispatch__`, as PyTorch spells `wrapper`.

    Memory format, layout and pinning are of memory that such a tensor does not have.
    """
    made = wrapper(
        cls,
        size,
        strides=strides,
        storage_offset=storage_offset or 0,
        dtype=dtype,
        device="cpu" if device is None else device,
    )
    if requires_grad:
        made.requires_grad = True
    return made


def _make_subclass(cls: type[_T], data: Tensor, require_grad: bool = False) -> _T:
    """Makes a tensor of a subclass on the memory of another one, detached from its graph.

    If the class overrides `__torch_dispatch__`, that method runs all operators on the tensor.
    """
    if not isinstance(data, Tensor):
        raise ArgumentTypeError(f"_make_subclass: data must be Tensor, got {type(data).__name__}")
    if not _tenon.has_dispatch(cls):
        made = Tensor.__new__(cls, data)
    else:
        made = wrapper(
            cls,
            data.shape,
            strides=data.stride(),
            storage_offset=data.storage_offset(),
            dtype=data.dtype,
            device=data.device,
            alias_of=data,
        )
        made._elements = data.detach()
    if require_grad:
        made.requires_grad = True
    return made


def _plain(value: Any) -> Any:
    """A value with the memory in the place of the objects that `_make_subclass` made on it."""
    if isinstance(value, Tensor):
        return getattr(value, "_elements", value)
    if type(value) in (list, tuple):
        return type(value)(_plain(one) for one in value)
    return value


def _dispatch(
    cls: type,
    func: Any,
    types: Sequence[type],
    args: tuple[Any, ...] = (),
    kwargs: dict[str, Any] | None = None,
) -> Any:
    """Runs an operator on the memory of what `_make_subclass` made; results are plain tensors."""
    named = {name: _plain(value) for name, value in (kwargs or {}).items()}
    return func(*_plain(args), **named)


def _init_subclass(cls: type, **kwargs: Any) -> None:
    """Leaves `__torch_function__` out for a class that runs operators itself, and no more."""
    super(Tensor, cls).__init_subclass__(**kwargs)
    if "__torch_dispatch__" in cls.__dict__ and "__torch_function__" not in cls.__dict__:
        owner = next(base for base in cls.__mro__ if "__torch_function__" in base.__dict__)
        if owner is Tensor:
            cls.__torch_function__ = _tenon._disabled_torch_function_impl


def add_to_tensor() -> None:
    """Adds the methods that make objects of subclasses to Tensor."""
    _dispatch.__name__ = "__torch_dispatch__"
    Tensor._make_wrapper_subclass = staticmethod(_make_wrapper_subclass)
    Tensor._make_subclass = staticmethod(_make_subclass)
    Tensor.__torch_dispatch__ = classmethod(_dispatch)
    Tensor.__init_subclass__ = classmethod(_init_subclass)
    _tenon.set_default_dispatch(Tensor.__dict__["__torch_dispatch__"])


__all__ = ["add_to_tensor", "wrapper"]
