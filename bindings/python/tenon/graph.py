# SPDX-License-Identifier: Apache-2.0
"""Graphs: recorded computations that can be rewritten, run, saved and called as operators."""

from __future__ import annotations

import contextlib

from . import _tenon
from ._tenon import Ref, ShapeEnv, Tensor
from .dim import Dim, SymbolicInputs
from .error import InvalidArgumentError, StateError
from .fake import FakeTensorMode
from .utils.pytree import tree_flatten, tree_unflatten

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Sequence
    from typing import Any, NamedTuple

    from ._tenon import OpOverload
    from .device import device
    from .dtype import dtype
else:
    from collections import namedtuple

INPUT = _tenon.TENON_GRAPH_VALUE_INPUT
ATTRIBUTE = _tenon.TENON_GRAPH_VALUE_ATTRIBUTE
RESULT = _tenon.TENON_GRAPH_VALUE_RESULT
ELEMENT = _tenon.TENON_GRAPH_VALUE_ELEMENT
SIZE = _tenon.TENON_GRAPH_VALUE_SIZE
FUNCTION = _tenon.TENON_GRAPH_VALUE_FUNCTION

if TYPE_CHECKING:

    class Node(NamedTuple):
        """A call: its operator, all arguments in schema order, and its first result's number."""

        op: OpOverload
        args: tuple[Any, ...]
        first_result: int
        num_results: int

    class Frame(NamedTuple):
        """One stack frame of the code that a call was recorded from."""

        language: str
        function: str
        file: str
        line: int

    class Value(NamedTuple):
        """A value: `kind`, `source`, `index`, `name`, `tensor`, `shape`, `dtype`, `device`.

        Fields that are unknown or do not apply are None. Sizes that each run determines are Refs.
        """

        kind: int
        source: int
        index: int
        name: str | None
        tensor: Tensor | None
        shape: tuple[int | Ref, ...] | None
        dtype: dtype | None
        device: device | None

    class Size(NamedTuple):
        """A size that each run reads from a tensor, and its bounds; a missing bound is None."""

        ref: Ref
        name: str
        tensor: Ref | None
        dim: int
        min: int | None
        max: int | None
        hint: int | None

else:
    Node = namedtuple("Node", "op args first_result num_results")
    Frame = namedtuple("Frame", "language function file line")
    Value = namedtuple("Value", "kind source index name tensor shape dtype device")
    Size = namedtuple("Size", "ref name tensor dim min max hint")


class Call:
    """A call of a graph, as `Graph.rewrite` passes it to its callback.

    Attributes:
        index: The number of the call in the old graph.
        op: The operator.
        args: All arguments in schema order, with values of the new graph.
        graph: The new graph, as built so far.
    """

    def __init__(self, index: int, op: OpOverload, args: tuple[Any, ...], graph: Graph) -> None:
        """Initializes a call; only `Graph.rewrite` creates them."""
        self.index = index
        self.op = op
        self.args = args
        self.graph = graph

    def append(self, op: OpOverload, *args: Any, **kwargs: Any) -> Any:
        """Appends a call to the new graph; see `Graph.append`."""
        return self.graph.append(op, *args, **kwargs)

    def __repr__(self) -> str:
        return f"<Call {self.index}: {self.op}{self.args}>"


class Graph(_tenon.CallableGraph):
    """A recorded computation. Call it with tensors, or trees of tensors, to run it.

    Values are numbered in order of creation; `Ref(number)` refers to a value as an argument or
    output. A graph cannot be changed after it has been run.

    Args:
        handle: A graph handle of the C API; None creates an empty graph, to be built by hand.
    """

    def __init__(self, handle: Any = None) -> None:
        """Creates an empty graph, or wraps an existing handle."""
        self._handle = handle if handle is not None else _tenon.tenon_graph_new()
        self._in_spec: Any = None
        self._out_spec: Any = None

    # ---- Building ---------------------------------------------------------------------------

    def add_input(self, name: str | None = None, like: Tensor | None = None) -> Ref:
        """Adds an input with the metadata of `like`, which denotes the input during recording."""
        return _tenon.graph_add_input(self._handle, like, name)

    def add_attribute(self, tensor: Tensor, name: str | None = None) -> Ref:
        """Adds a tensor that the graph owns, such as a weight."""
        return Ref(_tenon.tenon_graph_add_attribute(self._handle, tensor, name))

    def append(self, op: OpOverload, *args: Any, **kwargs: Any) -> Any:
        """Appends a call without running it; returns the Ref of its result, or a tuple of them."""
        first = _tenon.graph_append(self._handle, op, _bound(op, args, kwargs))
        results = tuple(Ref(first + i) for i in range(len(op._schema.returns)))
        return results[0] if len(results) == 1 else results

    def element(self, value: Ref, index: int) -> Ref:
        """Returns a Ref to an element of a value that is a list of tensors."""
        return Ref(_tenon.tenon_graph_add_element(self._handle, value.value, index))

    def add_output(self, value: Any) -> None:
        """Adds an output: a Ref, a recorded tensor, a number, or a list of these."""
        _tenon.graph_add_output(self._handle, value)

    # ---- Sizes ------------------------------------------------------------------------------

    def add_size(
        self,
        tensor: Ref,
        dim: int,
        name: str | None = None,
        *,
        hint: int | None = None,
        min: int | None = None,
        max: int | None = None,
    ) -> Ref:
        """Adds a size that each run reads from a tensor; it must be within [`min`, `max`]."""
        return _tenon.graph_add_size(self._handle, tensor, dim, name, hint, min, max)

    def add_number(self, function: int, *numbers: int | float | Ref) -> Ref:
        """Adds a function of numbers, one of TENON_SYMBOL_*, that each run evaluates."""
        return _tenon.graph_add_number(self._handle, function, numbers)

    def add_guard(self, function: int, *numbers: int | float | Ref) -> None:
        """Adds a relation between two numbers that must hold; otherwise runs fail."""
        _tenon.graph_add_guard(self._handle, function, numbers)

    def set_sizes(self, tensor: Ref, *sizes: int | Ref) -> None:
        """Sets the sizes of a tensor; runs check the sizes of inputs."""
        _tenon.graph_set_dims(self._handle, tensor, sizes)

    @property
    def sizes(self) -> list[Size]:
        """The sizes that each run reads from tensors."""
        refs = (Ref(i) for i, value in enumerate(self.values) if value.kind == SIZE)
        return [Size(ref, *_tenon.graph_number(self._handle, ref.value)) for ref in refs]

    @property
    def guards(self) -> list[tuple[str, str | None, str | None, int]]:
        """The relations between sizes that runs check, each as (text, operator, file, line)."""
        return _tenon.graph_guards(self._handle)

    def number(self, value: int) -> tuple[int, tuple[int | float | Ref, ...]]:
        """Returns the function, one of TENON_SYMBOL_*, and the operands of a number value."""
        return _tenon.graph_number(self._handle, value)

    def number_text(self, number: int | float | Ref) -> str:
        """Returns a number as text, such as "2*s0 + 1"."""
        return _tenon.graph_print_number(self._handle, number)

    # ---- Reading ----------------------------------------------------------------------------

    @property
    def nodes(self) -> list[Node]:
        """The calls, in execution order."""
        count = _tenon.tenon_graph_node_count(self._handle)
        return [Node(*_tenon.graph_node(self._handle, i)) for i in range(count)]

    @property
    def values(self) -> list[Value]:
        """The metadata of each value, by number."""
        count = _tenon.tenon_graph_value_count(self._handle)
        return [Value(*_tenon.graph_value(self._handle, i)) for i in range(count)]

    def users(self, value: Ref) -> list[int]:
        """Returns the numbers of the calls that use a value; `len(nodes)` denotes the outputs."""
        return _tenon.graph_users(self._handle, value.value)

    def frames(self, node: int) -> list[Frame]:
        """Returns the stack that recorded a call, innermost frame first; needs `frames=True`."""
        return [Frame(*frame) for frame in _tenon.graph_frames(self._handle, node)]

    @property
    def inputs(self) -> list[Ref]:
        """The values that are inputs."""
        count = _tenon.tenon_graph_input_count(self._handle)
        return [Ref(_tenon.tenon_graph_input_value(self._handle, i)) for i in range(count)]

    @property
    def attributes(self) -> dict[str, Tensor]:
        """The tensors that the graph owns, by name."""
        held = (value for value in self.values if value.kind == ATTRIBUTE)
        return {value.name: value.tensor for value in held}  # type: ignore[misc]

    @property
    def outputs(self) -> list[Any]:
        """The outputs, as passed to `add_output`."""
        count = _tenon.tenon_graph_output_count(self._handle)
        return [_tenon.graph_output(self._handle, i) for i in range(count)]

    def __str__(self) -> str:
        return _tenon.tenon_graph_print(self._handle)

    def __repr__(self) -> str:
        count = _tenon.tenon_graph_node_count(self._handle)
        return f"<tenon.graph.Graph of {count} calls>"

    def tabular(self) -> str:
        """Returns a table with a line for each input, attribute, call and output."""
        from .graph_picture import table

        return table(self)

    def print_tabular(self) -> None:
        """Prints the table that `tabular` returns."""
        print(self.tabular(), end="")

    def draw(self, path: str | os.PathLike[str] | None = None, *, limit: int = 200) -> str:
        """Draws the graph as SVG: calls with shapes, dtypes and the languages of their kernels.

        Args:
            path: The file to write; None only returns the SVG text.
            limit: The maximum number of calls to draw; one box represents all further calls.
        """
        from .graph_picture import draw

        text = draw(self, limit)
        if path is not None:
            with open(_path(path), "w", encoding="utf-8") as file:
                file.write(text)
        return text

    # ---- Running and changing ---------------------------------------------------------------

    def _call_tree(self, *args: Any) -> Any:
        """Runs the graph; arguments and results have the tree structure that was traced."""
        leaves, spec = tree_flatten(args)
        if self._in_spec is not None and spec != self._in_spec:
            raise InvalidArgumentError(
                f"Graph: arguments must be in the structure that was traced, {self._in_spec}, "
                f"got {spec}"
            )
        results = _tenon.graph_run(self._handle, tuple(leaves))
        if self._out_spec is not None:
            return tree_unflatten(results, self._out_spec)
        return results[0] if len(results) == 1 else tuple(results)

    def bind(self, *args: Any) -> str | None:
        """Plans runs for arguments like these, so that runs only execute the kernels' loops.

        The last four plans are kept. A plan applies to plain tensors on the CPU, on threads
        without modes, profiling or recording, until a kernel is registered or removed.

        Returns:
            None on success, otherwise the reason why there is no plan: an operator whose kernel
            does not bind, or that writes into an input or attribute as `out`.
        """
        return _tenon.graph_bind(self._handle, tuple(tree_flatten(args)[0]))

    def define(self, library: Any, name: str) -> OpOverload:
        """Defines an operator that runs the graph, in the library's namespace."""
        return _tenon.graph_define(self._handle, getattr(library, "_native", library), name)

    def fold_constants(self) -> Graph:
        """Returns a graph in which calls that depend only on attributes are evaluated."""
        return self._transformed(_tenon.TENON_GRAPH_FOLD_CONSTANTS)

    def merge_common(self) -> Graph:
        """Returns a graph with common subexpressions eliminated."""
        return self._transformed(_tenon.TENON_GRAPH_MERGE_COMMON)

    def remove_dead(self) -> Graph:
        """Returns a graph without unused calls and attributes."""
        return self._transformed(_tenon.TENON_GRAPH_REMOVE_DEAD)

    def infer(self) -> Graph:
        """Returns a graph in which unknown metadata of values is inferred with fake tensors."""
        return self._transformed(_tenon.TENON_GRAPH_INFER)

    def rewrite(self, function: Callable[[Call], Any]) -> Graph:
        """Returns a graph in which a function may have replaced each call.

        Args:
            function: Takes a `Call` and returns the replacement of its results: a Ref, a tensor, a
                number or a list of these, or a tuple with one entry per result. `()` removes the
                call, whose results must be unused. None keeps the call unchanged.

        Raises:
            StateError: A result that has no replacement is used.
        """

        def look(index: int, op: OpOverload, args: Any, results: int, handle: Any) -> Any:
            given = function(Call(index, op, args, Graph(handle)))
            if given is None or not isinstance(given, tuple):
                return None if given is None else (given,)
            return given or (None,) * results

        return self._like(_tenon.graph_rewrite(self._handle, look))

    def replace_pattern(
        self, pattern: Graph, replacement: Graph, *, ignore_literals: bool = False
    ) -> tuple[Graph, int]:
        """Replaces each match of a pattern; returns the new graph and the number of matches.

        Inputs of the pattern match any values. A candidate is rejected if a call outside of it uses
        one of its inner results, or if a call between its calls writes to a value that it reads.

        Args:
            pattern: The graph to search for.
            replacement: The graph to insert; its inputs and outputs correspond to those of the
                pattern by position.
            ignore_literals: Whether constants of the pattern match any constants.
        """
        flags = _tenon.TENON_GRAPH_IGNORE_LITERALS if ignore_literals else 0
        handle, count = _tenon.graph_replace_pattern(
            self._handle, pattern._handle, replacement._handle, flags
        )
        return self._like(handle), count

    def check(self) -> None:
        """Checks that the operators are unchanged and that recorded metadata matches the calls.

        Raises:
            NotSupportedError: An operator changed.
            ArgumentTypeError: The recorded metadata of a value differs from its call's result.
        """
        _tenon.tenon_graph_check(self._handle)

    def functionalize(self, *, remove: str = "mutations") -> Graph:
        """Returns a graph without mutations, except copies into mutated inputs at its end.

        Calls that write are replaced by their functional forms: `add_` and `add.out` by `add`.
        Attributes that the graph mutates are also written by a copy at its end. Results are
        bitwise equal. An output that was an input, or a view of a tensor that was written, no
        longer shares memory with it.

        Args:
            remove: "mutations", or "mutations_and_views" to replace views by copies as well.

        Raises:
            NotSupportedError: An operator that writes has no functional overload, or a written
                tensor has a view that cannot be inverted.
        """
        flags = {"mutations": 0, "mutations_and_views": _tenon.TENON_GRAPH_REMOVE_VIEWS}
        if remove not in flags:
            raise InvalidArgumentError(
                'functionalize: remove must be "mutations" or "mutations_and_views", got '
                f"{remove!r}"
            )
        return self._like(_tenon.tenon_graph_functionalize(self._handle, flags[remove]))

    def _transformed(self, passes: int) -> Graph:
        return self._like(_tenon.tenon_graph_transform(self._handle, passes))

    def _like(self, handle: Any) -> Graph:
        """Wraps the handle of a graph whose inputs and outputs have the same structure."""
        made = Graph(handle)
        made._in_spec, made._out_spec = self._in_spec, self._out_spec
        return made

    # ---- Files ------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the graph and its tensors to one file, in the safetensors layout."""
        _tenon.tenon_graph_save(self._handle, _path(path))

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Graph:
        """Reads a graph from a file without running it; its operators must be defined."""
        return Graph(_tenon.tenon_graph_load(_path(path)))

    def to_bytes(self) -> bytes:
        """Returns the bytes that `save` writes."""
        return _tenon.graph_write(self._handle)

    @staticmethod
    def from_bytes(data: bytes) -> Graph:
        """Reads a graph from the bytes that `to_bytes` returned."""
        return Graph(_tenon.graph_read(data))

    @staticmethod
    def parse(text: str, attributes: Sequence[Tensor] = ()) -> Graph:
        """Parses the text of `str(graph)`; `attributes` are its tensors, in the text's order."""
        return Graph(_tenon.graph_parse(text, tuple(attributes)))


def _path(path: str | os.PathLike[str]) -> str:
    import os

    return os.fsdecode(path)


def _bound(op: OpOverload, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """Returns all arguments of a call in schema order, with defaults filled in."""
    arguments = op._schema.arguments
    given = dict(zip((one.name for one in arguments), args, strict=False))
    given.update(kwargs)
    missing = [a.name for a in arguments if a.name not in given and not a.has_default_value()]
    unknown = given.keys() - {one.name for one in arguments}
    if missing or unknown or len(args) > len(arguments):
        raise InvalidArgumentError(
            f"Graph.append: {op} must get its arguments, got "
            + (f"none for {', '.join(missing)}" if missing else "some that it does not have")
        )
    return tuple(given.get(one.name, one.default_value) for one in arguments)


class Recording:
    """Records the calls of a `with` block.

    Args:
        below_autograd: Whether to record the calls that reach kernels instead of the calls that
            the program makes: composites are decomposed, transforms and autocast are applied, and
            backward passes are included.
        strict: Whether calls that convert tensors to numbers, such as `item`, fail.
        frames: Whether calls store the stack that made them; see `Graph.frames`.
        any_sizes: Whether runs accept inputs of any sizes. This is correct only if nothing in the
            graph was derived from input sizes. By default, runs reject sizes other than the
            recorded ones.
    """

    def __init__(
        self,
        *,
        below_autograd: bool = True,
        strict: bool = False,
        frames: bool = False,
        any_sizes: bool = False,
    ) -> None:
        """Initializes the options; `with` starts the recording."""
        self._flags = (
            (_tenon.TENON_GRAPH_BELOW_AUTOGRAD if below_autograd else 0)
            | (_tenon.TENON_GRAPH_STRICT if strict else 0)
            | (_tenon.TENON_GRAPH_FRAMES if frames else 0)
            | (_tenon.TENON_GRAPH_ANY_SIZES if any_sizes else 0)
        )
        self._graphs: list[Graph] = []

    def __enter__(self) -> Graph:
        graph = Graph(_tenon.tenon_graph_begin(self._flags))
        self._graphs.append(graph)
        return graph

    def __exit__(self, *exception: object) -> None:
        if not self._graphs:
            raise StateError("Recording: a recording must be entered before it is left")
        _tenon.tenon_graph_end(self._graphs.pop()._handle)


def trace(
    function: Callable[..., Any],
    *inputs: Any,
    below_autograd: bool = True,
    strict: bool = False,
    frames: bool = False,
    dynamic: Any = None,
    any_sizes: bool = False,
) -> Graph:
    """Runs a function once and returns the graph of the operators that it called.

    Args:
        function: The function; it may return tensors, numbers, and trees of these.
        *inputs: The arguments of the function: tensors, or trees of tensors.
        below_autograd: See `Recording`.
        strict: See `Recording`.
        frames: See `Recording`.
        dynamic: The input sizes that are symbolic, i.e. may vary between runs. If any are, the
            function runs on fake tensors and computes nothing. True makes each size of 2 or more
            symbolic. Otherwise a tuple with an entry per input, or a dict keyed by input position
            or parameter name. An entry is None, True, or for a tensor `{dim: size}` or one size per
            dim, as in `torch.export`. A size is None to keep the number, True, `Dim.AUTO`, a name
            or a `Dim`; sizes with one name are equal. Conditions that the function evaluates on
            symbolic sizes become guards of the graph, which each run checks.
        any_sizes: See `Recording`.
    """
    leaves, in_spec = tree_flatten(inputs)
    wrong = next((leaf for leaf in leaves if not isinstance(leaf, Tensor)), None)
    if wrong is not None:
        raise InvalidArgumentError(
            f"trace: inputs must be tensors or trees of them, got {type(wrong).__name__}"
        )
    mode: Any = contextlib.nullcontext()
    if dynamic is not None and dynamic is not False:
        mode = FakeTensorMode(allow_non_fake_inputs=True, shape_env=ShapeEnv())
        inputs = SymbolicInputs(mode.shape_env, function).of_all(inputs, dynamic)
        leaves, _ = tree_flatten(inputs)
    recording = Recording(
        below_autograd=below_autograd, strict=strict, frames=frames, any_sizes=any_sizes
    )
    with mode, recording as graph:
        for leaf in leaves:
            graph.add_input(like=leaf)
        results, out_spec = tree_flatten(function(*inputs))
        for result in results:
            graph.add_output(result)
    graph._in_spec = in_spec
    graph._out_spec = out_spec
    return graph


def is_recording() -> bool:
    """Returns true if the calling thread is recording calls."""
    return bool(_tenon.tenon_graph_is_recording())


__all__ = [
    "ATTRIBUTE",
    "ELEMENT",
    "FUNCTION",
    "INPUT",
    "RESULT",
    "SIZE",
    "Call",
    "Dim",
    "Frame",
    "Graph",
    "Node",
    "Recording",
    "Ref",
    "Size",
    "Value",
    "is_recording",
    "trace",
]
