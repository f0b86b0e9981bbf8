# SPDX-License-Identifier: Apache-2.0
"""The profiler of training loops: a schedule of steps, tables, and traces for viewers."""

from __future__ import annotations

import enum
import gzip
import json
import os
import socket
import time
from warnings import warn

from ..error import InvalidArgumentError, StateError
from .events import EventList
from .record import Collector, record_function

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any


class ProfilerActivity(enum.Enum):
    """Kinds of activity; Tenon's profiler collects the CPU's."""

    CPU = 0
    XPU = 1
    MTIA = 2
    CUDA = 3
    HPU = 4
    PrivateUse1 = 5


class ProfilerAction(enum.Enum):
    """Action of the profiler during a step."""

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3


def supported_activities() -> set[ProfilerActivity]:
    """Returns the activities that are collected."""
    return {ProfilerActivity.CPU}


def schedule(
    *,
    wait: int,
    warmup: int,
    active: int,
    repeat: int = 0,
    skip_first: int = 0,
    skip_first_wait: int = 0,
) -> Callable[[int], ProfilerAction]:
    """Returns a function from the number of a step to the profiler's action in it.

    Args:
        wait: Number of steps of a cycle without collection.
        warmup: Number of steps after them whose events are discarded.
        active: Number of steps after them that are collected.
        repeat: Number of cycles; 0: without end.
        skip_first: Number of steps before the first cycle.
        skip_first_wait: If not 0, the first cycle does not wait.
    """
    if min(wait, warmup, repeat, skip_first) < 0 or active <= 0:
        raise InvalidArgumentError(
            f"schedule: active must be positive and other numbers at least 0, got wait={wait}, "
            f"warmup={warmup}, active={active}, repeat={repeat}, skip_first={skip_first}"
        )
    length = wait + warmup + active

    def action(step: int) -> ProfilerAction:
        if step < skip_first:
            return ProfilerAction.NONE
        step -= skip_first
        if skip_first_wait != 0:
            step += wait
        if repeat > 0 and step // length >= repeat:
            return ProfilerAction.NONE
        place = step % length
        if place < wait:
            return ProfilerAction.NONE
        if place < wait + warmup:
            return ProfilerAction.WARMUP
        is_last = place == length - 1
        return ProfilerAction.RECORD_AND_SAVE if is_last else ProfilerAction.RECORD

    return action


def _always(_: int) -> ProfilerAction:
    return ProfilerAction.RECORD


def tensorboard_trace_handler(
    dir_name: str, worker_name: str | None = None, use_gzip: bool = False
) -> Callable[[profile], None]:
    """Returns a function for `on_trace_ready` that writes traces to a folder for TensorBoard.

    Args:
        dir_name: The folder; it is created.
        worker_name: Prefix of the file names, by default host and process.
        use_gzip: If true, files are compressed.
    """

    def write(prof: profile) -> None:
        os.makedirs(dir_name, exist_ok=True)
        worker = worker_name or f"{socket.gethostname()}_{os.getpid()}"
        name = f"{worker}.{time.time_ns()}.pt.trace.json" + (".gz" if use_gzip else "")
        prof.export_chrome_trace(os.path.join(dir_name, name))

    return write


class profile:
    """Collects the operators of the thread and named parts of the program.

    Args:
        activities: Has no effect: the CPU's operators are collected.
        schedule: Returns the action of each step; by default everything is collected.
        on_trace_ready: Called with the profile when a cycle of the schedule ends.
        record_shapes: Has no effect: shapes are not recorded.
        profile_memory: Has no effect.
        with_stack: Has no effect.
        with_flops: Has no effect.
        with_modules: Has no effect.
        experimental_config: Has no effect.
        execution_trace_observer: Has no effect.
        acc_events: If true, the events of all cycles are kept.
        custom_trace_id_callback: Has no effect.
        post_processing_timeout_s: Has no effect.
        use_cuda: Has no effect.
    """

    def __init__(
        self,
        *,
        activities: Iterable[Any] | None = None,
        schedule: Callable[[int], ProfilerAction] | None = None,
        on_trace_ready: Callable[..., Any] | None = None,
        record_shapes: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_flops: bool = False,
        with_modules: bool = False,
        experimental_config: Any = None,
        execution_trace_observer: Any = None,
        acc_events: bool = False,
        custom_trace_id_callback: Any = None,
        post_processing_timeout_s: float | None = None,
        use_cuda: bool | None = None,
    ) -> None:
        """Stores the options."""
        self.activities = set(activities or supported_activities())
        self.schedule = schedule or _always
        self._has_schedule = schedule is not None
        self.on_trace_ready, self.acc_events = on_trace_ready, acc_events
        self.step_num = 0
        self.current_action = self.schedule(0)
        self._collector: Collector | None = None
        self._events: EventList | None = None
        self._part: record_function | None = None
        self._metadata: dict[str, Any] = {}

    def start(self) -> None:
        """Begins with the first step."""
        self._enter(self.current_action)

    def stop(self) -> None:
        """Ends the last step."""
        self._end_part()
        is_collecting = self.current_action.value >= ProfilerAction.RECORD.value
        self._leave(saves=is_collecting)

    def step(self) -> None:
        """Ends a step and begins the next one."""
        self._end_part()
        before = self.current_action
        self.step_num += 1
        self.current_action = self.schedule(self.step_num)
        if before is ProfilerAction.RECORD_AND_SAVE:
            self._leave(saves=True)
        elif before is ProfilerAction.WARMUP or self.current_action.value < before.value:
            if before is ProfilerAction.RECORD:
                warn(
                    "profile: a cycle of the schedule must end with saving, got none", stacklevel=2
                )
            self._leave(saves=False)
        self._enter(self.current_action)

    def _enter(self, action: ProfilerAction) -> None:
        if action is ProfilerAction.NONE:
            return
        if self._collector is None:
            self._collector = Collector()
            self._collector.begin()
        if self._has_schedule:
            self._part = record_function(f"ProfilerStep#{self.step_num}")
            self._part.__enter__()

    def _end_part(self) -> None:
        if self._part is not None:
            self._part.__exit__()
            self._part = None

    def _leave(self, saves: bool) -> None:
        collector, self._collector = self._collector, None
        if collector is None:
            return
        collector.end()
        if not saves:
            return
        kept = self._events if self.acc_events and self._events is not None else []
        self._events = EventList([*kept, *collector.events])
        if self.on_trace_ready is not None:
            self.on_trace_ready(self)

    def __enter__(self) -> profile:
        self.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self.stop()

    def set_custom_trace_id_callback(self, callback: Any) -> None:
        """Has no effect."""

    def get_trace_id(self) -> str | None:
        """Returns None: traces have no numbers."""
        return None

    def events(self) -> EventList:
        """Returns the events.

        Raises:
            StateError: nothing was collected yet.
        """
        if self._events is None:
            raise StateError("profile: events must be collected first, got none")
        return self._events

    def key_averages(
        self,
        group_by_input_shape: bool = False,
        group_by_stack_n: int = 0,
        group_by_overload_name: bool = False,
    ) -> EventList:
        """Returns the sums of events by name."""
        return self.events().key_averages(
            group_by_input_shape, group_by_stack_n, group_by_overload_name
        )

    def add_metadata(self, key: str, value: str) -> None:
        """Adds a text to traces."""
        self._metadata[key] = value

    def add_metadata_json(self, key: str, value: str) -> None:
        """Adds a value, given as JSON, to traces."""
        self._metadata[key] = json.loads(value)

    def preset_metadata_json(self, key: str, value: str) -> None:
        """Adds a value, given as JSON, to traces."""
        self.add_metadata_json(key, value)

    def export_chrome_trace(self, path: str) -> None:
        """Writes the events as JSON for chrome://tracing and Perfetto; compressed for "*.gz"."""
        text = json.dumps(self.events().chrome_trace(self._metadata))
        if path.endswith(".gz"):
            with gzip.open(path, "wt", encoding="utf-8") as file:
                file.write(text)
            return
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def export_stacks(self, path: str, metric: str = "self_cpu_time_total") -> None:
        """Writes the chains of events; see `EventList.export_stacks`."""
        self.events().export_stacks(path, metric)

    def toggle_collection_dynamic(self, enable: bool, activities: Any = None) -> None:
        """Has no effect."""


__all__ = [
    "ProfilerAction",
    "ProfilerActivity",
    "profile",
    "schedule",
    "supported_activities",
    "tensorboard_trace_handler",
]
