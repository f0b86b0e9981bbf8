# SPDX-License-Identifier: Apache-2.0
"""Overriding functions: classes in the place of tensors, subclasses of Tensor, and modes.

A class with the class method `__torch_function__(cls, func, types, args=(), kwargs=None)` may stand
for any argument of the package's functions, of methods of Tensor and of operators in whatever
language: the method then runs instead. Subclasses of `Tensor` inherit one that makes results
objects of the subclass. Modes see every call of the thread while they are on. `NotImplemented`
passes on: modes first, innermost first, then classes from left to right, subclasses before their
bases.
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

    While its method runs the mode is off, so that calling `func` there goes on to what is outside.
    """

    _kind = _tenon.TENON_MODE_OVERRIDE

    def __torch_function__(
        self,
        func: Any,
        types: Sequence[type],
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """Serves one call; by default lets it go on."""
        return func(*args, **(kwargs or {}))


# The name of a mode that lets all go on.
BaseTorchFunctionMode = TorchFunctionMode


class DisableTorchFunctionSubclass:
    """Leaves classes unasked in a `with` block: subclasses of Tensor are plain tensors there."""

    def __enter__(self) -> None:
        _tenon.disable_classes(1)

    def __exit__(self, *exc: object) -> None:
        _tenon.disable_classes(-1)


class DisableTorchFunction(_tenon.KeyGuard):
    """Leaves classes and modes unasked in a `with` block, those of other languages too."""

    def __new__(cls) -> DisableTorchFunction:
        """Makes the guard."""
        return super().__new__(cls, 1, 0, _tenon.tenon_keyset_from_key(_tenon.TENON_KEY_OVERRIDE))


def is_tensor_like(inp: object) -> bool:
    """Tells whether an object is a tensor or its class has `__torch_function__`."""
    return hasattr(type(inp), "__torch_function__")


def wrap_torch_function(dispatcher: _Function) -> Callable[[_Function], _Function]:
    """Makes a function of one's own overridable.

    Args:
        dispatcher: Takes what the function takes and returns the arguments that are relevant: a
            sequence of those whose classes are asked.
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
