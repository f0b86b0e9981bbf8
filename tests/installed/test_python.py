# SPDX-License-Identifier: Apache-2.0
"""The wheel in an environment of its own: a program, the command, what builds plugins."""

from __future__ import annotations

import pathlib
import sys
import zipfile

import pytest
from conftest import DIST, artefact, cmake, run

HERE = pathlib.Path(__file__).parent
PRINTS = (
    "square 49\nrelu [0.0, 0.0, 2.0]\ntwice [-2.0, 0.0, 4.0]\nnegate -5\ngrad [-2.0, 0.0, 4.0]\n"
    "error aten::relu: self must be Tensor, got str at position 0; "
    "schema: aten::relu(Tensor self) -> Tensor\n"
)


@pytest.fixture(scope="session")
def environment(tmp_path_factory):
    """The folder of programs of an environment that has the wheel and nothing else."""
    folder = tmp_path_factory.mktemp("python") / "environment"
    run(sys.executable, "-m", "venv", folder)
    run(folder / "bin" / "pip", "install", "--no-index", "-q", artefact("tenon-*.whl"))
    return folder / "bin"


def test_program(environment, plugins):
    assert run(environment / "python", HERE / "use_python.py", *plugins.values()) == PRINTS


def test_command(environment):
    version = run(environment / "tenon", "--version").split()[1]
    assert artefact("tenon-*.whl").name.startswith(f"tenon-{version}-")
    assert "aten::relu" in run(environment / "tenon", "ops", "aten")


def test_plugin_by_flags(environment, plugins, tmp_path):
    """A plugin built with what `tenon config` says, loaded beside those of the archive."""
    flags = run(environment / "tenon", "config", "--cflags", "--libs").split()
    plugin = tmp_path / "libfrom_c.so"
    run("cc", "-shared", "-fPIC", HERE / "c" / "plugin.c", "-o", plugin, *flags)
    files = [plugins["cpp"], plugin]
    assert run(environment / "python", HERE / "use_python.py", *files) == PRINTS


def test_plugins_by_cmake(environment, tmp_path):
    prefix = run(environment / "tenon", "config", "--cmake-dir").strip()
    c = cmake(tmp_path / "c", "c", prefix)
    cpp = cmake(tmp_path / "cpp", "cpp", prefix)
    files = [c / "libfrom_c.so", cpp / "libfrom_cpp.so"]
    assert run(environment / "python", HERE / "use_python.py", *files) == PRINTS
    assert run(cpp / "consumer", files[0]).startswith("square 49\n")


def test_sources_are_built_by_pip(plugins, tmp_path):
    """With no more than a compiler: CMake and SWIG come from where pip finds packages."""
    run(sys.executable, "-m", "venv", tmp_path)
    (sources,) = (path for path in DIST.glob("tenon-*.tar.gz") if "linux" not in path.name)
    run(tmp_path / "bin" / "pip", "install", "-q", sources, cwd=tmp_path)
    program = [tmp_path / "bin" / "python", HERE / "use_python.py", *plugins.values()]
    assert run(*program, cwd=tmp_path) == PRINTS


def test_what_is_in_the_wheel():
    with zipfile.ZipFile(artefact("tenon-*.whl")) as wheel:
        names = wheel.namelist()
        (metadata,) = (name for name in names if name.endswith(".dist-info/METADATA"))
        text = wheel.read(metadata).decode()
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in names)
    assert "tenon/py.typed" in names and "tenon/include/tenon/tenon.h" in names
    assert "License-Expression: Apache-2.0" in text and "Tenon for Python" in text
    assert "manylinux" in artefact("tenon-*.whl").name
