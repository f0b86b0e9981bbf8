# SPDX-License-Identifier: Apache-2.0
"""Events of a profile: operators and named parts of a program, with sums, tables and traces."""

from __future__ import annotations

import json
import os
from collections import defaultdict

from ..error import InvalidArgumentError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any


def _time_text(microseconds: float) -> str:
    """Returns a time with the unit that suits its size."""
    if microseconds >= 1e6:
        return f"{microseconds / 1e6:.3f}s"
    if microseconds >= 1e3:
        return f"{microseconds / 1e3:.3f}ms"
    return f"{microseconds:.3f}us"


class Interval:
    """The time of an event.

    Attributes:
        start: Microseconds from the beginning of the profile.
        end: Likewise.
    """

    def __init__(self, start: float, end: float) -> None:
        """Stores both ends."""
        self.start, self.end = start, end

    def elapsed_us(self) -> float:
        """Returns the microseconds between them."""
        return self.end - self.start

    def __repr__(self) -> str:
        return f"Interval({self.start:.3f}, {self.end:.3f})"


class FormattedTimesMixin:
    """The times of an event as text, and those of other devices, which are 0."""

    cpu_time_total: float
    self_cpu_time_total: float
    count: int

    @property
    def cpu_time(self) -> float:
        """The average time in microseconds."""
        return self.cpu_time_total / self.count if self.count else 0.0

    @property
    def cpu_time_str(self) -> str:
        """The average time as text."""
        return _time_text(self.cpu_time)

    @property
    def cpu_time_total_str(self) -> str:
        """The total time as text."""
        return _time_text(self.cpu_time_total)

    @property
    def self_cpu_time_total_str(self) -> str:
        """The total time without that of inner events, as text."""
        return _time_text(self.self_cpu_time_total)

    device_time = device_time_total = self_device_time_total = 0.0
    cuda_time = cuda_time_total = self_cuda_time_total = 0.0
    cpu_memory_usage = self_cpu_memory_usage = 0
    device_memory_usage = self_device_memory_usage = 0
    flops = 0
    node_id = -1
    is_async = is_remote = is_legacy = False
    use_device: str | None = None


class FunctionEvent(FormattedTimesMixin):
    """One call of an operator, or one named part of the program.

    Attributes:
        id: Its number.
        name: Name of the operator without overload, or of the part.
        overload_name: The overload, "" for the default one and for parts.
        time_range: When it ran.
        thread: Number of the thread.
        cpu_parent: The event that it ran inside; None: none.
        cpu_children: The events that ran inside it.
        is_user_annotation: True for a named part.
        kernel: Name of the kernel, "" if unknown.
    """

    count = 1

    def __init__(
        self, id: int, name: str, start: float, end: float, *, is_user_annotation: bool = False
    ) -> None:
        """Stores the facts; `EventList` finds parents and children."""
        self.id = id
        self.name, _, self.overload_name = name.partition(".")
        if is_user_annotation:
            self.name, self.overload_name = name, ""
        self.trace_name = self.name
        self.time_range = Interval(start, end)
        self.thread = 1
        self.cpu_parent: FunctionEvent | None = None
        self.cpu_children: list[FunctionEvent] = []
        self.is_user_annotation = is_user_annotation
        self.kernel = ""
        self.input_shapes: list[Any] = []
        self.stack: list[str] = []
        self.kernels: list[Any] = []

    @property
    def key(self) -> str:
        """The name."""
        return self.name

    @property
    def cpu_time_total(self) -> float:  # type: ignore[override]
        """Microseconds that it took."""
        return self.time_range.elapsed_us()

    @property
    def self_cpu_time_total(self) -> float:  # type: ignore[override]
        """Microseconds outside inner events."""
        return self.cpu_time_total - sum(one.cpu_time_total for one in self.cpu_children)

    def __repr__(self) -> str:
        return (
            f"<FunctionEvent id={self.id} name={self.name} cpu_time={self.cpu_time_str} "
            f"cpu_start_us={self.time_range.start} cpu_end_us={self.time_range.end}>"
        )


class FunctionEventAvg(FormattedTimesMixin):
    """The sum of events with a name.

    Attributes:
        key: The name.
        count: Number of events.
        cpu_time_total: Microseconds that they took.
        self_cpu_time_total: Microseconds outside inner events.
    """

    def __init__(self, key: str = "", is_user_annotation: bool = False) -> None:
        """Begins at zero."""
        self.key, self.is_user_annotation = key, is_user_annotation
        self.count, self.cpu_time_total, self.self_cpu_time_total = 0, 0.0, 0.0
        self.input_shapes: Any = ""
        self.stack: list[str] = []
        self.overload_name = ""

    def add(self, other: FunctionEvent | FunctionEventAvg) -> FunctionEventAvg:
        """Adds an event or a sum; returns the sum."""
        self.key = self.key or other.key
        self.count += other.count
        self.cpu_time_total += other.cpu_time_total
        self.self_cpu_time_total += other.self_cpu_time_total
        return self

    __iadd__ = add

    def __repr__(self) -> str:
        return (
            f"<FunctionEventAvg key={self.key} self_cpu_time={self.self_cpu_time_total_str} "
            f"cpu_time={self.cpu_time_str} count={self.count}>"
        )


_SORTABLE = ("cpu_time", "cpu_time_total", "self_cpu_time_total", "count", "key")


class EventList(list):
    """Events, or their sums by name, with tables and traces."""

    def __init__(self, events: Iterable[Any] = (), **_: object) -> None:
        """Takes the events; other options have no effect."""
        super().__init__(events)

    def find_parents(self) -> None:
        """Sets parents and children by the times of the events."""
        open_events: list[FunctionEvent] = []
        self.sort(key=lambda one: (one.time_range.start, -one.time_range.end))
        for event in self:
            while open_events and open_events[-1].time_range.end < event.time_range.end:
                open_events.pop()
            if open_events:
                event.cpu_parent = open_events[-1]
                open_events[-1].cpu_children.append(event)
            open_events.append(event)

    @property
    def self_cpu_time_total(self) -> float:
        """Microseconds of all events without those of inner ones."""
        return sum(event.self_cpu_time_total for event in self)

    def key_averages(
        self,
        group_by_input_shapes: bool = False,
        group_by_stack_n: int = 0,
        group_by_overload_name: bool = False,
    ) -> EventList:
        """Returns the sums of events by name; Tenon records neither shapes nor stacks."""
        sums: dict[Any, FunctionEventAvg] = {}
        for event in self:
            overload = event.overload_name if group_by_overload_name else ""
            key = (event.key, event.is_user_annotation, overload)
            total = sums.setdefault(key, FunctionEventAvg(event.key, event.is_user_annotation))
            total.overload_name = overload
            total.add(event)
        return EventList(sums.values())

    def total_average(self) -> FunctionEventAvg:
        """Returns the sum of all events."""
        total = FunctionEventAvg()
        for event in self:
            total += event
        total.key = "Total"
        return total

    def table(
        self,
        sort_by: str | None = None,
        row_limit: int = 100,
        max_src_column_width: int = 75,
        max_name_column_width: int = 55,
        max_shapes_column_width: int = 80,
        header: str | None = None,
        top_level_events_only: bool = False,
        time_unit: str | None = None,
    ) -> str:
        """Returns a table of the events with their times.

        Args:
            sort_by: Name of an attribute; the largest values come first.
            row_limit: Number of rows.
            max_src_column_width: Has no effect.
            max_name_column_width: Longer names are cut.
            max_shapes_column_width: Has no effect.
            header: Text above the table.
            top_level_events_only: If true, leaves out events inside others.
            time_unit: Has no effect: each time has the unit that suits it.
        """
        events = list(self)
        if top_level_events_only:
            events = [one for one in events if getattr(one, "cpu_parent", None) is None]
        if sort_by is not None:
            name = sort_by.replace("cuda", "device")
            if name not in _SORTABLE and not hasattr(FormattedTimesMixin, name):
                raise InvalidArgumentError(
                    f"table: sort_by must be one of {', '.join(_SORTABLE)}, got {sort_by!r}"
                )
            events.sort(key=lambda one: getattr(one, name), reverse=True)
        whole = self.self_cpu_time_total or 1.0
        head = ("Name", "Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg")
        rows = [(*head, "# of Calls")]
        for one in events if row_limit < 0 else events[:row_limit]:
            key = one.key
            if len(key) > max_name_column_width > 3:
                key = key[: max_name_column_width - 3] + "..."
            part, total = one.self_cpu_time_total / whole, one.cpu_time_total / whole
            times = (f"{part:.2%}", one.self_cpu_time_total_str, f"{total:.2%}")
            rows.append((key, *times, one.cpu_time_total_str, one.cpu_time_str, str(one.count)))
        widths = [max(12, *(len(row[place]) for row in rows)) for place in range(7)]
        line = "  ".join("-" * width for width in widths) + "  "
        body = [
            "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) + "  "
            for row in rows
        ]
        top = [] if header is None else ["=" * len(line), header]
        text = "\n".join([*top, line, body[0], line, *body[1:], line])
        return f"{text}\nSelf CPU time total: {_time_text(self.self_cpu_time_total)}\n"

    def __str__(self) -> str:
        return self.table()

    def supported_export_stacks_metrics(self) -> list[str]:
        """Returns the metrics that `export_stacks` accepts."""
        return ["self_cpu_time_total"]

    def export_chrome_trace(self, path: str) -> None:
        """Writes the events as JSON that chrome://tracing and Perfetto show."""
        with open(path, "w", encoding="utf-8") as file:
            json.dump(self.chrome_trace(), file)

    def chrome_trace(self, metadata: dict[str, Any] | None = None) -> dict[str, Any]:
        """Returns the events in the trace event format."""
        process = os.getpid()
        events = [
            {
                "ph": "X",
                "cat": "user_annotation" if one.is_user_annotation else "cpu_op",
                "name": one.name,
                "pid": process,
                "tid": process,
                "ts": one.time_range.start,
                "dur": one.cpu_time_total,
                "args": {"External id": one.id} | ({"Kernel": one.kernel} if one.kernel else {}),
            }
            for one in self
        ]
        return {"schemaVersion": 1, **(metadata or {}), "traceEvents": events}

    def export_stacks(self, path: str, metric: str = "self_cpu_time_total") -> None:
        """Writes the chains of events with a metric in microseconds, as flame graph tools read."""
        sums: defaultdict[str, int] = defaultdict(int)
        for one in self:
            names, outer = [], one
            while outer is not None:
                names.append(outer.name)
                outer = outer.cpu_parent
            sums[";".join(reversed(names))] += int(getattr(one, metric))
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(f"{names} {value}\n" for names, value in sums.items() if value > 0)


__all__ = [
    "EventList",
    "FormattedTimesMixin",
    "FunctionEvent",
    "FunctionEventAvg",
    "Interval",
]
