# SPDX-License-Identifier: Apache-2.0
"""Builds wheels, one per Python: libraries built once, plus an extension per Python."""

from __future__ import annotations

import pathlib
import re
import shutil
import subprocess

import environment
import native
import ui
from interpreters import Interpreter

PROJECT = ui.ROOT / "bindings" / "python"
LICENCES = (ui.ROOT / "LICENSE", ui.ROOT / "capi" / "THIRD_PARTY_LICENSES.txt")
# Program that writes the metadata folder that the build backend derives from pyproject.toml.
METADATA = (
    "import sys; from scikit_build_core.build import prepare_metadata_for_build_wheel as prepare; "
    "prepare(sys.argv[1])"
)


def make(dist: pathlib.Path, seconds: str, pythons: list[Interpreter], stubs: pathlib.Path) -> None:
    """Puts wheels into a folder, each tagged with the oldest glibc that it works with.

    They are packed from the release build; `pip wheel bindings/python` would compile all files
    again. All files in them get the time `seconds` since 1970. `stubs` are stub libraries of that
    glibc.
    """
    work = environment.build_dir("release") / "wheel"
    shutil.rmtree(work, ignore_errors=True)
    release = environment.build_dir("release")
    content = _installed(release, work / "content")
    _add_metadata(content)
    own = environment.version_of(environment.python("base"))[:2]
    # Start with the release build's own Python, whose extension is built already.
    for python in sorted(pythons, key=lambda one: one.version != own):
        if python.version != own:
            build = native.build_extension(python.path, python.name, stubs)
            one = _installed(build, work / f"extension-{python.name}")
            for old in (content / "tenon").glob("_tenon.*.so"):
                old.unlink()
            shutil.copy2(one / "tenon" / f"_tenon{python.suffix}", content / "tenon")
        shutil.copy2(_packed(work, content, python, seconds), dist)


def _installed(build: pathlib.Path, content: pathlib.Path) -> pathlib.Path:
    """Returns the package for one Python as a build folder installs it."""
    install = ["cmake", "--install", build, "--component", "python", "--prefix", content]
    ui.run("install the Python package", [*install, "--strip"])
    (library,) = (content / "tenon").glob("libtenon.so.*")  # a plain file for cmake
    ui.run("strip libtenon", ["strip", library], quiet=True)
    return content


def _add_metadata(content: pathlib.Path) -> None:
    interpreter = environment.python("base", "dist")
    ui.run("write the wheel's metadata", [interpreter, "-c", METADATA, content], cwd=PROJECT)
    (metadata,) = content.glob("*.dist-info")
    (metadata / "licenses").mkdir()
    lines = ""
    for path in LICENCES:
        shutil.copy(path, metadata / "licenses")
        lines += f"License-File: {path.name}\n"
    # The build backend does not find these files because they are outside the project's folder.
    text = (metadata / "METADATA").read_text()
    head, body = text.split("\n\n", 1)
    (metadata / "METADATA").write_text(f"{head}\n{lines}\n{body}")


def _packed(
    work: pathlib.Path, content: pathlib.Path, python: Interpreter, seconds: str
) -> pathlib.Path:
    interpreter = environment.python("base", "dist")
    env = {"SOURCE_DATE_EPOCH": seconds}
    packed = work / python.tag
    packed.mkdir()
    ui.run("pack the wheel", [interpreter, "-m", "wheel", "pack", content, "-d", packed], env=env)
    (built,) = packed.glob("*.whl")
    tags = ["--python-tag", python.tag, "--abi-tag", python.tag]
    tags += ["--platform-tag", _glibc_tag(interpreter, built)]
    command = [interpreter, "-m", "wheel", "tags", "--remove", *tags, built]
    ui.run(f"tag the wheel for {python.name}", command, env=env)
    (tagged,) = packed.glob("*.whl")
    return tagged


def _glibc_tag(interpreter: pathlib.Path, wheel: pathlib.Path) -> str:
    """Returns auditwheel's platform tag for a wheel, such as manylinux_2_35_x86_64."""
    command = [interpreter, "-m", "auditwheel", "show", wheel]
    said = " ".join(subprocess.run(command, capture_output=True, text=True).stdout.split())
    found = re.search(r'following platform tag: "(manylinux_\w+)"', said)
    if found is None:
        raise ui.Failure(
            f"dist: auditwheel must find a manylinux tag for {wheel.name}, said {said}"
        )
    return found[1]
