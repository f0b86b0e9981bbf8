# SPDX-License-Identifier: Apache-2.0
"""Parametrisations: parameters and buffers that are computed from other tensors when read."""

from __future__ import annotations

import contextlib
import contextvars

from ..._tenon import Tensor
from ...error import ArgumentTypeError, InvalidArgumentError, StateError
from ...grad_mode import no_grad
from ..modules.container import ModuleDict, ModuleList
from ..modules.module import Module
from ..parameter import Parameter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_cache: contextvars.ContextVar[dict[tuple[int, str], Any] | None] = contextvars.ContextVar(
    "parametrizations", default=None
)


@contextlib.contextmanager
def cached() -> Iterator[None]:
    """Computes each parametrised tensor once in a `with` block, however often it is read."""
    if _cache.get() is not None:
        yield
        return
    token = _cache.set({})
    try:
        yield
    finally:
        _cache.reset(token)


class ParametrizationList(ModuleList):
    """The parametrisations of one tensor, in the order in which they run, and their inputs.

    Args:
        modules: The parametrisations.
        original: The unparametrised tensor.
        unsafe: If true, results may have another dtype or shape than the tensor had.
    """

    def __init__(self, modules: list[Module], original: Tensor, unsafe: bool = False) -> None:
        """Computes the tensors that the parametrisations run on."""
        super().__init__(modules)
        if not modules:
            raise InvalidArgumentError(
                "ParametrizationList: there must be at least one module, got none"
            )
        self.unsafe = unsafe
        source: Any = original
        with no_grad():
            for module in reversed(modules):
                if hasattr(module, "right_inverse"):
                    source = module.right_inverse(source)
        self.is_tensor = isinstance(source, Tensor)
        if self.is_tensor:
            self._keep("original", source, original)
        else:
            self.count = len(source)
            for place, one in enumerate(source):
                self._keep(f"original{place}", one, original)

    def _keep(self, name: str, value: Any, original: Tensor) -> None:
        if not isinstance(value, Tensor):
            raise ArgumentTypeError(
                "register_parametrization: right_inverse must return a Tensor or several, got "
                f"{type(value).__name__}"
            )
        if not isinstance(original, Parameter):
            self.register_buffer(name, value.detach())
        elif name == "original" and value.shape == original.shape and value is not original:
            original.data = value  # an optimiser may hold the parameter object
            setattr(self, name, original)
        elif isinstance(value, Parameter):
            setattr(self, name, value)
        else:
            setattr(self, name, Parameter(value, original.requires_grad))

    def _sources(self) -> tuple[Any, ...]:
        if self.is_tensor:
            return (self.original,)
        return tuple(getattr(self, f"original{place}") for place in range(self.count))

    def forward(self) -> Any:
        """Returns the parametrised tensor."""
        first, *rest = self
        value = first(*self._sources())
        for module in rest:
            value = module(value)
        return value

    def right_inverse(self, value: Tensor) -> None:
        """Sets the tensors that the parametrisations run on, so that their result is `value`."""
        source: Any = value
        with no_grad():
            for module in reversed(list(self)):
                if not hasattr(module, "right_inverse"):
                    raise StateError(
                        f"parametrization: {type(module).__name__} must have a right_inverse for a "
                        "parametrised tensor to be assigned, got one without it"
                    )
                source = module.right_inverse(source)
            given = (source,) if self.is_tensor else tuple(source)
            for own, one in zip(self._sources(), given, strict=True):
                own.data = one


def _property(name: str) -> property:
    def compute(self: Any) -> Any:
        cache = _cache.get()
        if cache is None:
            return self.parametrizations[name]()
        key = (id(self), name)
        if key not in cache:
            cache[key] = self.parametrizations[name]()
        return cache[key]

    def assign(self: Any, value: Tensor) -> None:
        self.parametrizations[name].right_inverse(value)

    return property(compute, assign, doc=f"{name}, computed by its parametrisations.")


def is_parametrized(module: Module, tensor_name: str | None = None) -> bool:
    """Returns true if a module has parametrised tensors, or whether one of that name is."""
    found = module.__dict__.get("_modules", {}).get("parametrizations")
    if found is None:
        return False
    return len(found) > 0 if tensor_name is None else tensor_name in found


def register_parametrization(
    module: Module, tensor_name: str, parametrization: Module, *, unsafe: bool = False
) -> Module:
    """Replaces a parameter or buffer by the result of a module that is called with the original.

    Args:
        module: The module, whose class is replaced by a new subclass.
        tensor_name: The name of the parameter or buffer.
        parametrization: Called with the original tensor, or with the result of the existing
            parametrisation; its `right_inverse`, if it has one, is used for assignments.
        unsafe: If true, the result may have another shape or dtype.

    Returns:
        The module.
    """
    where = f"register_parametrization: {tensor_name}"
    if is_parametrized(module, tensor_name):
        parts: Any = module.get_submodule(f"parametrizations.{tensor_name}")
        before = getattr(module, tensor_name)
        _check_result(where, before, parametrization(before), unsafe or parts.unsafe)
        if hasattr(parametrization, "right_inverse"):
            with no_grad():
                source = parametrization.right_inverse(before.detach())
            if source.shape != before.shape:
                raise InvalidArgumentError(
                    f"{where}: right_inverse must keep the shape {tuple(before.shape)} of the "
                    f"parametrisation before, got {tuple(source.shape)}"
                )
            parts.right_inverse(source)
        parts.append(parametrization)
        return module
    original: Any = module._parameters.get(tensor_name)
    if original is None:
        original = module._buffers.get(tensor_name)
    if original is None:
        raise InvalidArgumentError(
            f"{where} must be a parameter, a buffer or parametrised already, got another name"
        )
    like = original.detach()
    delattr(module, tensor_name)
    try:
        parts = ParametrizationList([parametrization], original, unsafe)
        with no_grad():
            _check_result(where, like, parts(), unsafe)
    except BaseException:
        if isinstance(original, Parameter):
            module.register_parameter(tensor_name, original)
        else:
            module.register_buffer(tensor_name, original)
        raise
    kind = type(module)
    if not is_parametrized(module):
        kind = type(f"Parametrized{kind.__name__}", (kind,), {"_parametrized_of": kind})
        module.__class__ = kind
        module.add_module("parametrizations", ModuleDict())
    setattr(kind, tensor_name, _property(tensor_name))
    module.parametrizations[tensor_name] = parts
    return module


def _check_result(where: str, like: Tensor, result: Any, unsafe: bool) -> None:
    if not isinstance(result, Tensor):
        raise InvalidArgumentError(
            f"{where}: parametrization must return a Tensor, got {type(result).__name__}"
        )
    if not unsafe and (result.shape != like.shape or result.dtype is not like.dtype):
        raise InvalidArgumentError(
            f"{where}: parametrization must keep shape {tuple(like.shape)} and dtype "
            f"{like.dtype}, got "
            f"{tuple(result.shape)} and {result.dtype}; unsafe=True allows others"
        )


def remove_parametrizations(
    module: Module, tensor_name: str, leave_parametrized: bool = True
) -> Module:
    """Makes a parametrised tensor a plain parameter or buffer again.

    Args:
        module: The module.
        tensor_name: The name of the tensor.
        leave_parametrized: If true, keeps the computed elements; otherwise the original ones.

    Returns:
        The module.
    """
    if not is_parametrized(module, tensor_name):
        raise InvalidArgumentError(
            f"remove_parametrizations: {tensor_name} must be parametrised, got one that is not"
        )
    parts: Any = module.get_submodule(f"parametrizations.{tensor_name}")
    if not leave_parametrized and not parts.is_tensor:
        raise InvalidArgumentError(
            f"remove_parametrizations: leave_parametrized must be True for {tensor_name}, which is "
            f"computed from several tensors, got False"
        )
    original: Any = parts.original if parts.is_tensor else parts.original0
    if leave_parametrized:
        with no_grad():
            value = parts()
        if not parts.is_tensor:
            asks = original.requires_grad
            original = Parameter(value, asks) if isinstance(original, Parameter) else value
        else:
            original.data = value
    delattr(type(module), tensor_name)
    del module.parametrizations[tensor_name]
    if not is_parametrized(module):
        del module.parametrizations
        module.__class__ = type(module)._parametrized_of  # type: ignore[attr-defined]
    if isinstance(original, Parameter):
        module.register_parameter(tensor_name, original)
    else:
        module.register_buffer(tensor_name, original)
    return module


def type_before_parametrizations(module: Module) -> type:
    """Returns the class that a module had before its tensors were parametrised."""
    kind: type = getattr(type(module), "_parametrized_of", type(module))
    return kind


def transfer_parametrizations_and_params(
    from_module: Module, to_module: Module, tensor_name: str | None = None
) -> Module:
    """Copies the parametrisations of one module, and the tensors that they run on, to another.

    Args:
        from_module: The source module.
        to_module: The target module, with tensors of the same names.
        tensor_name: The name of the tensor to transfer; by default all.

    Returns:
        to_module.
    """
    if not is_parametrized(from_module, tensor_name):
        return to_module
    kept: Any = from_module.get_submodule("parametrizations")
    for name in [tensor_name] if tensor_name is not None else list(kept):
        if not hasattr(to_module, name):
            setattr(to_module, name, Parameter(getattr(from_module, name).detach().clone()))
        for one in kept[name]:
            register_parametrization(to_module, name, one, unsafe=kept[name].unsafe)
        own: Any = to_module.get_submodule(f"parametrizations.{name}")
        names = ["original"] if own.is_tensor else [f"original{i}" for i in range(own.count)]
        for one in names:
            setattr(own, one, getattr(kept[name], one))
    return to_module


__all__ = [
    "ParametrizationList",
    "cached",
    "is_parametrized",
    "register_parametrization",
    "remove_parametrizations",
    "transfer_parametrizations_and_params",
    "type_before_parametrizations",
]
