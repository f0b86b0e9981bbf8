# SPDX-License-Identifier: Apache-2.0
"""Gives Tenon's classes the module names that PyTorch's have.

Programs print types, and some packages choose their backend by the module of a tensor's type.
"""

from __future__ import annotations

import importlib
import types

from . import names
from .facts import FACTS


def _path_of(found: type, default: str) -> str:
    """Returns the path of the module in which PyTorch has the class, `default` if unknown."""
    home = "torch" + found.__module__.removeprefix("tenon")
    for path in (home, f"{default}.{found.__name__.lower()}"):
        if found.__name__ in names.names_of(path) and names.is_module(path):
            return path
    return default


def rename_classes(module: types.ModuleType, target: types.ModuleType) -> None:
    """Renames the modules of the public classes that a module of Tenon has, to paths of torch.

    The new module of a class is the path of torch that corresponds to its home in Tenon, and
    `module` itself if PyTorch has no such class there. Names that the annotations of the classes
    use are put into the new module, because `typing.get_type_hints` looks them up there, and some
    programs read the `__dict__` of a module.

    Args:
        module: The module of torch, such as torch.nn.
        target: The module of Tenon whose names it has.
    """
    if module.__name__ != "torch":
        _add_annotation_names(module.__name__, target)
    for found in list(vars(target).values()):
        if not isinstance(found, type) or found.__module__.partition(".")[0] != "tenon":
            continue
        if found.__name__.startswith("_"):
            continue
        path = _path_of(found, module.__name__)
        home = importlib.import_module(found.__module__)
        found.__module__ = path
        if path not in ("torch", module.__name__):
            importlib.import_module(path)
        _add_annotation_names(path, home)


def _add_annotation_names(path: str, home: types.ModuleType) -> None:
    module, facts = importlib.import_module(path), FACTS.get(path, {})
    for name, value in vars(home).items():
        is_special = name.startswith("_") or name in facts
        if not is_special and not isinstance(value, types.ModuleType):
            vars(module).setdefault(name, value)
