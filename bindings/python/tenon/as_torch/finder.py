# SPDX-License-Identifier: Apache-2.0
"""The import hook: modules named torch that take their names from Tenon."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import importlib.metadata
import importlib.util
import pathlib
import sys
import types

from .. import _tenon
from ..error import StateError
from . import names, test_files
from .absent import stand_in
from .class_names import rename_classes
from .facts import FACTS, MODULES, is_own_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

_MISSING = object()


def _tenon_module(path: str) -> types.ModuleType | None:
    """Returns Tenon's module of a path of torch, None if it has none."""
    name = MODULES.get(path, "tenon" + path.removeprefix("torch"))
    found = sys.modules.get(name)
    if found is None and importlib.util.find_spec("tenon") is not None:
        try:
            if importlib.util.find_spec(name) is not None:
                found = importlib.import_module(name)
        except ModuleNotFoundError:
            return None
    return found


class TorchModule(types.ModuleType):
    """A module of torch: its names come from Tenon, from the facts, or are stand-ins."""

    def __getattr__(self, name: str) -> Any:
        is_dunder = name.startswith("__") and name not in FACTS.get(self.__name__, ())
        found = _MISSING if is_dunder else _find(self.__name__, name)
        if found is _MISSING:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        self.__dict__[name] = found
        return found

    def __call__(self, *args: object, **kwargs: object) -> Any:
        """Raises the error of an absent function, or TypeError."""
        # The names of packages without a list of names are modules until one is called.
        path, _, name = self.__name__.rpartition(".")
        if names.kind_of(path, name) is None:
            raise TypeError(f"{self.__name__}: module must not be called")
        return stand_in(path, name, "function")(*args, **kwargs)  # type: ignore[operator]

    def __setattr__(self, name: str, value: object) -> None:
        # A program that replaces a function of torch replaces it for Tenon's own modules too.
        target = self.__dict__.get("_tenon")
        if (
            target is not None
            and not name.startswith("__")
            and not isinstance(value, types.ModuleType)
            and name in vars(target)
        ):
            setattr(target, name, value)
        super().__setattr__(name, value)

    def __dir__(self) -> Iterable[str]:
        return sorted({*vars(self), *names.names_of(self.__name__), *FACTS.get(self.__name__, ())})


def _of_tenon(path: str, module: types.ModuleType, name: str) -> Any:
    """Returns Tenon's object of a name, unless it is only an implementation detail."""
    found = getattr(module, name, _MISSING)
    if name.startswith("_") and name not in getattr(module, "__all__", ()):
        # Private names: only callables that the module itself defines, e.g. init._calculate_*.
        home = getattr(found, "__module__", None)
        is_own = home in (module.__name__, path) and module.__name__ != "tenon"
        return found if is_own and callable(found) else _operator(path, name)
    if isinstance(found, types.ModuleType):
        home = "tenon" + path.removeprefix("torch")
        return _MISSING if found.__name__ != f"{home}.{name}" else _submodule(path, name, found)
    return found


def _operator(path: str, name: str) -> Any:
    """Returns the operator of a private name of torch itself, such as torch._foreach_add_."""
    if path != "torch" or name.startswith("__"):
        return _MISSING
    from .. import ops

    ops._load_kernels()
    try:
        found = getattr(ops.aten, name)
        return found if found.overloads() else _MISSING
    except (AttributeError, LookupError):
        return _MISSING


def _submodule(path: str, name: str, default: Any = _MISSING) -> Any:
    try:
        return importlib.import_module(f"{path}.{name}")
    except ModuleNotFoundError:
        return default


def _find(path: str, name: str) -> Any:
    fact = FACTS.get(path, {}).get(name, _MISSING)
    if fact is not _MISSING:
        return fact
    module = _tenon_module(path)
    if module is not None:
        found = _of_tenon(path, module, name)
        if found is not _MISSING:
            return found
    if _is_path(f"{path}.{name}") and (found := _submodule(path, name)) is not _MISSING:
        return found
    kind = names.kind_of(path, name) or test_files.home_of(path, name)
    if kind is None and test_files.is_stand_in(path) and not name.startswith("__"):
        kind = "class" if name[:1].isupper() else "function"
    if kind is None and test_files.is_operator(path, name):
        kind = "function"
    if kind is None and module is None and name.isupper():
        kind = "value"  # a constant, which programs import together with public names
    if kind is None:
        return _MISSING
    if kind.startswith("torch"):
        return getattr(importlib.import_module(kind), name)
    return stand_in(path, name, kind)


def _is_path(path: str) -> bool:
    """Returns true if `path` can be imported as a module of torch."""
    if is_own_module(path) or names.is_module(path) or test_files.is_stand_in(path):
        return True
    last = path.rpartition(".")[2]
    return not last.startswith("_") and _tenon_module(path) is not None


class _Loader(importlib.abc.Loader):
    def create_module(self, spec: importlib.machinery.ModuleSpec) -> TorchModule:
        return TorchModule(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        target = _tenon_module(module.__name__)
        module.__dict__["_tenon"] = target
        module.__dict__["__doc__"] = getattr(target, "__doc__", None)
        if module.__name__ == "torch":
            module.__dict__["__file__"] = __file__
            module.__dict__["torch"] = module
        if target is not None:
            rename_classes(module, target)
        exported = [*names.names_of(module.__name__), *getattr(target, "__all__", ())]
        module.__dict__["__all__"] = sorted(
            {one for one in exported if not one.startswith("_") and _is_there(module, one)}
        )


def _is_there(module: types.ModuleType, name: str) -> bool:
    """Returns true if a name comes along with `from torch... import *`."""
    path = module.__name__
    if name in FACTS.get(path, ()):
        return True
    target = module.__dict__["_tenon"]
    return target is not None and name in getattr(target, "__all__", dir(target))


class _Distribution(importlib.metadata.Distribution):
    """The package's metadata, because programs read the version before they import the package."""

    def read_text(self, filename: str) -> str | None:
        if filename == "METADATA":
            return f"Metadata-Version: 2.1\nName: torch\nVersion: {names.version()}\n"
        return None

    def locate_file(self, path: Any) -> Any:
        return pathlib.Path(__file__).parent / path


class _Finder(importlib.abc.MetaPathFinder):
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if test_files.has(fullname):
            return test_files.find(fullname)
        if fullname.partition(".")[0] != "torch" or not _is_path(fullname):
            return None
        return importlib.machinery.ModuleSpec(fullname, _Loader(), is_package=True)

    def find_distributions(self, context: Any = None) -> Iterable[importlib.metadata.Distribution]:
        return [_Distribution()] if getattr(context, "name", None) == "torch" else []


class _InChild:
    """Something whose unpickling imports tenon.as_torch, at Tenon's place."""

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        place = str(pathlib.Path(__file__).resolve().parents[2])
        return exec, (f"import sys; sys.path.append({place!r}); import tenon.as_torch",)


def _prepare_children() -> None:
    """Makes the processes that multiprocessing spawns import tenon.as_torch first of all."""
    from multiprocessing import spawn

    inner = spawn.get_preparation_data

    def get_preparation_data(name: str) -> dict[str, Any]:
        return {"tenon": _InChild(), **inner(name)}

    spawn.get_preparation_data = get_preparation_data


def install() -> None:
    """Installs the import hook, once."""
    if any(isinstance(one, _Finder) for one in sys.meta_path):
        return
    real = sys.modules.get("torch")
    if real is not None:
        version = getattr(real, "__version__", "of unknown version")
        raise StateError(f"as_torch: torch must not be imported yet, got PyTorch {version}")
    sys.meta_path.insert(0, _Finder())
    _tenon._set_package_name("torch")
    _prepare_children()
