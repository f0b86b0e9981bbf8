# SPDX-License-Identifier: Apache-2.0
"""make_fx: a function's operators, as a module that can be read, changed and run."""

from __future__ import annotations

import inspect
import operator

from .. import _tenon
from .. import graph as _graphs
from .._tenon import Ref, ShapeEnv, Tensor
from ..dim import SymbolicInputs
from ..error import InvalidArgumentError, StateError
from ..fake import FakeTensorMode
from ..symbol import sym_float, sym_max, sym_min, sym_not, sym_sqrt
from ..utils._python_dispatch import TorchDispatchMode
from ..utils.pytree import tree_flatten, tree_map, tree_unflatten
from .graph import Graph
from .graph_module import GraphModule
from .node import _PLAIN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .node import Node


# Functions of numbers, as Python calls them.
_FUNCTIONS = {
    _tenon.TENON_SYMBOL_ADD: operator.add,
    _tenon.TENON_SYMBOL_SUB: operator.sub,
    _tenon.TENON_SYMBOL_MUL: operator.mul,
    _tenon.TENON_SYMBOL_FLOORDIV: operator.floordiv,
    _tenon.TENON_SYMBOL_MOD: operator.mod,
    _tenon.TENON_SYMBOL_MAX: sym_max,
    _tenon.TENON_SYMBOL_MIN: sym_min,
    _tenon.TENON_SYMBOL_TRUEDIV: operator.truediv,
    _tenon.TENON_SYMBOL_SQRT: sym_sqrt,
    _tenon.TENON_SYMBOL_FLOAT: sym_float,
    _tenon.TENON_SYMBOL_EQ: operator.eq,
    _tenon.TENON_SYMBOL_NE: operator.ne,
    _tenon.TENON_SYMBOL_LT: operator.lt,
    _tenon.TENON_SYMBOL_LE: operator.le,
    _tenon.TENON_SYMBOL_GT: operator.gt,
    _tenon.TENON_SYMBOL_GE: operator.ge,
    _tenon.TENON_SYMBOL_AND: operator.and_,
    _tenon.TENON_SYMBOL_OR: operator.or_,
    _tenon.TENON_SYMBOL_NOT: sym_not,
}


class _Decomposing(TorchDispatchMode):
    """A mode in which the functions of a table replace operators."""

    def __init__(self, table: dict[Any, Callable[..., Any]]) -> None:
        self._table = table

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        rule = self._table.get(func)
        if rule is not None:
            with self:  # the replacement may call operators of the table, too
                result = rule(*args, **(kwargs or {}))
            if result is not NotImplemented:
                return result
        return func(*args, **(kwargs or {}))


def make_fx(
    f: Callable[..., Any],
    decomposition_table: dict[Any, Callable[..., Any]] | None = None,
    tracing_mode: str = "real",
    *,
    record_stack_traces: bool = False,
    _allow_non_fake_inputs: bool = False,
) -> Callable[..., GraphModule]:
    """Returns a function that runs `f` once on its arguments and returns the graph of its calls.

    The recorded calls are those that reach the kernels: composites are decomposed, and vmap, grad,
    autocast and backward passes are traced through. Arguments and results may be trees. Other
    values than tensors are constants of the graph.

    Args:
        f: The function.
        decomposition_table: Functions that implement overloads while `f` runs: the calls that they
            make are recorded instead. If one returns NotImplemented, the original call is kept.
        tracing_mode: "real" runs kernels; "fake" runs `f` on fake tensors, without memory;
            "symbolic" also replaces each argument size of at least 2 by a symbol, so that the
            module accepts other sizes. `module.shape_env.guards` lists the assumptions about sizes;
            unlike a graph of `tenon.graph.trace`, the module does not check them.
        record_stack_traces: If true, nodes have the lines of `f` that they come from as
            `Node.stack_trace` and as comments in the code.
        _allow_non_fake_inputs: If true, real tensors met in fake modes are made fake.

    Raises:
        InvalidArgumentError: For any other tracing_mode.
        StateError: From the returned function, if `f` reads elements that depend on its arguments,
            as `item()` and `if` do: the graph would be valid for these values only.
    """
    if tracing_mode not in ("real", "fake", "symbolic"):
        raise InvalidArgumentError(
            "make_fx: tracing_mode must be 'real', 'fake' or 'symbolic', got " + repr(tracing_mode)
        )

    def decomposed(*args: Any) -> Any:
        with _Decomposing(decomposition_table or {}):
            return f(*args)

    called = decomposed if decomposition_table else f

    def traced(*args: Any) -> GraphModule:
        if tracing_mode == "real":
            return _trace(called, f, args, record_stack_traces)
        env = ShapeEnv() if tracing_mode == "symbolic" else None
        mode = FakeTensorMode(allow_non_fake_inputs=_allow_non_fake_inputs, shape_env=env)
        with mode:
            if env is None:
                return _trace(called, f, mode._from_tree(args), record_stack_traces)
            inputs = SymbolicInputs(env).of_all(args, True)
            module = _trace(called, f, inputs, record_stack_traces)
            module.shape_env = env
            return module

    return traced


def _check_values(recorded: _graphs.Graph) -> None:
    """Rejects calls that read elements that depend on the inputs: their results are numbers."""
    dependent = {ref.value for ref in recorded.inputs}

    def depends(tree: Any) -> bool:
        refs: list[int] = []
        tree_map(lambda one: refs.append(one.value) if isinstance(one, Ref) else None, tree)
        return not dependent.isdisjoint(refs)

    for call in recorded.nodes:
        if not depends(call.args):
            continue
        dependent.update(range(call.first_result, call.first_result + call.num_results))
        if any("Tensor" not in str(one.type) for one in call.op._schema.returns):
            raise StateError(
                f"make_fx: {call.op.name()} must not read elements of values that depend on "
                "the arguments, as item(), bool() and if do: the graph would be valid for "
                "these values "
                "only; use operators such as where()"
            )


def _trace(
    called: Callable[..., Any], f: Callable[..., Any], args: tuple[Any, ...], frames: bool
) -> GraphModule:
    """Records a call; `f` is the function that names arguments and the module."""
    leaves, in_spec = tree_flatten(args)
    with _graphs.Recording(frames=frames) as recorded:
        for leaf in leaves:
            if isinstance(leaf, Tensor):
                recorded.add_input(like=leaf)
        results, out_spec = tree_flatten(called(*args))
        constants = _add_outputs(recorded, results)
    _check_values(recorded)
    recorded = recorded.remove_dead()
    converter = _Converter(recorded, _input_names(f, args), leaves)
    outputs = iter(recorded.outputs)
    kept = [constants[i] if i in constants else next(outputs) for i in range(len(results))]
    graph = converter.convert(tree_unflatten(kept, out_spec))
    graph._in_spec = in_spec
    return GraphModule(converter.attributes, graph, getattr(f, "__name__", type(f).__name__))


def from_graph(graph: _graphs.Graph) -> GraphModule:
    """Returns a graph of any language, e.g. one from a file, as a module of nodes and code.

    Args:
        graph: The graph; it is not changed, and its tensors are shared.
    """
    values = graph.values
    names = [str(values[ref.value].name) for ref in graph.inputs]
    converter = _Converter(graph, names, None)
    outputs = graph.outputs
    result = converter.convert(outputs[0] if len(outputs) == 1 else tuple(outputs))
    return GraphModule(converter.attributes, result)


def _add_outputs(recorded: _graphs.Graph, results: list[Any]) -> dict[int, Any]:
    """Adds the tensors among the results as outputs; returns the other values by index."""
    constants = {}
    for place, result in enumerate(results):
        if isinstance(result, Tensor):
            recorded.add_output(result)
        else:
            constants[place] = result
    return constants


def _input_names(f: Callable[..., Any], args: tuple[Any, ...]) -> list[str]:
    """Returns a name for each leaf of the arguments: "a_1" for the parameter `a`."""
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
    """Converts a recorded graph to a graph of nodes."""

    def __init__(self, recorded: _graphs.Graph, names: list[str], leaves: list[Any] | None) -> None:
        self._recorded = recorded
        self._nodes = recorded.nodes
        self._values = recorded.values
        self._graph = Graph()
        self.attributes: dict[str, Tensor] = {}
        inputs = iter(recorded.inputs)
        self._known: dict[int, Node] = {}
        self._schemas: dict[Any, list[tuple[str, bool, bool, Any]]] = {}
        for place, name in enumerate(names):
            node = self._graph.placeholder(name)
            if leaves is None or isinstance(leaves[place], Tensor):
                self._tell(next(inputs).value, node)

    def _tell(self, value: int, node: Node) -> None:
        self._known[value] = node
        its = self._values[value]
        if its.dtype is not None:
            shape = its.shape and tuple(map(self._size, its.shape))
            node.meta.update(shape=shape, dtype=its.dtype, device=its.device)

    def _size(self, size: int | Ref) -> int | str:
        """Returns a size as a number, or as text such as "2*s0" if it is symbolic."""
        return size if isinstance(size, int) else self._recorded.number_text(size)

    def convert(self, result: Any) -> Graph:
        several = any(call.num_results > 1 for call in self._nodes)
        used = self._used(result) if several else set()
        has_frames = any(self._recorded.frames(i) for i in range(min(1, len(self._nodes))))
        for number, call in enumerate(self._nodes):
            args, kwargs = self._arguments(call)
            node = self._graph.call_function(call.op, args, kwargs)
            frames = self._recorded.frames(number) if has_frames else ()
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
        """Returns positional and named arguments, without those that equal their defaults."""
        args: list[Any] = []
        kwargs: dict[str, Any] = {}
        positional = 0  # number up to the last argument that differs from its default
        for (name, kwarg_only, has_default, default), value in zip(
            self._schema(call.op), call.args, strict=True
        ):
            usual = has_default and _same(value, default)
            if kwarg_only:
                if not usual:
                    kwargs[name] = self._filled(value)
            else:
                args.append(value)
                positional = positional if usual else len(args)
        return tuple(map(self._filled, args[:positional])), kwargs

    def _schema(self, op: Any) -> list[tuple[str, bool, bool, Any]]:
        """Returns name, kwarg_only and default of each argument, and whether it has a default."""
        known = self._schemas.get(op)
        if known is None:
            known = self._schemas[op] = [
                (one.name, one.kwarg_only, has, one.default_value if has else None)
                for one in op._schema.arguments
                for has in (one.has_default_value(),)
            ]
        return known

    def _filled(self, tree: Any) -> Any:
        if isinstance(tree, Ref):
            return self._node(tree.value)
        if type(tree) in _PLAIN:
            return tree
        return tree_map(lambda v: self._node(v.value) if isinstance(v, Ref) else v, tree)

    def _node(self, number: int) -> Node:
        """Returns the node of a value; attributes and elements get theirs when first used."""
        node = self._known.get(number)
        if node is not None:
            return node
        value = self._values[number]
        if value.kind == _graphs.ATTRIBUTE:
            name = f"_tensor_constant{len(self.attributes)}"
            assert value.tensor is not None
            self.attributes[name] = value.tensor
            node = self._graph.get_attr(name)
        elif value.kind == _graphs.SIZE:
            node = self._graph.call_method("size", (self._node(value.source), value.index))
        elif value.kind == _graphs.FUNCTION:
            function, numbers = self._recorded.number(number)
            node = self._graph.call_function(_FUNCTIONS[function], self._filled(numbers))
        else:
            node = self._graph.call_function(
                operator.getitem, (self._node(value.source), value.index)
            )
        self._tell(number, node)
        return node


def _same(a: Any, b: Any) -> bool:
    return type(a) is type(b) and bool(a == b) and not isinstance(a, Tensor)


__all__ = ["from_graph", "make_fx"]
