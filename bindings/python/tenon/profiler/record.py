# SPDX-License-Identifier: Apache-2.0
"""Collection of a thread's operators and named parts of the program, between two moments."""

from __future__ import annotations

import contextlib
from time import perf_counter_ns

from ..factories import empty
from ..introspect import profile as _dispatches
from .events import EventList, FunctionEvent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_running: list[Collector] = []


class Collector:
    """Collects events from `begin` to `end`.

    Attributes:
        events: The events.
    """

    def __init__(self) -> None:
        """Collects nothing yet."""
        self.events = EventList()
        self._parts: list[tuple[str, int, int]] = []
        self._dispatches: Any = None
        self._begun = 0

    def begin(self) -> None:
        """Begins to collect."""
        probe = empty(())
        probe.neg()  # kernels are loaded at the first call
        self._dispatches = _dispatches(None)
        self._dispatches.__enter__()
        # Times of dispatches have another origin, which the first dispatch, at a known time, shows.
        self._begun = perf_counter_ns()
        probe.neg()
        _running.append(self)

    def end(self) -> None:
        """Ends, and makes the events."""
        finished = perf_counter_ns()
        _running.remove(self)
        self._dispatches.__exit__(None, None, None)
        events, dispatches = EventList(), self._dispatches.events
        self._begun -= dispatches[0].time
        probes = [one for one in dispatches if one.time < dispatches[0].end]
        for one in dispatches[len(probes) :]:
            if one.redispatch or one.key == "__torch_function__":
                continue
            end = finished - self._begun if one.end is None else one.end
            event = FunctionEvent(len(events), one.op, one.time / 1000, end / 1000)
            event.kernel = one.kernel
            events.append(event)
        for name, start, end in self._parts:
            times = ((start - self._begun) / 1000, (end - self._begun) / 1000)
            number = len(events)
            events.append(FunctionEvent(number, name, *times, is_user_annotation=True))
        events.find_parents()
        self.events = events

    def add_part(self, name: str, start: int, end: int) -> None:
        """Adds a named part, with times of `perf_counter_ns`."""
        self._parts.append((name, start, end))


class record_function(contextlib.ContextDecorator):
    """Names a part of the program in profiles: a `with` block, or a decorated function.

    Args:
        name: The name.
        args: Has no effect.
    """

    def __init__(self, name: str = "", args: str | None = None) -> None:
        """Stores the name."""
        self.name, self.args = name, args
        self._starts: list[int] = []

    def __enter__(self) -> record_function:
        self._starts.append(perf_counter_ns() if _running else 0)
        return self

    def __exit__(self, *exception: object) -> None:
        start = self._starts.pop()
        if start and _running:
            now = perf_counter_ns()
            for one in _running:
                one.add_part(self.name, start, now)

    def _recreate_cm(self) -> record_function:
        return record_function(self.name, self.args)


__all__ = ["Collector", "record_function"]
