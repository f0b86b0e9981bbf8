# SPDX-License-Identifier: Apache-2.0
"""Parameters and buffers: tensors that modules keep by name."""

from __future__ import annotations

from .._tenon import Tensor, _disabled_torch_function_impl
from ..error import ArgumentTypeError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from typing_extensions import Self


def _kept(cls: type, data: Any) -> Any:
    if data is None:
        from ..factories import empty

        data = empty(0)
    if not isinstance(data, Tensor):
        raise ArgumentTypeError(f"{cls.__name__}: data must be a Tensor, got {type(data).__name__}")
    return Tensor.__new__(cls, data)


class _ParameterType(type):
    """Has `isinstance` see tensors of other classes that were made parameters."""

    def __instancecheck__(cls, instance: Any) -> bool:
        if type.__instancecheck__(cls, instance):
            return True
        return cls is Parameter and isinstance(instance, Tensor) and hasattr(instance, "_is_param")


class Parameter(Tensor, metaclass=_ParameterType):
    """A tensor that is a parameter of the module that it is assigned to.

    It shares the memory of `data`, is a leaf, and requires grad even if grad mode is off. If
    `data` is
    of a subclass of Tensor, so is the parameter, and `isinstance(p, Parameter)` is still true.

    Args:
        data: The elements; by default none.
        requires_grad: If true, gradients flow to the parameter.
    """

    __torch_function__ = _disabled_torch_function_impl  # results of operators are not parameters

    def __new__(cls, data: Tensor | None = None, requires_grad: bool = True) -> Self:
        """Creates a tensor that shares the memory of `data`."""
        if cls is Parameter and isinstance(data, Tensor):
            of = type(data)
            if of is not Tensor and not issubclass(of, (Parameter, Buffer)):
                return _marked(data, requires_grad)
        self: Self = _kept(cls, data)
        if requires_grad:
            self.requires_grad = True
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        """Returns a copy of the parameter with separate memory and without gradient."""
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.data.clone(), self.requires_grad)
        return memo[id(self)]

    def __reduce_ex__(self, protocol: Any) -> Any:
        return _restore_parameter, (type(self), self.data, self.requires_grad, dict(self.__dict__))

    def __repr__(self) -> str:
        return "Parameter containing:\n" + super().__repr__()


def _marked(data: Any, requires_grad: bool) -> Any:
    """Returns a tensor of the class of `data`, on its memory, that is a parameter."""
    made = data.detach()
    if type(made) is not type(data):
        raise ArgumentTypeError(
            f"Parameter: detach() of {type(data).__name__} must give {type(data).__name__}, got "
            f"{type(made).__name__}"
        )
    made._is_param = True
    return made.requires_grad_(requires_grad)


class Buffer(Tensor):
    """A tensor that is a buffer of the module that it is assigned to.

    Args:
        data: Its elements; by default none.
        persistent: If true, it is part of the module's state dict.
    """

    persistent: bool
    __torch_function__ = _disabled_torch_function_impl

    def __new__(cls, data: Tensor | None = None, *, persistent: bool = True) -> Self:
        """Creates a tensor that shares the memory of `data`."""
        self: Self = _kept(cls, data)
        self.persistent = persistent
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        """Returns a copy of the buffer with separate memory."""
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.data.clone(), persistent=self.persistent)
        return memo[id(self)]

    def __reduce_ex__(self, protocol: Any) -> Any:
        return _restore_buffer, (type(self), self.data, dict(self.__dict__))


def _restore_parameter(cls: Any, data: Tensor, requires_grad: bool, state: Any) -> Any:
    parameter = cls(data, requires_grad)
    parameter.__dict__.update(state)
    return parameter


def _restore_buffer(cls: Any, data: Tensor, state: Any) -> Any:
    buffer = cls(data)
    buffer.__dict__.update(state)
    return buffer


def __getattr__(name: str) -> Any:
    """Imports the classes without elements, which have their own module, at their first use."""
    if name in ("UninitializedBuffer", "UninitializedParameter", "UninitializedTensorMixin"):
        from . import uninitialized

        return getattr(uninitialized, name)
    if name == "is_lazy":
        from .uninitialized import is_lazy

        return is_lazy
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = ["Buffer", "Parameter"]
