# SPDX-License-Identifier: Apache-2.0
"""Fixtures for tests of the artefacts in `dist/`, installed without the build tree."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DIST = ROOT / "dist"
PATH = f"{os.environ['PATH']}{os.pathsep}{pathlib.Path.home()}/.cargo/bin"
CARGO = shutil.which("cargo", path=PATH)


def artefact(pattern: str) -> pathlib.Path:
    """Returns the only artefact whose name matches."""
    found = sorted(DIST.glob(pattern))
    assert len(found) == 1, f"dist/ must hold one {pattern}, got {found}; ./dev dist makes it"
    return found[0]


def run(*command, **options) -> str:
    """Runs a program, which must succeed, in an environment without paths to our build; returns its
    output.
    """
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
    """Builds a plugin in each language with the artefacts; returns their files by language."""
    folder = tmp_path_factory.mktemp("native")
    return {
        "c": cmake(folder / "c", "c", prefix) / "libfrom_c.so",
        "cpp": cmake(folder / "cpp", "cpp", prefix) / "libfrom_cpp.so",
    }


def cmake(build: pathlib.Path, project: str, prefix: pathlib.Path) -> pathlib.Path:
    """Builds a project of this folder against an installed Tenon; returns its build folder."""
    source = pathlib.Path(__file__).parent / project
    run("cmake", "-S", source, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", build)
    return build


@pytest.fixture(scope="session")
def crates(tmp_path_factory):
    """Both packages, unpacked: name -> folder."""
    folder = tmp_path_factory.mktemp("crates")
    for name in ("tenon-sys", "tenon"):
        run("tar", "-xf", artefact(f"{name}-[0-9]*.crate"), "-C", folder)
    return {name: next(folder.glob(f"{name}-[0-9]*")) for name in ("tenon-sys", "tenon")}


def built(crates: dict, project: str, folder: pathlib.Path, *options: str, env: dict):
    """Builds a copy of a project in this folder, with our crates instead of those on crates.io."""
    copy = folder / project
    shutil.copytree(pathlib.Path(__file__).parent / project, copy)
    patches = [
        word
        for name, path in crates.items()
        for word in ("--config", f"patch.crates-io.{name}.path='{path}'")
    ]
    # Share the compiled crates between both projects.
    env = {**env, "CARGO_TARGET_DIR": str(folder / "target")}
    run(CARGO, *patches, "build", "--release", *options, cwd=copy, env=env)
    return folder / "target" / "release"


def built_program(crates: dict, folder: pathlib.Path, *options: str, env: dict):
    """Builds the Rust plugin and the program that loads it; returns the folder of both."""
    built(crates, "rust_plugin", folder, *options, env=env)
    return built(crates, "rust", folder, *options, env=env)


@pytest.fixture(scope="session")
def rust_release(crates, prefix, tmp_path_factory):
    """Both projects use the crates and the archive."""
    if CARGO is None or shutil.which("pkg-config") is None:
        pytest.skip("cargo or pkg-config is not installed")
    (folder,) = prefix.glob("lib*/pkgconfig")
    return built_program(
        crates, tmp_path_factory.mktemp("rust"), env={"PKG_CONFIG_PATH": str(folder)}
    )
