# SPDX-License-Identifier: Apache-2.0
"""Leaves of trees with the keys that lead to them."""

from __future__ import annotations

import dataclasses
from typing import Any

from ..error import InvalidArgumentError
from . import pytree
from .pytree import LEAF, TreeSpec, tree_unflatten


@dataclasses.dataclass(frozen=True)
class SequenceKey:
    """A position in a tuple or list."""

    idx: int

    def __str__(self) -> str:
        return f"[{self.idx!r}]"

    def get(self, sequence: Any) -> Any:
        """Returns the child at the position."""
        return sequence[self.idx]


@dataclasses.dataclass(frozen=True)
class MappingKey:
    """A key of a dict."""

    key: Any

    def __str__(self) -> str:
        return f"[{self.key!r}]"

    def get(self, mapping: Any) -> Any:
        """Returns the child of the key."""
        return mapping[self.key]


@dataclasses.dataclass(frozen=True)
class GetAttrKey:
    """An attribute of an object, such as a field of a named tuple."""

    name: str

    def __str__(self) -> str:
        return f".{self.name}"

    def get(self, obj: Any) -> Any:
        """Returns the child of the attribute."""
        return getattr(obj, self.name)


# Functions of registered classes that return pairs of a key and a child, and the context.
WITH_KEYS: dict[type, Any] = {}


def _keys_and_children(kind: type, tree: Any) -> tuple[list[tuple[Any, Any]], Any]:
    if kind in pytree.REGISTERED:
        if kind not in WITH_KEYS:
            raise InvalidArgumentError(
                f"tree_flatten_with_path: {kind.__name__} must be registered with "
                "flatten_with_keys_fn, got none"
            )
        pairs, context = WITH_KEYS[kind](tree)
        return list(pairs), context
    children, context = pytree._children(kind, tree)
    if isinstance(tree, dict):
        return list(zip(map(MappingKey, tree), children, strict=True)), context
    if hasattr(kind, "_fields"):
        return list(zip(map(GetAttrKey, kind._fields), children, strict=True)), context
    return list(zip(map(SequenceKey, range(len(children))), children, strict=True)), context


def tree_flatten_with_path(
    tree: Any, is_leaf: Any = None
) -> tuple[list[tuple[tuple[Any, ...], Any]], TreeSpec]:
    """Returns the leaves of a tree, each after the tuple of its keys, and the structure."""
    kind = pytree.node_type(tree)
    if kind is None or (is_leaf is not None and is_leaf(tree)):
        return [((), tree)], LEAF
    pairs, context = _keys_and_children(kind, tree)
    leaves, specs = [], []
    for key, child in pairs:
        found, spec = tree_flatten_with_path(child, is_leaf)
        leaves += [((key, *path), leaf) for path, leaf in found]
        specs.append(spec)
    return leaves, TreeSpec(kind, context, specs)


def tree_leaves_with_path(tree: Any, is_leaf: Any = None) -> list[tuple[tuple[Any, ...], Any]]:
    """Returns the leaves of a tree, each after the tuple of its keys."""
    return tree_flatten_with_path(tree, is_leaf)[0]


def tree_map_with_path(func: Any, tree: Any, *rests: Any, is_leaf: Any = None) -> Any:
    """Returns the tree of what a function returns for the keys and leaves of trees."""
    leaves, spec = tree_flatten_with_path(tree, is_leaf)
    others = [tree_flatten_with_path(one, is_leaf)[0] for one in rests]
    rows = zip(leaves, *others, strict=True)
    return tree_unflatten([func(row[0][0], *(pair[1] for pair in row)) for row in rows], spec)


def keystr(path: Any) -> str:
    """Returns a tuple of keys as the text of a subscript or attribute."""
    return "".join(map(str, path))


def key_get(obj: Any, path: Any) -> Any:
    """Returns the part of a tree that a tuple of keys leads to."""
    for key in path:
        obj = key.get(obj)
    return obj


def _dict_flatten(tree: dict[Any, Any]) -> tuple[list[Any], list[Any]]:
    """Returns the values and the keys of a dict."""
    return list(tree.values()), list(tree)


def _dict_unflatten(values: Any, context: list[Any]) -> dict[Any, Any]:
    """Returns the dict of values and keys."""
    return dict(zip(context, values, strict=True))


def _dict_flatten_with_keys(tree: dict[Any, Any]) -> tuple[list[tuple[Any, Any]], list[Any]]:
    """Returns the values of a dict, each after its key, and the keys."""
    return [(MappingKey(key), value) for key, value in tree.items()], list(tree)
