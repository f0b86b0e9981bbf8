# SPDX-License-Identifier: Apache-2.0
"""Graphs as Python code."""

from __future__ import annotations

import math
import operator

from .. import device, dtype, layout, memory_format
from .._tenon import OpOverload
from ..utils.pytree import node_type
from .node import Node

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NamedTuple

    from .graph import Graph

    class Code(NamedTuple):
        """A function's source text, and the values of its global names."""

        text: str
        names: dict[str, Any]

else:
    from collections import namedtuple

    Code = namedtuple("Code", "text names")

_TENON = (dtype, layout, memory_format)


_SYMBOLS = {
    **{"add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%"},
    **{"pow": "**", "matmul": "@", "and_": "&", "or_": "|", "xor": "^", "lshift": "<<"},
    **{"rshift": ">>", "lt": "<", "le": "<=", "eq": "==", "ne": "!=", "gt": ">", "ge": ">="},
    **{"neg": "-", "pos": "+", "invert": "~"},
}


class _Writer:
    def __init__(self, root: str, taken: set[str]) -> None:
        self._root, self._taken = root, taken
        self.names: dict[str, Any] = {"device": device, "inf": math.inf, "nan": math.nan}

    def _constant(self, value: Any, base: str) -> str:
        name, number = base, 0
        while name in self._taken or self.names.setdefault(name, value) is not value:
            number += 1
            name = f"{base}_{number}"
        return name

    def value(self, value: Any) -> str:
        """Returns an argument or result as an expression."""
        if isinstance(value, Node):
            return value.name
        kind = node_type(value)
        if kind is tuple:
            return f"({', '.join(map(self.value, value))}{',' if len(value) == 1 else ''})"
        if kind is list:
            return f"[{', '.join(map(self.value, value))}]"
        if kind is dict:
            return f"{{{', '.join(f'{k!r}: {self.value(v)}' for k, v in value.items())}}}"
        if kind is not None:
            fields = value.values() if isinstance(value, dict) else value
            inside = ", ".join(map(self.value, fields))
            if isinstance(value, dict):
                keys = ", ".join(map(repr, value))
                return f"{self._constant(kind, kind.__name__)}(zip([{keys}], [{inside}]))"
            inside = inside if hasattr(kind, "_fields") else f"[{inside}]"
            return f"{self._constant(kind, kind.__name__)}({inside})"
        if isinstance(value, slice):
            parts = (value.start, value.stop, value.step)
            return f"slice({', '.join(map(self.value, parts))})"
        if value is None or isinstance(value, (int, float, complex, str)):
            return repr(value)
        if isinstance(value, (*_TENON, device)):
            return repr(value)
        return self._constant(value, "_value")

    def function(self, target: Any) -> str:
        if isinstance(target, OpOverload):
            return f"tenon.ops.{target}"
        return self._constant(target, getattr(target, "__name__", "_function"))

    def call(self, function: str, args: Any, kwargs: dict[str, Any]) -> str:
        given = [*map(self.value, args), *(f"{k}={self.value(v)}" for k, v in kwargs.items())]
        return f"{function}({', '.join(given)})"

    def _operand(self, value: Any) -> str:
        text = self.value(value)
        return text if text.isidentifier() else f"({text})"

    def path(self, target: str) -> str:
        """Returns an attribute of the root as an expression; modules may be named by numbers."""
        text = self._root
        for name in target.split("."):
            text = f"{text}.{name}" if name.isidentifier() else f"getattr({text}, {name!r})"
        return text

    def step(self, node: Node) -> str:
        """Returns the expression of a node."""
        args = node.args
        if node.op == "get_attr":
            return self.path(node.target)
        if node.op == "call_method":
            return self.call(f"{self.value(args[0])}.{node.target}", args[1:], node.kwargs)
        if node.op == "call_module":
            return self.call(self.path(node.target), args, node.kwargs)
        if node.target is operator.getitem:
            return f"{self.value(args[0])}[{self.value(args[1])}]"
        if node.target is getattr and isinstance(args[1], str) and args[1].isidentifier():
            return f"{self.value(args[0])}.{args[1]}"
        symbol = _SYMBOLS.get(getattr(node.target, "__name__", ""))
        if symbol is not None and getattr(node.target, "__module__", "") == "_operator":
            if len(args) == 2:
                return f"{self._operand(args[0])} {symbol} {self._operand(args[1])}"
            return f"{symbol}{self._operand(args[0])}"
        return self.call(self.function(node.target), args, node.kwargs)


def _parameter(node: Node, writer: _Writer) -> str:
    """Returns an input as a parameter, with its stars or its default."""
    stars = node.target[: len(node.target) - len(node.target.lstrip("*"))]
    return f"{stars}{node.name}" + (f" = {writer.value(node.args[0])}" if node.args else "")


def write_code(graph: Graph, root: str = "self") -> Code:
    """Writes the function `forward` of a graph; also returns the values of its global names."""
    import tenon

    writer = _Writer(root, {node.name for node in graph.nodes})
    writer.names["tenon"] = tenon
    placeholders = [node for node in graph.nodes if node.op == "placeholder"]
    inputs = [_parameter(node, writer) for node in placeholders]
    spec = graph._in_spec
    if spec is None or all(child.is_leaf() for child in spec.children):
        lines = [f"def forward({', '.join([root, *inputs])}):"]
    else:
        lines = [f"def forward({root}, *args):"]
        unpacked = "".join(f"{name}, " for name in inputs)
        lines.append(f"    {unpacked}= {root}._flat_inputs(args)" if inputs else "    pass")
    place: str | None = None
    for node in graph.nodes:
        if node.op == "output":
            lines.append(f"    return {writer.value(node.args[0])}")
        elif node.op != "placeholder":
            trace = node.stack_trace
            if trace is not None and trace != place:
                place = trace
                lines.append(f"    # {trace.strip().splitlines()[-1].strip()}")
            lines.append(f"    {node.name} = {writer.step(node)}")
    if len(lines) == 1:
        lines.append("    pass")
    return Code("\n".join(lines) + "\n", writer.names)


__all__ = ["Code", "write_code"]
