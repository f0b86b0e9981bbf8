# SPDX-License-Identifier: Apache-2.0
"""Processes: Python's `multiprocessing`, and `spawn`; tensors go through queues as copies."""

from __future__ import annotations

import multiprocessing as _multiprocessing
import sys
import traceback
from multiprocessing import *  # noqa: F403

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


class ProcessException(Exception):
    """A process of `spawn` failed.

    Attributes:
        error_index: Its number.
        error_pid: Its process id.
    """

    def __init__(self, msg: str, error_index: int, pid: int) -> None:
        """Stores the facts."""
        super().__init__(msg)
        self.msg, self.error_index, self.error_pid = msg, error_index, pid


class ProcessRaisedException(ProcessException):
    """A process of `spawn` raised an error."""


class ProcessExitedException(ProcessException):
    """A process of `spawn` ended otherwise.

    Attributes:
        exit_code: Its exit status.
    """

    def __init__(self, msg: str, error_index: int, error_pid: int, exit_code: int) -> None:
        """Stores the facts."""
        super().__init__(msg, error_index, error_pid)
        self.exit_code = exit_code


def _run(function: Callable[..., Any], index: int, args: tuple[Any, ...], errors: Any) -> None:
    try:
        function(index, *args)
    except Exception:
        errors.put(traceback.format_exc())
        sys.exit(1)


class ProcessContext:
    """The processes of `spawn`.

    Attributes:
        processes: The processes.
    """

    def __init__(self, processes: list[Any], errors: list[Any]) -> None:
        """Stores the processes and the queues of their errors."""
        self.processes, self._errors = processes, errors

    def pids(self) -> list[int]:
        """Returns the process ids."""
        return [int(one.pid) for one in self.processes]

    def join(self, timeout: float | None = None, grace_period: float | None = None) -> bool:
        """Waits for the processes; returns true if all have ended.

        Raises:
            ProcessRaisedException: one raised an error; all other processes are stopped.
            ProcessExitedException: one ended with another status than 0.
        """
        from multiprocessing.connection import wait

        waiting = {one.sentinel: number for number, one in enumerate(self.processes)}
        while waiting:
            ready = wait(list(waiting), timeout)
            if not ready:
                return False
            for sentinel in ready:
                number = waiting.pop(sentinel)
                process = self.processes[number]
                process.join()
                if process.exitcode != 0:
                    self._fail(number, process)
        return True

    def _fail(self, number: int, process: Any) -> None:
        for one in self.processes:
            if one.is_alive():
                one.terminate()
            one.join()
        if not self._errors[number].empty():
            text = self._errors[number].get()
            message = f"spawn: process {number} must not raise an error, got:\n{text}"
            raise ProcessRaisedException(message, number, process.pid)
        message = f"spawn: process {number} must exit with status 0, got {process.exitcode}"
        raise ProcessExitedException(message, number, process.pid, process.exitcode)


SpawnContext = ProcessContext


def start_processes(
    fn: Callable[..., Any],
    args: tuple[Any, ...] = (),
    nprocs: int = 1,
    join: bool = True,
    daemon: bool = False,
    start_method: str = "spawn",
) -> ProcessContext | None:
    """Runs fn(number, *args) in processes; returns them unless they are waited for.

    Args:
        fn: The function.
        args: Its further arguments.
        nprocs: Number of processes.
        join: If true, waits for all of them.
        daemon: If true, they end with this process.
        start_method: "spawn", "fork" or "forkserver".
    """
    context: Any = _multiprocessing.get_context(start_method)
    processes, errors = [], []
    for number in range(nprocs):
        queue = context.SimpleQueue()
        process = context.Process(target=_run, args=(fn, number, args, queue), daemon=daemon)
        process.start()
        processes.append(process)
        errors.append(queue)
    made = ProcessContext(processes, errors)
    if not join:
        return made
    while not made.join():
        pass
    return None


def spawn(
    fn: Callable[..., Any],
    args: tuple[Any, ...] = (),
    nprocs: int = 1,
    join: bool = True,
    daemon: bool = False,
    start_method: str = "spawn",
) -> ProcessContext | None:
    """Runs fn(number, *args) in new processes; see `start_processes`."""
    return start_processes(fn, args, nprocs, join, daemon, start_method)


def get_sharing_strategy() -> str:
    """Returns the name of the only strategy: memory is not shared."""
    return "file_descriptor"


def get_all_sharing_strategies() -> set[str]:
    """Returns the names of all strategies."""
    return {"file_descriptor"}


def set_sharing_strategy(new_strategy: str) -> None:
    """Has no effect: tensors are copied."""


__all__ = [
    *_multiprocessing.__all__,
    "ProcessContext",
    "ProcessExitedException",
    "ProcessRaisedException",
    "SpawnContext",
    "get_all_sharing_strategies",
    "get_sharing_strategy",
    "set_sharing_strategy",
    "spawn",
    "start_processes",
]
