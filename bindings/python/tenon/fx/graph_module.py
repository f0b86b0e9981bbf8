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
                self._take(root, node.target)
        self.graph = graph

    def _take(self, root: Any, target: str) -> None:
        """Takes the attribute of a path; modules on the way become empty ones unless they exist."""
        if not isinstance(root, Module):
            root_of = dict(root)
            name = target if target in root_of else target.partition(".")[0]
            if "." not in name:
                setattr(self, name, root_of[name])
                return
            *path, last = name.split(".")
            owner: Any = self
            for one in path:
                if not hasattr(owner, one):
                    setattr(owner, one, Module())
                owner = getattr(owner, one)
            setattr(owner, last, root_of[name])
            return
        name = target.partition(".")[0]
        value = getattr(root, name)
        is_buffer = name in root._buffers
        if is_buffer and name not in self._buffers:
            self.register_buffer(name, value, name not in root._non_persistent_buffers_set)
        else:
            setattr(self, name, value)

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

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Runs the graph."""
        if self._run is None:
            self.recompile()
        return self._run(self, *args, **kwargs)

    def add_submodule(self, target: str, m: Module) -> bool:
        """Adds a module at a path, with empty modules on the way; returns true if it was added."""
        *path, name = target.split(".")
        owner: Any = self
        for one in path:
            if not hasattr(owner, one):
                setattr(owner, one, Module())
            owner = getattr(owner, one)
            if not isinstance(owner, Module):
                return False
        owner.add_module(name, m)
        return True

    def delete_submodule(self, target: str) -> bool:
        """Removes the module at a path; returns false if there is none."""
        *path, name = target.split(".")
        owner: Any = self
        for one in path:
            owner = getattr(owner, one, None)
        if owner is None or not isinstance(getattr(owner, name, None), Module):
            return False
        delattr(owner, name)
        return True

    def delete_all_unused_submodules(self) -> None:
        """Removes the modules that no node calls or reads."""
        used = {
            ".".join(node.target.split(".")[:length])
            for node in self.graph.nodes
            if node.op in ("call_module", "get_attr")
            for length in range(1, node.target.count(".") + 2)
        }
        called = [node.target for node in self.graph.nodes if node.op == "call_module"]
        for name, _ in [*self.named_modules()]:
            inside = any(name.startswith(f"{one}.") for one in called)
            if name and name not in used and not inside:
                self.delete_submodule(name)

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
