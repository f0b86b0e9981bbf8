# SPDX-License-Identifier: Apache-2.0
"""Runs libFuzzer targets: inputs found grow below build/, the committed ones are the seed."""

from __future__ import annotations

import os
import re
import subprocess

import environment
import machine
import native
import ui

FOLDER = ui.ROOT / "tests" / "fuzz"
TARGETS = tuple(sorted(path.name for path in (FOLDER / "corpus").iterdir() if path.is_dir()))


def run(target: str, seconds: int) -> int:
    """Fuzzes one target or "all"; the status is 1 when one of them broke a promise."""
    machine.ensure(native.NEEDS["fuzz"])
    native.build("fuzz", targets=("tenon_fuzzers",))
    names = TARGETS if target == "all" else (target,)
    rows = [_run_one(name, seconds) for name in names]
    print()
    ui.table(rows, ["target", "executions", "edges", "inputs", "verdict"])
    return 0 if all(row[-1] == "ok" for row in rows) else 1


def _run_one(name: str, seconds: int) -> tuple:
    """One target for some seconds; returns its row of the table."""
    found = ui.BUILD / "fuzz-corpus" / name
    findings = ui.BUILD / "fuzz-findings"
    found.mkdir(parents=True, exist_ok=True)
    findings.mkdir(parents=True, exist_ok=True)
    log = ui.LOGS / f"fuzz-{name}.log"
    command = [
        environment.build_dir("fuzz") / "bin" / f"fuzz_{name}",
        f"-max_total_time={seconds}",
        "-rss_limit_mb=4096",  # names are interned for ever, so memory grows with the inputs
        f"-artifact_prefix={findings}/{name}-",
        found,
        FOLDER / "corpus" / name,
    ]
    env = {**os.environ, "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1"}
    ui.say(f"fuzz {name} for {seconds} s")
    with open(log, "w") as file:
        status = subprocess.run(
            command, env=env, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT
        ).returncode
    text = log.read_text(errors="replace")
    if status != 0:
        ui.show_tail(log)
    return (name, *read_progress(text), "ok" if status == 0 else "FAILED")


def read_progress(text: str) -> tuple:
    """Executions, covered edges and inputs, of the last line in which libFuzzer tells them."""
    found = re.findall(r"^#(\d+)\s.*?cov: (\d+) .*?corp: (\d+)/", text, re.M)
    return found[-1] if found else ("0", "0", "0")
