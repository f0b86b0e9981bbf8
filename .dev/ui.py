# SPDX-License-Identifier: Apache-2.0
"""Prints progress lines with elapsed time, and runs commands with their output in a log."""

from __future__ import annotations

import os
import pathlib
import shlex
import signal
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(os.environ.get("TENON_BUILD_ROOT", ROOT / "build"))
LOGS = BUILD / "log"
# After this many silent seconds a sign of life is printed, because CI systems take silence for a
# hang.
HEARTBEAT = 30.0
TAIL_LINES = 60

_start = time.monotonic()
_verbose = False


class Failure(Exception):
    """A step failed; the message is for the user, no traceback wanted."""


def set_verbose(on: bool) -> None:
    global _verbose
    _verbose = on


def elapsed() -> str:
    seconds = int(time.monotonic() - _start)
    return f"{seconds // 60}:{seconds % 60:02d}"


def say(text: str) -> None:
    print(f"[{elapsed()}] {text}", flush=True)


def show_tail(log: pathlib.Path, lines: int = TAIL_LINES) -> None:
    text = log.read_text(errors="replace").splitlines()
    for line in text[-lines:]:
        print(f"    {line}")
    sys.stdout.flush()


def run(
    what: str,
    command: list,
    *,
    cwd: pathlib.Path | None = None,
    env: dict | None = None,
    log: str | None = None,
    check: bool = True,
    quiet: bool = False,
    timeout: float | None = None,
) -> int:
    """Runs one command with its output in build/log, and prints how long it took.

    Returns the exit status; with `check`, a status other than 0 shows the end of the log and raises
    Failure. Output also goes to the terminal with `./dev --verbose`.
    """
    command = [str(part) for part in command]
    LOGS.mkdir(parents=True, exist_ok=True)
    path = LOGS / f"{log or what.replace(' ', '-').replace('/', '-')}.log"
    full_env = dict(os.environ)
    full_env.update({k: str(v) for k, v in (env or {}).items()})
    if not quiet:
        say(f"{what} ...")
    begin = time.monotonic()
    with open(path, "w") as out:
        out.write(f"$ {shlex.join(command)}\n")
        out.flush()
        try:
            child = subprocess.Popen(
                command,
                cwd=cwd or ROOT,
                env=full_env,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE if _verbose else out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except FileNotFoundError as error:
            raise Failure(f"{what}: {command[0]} must be an installed program, got none") from error
        status = _wait(child, what, path, out, begin, timeout)
    seconds = time.monotonic() - begin
    if status != 0 and check:
        say(f"{what}: failed with status {status} after {seconds:.1f} s; end of {short(path)}:")
        if not _verbose:
            show_tail(path)
        raise Failure(f"{what} failed; the whole output is in {short(path)}")
    if not quiet:
        say(f"{what}: {'done' if status == 0 else f'status {status}'} in {seconds:.1f} s")
    return status


def _wait(child, what, path, out, begin, timeout) -> int:
    """Waits with a heartbeat. If the wait is interrupted, stops the child's whole process group."""
    if _verbose:
        thread = threading.Thread(target=_copy, args=(child.stdout, out), daemon=True)
        thread.start()
    next_beat = begin + HEARTBEAT
    try:
        while True:
            try:
                status = child.wait(timeout=1.0)
                break
            except subprocess.TimeoutExpired:
                now = time.monotonic()
                if timeout is not None and now - begin > timeout:
                    os.killpg(child.pid, signal.SIGKILL)
                    child.wait()
                    status = 124
                    break
                if now >= next_beat and not _verbose:
                    next_beat = now + HEARTBEAT
                    say(f"  {what}: {now - begin:.0f} s, last line: {_last_line(path)}")
    except BaseException:
        os.killpg(child.pid, signal.SIGTERM)
        child.wait()
        raise
    if _verbose:
        thread.join()
    return status


def _copy(stream, out) -> None:
    for raw in stream:
        line = raw.decode(errors="replace")
        out.write(line)
        sys.stdout.write(line)
        sys.stdout.flush()


def _last_line(path: pathlib.Path) -> str:
    with open(path, "rb") as file:
        file.seek(0, os.SEEK_END)
        file.seek(max(0, file.tell() - 400))
        lines = file.read().decode(errors="replace").replace("\r", "\n").strip().splitlines()
    return lines[-1].strip()[:100] if lines else ""


def short(path: pathlib.Path) -> str:
    try:
        return str(path.relative_to(ROOT))
    except ValueError:
        return str(path)


def table(rows: list, header: list) -> None:
    """Prints rows of cells in aligned columns: the first left-aligned, all others right-aligned."""
    cells = [[str(cell) for cell in row] for row in [header, *rows]]
    widths = [max(len(row[i]) for row in cells) for i in range(len(header))]
    for number, row in enumerate(cells):
        line = row[0].ljust(widths[0])
        line += "".join("  " + cell.rjust(width) for cell, width in zip(row[1:], widths[1:]))
        print(line.rstrip())
        if number == 0:
            print("-" * (sum(widths) + 2 * (len(widths) - 1)))
    sys.stdout.flush()
