# SPDX-License-Identifier: Apache-2.0
"""Trees under the names of torch.utils._pytree, with classes that programs register."""

from __future__ import annotations

from typing import Any

from ..error import InvalidArgumentError
from . import pytree
from .key_paths import (
    WITH_KEYS,
    GetAttrKey,
    MappingKey,
    SequenceKey,
    _dict_flatten,
    _dict_flatten_with_keys,
    _dict_unflatten,
    key_get,
    keystr,
    tree_flatten_with_path,
    tree_leaves_with_path,
    tree_map_with_path,
)
from .pytree import REGISTERED, TreeSpec, tree_unflatten

PyTree = Any
Context = Any
KeyEntry = Any
KeyPath = tuple[Any, ...]


class LeafSpec(TreeSpec):
    """The structure of one leaf."""

    __slots__ = ()

    def __init__(self) -> None:
        """Makes it."""
        super().__init__(None, None, [])


def register_pytree_node(cls: type, flatten_fn: Any, unflatten_fn: Any, **options: Any) -> None:
    """Registers a class as a node of trees.

    Args:
        cls: The class.
        flatten_fn: Returns the children of a node, and its other data as a context.
        unflatten_fn: Makes a node of children and context.
        options: `flatten_with_keys_fn` returns the children with their keys; names for saved
            trees have no effect.
    """
    if cls in REGISTERED or cls in (tuple, list, dict):
        raise InvalidArgumentError(f"register_pytree_node: {cls.__name__} must be new")
    REGISTERED[cls] = (flatten_fn, unflatten_fn)
    if options.get("flatten_with_keys_fn") is not None:
        WITH_KEYS[cls] = options["flatten_with_keys_fn"]


_register_pytree_node = register_pytree_node
SUPPORTED_NODES = REGISTERED


def tree_flatten(tree: Any, is_leaf: Any = None) -> tuple[list[Any], TreeSpec]:
    """Returns the leaves of a tree in order, and its structure; `is_leaf` ends the descent."""
    if is_leaf is None:
        return pytree.tree_flatten(tree)
    if is_leaf(tree) or pytree.node_type(tree) is None:
        return [tree], pytree.LEAF
    kind = type(tree)
    children, context = pytree._children(kind, tree)
    leaves: list[Any] = []
    specs = []
    for child in children:
        found, spec = tree_flatten(child, is_leaf)
        leaves += found
        specs.append(spec)
    return leaves, TreeSpec(kind, context, specs)


def tree_leaves(tree: Any, is_leaf: Any = None) -> list[Any]:
    """Returns the leaves of a tree in order."""
    return tree_flatten(tree, is_leaf)[0]


def tree_iter(tree: Any, is_leaf: Any = None) -> Any:
    """Returns an iterator over the leaves of a tree."""
    return iter(tree_leaves(tree, is_leaf))


def tree_structure(tree: Any, is_leaf: Any = None) -> TreeSpec:
    """Returns the structure of a tree."""
    return tree_flatten(tree, is_leaf)[1]


def tree_map(func: Any, tree: Any, *rests: Any, is_leaf: Any = None) -> Any:
    """Returns the tree of what a function returns for the leaves of one or more trees."""
    leaves, spec = tree_flatten(tree, is_leaf)
    others = [_leaves_under(one, spec) for one in rests]
    return tree_unflatten([func(*each) for each in zip(leaves, *others, strict=True)], spec)


def _leaves_under(tree: Any, spec: TreeSpec) -> list[Any]:
    """Returns the subtrees of a tree at the positions of the leaves of a structure."""
    if spec.is_leaf():
        return [tree]
    children, _ = pytree._children(type(tree), tree)
    if len(children) != len(spec.children):
        raise InvalidArgumentError(
            f"tree_map: trees must have nodes of {len(spec.children)} children, got {len(children)}"
        )
    found: list[Any] = []
    for child, part in zip(children, spec.children, strict=True):
        found += _leaves_under(child, part)
    return found


def tree_map_(func: Any, tree: Any, *rests: Any, is_leaf: Any = None) -> Any:
    """Calls a function on the leaves, and returns the tree unchanged."""
    tree_map(func, tree, *rests, is_leaf=is_leaf)
    return tree


def _only(kinds: Any, func: Any) -> Any:
    test = kinds if callable(kinds) and not isinstance(kinds, type) else None

    def call(leaf: Any) -> Any:
        chosen = test(leaf) if test is not None else isinstance(leaf, kinds)
        return func(leaf) if chosen else leaf

    return call


def map_only(kinds: Any) -> Any:
    """Returns a decorator: the function is called on some types, others are left unchanged."""
    return lambda func: _only(kinds, func)


def tree_map_only(kinds: Any, func: Any, tree: Any, is_leaf: Any = None) -> Any:
    """Maps a function over leaves of some types; others are unchanged, as in tree_map."""
    return tree_map(_only(kinds, func), tree, is_leaf=is_leaf)


def tree_map_only_(kinds: Any, func: Any, tree: Any, is_leaf: Any = None) -> Any:
    """Calls a function on leaves of some types, as in tree_map_."""
    return tree_map_(_only(kinds, func), tree, is_leaf=is_leaf)


def tree_all(pred: Any, tree: Any, is_leaf: Any = None) -> bool:
    """Returns true if a condition holds for all leaves."""
    return all(map(pred, tree_leaves(tree, is_leaf)))


def tree_any(pred: Any, tree: Any, is_leaf: Any = None) -> bool:
    """Returns true if a condition holds for a leaf."""
    return any(map(pred, tree_leaves(tree, is_leaf)))


def tree_all_only(kinds: Any, pred: Any, tree: Any, is_leaf: Any = None) -> bool:
    """Returns true if a condition holds for all leaves of some types."""
    return all(pred(one) for one in tree_leaves(tree, is_leaf) if isinstance(one, kinds))


def tree_any_only(kinds: Any, pred: Any, tree: Any, is_leaf: Any = None) -> bool:
    """Returns true if a condition holds for a leaf of some types."""
    return any(pred(one) for one in tree_leaves(tree, is_leaf) if isinstance(one, kinds))


__all__ = [
    "Context",
    "GetAttrKey",
    "KeyEntry",
    "KeyPath",
    "LeafSpec",
    "MappingKey",
    "PyTree",
    "SequenceKey",
    "TreeSpec",
    "_dict_flatten",
    "_dict_flatten_with_keys",
    "_dict_unflatten",
    "key_get",
    "keystr",
    "register_pytree_node",
    "tree_all",
    "tree_all_only",
    "tree_any",
    "tree_any_only",
    "tree_flatten",
    "tree_flatten_with_path",
    "tree_iter",
    "tree_leaves",
    "tree_leaves_with_path",
    "tree_map",
    "tree_map_",
    "tree_map_only",
    "tree_map_only_",
    "tree_map_with_path",
    "tree_structure",
    "tree_unflatten",
]
