# SPDX-License-Identifier: Apache-2.0
"""Reports build time by step and folder in seconds, from ninja's log."""

from __future__ import annotations

import collections
import dataclasses
import pathlib

import ui

LINKED = "linked"  # the row of libraries and programs, which no folder owns
LONGEST_STEPS = 10


@dataclasses.dataclass(frozen=True)
class Step:
    """A command of a build: its first output and its seconds from start to end."""

    output: str
    seconds: float


def read(log: str) -> list:
    """Reads the steps from the text of .ninja_log; if a command ran repeatedly, its last run."""
    found: dict = {}
    for line in log.splitlines():
        fields = line.split("\t")
        if line.startswith("#") or len(fields) != 5:
            continue
        start, end, _, output, command = fields
        # A command with several outputs has one line for each, which share its hash.
        found[command] = Step(output, (int(end) - int(start)) / 1000)
    return list(found.values())


def folder_of(output: str) -> str:
    """Returns the folder that a step belongs to, at most two names deep."""
    parts = pathlib.PurePath(output).parts
    if parts[:1] in (("lib",), ("bin",), ("shipped",)):
        return LINKED
    names = []
    for name in parts[:-1]:
        if name in ("CMakeFiles", "/") or len(names) == 2:
            break
        names.append(name)
    return "/".join(names) or "."


def by_folder(steps: list) -> list:
    """Returns rows (folder, number of steps, seconds), the most seconds first."""
    seconds: dict = collections.Counter()
    numbers: dict = collections.Counter()
    for step in steps:
        folder = folder_of(step.output)
        seconds[folder] += step.seconds
        numbers[folder] += 1
    return [(folder, numbers[folder], total) for folder, total in seconds.most_common()]


def show(directory: pathlib.Path) -> None:
    """Prints a build folder's seconds by folder, and its longest steps."""
    log = directory / ".ninja_log"
    if not log.exists():
        raise ui.Failure(f"build --times: {ui.short(directory)} must hold a build, got none")
    steps = read(log.read_text())
    rows = [(name, str(n), f"{total:.1f}") for name, n, total in by_folder(steps)]
    total = sum(step.seconds for step in steps)
    print()
    ui.table([*rows, ("total", str(len(steps)), f"{total:.1f}")], ["folder", "steps", "seconds"])
    print()
    longest = sorted(steps, key=lambda step: -step.seconds)[:LONGEST_STEPS]
    ui.table([(one.output, f"{one.seconds:.1f}") for one in longest], ["longest steps", "seconds"])
    print("Seconds are from start to end of each step; steps that run at once are each counted.")
