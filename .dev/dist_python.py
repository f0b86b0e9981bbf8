# SPDX-License-Identifier: Apache-2.0
"""The Python package as users install it: wheels, and the sources that one is built from."""

from __future__ import annotations

import pathlib
import shutil
import subprocess

import environment
import interpreters
import ui
import wheel

# Sources that a wheel is built from; tests and other bindings are left out.
SOURCES = (
    *("CMakeLists.txt", "LICENSE", "capi", "core", "kernels"),
    *("bindings/python", "bindings/swig", "bindings/wrappers"),
)


def make(
    dist: pathlib.Path,
    seconds: str,
    pythons: list[interpreters.Interpreter],
    stubs: pathlib.Path,
) -> None:
    """Puts both into a folder. Their files get the time `seconds` since 1970.

    `stubs` are stub libraries of the glibc that wheels work with.
    """
    wheel.make(dist, seconds, pythons, stubs)
    _sources(dist, seconds)


BUILD_SDIST = (
    "import sys; from scikit_build_core.build import build_sdist; build_sdist(sys.argv[1])"
)


def _sources(dist: pathlib.Path, seconds: str) -> None:
    """Returns the tree of sources that a wheel needs, with the package's description at its top."""
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
    licences = 'license = "Apache-2.0"\n'
    both = 'license-files = ["LICENSE", "capi/THIRD_PARTY_LICENSES.txt"]\n'
    (tree / "pyproject.toml").write_text(moved.replace(licences, licences + both))
    (tree / "bindings/python/pyproject.toml").unlink()
    env = {"SOURCE_DATE_EPOCH": seconds}
    ui.run("pack the sources", [interpreter, "-c", BUILD_SDIST, work], cwd=tree, env=env)
    (built,) = work.glob("*.tar.gz")
    shutil.copy2(built, dist)
