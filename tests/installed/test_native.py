# SPDX-License-Identifier: Apache-2.0
"""C and C++ projects, built with the archive and with the Debian packages."""

from __future__ import annotations

import pathlib
import re
import shutil
import subprocess

import pytest
from conftest import ROOT, artefact, cmake, run

REFUSED = (
    "error 1 aten::relu: self must be Tensor, got {} at position 0; "
    "schema: aten::relu(Tensor self) -> Tensor\n"
)
WHAT_C_PRINTS = "square 49\nrelu 0 0 2\ntwice -2 0 4\n" + REFUSED.format("int")
WHAT_CPP_PRINTS = "square 49\nrelu 0 0 2\nnegate -5\n" + REFUSED.format("str")


def test_c_program(plugins):
    """The program in C loads the plugin that C++ built."""
    assert run(plugins["c"].parent / "consumer", plugins["cpp"]) == WHAT_C_PRINTS


def test_cpp_program(plugins):
    """The program in C++ loads the plugin that C built."""
    assert run(plugins["cpp"].parent / "consumer", plugins["c"]) == WHAT_CPP_PRINTS


def test_plugins_show_the_query_alone(plugins):
    for plugin in plugins.values():
        names = run("nm", "-D", "--defined-only", plugin).split("\n")
        assert [line.split()[-1] for line in names if line] == ["tenon_plugin_query"]


def test_pkg_config(prefix, plugins, tmp_path):
    if shutil.which("pkg-config") is None:
        pytest.skip("pkg-config is not installed")
    (folder,) = prefix.glob("lib*/pkgconfig")
    env = {"PKG_CONFIG_PATH": str(folder)}
    flags = run("pkg-config", "--cflags", "--libs", "tenon", env=env).split()
    version = run("pkg-config", "--modversion", "tenon", env=env).strip()
    assert artefact("tenon-*-linux-*.tar.gz").name.startswith(f"tenon-{version}-")
    source = pathlib.Path(__file__).parent / "c" / "main.c"
    run("cc", source, "-o", tmp_path / "consumer", *flags)
    env = {"LD_LIBRARY_PATH": str(folder.parent)}
    assert run(tmp_path / "consumer", plugins["cpp"], env=env) == WHAT_C_PRINTS


def test_debian_packages(tmp_path):
    if shutil.which("dpkg-deb") is None:
        pytest.skip("dpkg-deb is not installed")
    root = tmp_path / "root"
    packages = [artefact(name) for name in ("libtenon0_*.deb", "libtenon-dev_*.deb")]
    for package in packages:
        run("dpkg-deb", "-x", package, root)
    owners = [set(files_of(package)) for package in packages]
    assert not owners[0] & owners[1]
    build = cmake(tmp_path / "build", "c", root / "usr")
    plugin = cmake(tmp_path / "cpp", "cpp", root / "usr") / "libfrom_cpp.so"
    assert run(build / "consumer", plugin) == WHAT_C_PRINTS


def test_the_readme_comes_with_the_pages_and_examples_that_it_links_to(prefix):
    (readme,) = prefix.glob("share/doc/*/README.md")
    links = re.findall(r"\]\(((?:docs|examples)/[^)#]+)", readme.read_text())
    assert links
    assert [link for link in links if not (readme.parent / link).exists()] == []


def files_of(package: pathlib.Path) -> list[str]:
    lines = run("dpkg-deb", "-c", package).splitlines()
    return [line.split()[5] for line in lines if not line.startswith("d")]


def test_the_backend_of_the_examples(prefix, tmp_path):
    build = cmake(tmp_path, ROOT / "examples" / "npu", prefix)
    assert "npu: all good" in run(build / "npu_check", build / "libnpu.so")


def find_package(folder: pathlib.Path, prefix: pathlib.Path, arguments: str) -> str:
    """Returns CMake's error for a project that cannot be configured."""
    folder.mkdir()
    (folder / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(p LANGUAGES C)\n"
        f"find_package(tenon {arguments})\n"
    )
    command = ["cmake", "-S", folder, "-B", folder / "build", f"-DCMAKE_PREFIX_PATH={prefix}"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode != 0
    return " ".join(done.stderr.split())


@pytest.mark.parametrize("version", ["0.2", "0.0", "1.0"])
def test_other_versions_are_refused(prefix, tmp_path, version):
    said = find_package(tmp_path / "p", prefix, f"{version} REQUIRED")
    assert f'compatible with requested version "{version}"' in said


def test_a_missing_component_is_named(prefix, tmp_path):
    said = find_package(tmp_path / "p", prefix, "REQUIRED COMPONENTS cuda")
    assert "component cuda must be installed in" in said


def test_sources_in_another_build(tmp_path):
    """add_subdirectory needs only a compiler, and provides the same targets."""
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(p LANGUAGES C CXX)\n"
        f"add_subdirectory({ROOT} tenon EXCLUDE_FROM_ALL)\n"
        "foreach(target tenon::tenon tenon::cpu)\n"
        "  if(NOT TARGET ${target})\n    message(FATAL_ERROR ${target})\n  endif()\nendforeach()\n"
        "if(CMAKE_BUILD_TYPE OR CMAKE_CXX_STANDARD)\n"
        '  message(FATAL_ERROR "the settings of the build are its own")\nendif()\n'
        f"tenon_add_plugin(from_cpp SOURCES {ROOT}/tests/installed/cpp/plugin.cpp)\n"
    )
    run("cmake", "-S", tmp_path, "-B", tmp_path / "build", "-DTENON_ONEDNN=OFF")
    run("cmake", "--build", tmp_path / "build", "--target", "help")
