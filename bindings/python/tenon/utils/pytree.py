# SPDX-License-Identifier: Apache-2.0
"""Trees: nested tuples, lists and dicts as a flat list of leaves, and back."""

from __future__ import annotations

from collections import OrderedDict, defaultdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


class TreeSpec:
    """The structure of a tree. Trees that differ only in leaves have equal structures.

    Attributes:
        type: Type of the node; None for a leaf.
        context: Data of the node besides its children, e.g. the keys of a dict.
        children: The structures of the children.
        num_leaves: Number of leaves of the tree.
    """

    __slots__ = ("children", "context", "num_leaves", "type")

    def __init__(self, type: Any, context: Any, children: list[TreeSpec]) -> None:
        """Makes the structure of a node of these children; a leaf has no type."""
        self.type = type
        self.context = context
        self.children = children
        self.num_leaves = sum(each.num_leaves for each in children) if type is not None else 1

    def is_leaf(self) -> bool:
        """Returns true if the tree is one leaf."""
        return self.type is None

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, TreeSpec)
            and self.type is other.type
            and self.context == other.context
            and self.children == other.children
        )

    def __hash__(self) -> int:
        return hash((self.type, len(self.children)))

    def __repr__(self) -> str:
        if self.type is None:
            return "*"
        return f"{self.type.__name__}({', '.join(map(repr, self.children))})"


LEAF = TreeSpec(None, None, [])


# Registered classes: functions that flatten a node to children and context, and rebuild it.
REGISTERED: dict[type, tuple[Any, Any]] = {}


def _is_namedtuple(kind: type) -> bool:
    return issubclass(kind, tuple) and hasattr(kind, "_fields")


def _is_named(kind: type) -> bool:
    # Named tuples of operator results are not from `collections`; they take one sequence.
    return _is_namedtuple(kind) or (issubclass(kind, tuple) and hasattr(kind, "n_fields"))


def node_type(tree: Any) -> type | None:
    """Returns the type of a node of a tree, None for a leaf."""
    kind = type(tree)
    if kind in (tuple, list, dict, OrderedDict, defaultdict) or _is_named(kind):
        return kind
    return kind if kind in REGISTERED else None


def _children(kind: type, tree: Any) -> tuple[list[Any], Any]:
    if kind in REGISTERED:
        children, context = REGISTERED[kind][0](tree)
        return list(children), context
    if kind is dict or kind is OrderedDict:
        return list(tree.values()), list(tree)
    if kind is defaultdict:
        return list(tree.values()), (tree.default_factory, list(tree))
    return list(tree), None


def tree_flatten(tree: Any, leaves: list[Any] | None = None) -> tuple[list[Any], TreeSpec]:
    """Returns the leaves of a tree in order, and its structure."""
    if leaves is None:
        leaves = []
    kind = node_type(tree)
    if kind is None:
        leaves.append(tree)
        return leaves, LEAF
    children, context = _children(kind, tree)
    return leaves, TreeSpec(kind, context, [tree_flatten(each, leaves)[1] for each in children])


def tree_unflatten(leaves: Any, spec: TreeSpec) -> Any:
    """Returns the tree of a structure with these leaves, in order."""
    return _build(iter(leaves), spec)


def _build(leaves: Any, spec: TreeSpec) -> Any:
    kind = spec.type
    if kind is None:
        return next(leaves)
    children = [_build(leaves, each) for each in spec.children]
    if kind in REGISTERED:
        return REGISTERED[kind][1](children, spec.context)
    if kind is dict or kind is OrderedDict:
        return kind(zip(spec.context, children, strict=True))
    if kind is defaultdict:
        return defaultdict(spec.context[0], zip(spec.context[1], children, strict=True))
    return kind(*children) if _is_namedtuple(kind) else kind(children)


def tree_map(function: Callable[[Any], Any], tree: Any) -> Any:
    """Returns the tree with the function applied to each leaf."""
    leaves, spec = tree_flatten(tree)
    return tree_unflatten([function(each) for each in leaves], spec)


def broadcast_prefix(
    prefix: Any, spec: TreeSpec, is_end: Callable[[Any], bool]
) -> list[Any] | None:
    """Returns, for each leaf of a tree, the leaf of `prefix` above it; None on a mismatch.

    Args:
        prefix: A tree whose nodes match the other's, down to its own leaves.
        spec: The structure of the other tree.
        is_end: Returns true for a value in `prefix` that covers its whole subtree.
    """
    if is_end(prefix):
        return [prefix] * spec.num_leaves
    kind = node_type(prefix)
    if kind is None or kind is not spec.type:
        return None
    children, context = _children(kind, prefix)
    if len(children) != len(spec.children) or context != spec.context:
        return None
    found = []
    for child, its_spec in zip(children, spec.children, strict=True):
        part = broadcast_prefix(child, its_spec, is_end)
        if part is None:
            return None
        found += part
    return found


__all__ = ["TreeSpec", "broadcast_prefix", "tree_flatten", "tree_map", "tree_unflatten"]
