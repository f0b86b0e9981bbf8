# SPDX-License-Identifier: Apache-2.0
"""Plugins of four languages in one process: in Python's, which starts a JVM, and in Java's.

Each is built on another artefact: in C on the Debian packages, in C++ on the wheel, in Rust on the
crates and the archive, in Java on the jars.
"""

from __future__ import annotations

import pathlib
import sys

import pytest
from conftest import artefact, cmake, run
from test_java import JAVA, JAVAC, jar

HERE = pathlib.Path(__file__).parent / "together"
PRINTS = "C -5\nC++ [-2.0, 0.0, 4.0]\nRust [-0.5, 0.0, 1.0]\nJava 27\n"
WHEEL = f"tenon-*-cp{sys.version_info.major}{sys.version_info.minor}-*.whl"
# Starts a JVM inside Python.
JPYPE = "JPype1==1.7.1"

pytestmark = pytest.mark.skipif(JAVAC is None, reason="javac is not on PATH")


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    folder = tmp_path_factory.mktemp("together") / "environment"
    run(sys.executable, "-m", "venv", folder)
    run(folder / "bin" / "pip", "install", "-q", artefact(WHEEL), JPYPE)
    return folder / "bin"


@pytest.fixture(scope="module")
def files(environment, rust_release, tmp_path_factory):
    """The plugins that are libraries."""
    folder = tmp_path_factory.mktemp("plugins")
    root = folder / "root"
    for name in ("libtenon0_*.deb", "libtenon-dev_*.deb"):
        run("dpkg-deb", "-x", artefact(name), root)
    wheel = run(environment / "tenon", "config", "--cmake-dir").strip()
    c = cmake(folder / "c", "c", root / "usr") / "libfrom_c.so"
    cpp = cmake(folder / "cpp", "cpp", wheel) / "libfrom_cpp.so"
    return [c, cpp, rust_release / "libfrom_rust.so"]


@pytest.fixture(scope="module")
def classpath(tmp_path_factory):
    folder = tmp_path_factory.mktemp("classes")
    run(JAVAC, "-Xlint:all", "-cp", jar(), "-d", folder, *sorted(HERE.glob("*.java")))
    (natives,) = jar().parent.glob("tenon-*-linux-*.jar")
    return f"{jar()}:{natives}:{folder}"


def test_in_a_python_process(environment, files, classpath):
    assert run(environment / "python", HERE / "together.py", classpath, *files) == PRINTS


def test_in_a_java_process(files, classpath):
    assert run(JAVA, "-cp", classpath, "Together", *files) == PRINTS
