# SPDX-License-Identifier: Apache-2.0
"""The older interface of profiles; `tenon.profiler` is the newer one."""

from __future__ import annotations

from ..error import StateError
from ..profiler.events import EventList, FunctionEvent, FunctionEventAvg
from ..profiler.record import Collector, record_function

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class profile:
    """Collects the operators of the thread in a `with` block.

    Args:
        enabled: If false, nothing is collected.
        options: Have no effect.

    Attributes:
        function_events: The events; None before the end.
    """

    def __init__(self, enabled: bool = True, **options: Any) -> None:
        """Stores the option."""
        self.enabled = enabled
        self.function_events: EventList | None = None
        self._collector: Collector | None = None

    def __enter__(self) -> profile:
        if self.enabled:
            self._collector = Collector()
            self._collector.begin()
        return self

    def __exit__(self, *exception: object) -> None:
        if self._collector is not None:
            self._collector.end()
            self.function_events = self._collector.events

    def _events(self) -> EventList:
        if self.function_events is None:
            raise StateError("profile: the block must end first, got a profile that runs")
        return self.function_events

    def __str__(self) -> str:
        return repr(self) if self.function_events is None else str(self.function_events)

    @property
    def self_cpu_time_total(self) -> float:
        """Microseconds of all events."""
        return self._events().self_cpu_time_total

    def table(self, *args: Any, **kwargs: Any) -> str:
        """See `EventList.table`."""
        return self._events().table(*args, **kwargs)

    def key_averages(self, *args: Any, **kwargs: Any) -> EventList:
        """See `EventList.key_averages`."""
        return self._events().key_averages(*args, **kwargs)

    def total_average(self) -> FunctionEventAvg:
        """See `EventList.total_average`."""
        return self._events().total_average()

    def export_chrome_trace(self, path: str) -> None:
        """See `EventList.export_chrome_trace`."""
        self._events().export_chrome_trace(path)

    def export_stacks(self, path: str, metric: str = "self_cpu_time_total") -> None:
        """See `EventList.export_stacks`."""
        self._events().export_stacks(path, metric)


__all__ = ["EventList", "FunctionEvent", "FunctionEventAvg", "profile", "record_function"]
