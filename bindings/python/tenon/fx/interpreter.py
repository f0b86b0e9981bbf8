# SPDX-License-Identifier: Apache-2.0
"""Interpreters: run a graph node by node; subclasses change what a kind of node does."""

from __future__ import annotations

from ..error import InvalidArgumentError
from .graph import Graph
from .graph_module import GraphModule
from .node import Node, map_arg
from .proxy import Proxy
from .tracer import Tracer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


class Interpreter:
    """Runs the graph of a module.

    Args:
        module: The module.
        garbage_collect_values: If true, values are dropped after their last use.
        graph: The graph, by default the module's.

    Attributes:
        env: The values of the nodes that have run.
    """

    def __init__(
        self, module: Any, garbage_collect_values: bool = True, graph: Graph | None = None
    ) -> None:
        """Finds the last use of each value."""
        self.module = module
        self.graph = module.graph if graph is None else graph
        self.submodules = dict(module.named_modules())
        self.env: dict[Node, Any] = {}
        self.extra_traceback = True
        self._last: dict[Node, list[Node]] = {}
        if garbage_collect_values:
            seen: set[Node] = set()
            for node in reversed(self.graph.nodes):
                for used in node.all_input_nodes:
                    if used not in seen:
                        seen.add(used)
                        self._last.setdefault(node, []).append(used)

    def run(
        self,
        *args: Any,
        initial_env: dict[Node, Any] | None = None,
        enable_io_processing: bool = True,
    ) -> Any:
        """Runs the graph.

        Args:
            args: The inputs, in order.
            initial_env: Values of nodes that do not run.
            enable_io_processing: Has no effect.
        """
        self.env = dict(initial_env or {})
        self.args_iter: Iterator[Any] = iter(args)
        for node in self.graph.nodes:
            if node in self.env:
                continue
            self.env[node] = self.run_node(node)
            if node.op == "output":
                return self.env[node]
            for used in self._last.get(node, ()):
                del self.env[used]
        return None

    def run_node(self, n: Node) -> Any:
        """Runs one node, by the method of its kind."""
        args, kwargs = self.fetch_args_kwargs_from_env(n)
        return getattr(self, n.op)(n.target, args, kwargs)

    def placeholder(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Returns the next input, or its default."""
        if target.startswith("*"):
            return list(self.args_iter)
        for value in self.args_iter:
            return value
        if not args:
            raise InvalidArgumentError(f"Interpreter: {target} must be given, got none")
        return args[0]

    def get_attr(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Returns an attribute of the module."""
        return self.fetch_attr(target)

    def call_function(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Calls a function."""
        return target(*args, **kwargs)

    def call_method(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Calls a method of the first argument."""
        return getattr(args[0], target)(*args[1:], **kwargs)

    def call_module(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Calls a submodule."""
        return self.fetch_attr(target)(*args, **kwargs)

    def output(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Returns the result."""
        return args[0]

    def fetch_attr(self, target: str) -> Any:
        """Returns an attribute of the module by its path."""
        found = self.module
        for name in target.split("."):
            found = getattr(found, name)
        return found

    def fetch_args_kwargs_from_env(self, n: Node) -> tuple[Any, Any]:
        """Returns the arguments of a node, with values in the places of nodes."""
        return map_arg(n.args, self.env.__getitem__), map_arg(n.kwargs, self.env.__getitem__)

    def map_nodes_to_values(self, args: Any, n: Node) -> Any:
        """Returns arguments with values in the places of nodes."""
        return map_arg(args, self.env.__getitem__)

    def boxed_run(self, args_list: list[Any]) -> Any:
        """Runs the graph with the inputs of a list, and empties the list."""
        args = tuple(args_list)
        args_list.clear()
        return self.run(*args)


class _Appending(Tracer):
    def __init__(self, graph: Graph) -> None:
        super().__init__()
        self.graph = graph

    def create_arg(self, a: Any) -> Any:
        return a.node if isinstance(a, Proxy) else super(Tracer, self).create_arg(a)


class Transformer(Interpreter):
    """An interpreter whose values are proxies: it makes another graph.

    Args:
        module: The module whose graph is transformed.
    """

    def __init__(self, module: Any) -> None:
        """Begins with an empty graph."""
        super().__init__(module)
        self.new_graph = Graph()
        self.tracer = _Appending(self.new_graph)
        self.tracer.root = module

    def placeholder(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Makes an input."""
        return self.tracer.create_proxy("placeholder", target, args, kwargs, target.lstrip("*"))

    def get_attr(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Makes a node that reads an attribute."""
        return self.tracer.create_proxy("get_attr", target, args, kwargs)

    def call_function(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Makes a call of a function."""
        return self.tracer.create_proxy("call_function", target, args, kwargs)

    def call_module(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Makes a call of a submodule."""
        return self.tracer.create_proxy("call_module", target, args, kwargs)

    def call_method(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Makes a call of a method."""
        return self.tracer.create_proxy("call_method", target, args, kwargs)

    def transform(self) -> GraphModule:
        """Returns the module of the new graph."""
        result = super().run()
        if result is not None:
            self.new_graph.output(self.tracer.create_arg(result))
        return GraphModule(self.module, self.new_graph)


__all__ = ["Interpreter", "Transformer"]
