# SPDX-License-Identifier: Apache-2.0
"""Grad mode: whether the thread's calls may be recorded for gradients, and inference mode.

Names and behaviour are PyTorch's. On exit, `no_grad`, `enable_grad` and `set_grad_enabled` restore
the mode that was set on entry. They may be left in any order, because a generator that is suspended
inside of one may leave it late. `inference_mode` also changes the thread's keys and must be left in
order. A ThreadState carries both to other threads.
"""

from __future__ import annotations

from _thread import get_ident as _thread
from contextvars import ContextVar

from . import _tenon
from ._typing import overload
from .error import ArgumentTypeError, StateError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    from typing_extensions import Self

    _F = TypeVar("_F", bound=Callable[..., Any])

_ON = _tenon.TENON_GRAD_MODE_ON  # a bit, inside inference mode as well
_INFERENCE = _tenon.TENON_GRAD_MODE_INFERENCE


def is_grad_enabled() -> bool:
    """Returns true if grad mode is on for the calling thread."""
    return bool(_tenon.tenon_grad_mode_get() & _ON)


def is_inference_mode_enabled() -> bool:
    """Returns true if inference mode is on for the calling thread."""
    return bool(_tenon.tenon_grad_mode_get() & _INFERENCE)


# ---- As decorators -------------------------------------------------------------------------------


def _decorated(make: Callable[[], Any], function: Any) -> Any:
    """Wraps a function so that each call, or each generator step, runs in a new context."""
    import functools
    import inspect

    if inspect.isclass(function) or not callable(function):
        raise ArgumentTypeError(
            f"{type(make()).__name__}: the decorated object must be a function, got "
            f"{function!r}; of "
            "a class, decorate its methods"
        )
    if inspect.isgeneratorfunction(function):

        @functools.wraps(function)
        def steps(*args: Any, **kwargs: Any) -> Any:
            return (yield from _steps(make, function(*args, **kwargs)))

        return steps

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        with make():
            return function(*args, **kwargs)

    return call


def _steps(make: Callable[[], Any], generator: Any) -> Any:
    """Runs each step of a generator in a new context, which is left at each `yield`."""
    step, given = generator.send, None
    while True:
        try:
            with make():
                answer = step(given)
        except StopIteration as end:
            return end.value
        try:
            given = yield answer
            step = generator.send
        except GeneratorExit:
            with make():
                generator.close()
            raise
        except BaseException as error:  # thrown in by the caller: the generator's to handle
            step, given = generator.throw, error


class _Context:
    """Base of the contexts, which makes each of them a decorator, too."""

    def _again(self) -> Any:
        """Creates a new context with the same arguments."""
        return type(self)()

    def __call__(self, function: _F) -> _F:
        """Decorates a function, also a generator function, whose body then runs in this mode."""
        decorated: _F = _decorated(self._again, function)
        return decorated


# ---- Grad mode -----------------------------------------------------------------------------------


class _GradMode(_Context):
    _enabled: bool

    def __init__(self) -> None:
        """Initializes a context; entering it sets the mode."""
        self._before: tuple[int, bool] | None = None

    def _set(self) -> None:
        self._before = (_thread(), is_grad_enabled())
        _tenon.tenon_grad_mode_set(_ON if self._enabled else 0)

    def __enter__(self) -> None:
        self._set()

    def __exit__(self, *exc: object) -> None:
        if self._before is None or self._before[0] != _thread():
            raise StateError(
                f"{type(self).__name__}: must be left on the thread that entered it, got "
                f"{'one that was not entered' if self._before is None else 'another thread'}"
            )
        _tenon.tenon_grad_mode_set(_ON if self._before[1] else 0)
        self._before = None


class _PlainGradMode(_GradMode):
    @overload
    def __new__(cls, function: None = None) -> Self: ...

    @overload
    def __new__(cls, function: _F) -> _F: ...  # type: ignore[misc]

    def __new__(cls, function: Any = None) -> Any:
        """Makes the context, or decorates a function: `@no_grad` and `@no_grad()` are the same."""
        return super().__new__(cls) if function is None else cls()(function)


class no_grad(_PlainGradMode):
    """Turns grad mode off in a `with` block or a decorated function: nothing is recorded."""

    _enabled = False


class enable_grad(_PlainGradMode):
    """Turns grad mode on in a `with` block or a decorated function, e.g. inside of `no_grad`.

    Inside of inference mode, calls are still not recorded.
    """

    _enabled = True


class set_grad_enabled(_GradMode):
    """Sets grad mode at once; as a context or decorator, restores it after the block or call.

    Args:
        mode: Whether grad mode is on.
    """

    def __init__(self, mode: bool) -> None:
        """Sets the mode."""
        super().__init__()
        self._enabled = bool(mode)
        self._set()

    def __enter__(self) -> None:
        if self._before is None or self._before[0] != _thread():  # entered again, or elsewhere
            self._set()

    def _again(self) -> set_grad_enabled:
        return type(self)(self._enabled)

    def __call__(self, function: _F) -> _F:
        """Decorates a function; restores the mode that was set before this object was created."""
        decorated = super().__call__(function)
        if self._before is not None:
            self.__exit__()
        return decorated


# ---- Layout of gradients -------------------------------------------------------------------------

_enforces_layout: ContextVar[bool] = ContextVar("_enforces_layout", default=True)


class enforce_grad_layout_policy(_Context):
    """Sets whether gradients must have the strides of their leaves: at once, or in a `with` block.

    The setting exists for compatibility only: gradients always have the strides of their leaves,
    without a copy if the formula already produced them. The setting never changes values, and is
    local to the thread.

    Args:
        enable: False permits other layouts.
    """

    def __init__(self, enable: bool = True) -> None:
        """Sets the policy; leaving the context restores the previous one."""
        self.mode = bool(enable)
        self.prev = _enforces_layout.get()
        _enforces_layout.set(self.mode)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exc: object) -> None:
        _enforces_layout.set(self.prev)

    def _again(self) -> enforce_grad_layout_policy:
        return type(self)(self.mode)

    def __call__(self, function: _F) -> _F:
        """Decorates a function; restores the policy set before this object was created."""
        self.__exit__()
        return super().__call__(function)


# ---- Inference mode ------------------------------------------------------------------------------


class inference_mode(_Context, _tenon.KeyGuard):
    """Turns inference mode on: like `no_grad`, but tensors made in it are excluded from autograd.

    Such tensors have no version counter and no autograd keys, which saves their overhead.

    Args:
        mode: False turns inference mode off, also inside of an outer one, and grad mode on. If it
            is a function, decorates it.
    """

    mode: bool

    @overload
    def __new__(cls, mode: bool = True) -> Self: ...

    @overload
    def __new__(cls, mode: _F) -> _F: ...  # type: ignore[misc]

    def __new__(cls, mode: Any = True) -> Any:
        """Makes the context, or decorates a function."""
        if callable(mode):
            return cls()(mode)
        wanted = _INFERENCE if mode else _tenon.TENON_GRAD_MODE_NORMAL
        self = super().__new__(cls, 3, wanted, 0)
        self.mode = bool(mode)
        return self

    def _again(self) -> inference_mode:
        return type(self)(self.mode)


__all__ = [
    "enable_grad",
    "enforce_grad_layout_policy",
    "inference_mode",
    "is_grad_enabled",
    "is_inference_mode_enabled",
    "no_grad",
    "set_grad_enabled",
]
