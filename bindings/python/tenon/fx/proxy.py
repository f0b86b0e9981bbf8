# SPDX-License-Identifier: Apache-2.0
"""Proxies: values of a function that is traced; each operation on one becomes a node."""

from __future__ import annotations

import dis
import operator
import sys

from .node import Node

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from .graph import Graph


class TraceError(ValueError):
    """A traced function that depends on the elements of its inputs."""


class Proxy:
    """The value of a node while a function is traced.

    Attributes:
        node: The node.
        tracer: The tracer, which makes the nodes of operations on the proxy.
    """

    def __init__(self, node: Node, tracer: Any = None) -> None:
        """Stores the node; without a tracer, nodes are appended to its graph."""
        self.node = node
        self.tracer = GraphAppendingTracer(node.graph) if tracer is None else tracer

    def __repr__(self) -> str:
        return f"Proxy({self.node.name})"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return Attribute(self, name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Records a call of the value."""
        return self.tracer.create_proxy("call_method", "__call__", (self, *args), kwargs)

    def __iter__(self) -> Iterator[Any]:
        frame = sys._getframe(1)
        at = next(one for one in dis.get_instructions(frame.f_code) if one.offset == frame.f_lasti)
        if at.opname == "UNPACK_SEQUENCE":
            return (self[place] for place in range(at.argval))
        return self.tracer.iter(self)

    def __bool__(self) -> bool:
        return self.tracer.to_bool(self)

    def __len__(self) -> int:
        raise TraceError("fx: len of a proxy must not be used")

    def keys(self) -> Any:
        """Returns the keys of a dict: they are not known."""
        return self.tracer.keys(self)

    def __index__(self) -> int:
        raise TraceError("fx: a proxy must not be used as an index of a Python sequence")

    @classmethod
    def __torch_function__(
        cls, function: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        """Records a call of a function or method of tensors."""
        from ..utils.pytree import tree_flatten

        kwargs = kwargs or {}
        leaves, _ = tree_flatten((args, kwargs))
        tracer = next(one.tracer for one in leaves if isinstance(one, Proxy))
        name = _method_name(function)
        if name is not None:
            return tracer.create_proxy("call_method", name, args, kwargs)
        return tracer.create_proxy("call_function", function, args, kwargs)


def _method_name(function: Any) -> str | None:
    """Returns the name of a method of Tensor, None for other functions."""
    from .._tenon import Tensor

    name = getattr(function, "__name__", None)
    owner = getattr(function, "__objclass__", None)
    if owner is not None and issubclass(Tensor, owner):
        return name
    return name if isinstance(name, str) and vars(Tensor).get(name) is function else None


class Attribute(Proxy):
    """An attribute of a proxy; calling it is a method call.

    Attributes:
        root: The proxy.
        attr: Name of the attribute.
    """

    def __init__(self, root: Proxy, attr: str) -> None:
        """Stores the name; a node is made if the attribute is used as a value."""
        self.root, self.attr, self.tracer = root, attr, root.tracer
        self._node: Node | None = None

    @property
    def node(self) -> Node:  # type: ignore[override]
        """The node that reads the attribute."""
        if self._node is None:
            args = (self.root, self.attr)
            self._node = self.tracer.create_proxy("call_function", getattr, args, {}).node
        return self._node

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Records a call of the method."""
        return self.tracer.create_proxy("call_method", self.attr, (self.root, *args), kwargs)


_OPERATORS = (
    *("lt", "le", "eq", "ne", "gt", "ge", "abs", "neg", "pos", "invert", "getitem"),
    *("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and_", "or_"),
    *("xor", "lshift", "rshift"),
)
_REFLECTED = (
    *("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and_", "or_"),
    *("xor", "lshift", "rshift"),
)


def _forward(function: Any) -> Any:
    def method(self: Proxy, *args: Any) -> Any:
        return self.tracer.create_proxy("call_function", function, (self, *args), {})

    return method


def _reflected(function: Any) -> Any:
    def method(self: Proxy, other: Any) -> Any:
        return self.tracer.create_proxy("call_function", function, (other, self), {})

    return method


for _name in _OPERATORS:
    setattr(Proxy, f"__{_name.strip('_')}__", _forward(getattr(operator, _name)))
for _name in _REFLECTED:
    setattr(Proxy, f"__r{_name.strip('_')}__", _reflected(getattr(operator, _name)))
Proxy.__hash__ = object.__hash__  # type: ignore[method-assign, assignment]


class TracerBase:
    """Base of tracers: makes nodes, and proxies of them.

    Attributes:
        graph: The graph that is built.
    """

    graph: Graph

    def create_node(
        self,
        kind: str,
        target: Any,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        name: str | None = None,
        type_expr: Any = None,
    ) -> Node:
        """Adds a node."""
        return self.graph.create_node(kind, target, args, kwargs, name)

    def proxy(self, node: Node) -> Proxy:
        """Returns the proxy of a node."""
        return Proxy(node, self)

    def create_proxy(
        self,
        kind: str,
        target: Any,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        name: str | None = None,
        type_expr: Any = None,
        proxy_factory_fn: Any = None,
    ) -> Any:
        """Adds a node of arguments with proxies; returns its proxy."""
        args, kwargs = self.create_arg(args), self.create_arg(kwargs)
        node = self.create_node(kind, target, args, kwargs, name, type_expr)
        return self.proxy(node) if proxy_factory_fn is None else proxy_factory_fn(node)

    def create_arg(self, a: Any) -> Any:
        """Returns an argument with nodes in the places of proxies."""
        if isinstance(a, Proxy):
            return a.node
        if isinstance(a, tuple) and hasattr(a, "_fields"):
            return type(a)(*(self.create_arg(one) for one in a))
        if isinstance(a, (tuple, list)):
            return type(a)([self.create_arg(one) for one in a])
        if isinstance(a, dict):
            return {key: self.create_arg(value) for key, value in a.items()}
        if isinstance(a, slice):
            return slice(*(self.create_arg(one) for one in (a.start, a.stop, a.step)))
        return a

    def to_bool(self, obj: Proxy) -> bool:
        """Raises TraceError: which way a branch goes is not known."""
        raise TraceError("fx: control flow must not depend on the elements of traced values")

    def iter(self, obj: Proxy) -> Iterator[Any]:
        """Raises TraceError: how many elements there are is not known."""
        raise TraceError("fx: a proxy must not be iterated: its number of elements is not known")

    def keys(self, obj: Proxy) -> Any:
        """Returns a proxy of the keys."""
        return Attribute(obj, "keys")()


class GraphAppendingTracer(TracerBase):
    """A tracer that appends to a graph."""

    def __init__(self, graph: Graph) -> None:
        """Stores the graph."""
        self.graph = graph


__all__ = ["Attribute", "GraphAppendingTracer", "Proxy", "TraceError", "TracerBase"]
