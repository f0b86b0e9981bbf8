# SPDX-License-Identifier: Apache-2.0
"""Which functions can be overridden, which cannot, and what they are called."""

from __future__ import annotations

import functools
import inspect
import types

from ._tenon import OpOverload, OpOverloadPacket, OverridableFunction, Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

# Only modes can override these functions: none of their arguments can be a tensor-like object.
_FACTORIES = (
    *("arange", "as_tensor", "can_cast", "empty", "empty_strided", "eye", "from_dlpack"),
    *("from_numpy", "frombuffer", "full", "ones", "rand", "randint", "randn", "tensor", "zeros"),
)
# Members of Tensor that handlers use, or that do not depend on a tensor's elements.
_PLAIN_MEMBERS = {
    *("__class__", "__dict__", "__doc__", "__hash__", "__init__", "__iter__", "__module__"),
    *("__new__", "__setattr__", "__delattr__", "__getattribute__", "__delitem__", "__weakref__"),
    *("__torch_dispatch__", "__torch_function__", "__array_priority__", "__init_subclass__"),
    *(
        "__subclasshook__",
        "__dir__",
        "__buffer__",
        "__release_buffer__",
        "_make_subclass",
        "_make_wrapper_subclass",
        "_storage_ptr",
    ),
    *("_storage_address", "_storage_nbytes", "as_subclass"),
}
_WRITABLE = ("data", "grad", "grad_dtype", "imag", "real", "requires_grad")
_OVERRIDABLE = (OverridableFunction, OpOverloadPacket)


def _modules() -> dict[str, types.ModuleType]:
    """Returns the modules that have public functions, by name."""
    import tenon
    import tenon.autograd
    import tenon.nn.functional

    return {
        "tenon": tenon,
        "tenon.nn.functional": tenon.nn.functional,
        "tenon.autograd": tenon.autograd,
    }


def _functions(module: types.ModuleType) -> Iterator[tuple[str, Any]]:
    """Yields public functions by name, also those that `import *` leaves out, such as `sum`."""
    others = {
        name
        for name, value in vars(module).items()
        if isinstance(value, _OVERRIDABLE) and not name.startswith("_")
    }
    lazy = getattr(module, "_LAZY_FUNCTIONS", ())
    for name in dict.fromkeys((*module.__all__, *sorted(others), *lazy)):
        value = getattr(module, name)
        if callable(value) and not isinstance(value, (type, types.ModuleType)):
            yield name, value


def _members() -> Iterator[tuple[str, Any, bool]]:
    """Yields members of Tensor: name, function as handlers get it, whether it is overridable."""
    for name in sorted({name for cls in Tensor.__mro__ for name in vars(cls)}):
        value = inspect.getattr_static(Tensor, name)
        covered = name not in _PLAIN_MEMBERS
        if isinstance(value, (types.GetSetDescriptorType, property)):
            yield f"{name}.__get__", value.__get__, covered
            if name in _WRITABLE:
                yield f"{name}.__set__", value.__set__, covered
        elif isinstance(value, (staticmethod, classmethod, types.ClassMethodDescriptorType)):
            yield name, getattr(Tensor, name), False
        elif callable(value) and not isinstance(value, type):
            # Members that Tensor inherits from object are not overridable.
            own = name in vars(Tensor)
            yield name, value, covered and own


@functools.cache
def _found() -> tuple[dict[Any, list[Any]], tuple[Any, ...], dict[Any, str]]:
    """Returns overridable functions by module, ignored ones, and names of the overridable ones."""
    overridable: dict[Any, list[Any]] = {}
    ignored: dict[Any, None] = {}
    names: dict[Any, str] = {}
    for place, module in _modules().items():
        here = overridable[module] = []
        for name, value in _functions(module):
            if isinstance(value, _OVERRIDABLE) and name not in _FACTORIES:
                here.append(value)
                names.setdefault(value, f"{place}.{name}")
            else:
                ignored[value] = None
    here = overridable[Tensor] = []
    for name, value, covered in _members():
        if covered:
            here.append(value)
            names.setdefault(value, f"tenon.Tensor.{name}")
        else:
            ignored[value] = None
    return overridable, tuple(ignored), names


def get_overridable_functions() -> dict[Any, list[Callable[..., Any]]]:
    """Returns the functions that `__torch_function__` can override, by module or class.

    The keys are modules and Tensor. An attribute of Tensor is listed as its `__get__` and, if it
    is writable, its `__set__`.
    """
    return {place: list(functions) for place, functions in _found()[0].items()}


def get_ignored_functions() -> tuple[Callable[..., Any], ...]:
    """Returns the public functions that classes cannot override.

    Modes can override the factories among them.
    """
    return _found()[1]


def resolve_name(f: Callable[..., Any]) -> str | None:
    """Returns the name of an overridable function as users write it, None for others."""
    if isinstance(f, OpOverload):
        return f"tenon.ops.{f}"
    try:
        found = _found()[2].get(f)
    except TypeError:
        return None  # not hashable
    if found is None and isinstance(f, OpOverloadPacket):
        return f"tenon.ops.{f._qualified_op_name.replace('::', '.')}"
    return found


def is_tensor_method_or_property(func: Callable[..., Any]) -> bool:
    """Returns true if `func`, as passed to a handler, is a method or attribute of Tensor."""
    return func in _found()[0][Tensor]


def _name_of(func: Any) -> str:
    """Returns a function's name for messages; functions outside of the package work, too."""
    known = resolve_name(func)
    if known is not None:
        return known
    name = getattr(func, "__qualname__", None) or getattr(func, "__name__", None) or repr(func)
    module = getattr(func, "__module__", None)
    return f"{module}.{name}" if isinstance(module, str) else str(name)


__all__ = [
    "get_ignored_functions",
    "get_overridable_functions",
    "is_tensor_method_or_property",
    "resolve_name",
]
