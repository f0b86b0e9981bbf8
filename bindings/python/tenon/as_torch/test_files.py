# SPDX-License-Identifier: Apache-2.0
"""PyTorch's own lists of operators and samples, read from the files of an installed PyTorch.

`torch.testing._internal.common_methods_invocations` and its neighbours are Python code. They are
executed on Tenon if the files are on `sys.path`; PyTorch itself is not imported. Private modules
that they name at import, such as `torch._refs`, are stand-ins then, and only then: programs that
probe for private modules find none.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import pathlib
import sys

from .absent import stand_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    import importlib.machinery
    from typing import Any

_TESTS = "torch.testing._internal"
_FILES = (
    _TESTS,
    *("torch._vendor", "torch.testing._comparison", "torch.testing._creation"),
    "torch.testing._utils",
    "torch.utils._import_utils",
)
_STAND_INS = (
    *("torch._inductor", "torch._logging", "torch._native", "torch._prims"),
    *("torch._prims_common", "torch._refs", "torch._utils", "torch._utils_internal"),
    "torch.backends.python_native",
    *("torch.utils.cpp_extension", "torch.xpu"),
)


def _is_below(path: str, packages: tuple[str, ...]) -> bool:
    return any(path == one or path.startswith(f"{one}.") for one in packages)


@functools.cache
def _folder() -> pathlib.Path | None:
    """Returns the folder of an installed PyTorch that has its test files."""
    for entry in sys.path:
        folder = pathlib.Path(entry or ".")
        if folder.joinpath(*_TESTS.split("."), "common_utils.py").exists():
            return folder
    return None


def _is_used() -> bool:
    return _TESTS in sys.modules


def has(path: str) -> bool:
    """Returns true for a module that is read from PyTorch's files."""
    return _is_below(path, _FILES) and (_is_below(path, (_TESTS,)) or _is_used())


def home_of(path: str, name: str) -> str | None:
    """Returns the module of PyTorch's files that has a public name which the test files use."""
    is_one = _is_used() and (path, name) == ("torch.testing", "make_tensor")
    return "torch.testing._creation" if is_one else None


def is_operator(path: str, name: str) -> bool:
    """Returns true if the test files ask for a private operator."""
    is_private = name.startswith("_") and not name.startswith("__")
    if not _is_used() or not is_private or path == "torch._C":
        return False
    frame: Any = sys._getframe(1)
    while frame.f_globals.get("__name__", "").startswith("tenon.as_torch"):
        frame = frame.f_back
    return _is_below(frame.f_globals.get("__name__", ""), (_TESTS,))


def is_stand_in(path: str) -> bool:
    """Returns true for a private module that the test files name at import."""
    if not _is_used() or not _is_below(path, _STAND_INS):
        return False
    place = (_folder() or pathlib.Path()).joinpath(*path.split("."))
    return place.is_dir() or place.with_suffix(".py").exists()


class _Packet:
    """A stand-in for an operator: its overloads are stand-ins too, calling it raises."""

    def __init__(self, name: str) -> None:
        self.__name__ = name

    def __call__(self, *args: object, **kwargs: object) -> Any:
        return self.default(*args, **kwargs)

    def __getattr__(self, overload: str) -> Any:
        if overload.startswith("__"):
            raise AttributeError(f"operator has no attribute {overload!r}")
        return stand_in(f"torch.ops.aten.{self.__name__}", overload, "function")


class _Operators:
    """The namespace torch.ops.aten, with stand-ins for operators that Tenon lacks."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        try:
            return getattr(self._inner, name)
        except AttributeError:
            if name.startswith("__"):
                raise
            return _Packet(name)

    def __dir__(self) -> list[str]:
        return dir(self._inner)


def _add_operators() -> None:
    operators = importlib.import_module("torch.ops")
    found = operators.aten
    if not isinstance(found, _Operators):
        vars(operators)["aten"] = _Operators(found)


def find(path: str) -> importlib.machinery.ModuleSpec | None:
    """Returns the spec of a module of the test files, None if there is no such file."""
    folder = _folder()
    if folder is None:
        _folder.cache_clear()
        return None
    if path == _TESTS:
        _add_operators()
    place = folder.joinpath(*path.split("."))
    start = place / "__init__.py"
    if start.exists():
        return importlib.util.spec_from_file_location(
            path, start, submodule_search_locations=[str(place)]
        )
    file = place.with_suffix(".py")
    return importlib.util.spec_from_file_location(path, file) if file.exists() else None
