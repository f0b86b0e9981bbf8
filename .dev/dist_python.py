# SPDX-License-Identifier: Apache-2.0
"""The Python package as users install it: a wheel, and the sources that one is built from."""

from __future__ import annotations

import pathlib
import re
import shutil
import subprocess

import environment
import ui

PROJECT = ui.ROOT / "bindings" / "python"
# What a wheel is built from: neither tests nor the other languages.
SOURCES = ("CMakeLists.txt", "LICENSE", "capi", "core", "kernels", "bindings/python")


def make(dist: pathlib.Path, seconds: str) -> None:
    """Puts both into a folder; `seconds` since 1970 is the time that their files bear."""
    _wheel(dist, seconds)
    _sources(dist, seconds)


# Writes the folder of metadata that the build backend makes of pyproject.toml.
METADATA = (
    "import sys; from scikit_build_core.build import prepare_metadata_for_build_wheel as prepare; "
    "prepare(sys.argv[1])"
)


def _wheel(dist: pathlib.Path, seconds: str) -> None:
    """The Python package, for the Python that runs this, under the oldest glibc that it works with.

    Packed from the release build: `pip wheel bindings/python` compiles the same files once more.
    """
    interpreter = environment.python("base", "dist")
    work = environment.build_dir("release") / "wheel"
    shutil.rmtree(work, ignore_errors=True)
    content = work / "content"
    env = {"SOURCE_DATE_EPOCH": seconds}
    install = ["cmake", "--install", environment.build_dir("release"), "--component", "python"]
    ui.run("install the Python package", [*install, "--prefix", content, "--strip"])
    (library,) = (content / "tenon").glob("libtenon.so.*")  # a plain file for cmake
    ui.run("strip libtenon", ["strip", library])
    ui.run("write the wheel's metadata", [interpreter, "-c", METADATA, content], cwd=PROJECT)
    (metadata,) = content.glob("*.dist-info")
    (metadata / "licenses").mkdir()
    shutil.copy(ui.ROOT / "LICENSE", metadata / "licenses")
    ui.run("pack the wheel", [interpreter, "-m", "wheel", "pack", content, "-d", work], env=env)
    (built,) = work.glob("*.whl")
    tag = _glibc_tag(interpreter, built)
    command = [interpreter, "-m", "wheel", "tags", "--remove", "--platform-tag", tag, built]
    ui.run("tag the wheel", command, env=env)
    (tagged,) = work.glob("*.whl")
    shutil.copy2(tagged, dist)


def _glibc_tag(interpreter: pathlib.Path, wheel: pathlib.Path) -> str:
    """What auditwheel says the wheel may be called, such as manylinux_2_35_x86_64."""
    command = [interpreter, "-m", "auditwheel", "show", wheel]
    said = " ".join(subprocess.run(command, capture_output=True, text=True).stdout.split())
    found = re.search(r'following platform tag: "(manylinux_\w+)"', said)
    if found is None:
        raise ui.Failure(
            f"dist: auditwheel must find a manylinux tag for {wheel.name}, said {said}"
        )
    return found[1]


BUILD_SDIST = (
    "import sys; from scikit_build_core.build import build_sdist; build_sdist(sys.argv[1])"
)


def _sources(dist: pathlib.Path, seconds: str) -> None:
    """The tree that a wheel needs, with the package's description at its top."""
    interpreter = environment.python("base", "dist")
    work = environment.build_dir("release") / "sdist"
    shutil.rmtree(work, ignore_errors=True)
    tree = work / "tree"
    listed = subprocess.check_output(["git", "-C", ui.ROOT, "ls-files", *SOURCES], text=True)
    for name in listed.splitlines():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ui.ROOT / name, tree / name)
    project = (tree / "bindings/python/pyproject.toml").read_text()
    moved = project.replace('"../.."', '"."').replace('"../../', '"')
    moved = moved.replace('readme = "', 'readme = "bindings/python/')
    (tree / "pyproject.toml").write_text(moved)
    (tree / "bindings/python/pyproject.toml").unlink()
    env = {"SOURCE_DATE_EPOCH": seconds}
    ui.run("pack the sources", [interpreter, "-c", BUILD_SDIST, work], cwd=tree, env=env)
    (built,) = work.glob("*.tar.gz")
    shutil.copy2(built, dist)
