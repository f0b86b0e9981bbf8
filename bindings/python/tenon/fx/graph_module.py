# SPDX-License-Identifier: Apache-2.0
"""GraphModule: a module whose `forward` is written from a graph."""

from __future__ import annotations

from ..error import InvalidArgumentError
from ..nn import Module
from ..utils.pytree import tree_flatten
from .code import write_code

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from .graph import Graph


class GraphModule(Module):
    """A module that runs a graph as readable Python code.

    Args:
        root: The module that the graph's attributes are taken from, or a dict of them by name.
        graph: The graph; call `recompile` after changing it.
        class_name: Name of the module in printed output and in its code.
    """

    def __init__(
        self, root: Module | Mapping[str, Any], graph: Graph, class_name: str = "GraphModule"
    ) -> None:
        """Takes the attributes that the graph reads from `root`, and writes the code."""
        super().__init__()
        self._class_name = class_name
        for node in graph.nodes:
            if node.op in ("get_attr", "call_module"):
                name = node.target.partition(".")[0]
                held = root[name] if not isinstance(root, Module) else getattr(root, name)
                setattr(self, name, held)
        self.graph = graph

    @property
    def graph(self) -> Graph:
        """The graph."""
        return self._graph

    @graph.setter
    def graph(self, graph: Graph) -> None:
        self._graph = graph
        # Written and compiled lazily, because that costs more than tracing.
        self._code: str | None = None
        self._run: Any = None

    @property
    def code(self) -> str:
        """The code of `forward`."""
        return self.recompile() if self._code is None else self._code

    def recompile(self) -> str:
        """Writes and compiles the code of the current graph, and returns it."""
        code = write_code(self._graph)
        names = dict(code.names)
        exec(compile(code.text, f"<{self._class_name}>", "exec"), names)
        self._code = code.text
        self._run = names["forward"]
        return code.text

    def forward(self, *args: Any) -> Any:
        """Runs the graph."""
        if self._run is None:
            self.recompile()
        return self._run(self, *args)

    def _flat_inputs(self, args: tuple[Any, ...]) -> list[Any]:
        leaves, spec = tree_flatten(args)
        if spec != self._graph._in_spec:
            raise InvalidArgumentError(
                f"{self._class_name}: arguments must be in the structure that was traced, "
                f"{self._graph._in_spec}, got {spec}"
            )
        return leaves

    def print_readable(self, print_output: bool = True) -> str:
        """Returns the module as a class; prints it, too, unless told not to."""
        body = self.code.replace("\n", "\n    ").rstrip()
        text = f"class {self._class_name}(tenon.nn.Module):\n    {body}\n"
        if print_output:
            print(text)
        return text


__all__ = ["GraphModule"]
