# SPDX-License-Identifier: Apache-2.0
"""Folders and compiler flags to build plugins in C and C++ against this package."""

from __future__ import annotations

import os as _os

from .error import NotFoundError

_PACKAGE = _os.path.dirname(_os.path.realpath(__file__))


def _inside(name: str, function: str) -> str:
    path = _os.path.join(_PACKAGE, name)
    if not _os.path.exists(path):
        raise NotFoundError(
            f"{function}: {path} must exist, as it does in an installed wheel, got a package that "
            "was not installed; cmake --install has the same files"
        )
    return path


def get_include() -> str:
    """Returns the folder of the headers: `#include <tenon/tenon.hpp>`.

    Raises:
        NotFoundError: the package is used from a build folder.
    """
    return _inside("include", "get_include")


def get_cmake_dir() -> str:
    """Returns the folder for CMAKE_PREFIX_PATH, with which `find_package(tenon)` works.

    Raises:
        NotFoundError: the package is used from a build folder.
    """
    return _inside("cmake", "get_cmake_dir")


def compiler_flags() -> list[str]:
    """Returns the flags with which a C or C++ compiler finds the headers."""
    return [f"-I{get_include()}"]


def linker_flags() -> list[str]:
    """Returns the flags that link a program or plugin with the library of the package."""
    get_include()  # raises if the package is used from a build folder and holds no library
    (library,) = (name for name in _os.listdir(_PACKAGE) if name.startswith("libtenon.so."))
    return [f"-L{_PACKAGE}", f"-l:{library}", f"-Wl,-rpath,{_PACKAGE}"]


__all__ = ["compiler_flags", "get_cmake_dir", "get_include", "linker_flags"]
