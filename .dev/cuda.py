# SPDX-License-Identifier: Apache-2.0
"""Finds nvcc 13, or downloads the CUDA toolkit and a CMake that supports it from PyPI."""

from __future__ import annotations

import os
import pathlib
import shutil

import environment
import machine
import ui

VENV = ui.BUILD / "cuda-venv"
# Libraries whose development links the PyPI wheels leave out.
LINKS = ("libcudart.so", "libcublas.so", "libcublasLt.so")


def toolkit() -> tuple:
    """Returns the cmake to use, the toolkit's root and the variables that make CMake use it."""
    nvcc = os.environ.get("CUDACXX") or shutil.which("nvcc")
    if nvcc is None and pathlib.Path("/usr/local/cuda/bin/nvcc").exists():
        nvcc = "/usr/local/cuda/bin/nvcc"
    if nvcc and machine.command_version(nvcc) >= (12,):
        root = pathlib.Path(nvcc).resolve().parent.parent
        return "cmake", root, {"CUDACXX": nvcc, "CUDAToolkit_ROOT": str(root)}
    interpreter = environment.python("cuda", venv=VENV)
    roots = sorted((interpreter.parent.parent / "lib").glob("python3*/site-packages/nvidia/cu13"))
    if not roots:
        raise ui.Failure("cuda: the cuda-toolkit package must hold nvidia/cu13, got none")
    root = roots[0]
    lib = root / "lib"
    if not (root / "lib64").exists():
        (root / "lib64").symlink_to("lib")
    for name in LINKS:
        if not (lib / name).exists():
            versions = sorted(lib.glob(f"{name}.[0-9]*"))
            if not versions:
                raise ui.Failure(f"cuda: {lib} must hold {name}.13, got none")
            (lib / name).symlink_to(versions[0].name)
    cmake = interpreter.parent / "cmake"
    return str(cmake), root, {"CUDACXX": str(root / "bin/nvcc"), "CUDAToolkit_ROOT": str(root)}
