# SPDX-License-Identifier: Apache-2.0
"""Overriding operators: classes in the place of tensors, wrapper tensors, and modes.

A class with the class method `__tenon_function__(cls, op, types, args, kwargs)` may stand for any
argument of any operator, written in whatever language: the method then runs instead. A subclass of
`Tensor` with `__tenon_dispatch__`, of the same form, made by `wrapper()`, gets the operators called
on it below autograd. Modes see every call of the thread while they are on. `NotImplemented` passes
on: modes first, innermost first, then types from left to right, subclasses before their bases.
"""

from __future__ import annotations

from . import _tenon
from ._tenon import Tensor, device, dtype
from .dtype import get_default_dtype

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, TypeVar

    _T = TypeVar("_T", bound=Tensor)


class _Mode:
    _kind: int

    def __enter__(self) -> Any:
        _tenon.mode_push(self._kind, self)
        return self

    def __exit__(self, *exc: object) -> None:
        _tenon.mode_pop(self._kind, self)


class TenonFunctionMode(_Mode):
    """A mode that sees every call before dispatch, while a `with` block runs.

    While its method runs the mode is off, so that calling `op` there goes on to what is outside.
    """

    _kind = _tenon.TENON_MODE_OVERRIDE

    def __tenon_function__(
        self, op: Any, types: tuple[type, ...], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """Serves one call; by default lets it go on."""
        return op(*args, **kwargs)


class TenonDispatchMode(_Mode):
    """The same below autograd: what it sees are the operators that kernels would run."""

    _kind = _tenon.TENON_MODE_WRAPPER

    def __tenon_dispatch__(
        self, op: Any, types: tuple[type, ...], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """Serves one call; by default lets it go on."""
        return op(*args, **kwargs)


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
        cls: A subclass of Tensor with `__tenon_dispatch__`. What its method needs to know of one
            tensor, such as the tensor that it wraps, are attributes of the result.
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


class disabled(_tenon.KeyGuard):
    """Turns overrides off in a `with` block: subclasses of Tensor are plain tensors there."""

    def __new__(cls) -> disabled:
        """Makes the guard."""
        return super().__new__(cls, 1, 0, _tenon.tenon_keyset_from_key(_tenon.TENON_KEY_OVERRIDE))


def is_overriding(value: object) -> bool:
    """Tells whether a value's class has `__tenon_function__`."""
    return getattr(type(value), "__tenon_function__", None) is not None


__all__ = ["TenonDispatchMode", "TenonFunctionMode", "disabled", "is_overriding", "wrapper"]
