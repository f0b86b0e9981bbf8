# SPDX-License-Identifier: Apache-2.0
"""The public names of PyTorch, read from names.txt at first use."""

from __future__ import annotations

import functools
import pathlib

_KINDS = {"!": "class", "#": "value"}


@functools.cache
def _lines() -> dict[str, str]:
    text = pathlib.Path(__file__).with_name("names.txt").read_text(encoding="utf-8")
    return {line.partition(" ")[0]: line.partition(" ")[2] for line in text.splitlines()}


def version() -> str:
    """Returns the version of PyTorch whose behaviour Tenon follows."""
    return _lines()["version"]


@functools.cache
def names_of(path: str) -> dict[str, str]:
    """Returns the names of a module or class of PyTorch, each with its kind.

    A kind is "function", "class", "value", or the path of another module that has the same object.
    """
    names = {}
    for word in _lines().get(path, "").split():
        name, other, home = word.partition(">")
        if other:
            names[name] = home
        else:
            names[name.rstrip("!#")] = _KINDS.get(name[-1], "function")
    names.pop("*", None)
    return names


def _package_of(path: str) -> str | None:
    """Returns the package around a path, or the path itself, whose names are not listed."""
    while path:
        if _lines().get(path) == "*":
            return path
        path = path.rpartition(".")[0]
    return None


def is_module(path: str) -> bool:
    """Returns true if PyTorch has a public module of this path."""
    if path in _lines():
        return path not in ("version", "torch.Tensor")
    last = path.rpartition(".")[2]
    is_name = last.startswith("_") or last[:1].isupper()
    return _package_of(path) is not None and not is_name


def kind_of(path: str, name: str) -> str | None:
    """Returns the kind of a public name of a module, None if the module has no such name."""
    kind = names_of(path).get(name)
    if kind is None and path == "torch._C" and name[:1].isupper():
        return "class"  # annotations name such classes
    if kind is None and not name.startswith("_") and _package_of(path) is not None:
        return "class" if name[:1].isupper() else "function"
    return kind
