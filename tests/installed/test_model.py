# SPDX-License-Identifier: Apache-2.0
"""Runs the graph of a real model, examples/model, written by the wheel, in all languages.

Its operators are in plugins of three languages. Each program trains with the file, and must write
the same bytes as Python.
"""

from __future__ import annotations

import pathlib
import re
import shutil

import pytest
from conftest import CARGO, ROOT, cmake, run
from test_java import JAVA, JAVAC, jar
from test_python import OWN, environment_of

MODEL = ROOT / "examples" / "model"
DIGITS = ROOT / "examples" / "learn" / "data" / "digits.bin"

pytestmark = pytest.mark.skipif(
    CARGO is None or shutil.which("pkg-config") is None, reason="cargo or pkg-config is not there"
)


def cargo(source: pathlib.Path, folder: pathlib.Path, crates: dict, env: dict) -> pathlib.Path:
    """Builds a copy of the example's project with the crates; returns the folder of the results."""
    shutil.copytree(source / "src", folder / "src")
    manifest = (source / "Cargo.toml").read_text()
    manifest, count = re.subn(r'path = "[^"]*"', f'path = "{crates["tenon"]}"', manifest)
    assert count == 1
    (folder / "Cargo.toml").write_text(manifest)
    patch = f"patch.crates-io.tenon-sys.path='{crates['tenon-sys']}'"
    run(CARGO, "--config", patch, "build", "--release", "--quiet", cwd=folder, env=env)
    return folder / "target" / "release"


@pytest.fixture(scope="module")
def native(prefix, tmp_path_factory):
    return cmake(tmp_path_factory.mktemp("model_native"), "model", prefix)


@pytest.fixture(scope="module")
def rust(prefix, crates, tmp_path_factory):
    """Returns the folders of the plugin and of the program."""
    (folder,) = prefix.glob("lib*/pkgconfig")
    env = {"PKG_CONFIG_PATH": str(folder)}
    names = {"plugin": MODEL / "soft_cap", "program": MODEL}
    return {
        name: cargo(source, tmp_path_factory.mktemp(f"model_{name}"), crates, env)
        for name, source in names.items()
    }


@pytest.fixture(scope="module")
def plugins_of_model(native, rust):
    files = [native / "libmodel_c.so", native / "libmodel_cpp.so"]
    return [*files, rust["plugin"] / "libmodel_rust.so"]


@pytest.fixture(scope="module")
def recorded(plugins_of_model, tmp_path_factory):
    """Records the graph of a step and trains in Python; returns the files of both."""
    folder = tmp_path_factory.mktemp("recorded")
    python = environment_of(folder / "environment", OWN) / "python"
    files = folder / "step.graph", folder / "trained.graph"
    said = run(python, MODEL / "model.py", *plugins_of_model, *files)
    assert "replay is eager to the bit" in said
    return files


@pytest.fixture
def trains(recorded, plugins_of_model, tmp_path):
    """Runs a program, which must write what Python wrote."""

    def check(*command, env: dict | None = None) -> None:
        step, trained = recorded
        mine = tmp_path / "trained.graph"
        run(*command, step, DIGITS, mine, *plugins_of_model, env=env or {})
        assert mine.read_bytes() == trained.read_bytes()

    return check


@pytest.mark.parametrize("language", ["c", "cpp"])
def test_c_and_cpp_on_the_archive(trains, native, language):
    trains(native / f"run_{language}")


def test_rust_on_the_crates(trains, rust, prefix):
    (folder,) = prefix.glob("lib*/pkgconfig")
    trains(rust["program"] / "model_run", env={"LD_LIBRARY_PATH": str(folder.parent)})


@pytest.mark.skipif(JAVAC is None, reason="javac is not on PATH")
def test_java_on_the_jars(trains, tmp_path):
    classes = tmp_path / "classes"
    run(JAVAC, "-cp", jar(), "-d", classes, MODEL / "Run.java")
    (natives,) = jar().parent.glob("tenon-*-linux-*.jar")
    cache = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    trains(JAVA, "-cp", f"{jar()}:{natives}:{classes}", "Run", env=cache)
