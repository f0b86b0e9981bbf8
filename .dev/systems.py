# SPDX-License-Identifier: Apache-2.0
"""Tenon on other systems: its demo and tests, its packages, and its sources under each compiler.

Each run starts in a minimal Debian without any build tool, so that whatever is needed must be
installed by the project's own files. Warnings are errors here, as in CI.
"""

from __future__ import annotations

import dataclasses
import json
import pathlib
import re
import shutil
import subprocess
import time

import debian_root
import dist
import machine
import suites
import ui

RESULTS = ui.ROOT / "build" / "results" / "systems"
SOURCE = "/root/tenon"  # where a root has the sources


@dataclasses.dataclass(frozen=True)
class System:
    """A Debian release, with the compilers that are tried there beside its own."""

    title: str
    compilers: tuple = ()


SYSTEMS = {
    "bookworm": System("Debian 12", ("gcc-11", "clang-14", "clang-15", "clang-16")),
    "trixie": System("Debian 13", ("gcc-13", "clang-17", "clang-18", "clang-19")),
    "sid": System("Debian sid", ("gcc-15", "clang-21", "clang-22")),
}
PARTS = ("demo", "test", "packages", "compilers")
# libtenon and the CPU kernels use these compilers; everything else the system's own compiler. All
# warnings of clang come from its front end, so that its optimizer need not run; many of gcc's
# depend on the optimizer.
COMPILED = {
    "gcc": "-DCMAKE_BUILD_TYPE=Release",
    "clang": "-DCMAKE_BUILD_TYPE=FrontEnd -DCMAKE_CXX_FLAGS='-O0 -DNDEBUG'",
}
# Tools whose versions are shown, and their names in `./dev doctor`.
VERSIONS = {
    "gcc": "C++20 compiler",
    "cmake": "CMake",
    "swig": "SWIG",
    "jdk": "JDK",
    "rust": "Rust",
}


def run(names: list, parts: tuple, keep: bool) -> int:
    """Runs the parts on each system and prints the table; returns 1 if anything failed."""
    for what, known, chosen in (("SYSTEM", SYSTEMS, names), ("--only", PARTS, parts)):
        for one in chosen:
            if one not in known:
                raise ui.Failure(f"systems: {what} must be of {', '.join(known)}, got {one}")
    machine.ensure(("debootstrap",))
    if debian_root.refusal():
        raise ui.Failure(f"systems: {debian_root.refusal()}")
    RESULTS.mkdir(parents=True, exist_ok=True)
    rows, good = [], True
    for name in names or SYSTEMS:
        outcome = {}
        if "packages" in parts:
            outcome["packages"] = packages(name)
        if {"demo", "test", "compilers"} & set(parts):
            root = debian_root.copy(name, "systems")
            copy_sources(root / SOURCE[1:])
            for part in ("demo", "test"):
                if part in parts:
                    outcome[part] = step(root, name, part)
            outcome["versions"] = versions(root)
            if "compilers" in parts:
                outcome["compilers"] = compilers(root, name)
            if not keep:
                shutil.rmtree(root)
        (RESULTS / f"{name}.json").write_text(json.dumps(outcome, indent=1))
        good = good and all(one["good"] for part, one in outcome.items() if part in PARTS)
        rows.append(row(name, outcome))
        print()
        ui.table(rows, ["system", "versions", *PARTS])
    return 0 if good else 1


def copy_sources(target: pathlib.Path) -> None:
    """Copies the files that git tracks, or would track, as in a fresh clone."""
    listed = ["git", "-C", ui.ROOT, "ls-files", "-z", "-co", "--exclude-standard"]
    names = subprocess.run(listed, check=True, capture_output=True, text=True).stdout.split("\0")
    for name in filter(None, names):
        source = ui.ROOT / name
        if source.is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target / name, follow_symlinks=False)


def enter(root: pathlib.Path, name: str, what: str, line: str, folder: str = SOURCE) -> tuple:
    """Runs a line in a root; returns its status, seconds, and the log that has its output."""
    log = f"systems-{name}-{what}"
    begin = time.monotonic()
    status = ui.run(
        f"{name}: {what}",
        ["env", "-i", *_assignments(), *debian_root.command(root, line, folder)],
        log=log,
        check=False,
    )
    return status, time.monotonic() - begin, ui.LOGS / f"{log}.log"


def _assignments() -> list:
    env = debian_root.environment(TENON_WERROR="ON")
    return [f"{key}={value}" for key, value in env.items()]


def step(root: pathlib.Path, name: str, verb: str) -> dict:
    """Runs `./dev demo` or `./dev test` in a root."""
    status, seconds, log = enter(root, name, verb, f"./dev {verb}")
    text = log.read_text(errors="replace")
    counts = re.search(r"^total +(\d+) +(\d+) +(\d+)", text, re.M)
    suites.complain(log.stem, status)
    outcome = {"good": status == 0, "minutes": round(seconds / 60, 1)}
    if counts:
        outcome["passed"], outcome["failed"], outcome["skipped"] = map(int, counts.groups())
    return outcome


def versions(root: pathlib.Path) -> dict:
    """Returns the versions of a root's tools, as `./dev doctor` prints them."""
    if not (root / "usr/bin/python3").exists():
        return {}
    line = debian_root.command(root, "./dev doctor; python3 --version", SOURCE)
    env = debian_root.environment()
    text = subprocess.run(line, capture_output=True, text=True, env=env).stdout
    found = {}
    for key, title in VERSIONS.items():
        match = re.search(rf"^{re.escape(title)} +([\d.]+)", text, re.M)
        if match:
            found[key] = match.group(1)
    python = re.search(r"^Python ([\d.]+)", text, re.M)
    return {**found, **({"python": python.group(1)} if python else {})}


def compilers(root: pathlib.Path, name: str) -> dict:
    """Compiles the libraries with each compiler of a system, its own first."""
    outcome = {"good": True, "warnings": {}}
    chosen = SYSTEMS[name].compilers
    packages = [one.replace("gcc", "g++") for one in chosen]
    needed = "ca-certificates cmake ninja-build g++ libopenblas-dev libdnnl-dev"
    line = f"apt-get install -y -q --no-install-recommends {needed} {' '.join(packages)}"
    enter(root, name, "install compilers", line)
    for one in chosen:
        pair = one, one.replace("gcc", "g++").replace("clang", "clang++")
        flags = f"-DCMAKE_C_COMPILER={pair[0]} -DCMAKE_CXX_COMPILER={pair[1]}"
        flags += f" {COMPILED[one.partition('-')[0]]} -DTENON_WERROR=ON"
        flags += " -DTENON_BUILD_WRAPPERS=OFF"  # the roots have no Python
        build = f"/root/build-{one}"
        line = f"cmake -S . -B {build} -G Ninja {flags} && ninja -C {build} -k 0"
        status, _, log = enter(root, name, one, line)
        suites.complain(log.stem, status)
        found = re.findall(r"(?:warning|error):.*", log.read_text(errors="replace"))
        outcome["warnings"][one] = len(found)
        outcome["good"] = outcome["good"] and status == 0
        shutil.rmtree(root / build[1:], ignore_errors=True)
    return outcome


def packages(name: str) -> dict:
    """Installs and uses dist/ in fresh roots of a system: tests/installed/roots.py."""
    if not (dist.DIST / "SHA256SUMS").exists():
        raise ui.Failure("systems: dist/ must hold the packages, got none; run ./dev dist")
    begin = time.monotonic()
    outcome = suites.roots(suites.Run("release", pattern=name))
    return {
        "good": outcome.good,
        "passed": outcome.passed,
        "failed": outcome.failed,
        "minutes": round((time.monotonic() - begin) / 60, 1),
    }


def row(name: str, outcome: dict) -> list:
    """Returns the row of a system in the table."""
    cells = [SYSTEMS[name].title]
    tools = outcome.get("versions", {})
    cells.append(", ".join(f"{tool} {version}" for tool, version in tools.items()) or "-")
    for part in PARTS:
        one = outcome.get(part)
        if one is None:
            cells.append("-")
            continue
        text = "ok" if one["good"] else "FAILED"
        if "passed" in one:
            text += f" {one['passed']} of {one['passed'] + one['failed']}"
        if "minutes" in one:
            text += f", {one['minutes']} min"
        if "warnings" in one:
            text += " " + ", ".join(one["warnings"])
        cells.append(text)
    return cells
