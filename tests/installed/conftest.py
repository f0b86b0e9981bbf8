# SPDX-License-Identifier: Apache-2.0
"""What users install, as they install it: the artefacts of `dist/`, and nothing of the build."""

from __future__ import annotations

import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DIST = ROOT / "dist"


def artefact(pattern: str) -> pathlib.Path:
    """The one artefact whose name matches."""
    found = sorted(DIST.glob(pattern))
    assert len(found) == 1, f"dist/ must hold one {pattern}, got {found}; ./dev dist makes it"
    return found[0]


def run(*command, **options) -> str:
    """What a program prints that must succeed, in an environment that knows no build of ours."""
    strangers = ("TENON_", "PYTHON", "LD_", "CMAKE_", "PKG_CONFIG", "CARGO", "JAVA", "CLASSPATH")
    own = {name: value for name, value in os.environ.items() if not name.startswith(strangers)}
    env = {**own, **options.pop("env", {})}
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, env=env, **options)
    assert done.returncode == 0, f"{' '.join(words)}\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="session")
def prefix(tmp_path_factory):
    """The archive, unpacked somewhere."""
    folder = tmp_path_factory.mktemp("unpacked")
    run("tar", "-xf", artefact("tenon-*-linux-*.tar.gz"), "-C", folder)
    (top,) = folder.iterdir()
    return top


@pytest.fixture(scope="session")
def plugins(prefix, tmp_path_factory):
    """A plugin of each language, built against the artefacts: language -> file."""
    folder = tmp_path_factory.mktemp("native")
    return {
        "c": cmake(folder / "c", "c", prefix) / "libfrom_c.so",
        "cpp": cmake(folder / "cpp", "cpp", prefix) / "libfrom_cpp.so",
    }


def cmake(build: pathlib.Path, project: str, prefix: pathlib.Path) -> pathlib.Path:
    """Builds a project of this folder against an installed Tenon; gives its build folder."""
    source = pathlib.Path(__file__).parent / project
    run("cmake", "-S", source, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", build)
    return build
