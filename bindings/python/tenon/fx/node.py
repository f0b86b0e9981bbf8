# SPDX-License-Identifier: Apache-2.0
"""Nodes: the steps of a graph, with the nodes that they use and their users."""

from __future__ import annotations

from .._tenon import OpOverload
from ..utils.pytree import node_type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .graph import Graph

OPS = ("placeholder", "get_attr", "call_function", "call_method", "call_module", "output")


def map_arg(arg: Any, function: Callable[[Node], Any]) -> Any:
    """Returns an argument with each node in it replaced by the function's result for it."""
    if isinstance(arg, Node):
        return function(arg)
    kind = node_type(arg)
    if kind is not None and issubclass(kind, dict):
        return {key: map_arg(value, function) for key, value in arg.items()}
    if kind is not None:
        elements = [map_arg(element, function) for element in arg]
        return kind(*elements) if hasattr(kind, "_fields") else kind(elements)
    if isinstance(arg, slice):
        return slice(*(map_arg(one, function) for one in (arg.start, arg.stop, arg.step)))
    return arg


_PLAIN = frozenset((bool, complex, float, int, str, type(None)))


def note_uses(arg: Any, uses: dict[Node, None]) -> None:
    """Appends the nodes in an argument, in order."""
    kind = type(arg)
    if kind in _PLAIN:
        return
    if isinstance(arg, Node):
        uses.setdefault(arg)
    elif kind is tuple or kind is list:
        for one in arg:
            note_uses(one, uses)
    else:
        map_arg(arg, uses.setdefault)


def target_name(target: Any) -> str:
    """Returns the text of a target: "aten.add.Tensor"."""
    if isinstance(target, (str, OpOverload)):
        return str(target)
    module = getattr(target, "__module__", "")
    name = getattr(target, "__qualname__", repr(target))
    return f"{module}.{name}".replace("_operator.", "operator.")


class Node:
    """A step of a graph.

    Attributes:
        op: Kind of step: one of `OPS`.
        target: The callee: an operator or function, or the name of an input, attribute or method.
        users: The nodes that use its value, in order.
        name: Name of the node's value in code, unique in the graph.
        meta: Data of graph passes: traced nodes have `shape`, `dtype` and `device`, and
            `stack_trace` if it was requested.
    """

    def __init__(
        self,
        graph: Graph,
        name: str,
        op: str,
        target: Any,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> None:
        """Makes a node that is not in a graph yet; use the methods of Graph instead."""
        self.graph = graph
        self.name = name
        self.op = op
        self.target = target
        self.users: dict[Node, None] = {}
        self.meta: dict[str, Any] = {}
        self._args: tuple[Any, ...] = ()
        self._kwargs: dict[str, Any] = {}
        self._uses: dict[Node, None] = {}
        self._set(tuple(args), dict(kwargs))

    def _set(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        for used in self._uses:
            used.users.pop(self, None)
        self._args, self._kwargs, self._uses = args, kwargs, {}
        note_uses(args, self._uses)
        if kwargs:
            map_arg(kwargs, self._uses.setdefault)
        for used in self._uses:
            used.users[self] = None

    @property
    def args(self) -> tuple[Any, ...]:
        """Arguments by position; a node among them represents its value."""
        return self._args

    @args.setter
    def args(self, args: tuple[Any, ...]) -> None:
        self._set(tuple(args), self._kwargs)

    @property
    def kwargs(self) -> dict[str, Any]:
        """Arguments by name."""
        return self._kwargs

    @kwargs.setter
    def kwargs(self, kwargs: dict[str, Any]) -> None:
        self._set(self._args, dict(kwargs))

    @property
    def all_input_nodes(self) -> list[Node]:
        """The nodes whose values this node uses, each once."""
        return list(self._uses)

    @property
    def stack_trace(self) -> str | None:
        """The lines of code that it comes from, the innermost last, as Python writes them."""
        return self.meta.get("stack_trace")

    @property
    def next(self) -> Node:
        """The next node; the first one after the last."""
        return self.graph._neighbour(self, 1)

    @property
    def prev(self) -> Node:
        """The node before it; the last one before the first."""
        return self.graph._neighbour(self, -1)

    def replace_input_with(self, old: Node, new: Any) -> None:
        """Uses another node in the place of one."""
        args, kwargs = map_arg((self._args, self._kwargs), lambda n: new if n is old else n)
        self._set(args, kwargs)

    def replace_all_uses_with(self, new: Node) -> list[Node]:
        """Replaces this node by another in all its users; returns the users."""
        users = [user for user in self.users if user is not new]
        for user in users:
            user.replace_input_with(self, new)
        return users

    def update_arg(self, index: int, arg: Any) -> None:
        """Replaces one argument by position."""
        self.args = (*self._args[:index], arg, *self._args[index + 1 :])

    def update_kwarg(self, key: str, arg: Any) -> None:
        """Replaces one argument by name."""
        self.kwargs = {**self._kwargs, key: arg}

    def append(self, node: Node) -> None:
        """Moves a node to the position after this one."""
        self.graph._move(node, self, 1)

    def prepend(self, node: Node) -> None:
        """Moves a node before this one."""
        self.graph._move(node, self, 0)

    def is_impure(self) -> bool:
        """Returns true if the node has side effects: dead code removal keeps it."""
        if self.op in ("placeholder", "output"):
            return True
        if self.op == "call_module":
            return False
        if self.op != "call_function":
            return self.op != "get_attr" and str(self.target).endswith("_")
        if not isinstance(self.target, OpOverload):
            return False
        schema = self.target._schema
        writes = any(argument.is_write for argument in schema.arguments)
        return writes or not schema.returns or "nondeterministic_seeded" in self.target.tags

    def format_node(self) -> str:
        """Returns a line that describes the node."""
        if self.op == "placeholder":
            return (
                f"%{self.name} : [num_users={len(self.users)}] = placeholder[target={self.target}]"
            )
        if self.op == "output":
            return f"return {self._args[0]}"
        return (
            f"%{self.name} : [num_users={len(self.users)}] = {self.op}"
            f"[target={target_name(self.target)}](args = {map_arg(self._args, _percent)}, "
            f"kwargs = {map_arg(self._kwargs, _percent)})"
        )

    def __repr__(self) -> str:
        return self.name


class _Percent:
    def __init__(self, name: str) -> None:
        self._text = f"%{name}"

    def __repr__(self) -> str:
        return self._text


def _percent(node: Node) -> Any:
    return _Percent(node.name)


__all__ = ["OPS", "Node", "map_arg", "target_name"]
