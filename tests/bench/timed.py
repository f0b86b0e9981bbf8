# SPDX-License-Identifier: Apache-2.0
"""Times statements in alternation, for the programs that measure Python calls."""

from __future__ import annotations

import functools
import statistics
import timeit
import time

# Time of this thread instead of wall-clock time, because other processes may be running.
Timer = functools.partial(timeit.Timer, timer=time.thread_time)


class Rows:
    """Statements to time: a name, the statement, and the names it uses."""

    def __init__(self) -> None:
        self.timers: dict[str, timeit.Timer] = {"empty": Timer("pass")}
        self.extra: dict[str, dict] = {}  # rows with a different way of measuring
        self.skipped: dict[str, str] = {}
        self.kept: list = []  # libraries, which stay open while their operators are called

    def add(self, name: str, statement: str, **names) -> None:
        # Bind names to locals, to measure the call without lookups of globals.
        setup = "\n".join(f"{one} = {one}_" for one in names) or "pass"
        scope = {f"{one}_": value for one, value in names.items()}
        self.timers[name] = Timer(statement, setup, globals=scope)

    def measure(self, rounds: int, seconds: float) -> dict:
        counts = {}
        for name, timer in self.timers.items():
            timer.timeit(200)
            once = max(min(timer.timeit(200) for _ in range(3)) / 200, 1e-9)
            counts[name] = max(20, int(seconds / once))
        times = {name: [] for name in self.timers}
        for _ in range(rounds):
            for name, timer in self.timers.items():
                times[name].append(timer.timeit(counts[name]) / counts[name] * 1e9)
        empty = min(times["empty"])
        result = dict(self.extra)
        for name, all_times in times.items():
            result[name] = summary(all_times, empty if name != "empty" else 0)
        return result


def summary(times: list[float], empty: float = 0) -> dict:
    """Returns minimum and median of the rounds, minus the empty loop's time, and their spread."""
    least, median = min(times), statistics.median(times)
    quartiles = statistics.quantiles(times, n=4) if len(times) > 1 else (median, median, median)
    return {
        "ns": least - empty,
        "median": median - empty,
        "spread": (quartiles[2] - quartiles[0]) / median,
        "noise": median / least - 1,
        "rounds": len(times),
    }
