# SPDX-License-Identifier: Apache-2.0
"""Makes many calls in child processes, so that a crash or a hang costs one call and is reported.

A child notes in shared memory which call it makes. When it dies or makes no progress, the parent
reports that call and starts another child behind it. A script that uses this passes `--work FOLDER
--first N` on to `work`.
"""

from __future__ import annotations

import argparse
import json
import mmap
import os
import pathlib
import signal
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

STUCK_S = 60.0  # of wall-clock time, for a call that waits
Failure = tuple[str, str, str]  # the call, the kind of failure, and a text


def add_options(parser: argparse.ArgumentParser) -> None:
    """Adds the options by which a child process is started."""
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--work", help=argparse.SUPPRESS)
    parser.add_argument("--first", type=int, default=0, help=argparse.SUPPRESS)


def work(options: argparse.Namespace, failures_of: Callable[[str], list[tuple[str, str]]]) -> int:
    """Makes the calls of a child process, and writes down the (kind, text) of each failure."""
    folder = pathlib.Path(options.work)
    calls = (folder / "calls").read_text().splitlines()
    with open(folder / "at", "r+b") as file, open(folder / "failures", "a") as failures:
        at = mmap.mmap(file.fileno(), 8)
        for k in range(options.first, len(calls)):
            at[:8] = struct.pack("q", k)
            for kind, text in failures_of(calls[k]):
                failures.write(json.dumps([calls[k], kind, text]) + "\n")
                failures.flush()
        at[:8] = struct.pack("q", len(calls))
    return 0


def watch(
    script: str, calls: list[str], processes: int, limit_s: float, arguments: tuple[str, ...] = ()
) -> list[Failure]:
    """Makes all calls in child processes; a call may take `limit_s` seconds of CPU time.

    The children run the script with the arguments.
    """
    command = [sys.executable, script, *arguments]
    found = []
    with tempfile.TemporaryDirectory() as folder:
        watches = [
            _Watch(command, calls[k::processes], pathlib.Path(folder) / str(k), limit_s)
            for k in range(processes)
        ]
        left = list(watches)
        while left:
            time.sleep(0.05)
            left = [one for one in left if one.poll()]
        for one in watches:
            found += one.end()
    return sorted(found)


class _Watch:
    """One list of calls, and the child process that makes them."""

    def __init__(
        self, command: list, calls: list[str], folder: pathlib.Path, limit_s: float
    ) -> None:
        self.command = command
        self.calls = calls
        self.folder = folder
        self.limit_s = limit_s
        folder.mkdir()
        (folder / "calls").write_text("\n".join(calls) + "\n")
        (folder / "at").write_bytes(struct.pack("q", -1))
        self.file = open(folder / "at", "r+b")
        self.at = mmap.mmap(self.file.fileno(), 8)
        self.failures: list[Failure] = []
        self.seen = -2
        self.starts_without_call = 0
        self.start(0)

    def start(self, first: int) -> None:
        self.errors = open(self.folder / "stderr", "wb")
        self.process = subprocess.Popen(
            [*self.command, "--work", str(self.folder), "--first", str(first)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=self.errors,
        )

    def place(self) -> int:
        return struct.unpack("q", self.at[:8])[0]

    def poll(self) -> bool:
        """Checks the process; returns True while calls are left."""
        place = self.place()
        if place != self.seen:
            self.seen, self.since, self.spent = place, time.monotonic(), self.cpu_seconds()
        status = self.process.poll()
        if status is None:
            spent, waited = self.cpu_seconds() - self.spent, time.monotonic() - self.since
            limit = self.limit_s if place >= 0 else 10 * STUCK_S
            if spent > limit or waited > STUCK_S * (1 if place >= 0 else 10):
                self.process.kill()
                self.process.wait()
                self.note("hang", f"more than {limit:.0f} s")
                self.again()
            return True
        if place >= len(self.calls):
            return False
        if place < 0:
            self.starts_without_call += 1
            if self.starts_without_call > 2:
                text = (self.folder / "stderr").read_text(errors="replace")
                raise SystemExit(f"a child process must start, got status {status}:\n{text}")
        name = signal.Signals(-status).name if status < 0 else f"status {status}"
        text = (self.folder / "stderr").read_text(errors="replace").strip().splitlines()
        self.note("crash", " ".join([name, *text[-2:]])[:300])
        self.again()
        return True

    def cpu_seconds(self) -> float:
        try:
            fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2]
        except OSError:
            return 0.0
        return sum(map(int, fields.split()[11:13])) / os.sysconf("SC_CLK_TCK")

    def note(self, kind: str, text: str) -> None:
        if self.place() >= 0:
            self.failures.append((self.calls[self.place()], kind, text))
            print(f"{kind}: {self.calls[self.place()]}: {text}", flush=True)

    def again(self) -> None:
        self.errors.close()
        first = self.place() + 1
        self.seen = -2
        self.start(first)

    def end(self) -> list[Failure]:
        self.errors.close()
        self.at.close()
        self.file.close()
        path = self.folder / "failures"
        written = [tuple(json.loads(line)) for line in path.read_text().splitlines()]
        return [*self.failures, *written]
