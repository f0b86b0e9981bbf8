# SPDX-License-Identifier: Apache-2.0
"""Graph: nodes in their order, to be walked and changed."""

from __future__ import annotations

import builtins
import contextlib
import keyword
import re

from .._tenon import OpOverload
from ..error import InvalidArgumentError, StateError
from .code import write_code
from .node import OPS, Node, map_arg, target_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any


_NONE = object()


class Graph:
    """Nodes in the order in which they run.

    New nodes go to the end, or where `inserting_before` and `inserting_after` say.
    """

    def __init__(self, owning_module: Any = None, tracer_cls: Any = None, **_: Any) -> None:
        """Makes an empty graph; the class of the tracer has no effect."""
        self.owning_module = owning_module
        self._nodes: list[Node] = []
        self._names: set[str] = set()
        self._numbers: dict[str, int] = {}  # next suffix for each base name
        self._at: int | None = None  # insertion point of new nodes; None: the end
        self._in_spec: Any = None  # for traced graphs: the structure of the arguments

    # ---- Nodes ------------------------------------------------------------------------------

    @property
    def nodes(self) -> list[Node]:
        """A snapshot of the nodes: the graph may be changed while it is iterated."""
        return list(self._nodes)

    def find_nodes(self, *, op: str, target: Any = None) -> list[Node]:
        """Returns the nodes of a kind, and with a target unless that is None."""
        return [n for n in self._nodes if n.op == op and (target is None or n.target is target)]

    def output_node(self) -> Node:
        """Returns the output node."""
        found = self.find_nodes(op="output")
        if not found:
            raise StateError("Graph: graph must have an output, got none")
        return found[0]

    def _neighbour(self, node: Node, step: int) -> Node:
        return self._nodes[(self._nodes.index(node) + step) % len(self._nodes)]

    def _move(self, node: Node, anchor: Node, behind: int) -> None:
        if node is anchor:
            return
        self._nodes.remove(node)
        self._nodes.insert(self._nodes.index(anchor) + behind, node)

    def _unique(self, candidate: str) -> str:
        base = re.sub(r"\W", "_", candidate) or "_"
        if base[0].isdigit() or keyword.iskeyword(base) or base in ("self", "tenon"):
            base = f"_{base}"
        name, number = base, self._numbers.get(base, 0)
        while name in self._names or hasattr(builtins, name):
            number += 1
            name = f"{base}_{number}"
        self._numbers[base] = number
        self._names.add(name)
        return name

    # ---- Building ---------------------------------------------------------------------------

    def create_node(
        self,
        op: str,
        target: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
        name: str | None = None,
        type_expr: Any = None,
    ) -> Node:
        """Adds a node.

        Args:
            op: One of placeholder, get_attr, call_function, call_method, call_module, output.
            target: The function; the name of an input, attribute, method or module.
            args: Arguments by position, with nodes of this graph.
            kwargs: Arguments by name.
            name: Name of the node's value; by default derived from the target.
            type_expr: Has no effect.
        """
        if op not in OPS:
            raise InvalidArgumentError(f"create_node: op must be one of {', '.join(OPS)}, got {op}")
        node = Node(self, self._unique(name or _base_name(target)), op, target, args, kwargs or {})
        for used in node.all_input_nodes:
            if used.graph is not self:
                raise InvalidArgumentError(
                    f"create_node: arguments must be nodes of the graph, got {used} of another"
                )
        if self._at is None:
            self._nodes.append(node)
        else:
            self._nodes.insert(self._at, node)
            self._at += 1
        return node

    def placeholder(self, name: str, type_expr: Any = None, default_value: Any = _NONE) -> Node:
        """Adds an input, with a default unless none is given; types have no effect."""
        args = () if default_value is _NONE else (default_value,)
        return self.create_node("placeholder", name, args, name=name.lstrip("*"))

    def get_attr(self, qualified_name: str, type_expr: Any = None) -> Node:
        """Adds a step that reads an attribute of the module."""
        return self.create_node("get_attr", qualified_name)

    def call_function(
        self,
        the_function: Callable[..., Any],
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
        type_expr: Any = None,
    ) -> Node:
        """Adds a call of an operator or function."""
        return self.create_node("call_function", the_function, args, kwargs)

    def call_method(
        self,
        method_name: str,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
        type_expr: Any = None,
    ) -> Node:
        """Adds a call of a method of the first argument."""
        return self.create_node("call_method", method_name, args, kwargs)

    def call_module(
        self,
        module_name: str,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
        type_expr: Any = None,
    ) -> Node:
        """Adds a call of a module of the module."""
        return self.create_node("call_module", module_name, args, kwargs)

    def output(self, result: Any, type_expr: Any = None) -> Node:
        """Adds the step that returns."""
        return self.create_node("output", "output", (result,))

    def node_copy(self, node: Node, arg_transform: Callable[[Node], Any] = lambda n: n) -> Node:
        """Adds a copy of a node, which may be of another graph."""
        args, kwargs = map_arg((node.args, node.kwargs), arg_transform)
        copy = self.create_node(node.op, node.target, args, kwargs, node.name)
        copy.meta = dict(node.meta)
        return copy

    def erase_node(self, node: Node) -> None:
        """Removes a node that nothing uses."""
        if node.users:
            raise StateError(
                f"erase_node: {node} must have no users, got {', '.join(map(repr, node.users))}"
            )
        index = self._nodes.index(node)
        del self._nodes[index]
        if self._at is not None and index < self._at:
            self._at -= 1
        self._names.discard(node.name)
        node._set((), {})

    @contextlib.contextmanager
    def _inserting(self, at: int) -> Iterator[None]:
        before, self._at = self._at, at
        try:
            yield
        finally:
            self._at = before

    def inserting_before(self, node: Node) -> Any:
        """Inserts new nodes of a `with` block before a node."""
        return self._inserting(self._nodes.index(node))

    def inserting_after(self, node: Node) -> Any:
        """Inserts new nodes of a `with` block after a node."""
        return self._inserting(self._nodes.index(node) + 1)

    # ---- Checking and changing --------------------------------------------------------------

    def lint(self) -> None:
        """Raises StateError where names repeat, or a node uses one that is not before it."""
        seen: set[Node] = set()
        names: set[str] = set()
        for node in self._nodes:
            if node.name in names:
                raise StateError(f"lint: names must be unique, got {node.name} again")
            for used in node.all_input_nodes:
                if used not in seen:
                    raise StateError(f"lint: {node} must use nodes before it, got {used}")
            seen.add(node)
            names.add(node.name)
        if sum(node.op == "output" for node in self._nodes) > 1:
            raise StateError("lint: graph must have one output, got several")

    def graph_copy(
        self, g: Graph, val_map: dict[Node, Any], return_output_node: Any = False
    ) -> Any:
        """Adds copies of the nodes of another graph; returns the value of its output.

        Args:
            g: The other graph.
            val_map: Map from nodes of the other graph to nodes of this one; the copies are added.
            return_output_node: If true, also returns the output node of the other graph.
        """
        for node in g.nodes:
            if node in val_map:
                continue
            if node.op == "output":
                result = map_arg(node.args[0], val_map.__getitem__)
                return (result, node) if return_output_node else result
            val_map[node] = self.node_copy(node, val_map.__getitem__)
        return None

    def __deepcopy__(self, memo: Any = None) -> Graph:
        copy = Graph()
        copy._in_spec = self._in_spec
        copied: dict[Node, Any] = {}
        result = copy.graph_copy(self, copied, return_output_node=True)
        if result is not None:
            copy.output(result[0]).meta = dict(result[1].meta)
        return copy

    def eliminate_dead_code(self, is_impure_node: Any = None) -> bool:
        """Removes nodes that nothing uses; those that write or draw random numbers stay.

        Args:
            is_impure_node: Returns true for nodes that stay; by default `Node.is_impure`.

        Returns:
            Whether there were any.
        """
        before = len(self._nodes)
        for node in reversed(self.nodes):
            stays = node.is_impure() if is_impure_node is None else is_impure_node(node)
            if not node.users and not stays:
                self.erase_node(node)
        return len(self._nodes) != before

    # ---- Text -------------------------------------------------------------------------------

    def python_code(self, root_module: str = "self") -> str:
        """Returns the function `forward` that runs the graph."""
        return write_code(self, root_module).text

    def print_tabular(self) -> None:
        """Prints the nodes as a table."""
        head = ("opcode", "name", "target", "args", "kwargs")
        rows = [
            (n.op, n.name, target_name(n.target), str(n.args), str(n.kwargs)) for n in self._nodes
        ]
        widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
        for row in (head, tuple("-" * width for width in widths), *rows):
            cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
            print("  ".join(cells).rstrip())

    def __str__(self) -> str:
        return "\n    ".join(["graph():", *(node.format_node() for node in self._nodes)])


def _base_name(target: Any) -> str:
    if isinstance(target, OpOverload):
        return target._schema.name.split("::")[-1].split(".")[0]
    if isinstance(target, str):
        is_dunder = target.startswith("__") and target.endswith("__")
        return (target[2:-2] if is_dunder else target).replace(".", "_")
    return getattr(target, "__name__", type(target).__name__).lower()


__all__ = ["Graph"]
