# SPDX-License-Identifier: Apache-2.0
"""Measures the rows of kernel_calls.py and kernel_programs.py in one process, in turns.

    ./dev python tests/bench/kernels_bench.py --only 'add|sum' --sizes 65536 --threads 1

Prints JSON: the least and the median time of each call, in nanoseconds, by
`library/operator/dtype/layout/elements/threads`. With --only it prints a line a row instead. The
parts of `./dev bench --only kernels` are in parts/kernels.py.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import itertools
import json
import re
import statistics
import sys
import threading
import time
from collections.abc import Callable

import kernel_calls
import kernel_programs
import numpy
import tenon
import torch

ROUND = 3e-4  # seconds
SLOW = 3e-3  # seconds; a slower call is measured once per turn
LOOK = 0.004  # seconds


def set_threads(count: int) -> None:
    torch.set_num_threads(count)
    tenon.set_num_threads(count)


def settle() -> None:
    """Waits until the process's other threads are asleep.

    PyTorch's OpenMP threads spin for tens of milliseconds after a call, and ours for a fraction of
    a millisecond. If all cores are in use, they would disturb the next measurement.
    """
    for _ in range(100):
        start = time.process_time()
        time.sleep(LOOK)
        if time.process_time() - start < LOOK / 4:
            return


def timed(call: Callable[[], object], repeats: int) -> float:
    """Returns seconds per call."""
    loop = itertools.repeat(None, repeats)
    start = time.perf_counter()
    for _ in loop:
        call()
    return (time.perf_counter() - start) / repeats


def warmed(call: Callable[[], object]) -> int:
    """Calls until threads and caches are warm; returns the number of calls per round."""
    least = timed(call, 1)
    end = time.perf_counter() + 4 * ROUND
    while time.perf_counter() < end and least < SLOW:
        least = min(least, timed(call, max(1, int(ROUND / 8 / least))))
    return max(1, int(ROUND / least))


def measure(
    calls: dict[str, Callable[[], object]], seconds: float, threads: int
) -> dict[str, list[float]]:
    """Returns nanoseconds per call of each round; the libraries alternate."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    took = 0.0
    turns = 0
    # At least three turns, even if a call on many elements exceeds the time limit.
    while turns < 3 or took < seconds:
        turns += 1
        for name, call in calls.items():
            if threads > 1:
                settle()
            repeats = warmed(call)
            rounds = 0
            while rounds < 4 and (rounds == 0 or times[name][-1] < SLOW * 1e9):
                rounds += 1
                times[name].append(timed(call, repeats) * 1e9)
                took += times[name][-1] * repeats * 1e-9
    return times


class Program:
    """Collects times and prints progress."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.times: dict[str, dict] = {}
        self.counts = [int(one) for one in options.threads.split(",")]
        self.only = re.compile(options.only or "")
        self.start = time.perf_counter()

    def add(self, name: str, calls: dict, **facts: int) -> None:
        if not self.only.search(name):
            return
        for threads in self.counts:
            set_threads(threads)
            # numpy is single-threaded, except for matrix products.
            some = {k: one for k, one in calls.items() if threads == 1 or k != "numpy"}
            times = measure(some, self.options.seconds, threads)
            for library, values in times.items():
                self.times[f"{library}/{name}/{threads}"] = {
                    "least": min(values),
                    "median": statistics.median(values),
                    "rounds": len(values),
                    **facts,
                }
            if self.options.only:
                self.show(name, threads, {k: min(one) for k, one in times.items()})

    def show(self, name: str, threads: int, least: dict[str, float]) -> None:
        theirs = "  ".join(f"{k} {least[k] / 1e3:10.2f}" for k in least if k != "tenon")
        speed = least["torch"] / least["tenon"]
        print(f"{name:40} {threads}  ours {least['tenon'] / 1e3:10.2f}  {theirs} us  x{speed:.2f}")
        sys.stdout.flush()

    def say(self, what: str) -> None:
        took = time.perf_counter() - self.start
        print(f"bench: kernels: {what} after {took:.0f} s", file=sys.stderr, flush=True)


def copy_rates(counts: list[int], sizes: list[int]) -> dict[str, float]:
    """Returns bytes per second read and written by float32 copies on one or more threads."""
    rates = {}
    for count, threads in itertools.product(sizes, counts):
        part = count // threads
        pairs = [(numpy.ones(part, "f4"), numpy.ones(part, "f4")) for _ in range(threads)]
        barrier = threading.Barrier(threads)
        repeats = max(1, int(2e-3 * 1e10 / (8 * count)))

        def run(pair: tuple, took: list, repeats: int = repeats, barrier=barrier) -> None:
            for _ in range(12):
                barrier.wait()
                start = time.perf_counter()
                for _ in range(repeats):
                    numpy.copyto(*pair)
                took.append((time.perf_counter() - start) / repeats)

        took: list[list[float]] = [[] for _ in range(threads)]
        workers = [threading.Thread(target=run, args=both) for both in zip(pairs, took)]
        for one in workers:
            one.start()
        for one in workers:
            one.join()
        slowest = [max(some) for some in zip(*took)]
        rates[f"copy/{count}/{threads}"] = 8 * part * threads / min(slowest)
    return rates


def peak(library: str) -> float:
    """Returns the floating-point operations per second of one thread."""
    function = ctypes.CDLL(library).tenon_bench_peak
    function.argtypes, function.restype = [ctypes.c_double], ctypes.c_double
    return function(0.2)


def run(options: argparse.Namespace) -> dict:
    program = Program(options)
    roof: dict[str, float] = {}
    sizes = [int(one) for one in options.sizes.split(",")]
    if options.roof:
        roof = copy_rates(program.counts, sizes)
        roof["peak"] = peak(options.roof)
    torch.set_grad_enabled(False)
    for count in sizes:
        gc.collect()
        with tenon.no_grad():
            for row in kernel_calls.rows_of(count):
                program.add(row.name, row.calls, count=count, nbytes=row.nbytes, flops=row.flops)
        program.say(f"{count} elements")
    torch.set_grad_enabled(True)
    for name in kernel_programs.PROGRAMS:
        calls = {
            "torch": kernel_programs.program(name, torch),
            "tenon": kernel_programs.program(name, tenon),
        }
        program.add(f"program/{name}", calls)
    program.say("programs")
    return {"times": program.times, "roof": roof}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", metavar="PATTERN", help="rows whose names match; prints a table")
    parser.add_argument("--sizes", default=",".join(map(str, kernel_calls.SIZES)))
    parser.add_argument("--threads", default="1,2", help="numbers of threads")
    parser.add_argument("--seconds", type=float, default=0.05, help="for each row")
    parser.add_argument("--roof", metavar="LIBRARY", help="roof.c, compiled: measures the roof too")
    options = parser.parse_args()
    result = run(options)
    if not options.only:
        print(json.dumps(result))


if __name__ == "__main__":
    main()
