# SPDX-License-Identifier: Apache-2.0
"""Runs fuzz targets: native ones (libFuzzer) and random programs.

Inputs that native targets find are kept below build/; the committed inputs are the seed corpus.
Random programs are numbered by seed, so a failing program can be run again by its number.
"""

from __future__ import annotations

import os
import re
import subprocess
import time

import environment
import machine
import native
import ui

FOLDER = ui.ROOT / "tests" / "fuzz"
TARGETS = tuple(sorted(path.name for path in (FOLDER / "corpus").iterdir() if path.is_dir()))
# Kinds of random programs, and the scripts that run them. Each script compares the results with
# those of PyTorch, of loops, or of calls without a graph.
PROGRAMS = {
    "programs": ui.ROOT / "tests" / "python" / "programs.py",
    "transform_programs": ui.ROOT / "tests" / "python" / "transform_programs.py",
    "graph_programs": ui.ROOT / "tests" / "python" / "graph_programs.py",
}


def run(target: str, seconds: int) -> int:
    """Fuzzes one target or "all"; returns status 1 if a target failed."""
    if target in PROGRAMS:
        rows = [_run_programs(target, seconds)]
    else:
        machine.ensure(native.NEEDS["fuzz"])
        native.build("fuzz", targets=("tenon_fuzzers" if target == "all" else f"fuzz_{target}",))
        names = TARGETS if target == "all" else (target,)
        rows = [_run_one(name, seconds) for name in names]
        if target == "all":
            rows += [_run_programs(name, seconds) for name in PROGRAMS]
    print()
    ui.table(rows, ["target", "executions", "edges", "inputs", "verdict"])
    return 0 if all(row[-1] == "ok" for row in rows) else 1


def _run_programs(name: str, seconds: int) -> tuple:
    """Runs new random programs for some seconds; returns the row of the table."""
    native.build_all("release")
    first = time.time_ns() // 1_000_000 % 1_000_000_000
    log = ui.LOGS / f"fuzz-{name}.log"
    command = [
        environment.python("base", "torch"),
        PROGRAMS[name],
        f"--seconds={seconds}",
        f"--seed={first}",
    ]
    ui.say(f"fuzz {name} for {seconds} s, from seed {first}")
    with open(log, "w") as file:
        status = subprocess.run(
            command,
            env={**os.environ, **environment.runtime("release")},
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
        ).returncode
    if status != 0:
        ui.show_tail(log)
    executions = re.search(r"^(\d+) programs", log.read_text(errors="replace"), re.M)
    count = executions[1] if executions else "0"
    return (name, count, "", "", "ok" if status == 0 else "FAILED")


def _run_one(name: str, seconds: int) -> tuple:
    """Runs one target for some seconds; returns its row of the table."""
    found = ui.BUILD / "fuzz-corpus" / name
    findings = ui.BUILD / "fuzz-findings"
    found.mkdir(parents=True, exist_ok=True)
    findings.mkdir(parents=True, exist_ok=True)
    log = ui.LOGS / f"fuzz-{name}.log"
    command = [
        environment.build_dir("fuzz") / "bin" / f"fuzz_{name}",
        f"-max_total_time={seconds}",
        "-rss_limit_mb=4096",  # interned names are never freed, so memory grows with the inputs
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
    """Returns executions, covered edges and inputs from libFuzzer's last progress line."""
    found = re.findall(r"^#(\d+)\s.*?cov: (\d+) .*?corp: (\d+)/", text, re.M)
    return found[-1] if found else ("0", "0", "0")
