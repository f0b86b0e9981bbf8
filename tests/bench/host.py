# SPDX-License-Identifier: Apache-2.0
"""Describes the environment of a run: processor, compilers, and versions of the peers."""

from __future__ import annotations

import importlib.metadata
import os
import pathlib
import platform
import subprocess

from bench import ROOT

PEERS = ("numpy", "apache-tvm-ffi", "torch", "nanobind", "pybind11")


def lines() -> list[str]:
    """Returns one line per fact, for the report and the JSON."""
    java = os.environ.get("JAVA_HOME")
    facts = [
        f"{_processor()}, {os.cpu_count()} CPUs, Linux {platform.release()}",
        f"load average at the end {os.getloadavg()[0]:.1f}",
        f"revision {_first_line('git', '-C', str(ROOT), 'describe', '--always', '--dirty')}",
        f"{_first_line('c++', '--version')}, release build (-O2)",
        f"Python {platform.python_version()}",
        _first_line(f"{java}/bin/java" if java else "java", "-version"),
        _first_line("rustc", "--version"),
    ]
    for package in PEERS:
        try:
            facts.append(f"{package} {importlib.metadata.version(package)}")
        except importlib.metadata.PackageNotFoundError:
            facts.append(f"{package}: not installed")
    return facts


def _processor() -> str:
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return f"{platform.machine()} processor"


def _first_line(*command: str) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except OSError:
        return f"{command[0]}: none"
    printed = (done.stdout + done.stderr).strip().splitlines()
    return printed[0] if printed else f"{command[0]}: said nothing"
