# SPDX-License-Identifier: Apache-2.0
"""The Pythons that wheels are built for and that installed wheels are tested with."""

from __future__ import annotations

import dataclasses
import glob
import json
import pathlib
import subprocess
import sys

import ui

OLDEST = (3, 10)
# Where to look for Pythons with headers, besides the running one: the distribution's, pyenv's, and
# those of the manylinux images.
PLACES = (
    "/usr/bin/python3.[0-9]*",
    "/usr/local/bin/python3.[0-9]*",
    "~/.pyenv/versions/*/bin/python3",
    "/opt/python/*/bin/python3",
)
FACTS = """
import json, os, sys, sysconfig
print(json.dumps({
    "version": sys.version_info[:2],
    "implementation": sys.implementation.name,
    "free_threaded": bool(sysconfig.get_config_var("Py_GIL_DISABLED")),
    "headers": os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")),
    "suffix": sysconfig.get_config_var("EXT_SUFFIX"),
}))
"""


@dataclasses.dataclass(frozen=True)
class Interpreter:
    """A Python interpreter and its properties."""

    path: str
    version: tuple
    implementation: str
    free_threaded: bool
    headers: bool
    suffix: str

    @property
    def name(self) -> str:
        return ".".join(map(str, self.version))

    @property
    def tag(self) -> str:
        """The wheel tag of this interpreter, used for both language and ABI."""
        return "cp{}{}".format(*self.version)

    @property
    def refusal(self) -> str:
        """Returns why no wheel can be built for it, or "" if one can."""
        if self.implementation != "cpython":
            return f"must be CPython, got {self.implementation}"
        if self.version < OLDEST:
            return f"must be 3.10 or newer, got {self.name}"
        if self.free_threaded:
            return (
                f"must be a Python with the GIL, got the free-threaded {self.name}: the extension "
                "relies on the GIL wherever it reads lists, dicts and its own caches"
            )
        return "" if self.headers else f"must come with its headers, got {self.name} without"


def read(path: str | pathlib.Path) -> Interpreter:
    """Runs a Python to read its properties."""
    try:
        said = subprocess.check_output([path, "-c", FACTS], text=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise ui.Failure(f"--python: PATH must be a Python 3.10 or newer, got {error}") from error
    facts = json.loads(said)
    return Interpreter(str(path), tuple(facts.pop("version")), **facts)


def named(paths: list[str]) -> list[Interpreter]:
    """Returns the interpreters at the paths; raises if a wheel cannot be built for one of them."""
    found = [read(path) for path in paths]
    for one in found:
        if one.refusal:
            raise ui.Failure(f"--python: {one.path} {one.refusal}")
    return found


def find() -> list[Interpreter]:
    """Returns one interpreter per version that wheels can be built for, oldest first.

    Prints the interpreters that are left out.
    """
    paths = [sys.executable]
    for place in PLACES:
        paths += sorted(glob.glob(str(pathlib.Path(place).expanduser())))
    chosen: dict[tuple, Interpreter] = {}
    for path in paths:
        if path.endswith("-config"):
            continue
        one = read(path)
        if one.refusal and one.version >= OLDEST:
            ui.say(f"no wheel for {path}: {one.refusal}")
        elif not one.refusal:
            chosen.setdefault(one.version, one)
    return [chosen[version] for version in sorted(chosen)]
