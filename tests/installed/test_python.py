# SPDX-License-Identifier: Apache-2.0
"""Tests the wheel in a separate environment: a program, the command, and building plugins."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
import zipfile

import pytest
from conftest import DIST, ROOT, artefact, cmake, run

HERE = pathlib.Path(__file__).parent
PRINTS = (
    "square 49\nrelu [0.0, 0.0, 2.0]\ntwice [-2.0, 0.0, 4.0]\nnegate -5\ngrad [-2.0, 0.0, 4.0]\n"
    "error aten::relu: self must be Tensor, got str at position 0; "
    "schema: aten::relu(Tensor self) -> Tensor\n"
)


OWN = "{}.{}".format(*sys.version_info)
SUPPORTED = ("3.10", "3.11", "3.12", "3.13", "3.14")
# Path by version of each Python that ./dev test found.
FOUND = {OWN: sys.executable, **json.loads(os.environ.get("TENON_PYTHONS", "{}"))}


def wheel(version: str = OWN) -> pathlib.Path:
    return artefact(f"tenon-*-cp{version.replace('.', '')}-*.whl")


def environment_of(folder: pathlib.Path, version: str) -> pathlib.Path:
    """Returns the folder of programs of an environment with only the wheel."""
    run(FOUND[version], "-m", "venv", folder)
    pip = [folder / "bin" / "pip", "--disable-pip-version-check"]
    run(*pip, "install", "--no-index", "-q", wheel(version))
    return folder / "bin"


@pytest.fixture(scope="session")
def environment(tmp_path_factory):
    return environment_of(tmp_path_factory.mktemp("python") / "environment", OWN)


def test_program(environment, plugins):
    assert run(environment / "python", HERE / "use_python.py", *plugins.values()) == PRINTS


@pytest.mark.parametrize("version", SUPPORTED)
def test_program_of_each_python(version, plugins, tmp_path):
    if version not in FOUND:
        pytest.skip(f"no Python {version} with headers was found")
    programs = environment_of(tmp_path / "environment", version)
    assert run(programs / "python", HERE / "use_python.py", *plugins.values()) == PRINTS
    assert run(programs / "python", HERE / "use_types.py") == "types: all good\n"
    assert run(programs / "tenon", "--version").startswith("tenon ")


def test_types(environment, tmp_path):
    """mypy --strict finds the types in the wheel and reports no errors."""
    command = [sys.executable, "-m", "mypy", "--strict", f"--cache-dir={tmp_path}"]
    python = f"--python-executable={environment / 'python'}"
    assert run(*command, python, HERE / "use_types.py").startswith("Success")


def test_command(environment):
    version = run(environment / "tenon", "--version").split()[1]
    assert wheel().name.startswith(f"tenon-{version}-")
    assert "aten::relu" in run(environment / "tenon", "ops", "aten")


def test_plugin_by_flags(environment, plugins, tmp_path):
    """A plugin built with the flags of `tenon config` loads beside those of the archive."""
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
    """A compiler is enough: pip installs CMake and SWIG itself."""
    run(sys.executable, "-m", "venv", tmp_path)
    (sources,) = (path for path in DIST.glob("tenon-*.tar.gz") if "linux" not in path.name)
    run(tmp_path / "bin" / "pip", "install", "-q", sources, cwd=tmp_path)
    program = [tmp_path / "bin" / "python", HERE / "use_python.py", *plugins.values()]
    assert run(*program, cwd=tmp_path) == PRINTS


def test_what_is_in_the_wheel():
    with zipfile.ZipFile(wheel()) as content:
        names = content.namelist()
        (metadata,) = (name for name in names if name.endswith(".dist-info/METADATA"))
        text = content.read(metadata).decode()
    assert sum("_tenon." in name and name.endswith(".so") for name in names) == 1
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in names)
    assert "tenon/py.typed" in names and "tenon/include/tenon/tenon.h" in names
    assert "License-Expression: Apache-2.0" in text and "Tenon for Python" in text
    assert "manylinux" in wheel().name


def test_free_threaded_pythons_are_refused(environment, tmp_path):
    """The extension's sources refuse to compile for such a Python."""
    include = run(sys.executable, "-c", "import sysconfig; print(sysconfig.get_path('include'))")
    command = ["cc", "-fsyntax-only", "-DPy_GIL_DISABLED=1", f"-I{include.strip()}"]
    command += [f"-I{ROOT / 'capi/include'}", f"-I{ROOT / 'bindings/python'}"]
    done = subprocess.run(
        [*map(str, command), ROOT / "bindings/python/native/binding.c"],
        capture_output=True,
        text=True,
    )
    assert done.returncode != 0
    assert "does not support free-threaded Python" in done.stderr
