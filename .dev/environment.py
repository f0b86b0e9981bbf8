# SPDX-License-Identifier: Apache-2.0
"""Private Python environments under build/, and the variables that built code runs with."""

from __future__ import annotations

import hashlib
import os
import pathlib
import shutil
import subprocess
import sys

import machine
import ui

REQUIREMENTS = ui.ROOT / ".dev" / "requirements"
VENV = ui.BUILD / "venv"


def python(*groups: str, venv: pathlib.Path = VENV, base: str = sys.executable) -> pathlib.Path:
    """Interpreter of a private environment that has the packages of the requirement groups.

    `base` is the Python that makes it.
    An installed group leaves a stamp with its hash, so that a second run starts no pip.
    """
    machine.ensure(("python-dev",))
    interpreter = venv / "bin" / "python"
    # A venv points to the Python it was made by: another one, or a moved tree, needs a new venv.
    mark = venv / "made-by"
    maker = f"{base} {version_of(base)} {venv}"
    if not interpreter.exists() or not mark.exists() or mark.read_text() != maker:
        shutil.rmtree(venv, ignore_errors=True)
        ui.run(f"create {venv.name}", [base, "-m", "venv", venv])
        mark.write_text(maker)
    for group in groups:
        source = REQUIREMENTS / f"{group}.txt"
        stamp = venv / f"have-{group}"
        digest = hashlib.sha256(source.read_bytes()).hexdigest()
        if stamp.exists() and stamp.read_text() == digest:
            continue
        ui.run(
            f"pip install {group} packages",
            [
                interpreter,
                "-m",
                "pip",
                "install",
                "-q",
                "--disable-pip-version-check",
                "-r",
                source,
            ],
            log=f"pip-{group}",
        )
        stamp.write_text(digest)
    return interpreter


def version_of(interpreter: str) -> tuple:
    """Returns the version of a Python, such as (3, 12, 1)."""
    if interpreter == sys.executable:
        return sys.version_info[:3]
    code = "import sys; print(*sys.version_info[:3])"
    try:
        text = subprocess.check_output([interpreter, "-c", code], text=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise ui.Failure(f"python: PATH must be a Python 3.10 or newer, got {error}") from error
    return tuple(int(part) for part in text.split())


def build_dir(preset: str) -> pathlib.Path:
    return ui.BUILD / ("release" if preset == "bench" else preset)


def runtime(preset: str = "release") -> dict:
    """Returns environment variables with which built code of every language finds its parts."""
    build = build_dir(preset)
    lib = build / "lib"
    env = {
        "TENON_BUILD_DIR": build,
        "TENON_LIB_DIR": lib,
        "TENON_SOURCE_DIR": ui.ROOT,
        "LD_LIBRARY_PATH": _prepend("LD_LIBRARY_PATH", lib),
        "PYTHONPATH": _prepend("PYTHONPATH", build / "bindings" / "python"),
        "CARGO_TARGET_DIR": ui.BUILD / "rust",
        "TENON_JAVA_BUILD_DIR": ui.BUILD / "java",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    home = machine.java_home()
    if home:
        env["JAVA_HOME"] = home
    return {key: str(value) for key, value in env.items()}


def _prepend(variable: str, path: pathlib.Path) -> str:
    old = os.environ.get(variable)
    return f"{path}{os.pathsep}{old}" if old else str(path)
