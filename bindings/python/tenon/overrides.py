# SPDX-License-Identifier: Apache-2.0
"""Overriding functions: tensor-like classes, subclasses of Tensor, and modes.

Objects of a class with a class method `__torch_function__(cls, func, types, args=(), kwargs=None)`
can be passed as any argument of the package's functions, of methods of Tensor and of operators in
any language; the method then runs instead. Subclasses of `Tensor` inherit one that converts results
to the subclass. Modes handle every call of the thread while they are active. Handlers run in this
order until one does not return `NotImplemented`: modes, innermost first, then classes from left to
right, subclasses before their bases.
"""

from __future__ import annotations

import functools

from . import _tenon
from ._tenon import (
    _disabled_torch_function_impl,
    handle_torch_function,
    has_torch_function,
    has_torch_function_unary,
    has_torch_function_variadic,
)
from .override_names import (
    get_ignored_functions,
    get_overridable_functions,
    is_tensor_method_or_property,
    resolve_name,
)
from .override_testing import get_testing_overrides
from .wrapper_subclass import wrapper

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from typing_extensions import Self

    _Function = Callable[..., Any]


class Mode:
    """A handler of the calling thread's calls, on while a `with` block runs."""

    _kind: int

    def __enter__(self) -> Self:
        _tenon.mode_push(self._kind, self)
        return self

    def __exit__(self, *exc: object) -> None:
        _tenon.mode_pop(self._kind, self)


class TorchFunctionMode(Mode):
    """A mode that sees calls of functions, methods and attributes, while a `with` block runs.

    The mode is off while its method runs, so that a call of `func` reaches the outer handlers.
    """

    _kind = _tenon.TENON_MODE_OVERRIDE

    def __torch_function__(
        self,
        func: Any,
        types: Sequence[type],
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """Handles a call; by default calls `func`."""
        return func(*args, **(kwargs or {}))


# PyTorch's name for a mode that passes on every call.
BaseTorchFunctionMode = TorchFunctionMode


class DisableTorchFunctionSubclass:
    """Disables classes' overrides in a `with` block: subclass objects act as plain tensors."""

    def __enter__(self) -> None:
        _tenon.disable_classes(1)

    def __exit__(self, *exc: object) -> None:
        _tenon.disable_classes(-1)


class DisableTorchFunction(_tenon.KeyGuard):
    """Disables overrides of classes and modes of all languages in a `with` block."""

    def __new__(cls) -> DisableTorchFunction:
        """Makes the guard."""
        return super().__new__(cls, 1, 0, _tenon.tenon_keyset_from_key(_tenon.TENON_KEY_OVERRIDE))


def is_tensor_like(inp: object) -> bool:
    """Returns true if an object is a tensor or its class has `__torch_function__`."""
    return hasattr(type(inp), "__torch_function__")


def wrap_torch_function(dispatcher: _Function) -> Callable[[_Function], _Function]:
    """Makes a user's function overridable.

    Args:
        dispatcher: Takes the arguments of the function, and returns a sequence of those whose
            classes may override the call.
    """

    def inner(func: _Function) -> _Function:
        @functools.wraps(func)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            relevant = dispatcher(*args, **kwargs)
            if has_torch_function(relevant):
                return handle_torch_function(wrapped, relevant, *args, **kwargs)
            return func(*args, **kwargs)

        return wrapped

    return inner


__all__ = [
    "BaseTorchFunctionMode",
    "DisableTorchFunction",
    "DisableTorchFunctionSubclass",
    "TorchFunctionMode",
    "_disabled_torch_function_impl",
    "get_ignored_functions",
    "get_overridable_functions",
    "get_testing_overrides",
    "handle_torch_function",
    "has_torch_function",
    "has_torch_function_unary",
    "has_torch_function_variadic",
    "is_tensor_like",
    "is_tensor_method_or_property",
    "resolve_name",
    "wrap_torch_function",
    "wrapper",
]
