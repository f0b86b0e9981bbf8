# SPDX-License-Identifier: Apache-2.0
"""make_fx: a function's operators, as a module that can be read, changed and run."""

from __future__ import annotations

import inspect
import operator

from .. import graph as _graphs
from .._tenon import Ref, Tensor
from ..error import InvalidArgumentError
from ..fake import FakeTensorMode
from ..utils.pytree import tree_flatten, tree_map, tree_unflatten
from .graph import Graph
from .graph_module import GraphModule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .node import Node


def make_fx(
    f: Callable[..., Any], tracing_mode: str = "real", *, record_stack_traces: bool = False
) -> Callable[..., GraphModule]:
    """Returns a function that runs `f` once on its arguments and returns the graph of its calls.

    What is recorded reaches the kernels: composites are decomposed, vmap, grad and autocast traced
    away, backward passes included. Arguments and results may be trees. Values that are no tensors
    are constants of the graph.

    Args:
        f: The function.
        tracing_mode: "real" runs kernels; "fake" runs `f` on fake tensors, without memory.
        record_stack_traces: Nodes know the lines of `f` that they come from: `Node.stack_trace`,
            and comments in the code.
    """
    if tracing_mode not in ("real", "fake"):
        raise InvalidArgumentError(
            f"make_fx: tracing_mode must be 'real' or 'fake', got {tracing_mode!r}"
        )

    def traced(*args: Any) -> GraphModule:
        if tracing_mode == "real":
            return _trace(f, args, record_stack_traces)
        with FakeTensorMode() as mode:
            return _trace(f, mode._from_tree(args), record_stack_traces)

    return traced


def _trace(f: Callable[..., Any], args: tuple[Any, ...], frames: bool) -> GraphModule:
    leaves, in_spec = tree_flatten(args)
    with _graphs.Recording(frames=frames) as recorded:
        for leaf in leaves:
            if isinstance(leaf, Tensor):
                recorded.add_input(like=leaf)
        results, out_spec = tree_flatten(f(*args))
        constants = _add_outputs(recorded, results)
    recorded = recorded.remove_dead()
    converter = _Converter(recorded, _input_names(f, args), leaves)
    outputs = iter(recorded.outputs)
    kept = [constants[i] if i in constants else next(outputs) for i in range(len(results))]
    graph = converter.convert(tree_unflatten(kept, out_spec))
    graph._in_spec = in_spec
    return GraphModule(converter.attributes, graph, getattr(f, "__name__", type(f).__name__))


def from_graph(graph: _graphs.Graph) -> GraphModule:
    """Returns a graph of any language, such as a file's, as a module of nodes and code.

    Args:
        graph: The graph; it stays as it is, and its tensors are shared.
    """
    values = graph.values
    names = [str(values[ref.value].name) for ref in graph.inputs]
    converter = _Converter(graph, names, None)
    outputs = graph.outputs
    result = converter.convert(outputs[0] if len(outputs) == 1 else tuple(outputs))
    return GraphModule(converter.attributes, result)


def _add_outputs(recorded: _graphs.Graph, results: list[Any]) -> dict[int, Any]:
    """Adds the tensors among the results; returns the others by place."""
    constants = {}
    for place, result in enumerate(results):
        if isinstance(result, Tensor):
            recorded.add_output(result)
        else:
            constants[place] = result
    return constants


def _input_names(f: Callable[..., Any], args: tuple[Any, ...]) -> list[str]:
    """A name for each leaf of the arguments: "a_1" for the parameter `a`."""
    try:
        parameters = list(inspect.signature(f).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    positional = [
        p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
    ]
    names = []
    for place, arg in enumerate(args):
        name = positional[place] if place < len(positional) else f"arg{place}"
        names += [f"{name}_{i + 1}" for i in range(len(tree_flatten(arg)[0]))]
    return names


class _Converter:
    """A recorded graph as one of Python's nodes."""

    def __init__(self, recorded: _graphs.Graph, names: list[str], leaves: list[Any] | None) -> None:
        self._recorded = recorded
        self._nodes = recorded.nodes
        self._values = recorded.values
        self._graph = Graph()
        self.attributes: dict[str, Tensor] = {}
        inputs = iter(recorded.inputs)
        self._known: dict[int, Node] = {}
        for place, name in enumerate(names):
            node = self._graph.placeholder(name)
            if leaves is None or isinstance(leaves[place], Tensor):
                self._tell(next(inputs).value, node)

    def _tell(self, value: int, node: Node) -> None:
        self._known[value] = node
        its = self._values[value]
        if its.dtype is not None:
            node.meta.update(shape=its.shape, dtype=its.dtype, device=its.device)

    def convert(self, result: Any) -> Graph:
        used = self._used(result)
        for number, call in enumerate(self._nodes):
            args, kwargs = self._arguments(call)
            node = self._graph.call_function(call.op, args, kwargs)
            frames = self._recorded.frames(number)
            if frames:
                node.meta["stack_trace"] = "".join(
                    f'  File "{frame.file}", line {frame.line}, in {frame.function}\n'
                    for frame in reversed(frames)
                )
            if call.num_results == 1:
                self._tell(call.first_result, node)
                continue
            for i in range(call.num_results):
                if call.first_result + i in used:
                    item = self._graph.call_function(operator.getitem, (node, i))
                    self._tell(call.first_result + i, item)
        self._graph.output(self._filled(result))
        return self._graph

    def _used(self, result: Any) -> set[int]:
        used: set[int] = set()

        def use(value: Any) -> Any:
            if isinstance(value, Ref):
                its = self._values[value.value]
                used.add(its.source if its.kind == _graphs.ELEMENT else value.value)
            return value

        tree_map(use, ([call.args for call in self._nodes], result))
        return used

    def _arguments(self, call: _graphs.Node) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Positional and named arguments, without those that equal their defaults."""
        args: list[Any] = []
        kwargs: dict[str, Any] = {}
        for argument, value in zip(call.op._schema.arguments, call.args, strict=True):
            usual = argument.has_default_value() and _same(value, argument.default_value)
            if argument.kwarg_only:
                if not usual:
                    kwargs[argument.name] = self._filled(value)
            else:
                args.append((usual, value))
        while args and args[-1][0]:
            args.pop()
        return tuple(self._filled(value) for _, value in args), kwargs

    def _filled(self, tree: Any) -> Any:
        return tree_map(lambda v: self._node(v.value) if isinstance(v, Ref) else v, tree)

    def _node(self, number: int) -> Node:
        """The node of a value; attributes and elements get theirs when first used."""
        node = self._known.get(number)
        if node is not None:
            return node
        value = self._values[number]
        if value.kind == _graphs.ATTRIBUTE:
            name = f"_tensor_constant{len(self.attributes)}"
            assert value.tensor is not None
            self.attributes[name] = value.tensor
            node = self._graph.get_attr(name)
        else:
            node = self._graph.call_function(
                operator.getitem, (self._node(value.source), value.index)
            )
        self._tell(number, node)
        return node


def _same(a: Any, b: Any) -> bool:
    return type(a) is type(b) and bool(a == b) and not isinstance(a, Tensor)


__all__ = ["from_graph", "make_fx"]
