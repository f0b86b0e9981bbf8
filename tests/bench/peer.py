# SPDX-License-Identifier: Apache-2.0
"""Builds the peers' benchmark libraries against the headers in their Python packages."""

from __future__ import annotations

import importlib.util
import pathlib
import shutil
import sys
import sysconfig

from bench import HERE, Bench

SHARED = ("-O2", "-shared", "-fPIC", "-fvisibility=hidden")


def home(package: str) -> pathlib.Path | None:
    """Returns the folder of an installed Python package."""
    spec = importlib.util.find_spec(package)
    return None if spec is None or spec.origin is None else pathlib.Path(spec.origin).parent


def compiler() -> str:
    return shutil.which("c++") or "g++"


def _flags(package: str, folder: pathlib.Path) -> tuple[list, list]:
    """Returns the compiler and linker flags for a package."""
    if package == "tvm_ffi":
        return ["-std=c++17", f"-I{folder / 'include'}"], ["-ltvm_ffi"]
    api = folder / "include" / "torch" / "csrc" / "api" / "include"
    return (
        ["-std=c++20", "-isystem", folder / "include", "-isystem", api],
        ["-Wl,--no-as-needed", "-ltorch_cpu", "-ltorch", "-lc10"],
    )


def libraries(bench: Bench) -> list[pathlib.Path]:
    """Builds a library of loops from peers/<package>*.cpp, for each installed package."""
    built = []
    for package in ("tvm_ffi", "torch"):
        if package == "torch" and not bench.with_torch:
            bench.skip("c:torch/", "not asked for (--with-torch)")
            continue
        folder = home(package)
        if folder is None:
            bench.skip(f"c:{package}/", "its Python package is not installed")
            continue
        compile_flags, link_flags = _flags(package, folder)
        lib = folder / "lib"
        sources = sorted((HERE / "peers").glob(f"{package}*.cpp"))
        out = bench.work / f"peer_{package}.so"
        command = [compiler(), *SHARED, *compile_flags, *sources, "-o", out]
        command += [f"-L{lib}", f"-Wl,-rpath,{lib}", *link_flags]
        built.append(bench.made(out, command, sources))
    return built


def extensions(bench: Bench) -> pathlib.Path:
    """Builds the extension modules of nanobind and pybind11; returns the folder with them."""
    folder = bench.work / f"python{sys.version_info[0]}.{sys.version_info[1]}"
    folder.mkdir(parents=True, exist_ok=True)
    python = ["-std=c++17", f"-I{sysconfig.get_path('include')}"]
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    for package in ("nanobind", "pybind11"):
        where = home(package)
        if where is None:
            bench.skip(f"python:{package}/", "its Python package is not installed")
            continue
        source = HERE / "peers" / "python" / f"{package}.cpp"
        flags = [f"-I{where / 'include'}"]
        sources = [source]
        if package == "nanobind":
            flags += [f"-I{where / 'ext' / 'robin_map' / 'include'}", "-fno-strict-aliasing"]
            flags += ["-DNB_COMPACT_ASSERTIONS", "-DNDEBUG"]
            sources.append(where / "src" / "nb_combined.cpp")
        out = folder / f"tenon_bench_{package}{suffix}"
        command = [compiler(), *SHARED, *python, *flags, *sources, "-o", out]
        bench.made(out, command, [source])
    return folder
