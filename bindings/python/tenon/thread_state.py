# SPDX-License-Identifier: Apache-2.0
"""The thread-local state of calls (keys, modes, transforms), to carry over to other threads."""

from __future__ import annotations

from concurrent import futures as _futures

from . import _tenon

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future
    from typing import Any, TypeVar

    _R = TypeVar("_R")


class ThreadState:
    """The calling thread's state, captured. Other threads run work under it.

    The functions that `bind` makes restore the thread's own state when they return.
    """

    def __init__(self) -> None:
        """Captures the calling thread's state."""
        self._handle = _tenon.tenon_thread_state_capture()

    def bind(self, function: Callable[..., _R]) -> Callable[..., _R]:
        """Returns a function that runs `function` under this state, on whatever thread calls it."""

        def bound(*args: Any, **kwargs: Any) -> _R:
            previous = _tenon.tenon_thread_state_enter(self._handle)
            try:
                return function(*args, **kwargs)
            finally:
                _tenon.tenon_thread_state_leave(previous)

        return bound


class ThreadPoolExecutor(_futures.ThreadPoolExecutor):
    """A `concurrent.futures.ThreadPoolExecutor` whose work runs under its submitter's state."""

    def submit(self, fn: Callable[..., _R], /, *args: Any, **kwargs: Any) -> Future[_R]:
        """Schedules `fn(*args, **kwargs)`; `map` comes here, too."""
        return super().submit(ThreadState().bind(fn), *args, **kwargs)


__all__ = ["ThreadPoolExecutor", "ThreadState"]
