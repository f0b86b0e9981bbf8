# SPDX-License-Identifier: Apache-2.0
"""Finds the tools and libraries of needs.py on this machine, and installs missing ones by apt."""

from __future__ import annotations

import glob
import os
import pathlib
import re
import shutil
import subprocess

import apt
import ui
from needs import NEEDS, PACKAGE_MANAGERS, Need


def command_version(program: str) -> tuple:
    """Returns the version that a program prints as a tuple of numbers, or () if it prints none."""
    flag = "-version" if os.path.basename(program).startswith("swig") else "--version"
    try:
        done = subprocess.run(
            [program, flag], capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.TimeoutExpired):
        return ()
    text = done.stdout + done.stderr
    match = re.search(r"(\d+)\.(\d+)(?:\.(\d+))?", text) or re.search(r"\b(\d+)\b", text)
    return tuple(int(part) for part in match.groups() if part) if match else ()


def locate(need: Need) -> str | None:
    """Returns the path that meets a need, or None. A program that is too old does not meet it."""
    if need.name == "Python headers and venv":
        return _python_headers()
    if need.program == "javac":
        home = java_home()
        return str(home / "bin/javac") if home else None
    if need.program.endswith("-*"):
        return newest_program(need.program.removesuffix("-*"), need.minimum)
    if need.program:
        path = shutil.which(need.program)
        if path is None and need.program in ("cargo", "rustfmt", "cargo-clippy"):
            path = shutil.which(need.program, path=str(pathlib.Path.home() / ".cargo/bin"))
        if path is None or (need.minimum and command_version(path) < need.minimum):
            return None
        return path
    for pattern in need.files:
        found = sorted(glob.glob(pattern))
        if found:
            return found[0]
    return None


def newest_program(name: str, minimum: tuple = ()) -> str | None:
    """Returns the path of the newest program among `name` and `name-<number>`, or None."""
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    paths = [path for folder in folders for path in glob.glob(f"{folder}/{name}-[0-9]*")]
    plain = shutil.which(name)
    found = [(command_version(path), path) for path in (*paths, *([plain] if plain else []))]
    return max((one for one in found if one[0] and one[0] >= minimum), default=(0, None))[1]


def _python_headers() -> str | None:
    import importlib.util
    import sysconfig

    header = pathlib.Path(sysconfig.get_path("include")) / "Python.h"
    return str(header) if header.exists() and importlib.util.find_spec("ensurepip") else None


def java_home(minimum: int = 17) -> pathlib.Path | None:
    """Finds the home of a JDK of that release or newer: JAVA_HOME, javac on PATH, /usr/lib/jvm."""
    candidates = []
    if os.environ.get("JAVA_HOME"):
        candidates.append(pathlib.Path(os.environ["JAVA_HOME"]))
    javac = shutil.which("javac")
    if javac:
        candidates.append(pathlib.Path(javac).resolve().parent.parent)
    candidates += [pathlib.Path(path) for path in sorted(glob.glob("/usr/lib/jvm/*"))]
    for home in candidates:
        if (home / "bin/javac").exists() and (home / "include/jni.h").exists():
            if command_version(str(home / "bin/javac")) >= (minimum,):
                return home
    return None


def missing(names: tuple) -> list:
    return [name for name in names if locate(NEEDS[name]) is None]


def ensure(names: tuple) -> None:
    """Installs the missing ones of `names`, or fails with the commands that install them."""
    lacking = missing(names)
    if not lacking:
        return
    wanted = ", ".join(_describe(name) for name in lacking)
    if shutil.which("apt-get") is None:
        raise ui.Failure(f"missing: {wanted}. {elsewhere(lacking)}")
    prefix = _root_prefix()
    if prefix is not None:
        ui.say(f"missing: {wanted}")
        # Debian's slim images have no package lists, and the names below depend on the lists.
        ui.run("apt-get update", [*prefix, "apt-get", "-q", "update"], env=apt.NONINTERACTIVE)
    packages, too_old = choose(lacking)
    if too_old:
        raise ui.Failure(f"this system offers too old a version: {'; '.join(too_old)}")
    line = ["apt-get", "install", "-y", "--no-install-recommends", *packages]
    if prefix is None:
        raise ui.Failure(f"missing: {wanted}. Run as root, then repeat:\n  {' '.join(line)}")
    ui.run("apt-get install", [*prefix, *line], env=apt.NONINTERACTIVE)
    still = missing(tuple(lacking))
    if still:
        names = ", ".join(_describe(name) for name in still)
        raise ui.Failure(f"after installing {' '.join(packages)} these are still missing: {names}")


def choose(names: list) -> tuple:
    """Returns packages for the needs, and a sentence for each that apt has in old versions only."""
    packages, too_old = [], []
    for name in names:
        group, version = apt.newest(NEEDS[name].apt, NEEDS[name].oldest_from)
        if version and NEEDS[name].minimum and version < NEEDS[name].minimum:
            offered = ".".join(str(part) for part in version)
            too_old.append(f"{_describe(name)} is needed, {group[0]} is {offered}")
        packages += group
    return sorted(set(packages)), too_old


def elsewhere(names: list) -> str:
    """Returns the commands that install the needs, for all package managers or for the one here."""
    lines = []
    for index, manager in enumerate(PACKAGE_MANAGERS):
        packages = [NEEDS[name].elsewhere[index] for name in names if NEEDS[name].elsewhere]
        packages = list(dict.fromkeys(word for text in packages for word in text.split()))
        verb = {"pacman": "-S", "apk": "add"}.get(manager, "install")
        lines.append((manager, f"  {manager} {verb} {' '.join(packages)}"))
    here = [line for manager, line in lines if shutil.which(manager)]
    shown = here or [line for _, line in lines]
    unknown = [NEEDS[name].name for name in names if not NEEDS[name].elsewhere]
    note = f"\n{', '.join(unknown)}: from your system or its makers" if unknown else ""
    return "Install the packages, then repeat:\n" + "\n".join(shown) + note


def _describe(name: str) -> str:
    need = NEEDS[name]
    version = ".".join(str(part) for part in need.minimum)
    return f"{need.name} {version}+" if version else need.name


def _root_prefix() -> list | None:
    if os.geteuid() == 0:
        return []
    sudo = shutil.which("sudo")
    if sudo and subprocess.run([sudo, "-n", "true"], capture_output=True).returncode == 0:
        return [sudo, "-n", "env", "DEBIAN_FRONTEND=noninteractive"]
    return None


def cargo() -> str:
    path = locate(NEEDS["rust"])
    if path is None:
        raise ui.Failure("cargo must be installed, got none; run ./dev test once")
    return path


def doctor(names: tuple, extra: list) -> int:
    """Prints a table of needs: version found, oldest version, versions tried, purpose and path.

    Returns the number of missing needs.
    """
    rows = []
    lacking = 0
    for name in names:
        need = NEEDS[name]
        where = locate(need)
        oldest = ".".join(str(part) for part in need.minimum)
        version = ""
        if where and need.program:
            version = ".".join(str(part) for part in command_version(where))
        if where is None:
            lacking += 1
            where = "MISSING: " + _offer(name)
        rows.append(
            (
                need.name,
                version or "-",
                f"{oldest}+" if oldest else "any",
                need.tried or "-",
                need.why,
                where,
            )
        )
    header = ("", "found", "needed", "tried with", "for", "where")
    width = [max(len(row[i]) for row in (header, *rows)) for i in range(len(header) - 1)]
    for row in (header, *rows):
        print("  ".join(cell.ljust(w) for cell, w in zip(row, width)) + "  " + row[-1])
    for line in extra:
        print(line)
    return lacking


def _offer(name: str) -> str:
    """Returns the packages that provide a need on this system."""
    if shutil.which("apt-cache"):
        return " ".join(apt.newest(NEEDS[name].apt, NEEDS[name].oldest_from)[0]).replace("{}", "N")
    return elsewhere([name]).partition("\n")[2].strip()
