# SPDX-License-Identifier: Apache-2.0
"""Graphs: computations that were recorded, changed, run, saved, and called as operators."""

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
        """One call: its operator, all arguments in schema order, and where its results begin."""

        op: OpOverload
        args: tuple[Any, ...]
        first_result: int
        num_results: int

    class Frame(NamedTuple):
        """One of the lines of code that a call was recorded from."""

        language: str
        function: str
        file: str
        line: int

    class Value(NamedTuple):
        """One value: `kind`, `source`, `index`, `name`, `tensor`, `shape`, `dtype`, `device`.

        What is not known, or not there, is None. Sizes that each run has anew are Refs.
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
        """A size that each run reads of a tensor, and its bounds; None where there is none."""

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
    """One call of a graph, as a pass of `Graph.rewrite` looks at it.

    Attributes:
        index: Its number in the old graph.
        op: The operator.
        args: All arguments in schema order, with values of the new graph.
        graph: The new graph, as far as it has come.
    """

    def __init__(self, index: int, op: OpOverload, args: tuple[Any, ...], graph: Graph) -> None:
        """Tells one call; graphs do."""
        self.index = index
        self.op = op
        self.args = args
        self.graph = graph

    def append(self, op: OpOverload, *args: Any, **kwargs: Any) -> Any:
        """Appends a call to the new graph: see `Graph.append`."""
        return self.graph.append(op, *args, **kwargs)

    def __repr__(self) -> str:
        return f"<Call {self.index}: {self.op}{self.args}>"


class Graph(_tenon.CallableGraph):
    """A recorded computation. Call it with tensors, or trees of them, to run it.

    Values are numbered in the order in which they come to be; `Ref(number)` names one as an
    argument or output. A graph that was run does not change any more.

    Args:
        handle: A handle of the C interface; None makes an empty graph, to be built by hand.
    """

    def __init__(self, handle: Any = None) -> None:
        """Makes an empty graph, or stands for one that there is."""
        self._handle = handle if handle is not None else _tenon.tenon_graph_new()
        self._in_spec: Any = None
        self._out_spec: Any = None

    # ---- Building ---------------------------------------------------------------------------

    def add_input(self, name: str | None = None, like: Tensor | None = None) -> Ref:
        """Adds an input; `like` tells what it is, and stands for it while calls are recorded."""
        return _tenon.graph_add_input(self._handle, like, name)

    def add_attribute(self, tensor: Tensor, name: str | None = None) -> Ref:
        """Adds a tensor that the graph holds."""
        return Ref(_tenon.tenon_graph_add_attribute(self._handle, tensor, name))

    def append(self, op: OpOverload, *args: Any, **kwargs: Any) -> Any:
        """Appends a call without running it; returns the Ref of its result, or a tuple of them."""
        first = _tenon.graph_append(self._handle, op, _bound(op, args, kwargs))
        results = tuple(Ref(first + i) for i in range(len(op._schema.returns)))
        return results[0] if len(results) == 1 else results

    def element(self, value: Ref, index: int) -> Ref:
        """An element of a value that is a list of tensors."""
        return Ref(_tenon.tenon_graph_add_element(self._handle, value.value, index))

    def add_output(self, value: Any) -> None:
        """Adds an output: a Ref, a tensor of the recording, a number, or a list of such."""
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
        """Adds a size that each run reads of a tensor, and must lie from `min` to `max`."""
        return _tenon.graph_add_size(self._handle, tensor, dim, name, hint, min, max)

    def add_number(self, function: int, *numbers: int | float | Ref) -> Ref:
        """Adds a function of numbers, one of TENON_SYMBOL_*, that each run calculates."""
        return _tenon.graph_add_number(self._handle, function, numbers)

    def add_guard(self, function: int, *numbers: int | float | Ref) -> None:
        """Adds a relation of two numbers, without which runs fail."""
        _tenon.graph_add_guard(self._handle, function, numbers)

    def set_sizes(self, tensor: Ref, *sizes: int | Ref) -> None:
        """Says which sizes a tensor has; runs check those of inputs."""
        _tenon.graph_set_dims(self._handle, tensor, sizes)

    @property
    def sizes(self) -> list[Size]:
        """The sizes that each run reads of tensors."""
        refs = (Ref(i) for i, value in enumerate(self.values) if value.kind == SIZE)
        return [Size(ref, *_tenon.graph_number(self._handle, ref.value)) for ref in refs]

    @property
    def guards(self) -> list[tuple[str, str | None, str | None, int]]:
        """(text, operator, file, line) of each relation of sizes that runs check."""
        return _tenon.graph_guards(self._handle)

    def number(self, value: int) -> tuple[int, tuple[int | float | Ref, ...]]:
        """The function, one of TENON_SYMBOL_*, and the numbers of a value that is one."""
        return _tenon.graph_number(self._handle, value)

    def number_text(self, number: int | float | Ref) -> str:
        """A number as text, such as "2*s0 + 1"."""
        return _tenon.graph_print_number(self._handle, number)

    # ---- Reading ----------------------------------------------------------------------------

    @property
    def nodes(self) -> list[Node]:
        """The calls, in their order."""
        count = _tenon.tenon_graph_node_count(self._handle)
        return [Node(*_tenon.graph_node(self._handle, i)) for i in range(count)]

    @property
    def values(self) -> list[Value]:
        """What is known of each value."""
        count = _tenon.tenon_graph_value_count(self._handle)
        return [Value(*_tenon.graph_value(self._handle, i)) for i in range(count)]

    def users(self, value: Ref) -> list[int]:
        """The calls that use a value, by number; the number of calls stands for the outputs."""
        return _tenon.graph_users(self._handle, value.value)

    def frames(self, node: int) -> list[Frame]:
        """Where a call was recorded, the innermost line first; of graphs recorded with frames."""
        return [Frame(*frame) for frame in _tenon.graph_frames(self._handle, node)]

    @property
    def inputs(self) -> list[Ref]:
        """The values that are inputs."""
        count = _tenon.tenon_graph_input_count(self._handle)
        return [Ref(_tenon.tenon_graph_input_value(self._handle, i)) for i in range(count)]

    @property
    def attributes(self) -> dict[str, Tensor]:
        """The tensors that the graph holds."""
        held = (value for value in self.values if value.kind == ATTRIBUTE)
        return {value.name: value.tensor for value in held}  # type: ignore[misc]

    @property
    def outputs(self) -> list[Any]:
        """The outputs."""
        count = _tenon.tenon_graph_output_count(self._handle)
        return [_tenon.graph_output(self._handle, i) for i in range(count)]

    def __str__(self) -> str:
        return _tenon.tenon_graph_print(self._handle)

    def __repr__(self) -> str:
        count = _tenon.tenon_graph_node_count(self._handle)
        return f"<tenon.graph.Graph of {count} calls>"

    def tabular(self) -> str:
        """A table: a line for each input, attribute, call and output."""
        from .graph_picture import table

        return table(self)

    def print_tabular(self) -> None:
        """Prints that table."""
        print(self.tabular(), end="")

    def draw(self, path: str | os.PathLike[str] | None = None, *, limit: int = 200) -> str:
        """Draws the graph as SVG: calls with shapes, dtypes and the languages of their kernels.

        Args:
            path: Where to write the picture; None: it is only returned.
            limit: How many calls are drawn at most; the others are one box.
        """
        from .graph_picture import draw

        text = draw(self, limit)
        if path is not None:
            with open(_path(path), "w", encoding="utf-8") as file:
                file.write(text)
        return text

    # ---- Running and changing ---------------------------------------------------------------

    def _call_tree(self, *args: Any) -> Any:
        """Runs the graph; arguments and results are in the structure that was traced."""
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
        """Plans runs for arguments like these, which then go through kernels' loops only.

        The last four plans are kept. They serve plain tensors on the CPU, on threads without
        modes, profile or recording, and until a kernel is registered or removed.

        Returns:
            None, or what stands against a plan: an operator whose kernel does not bind, or that
            writes into an input or attribute as `out`.
        """
        return _tenon.graph_bind(self._handle, tuple(tree_flatten(args)[0]))

    def define(self, library: Any, name: str) -> OpOverload:
        """Defines an operator that runs the graph, in the library's namespace."""
        return _tenon.graph_define(self._handle, getattr(library, "_native", library), name)

    def fold_constants(self) -> Graph:
        """A graph in which calls on attributes alone have been run."""
        return self._transformed(_tenon.TENON_GRAPH_FOLD_CONSTANTS)

    def merge_common(self) -> Graph:
        """A graph in which equal calls are one."""
        return self._transformed(_tenon.TENON_GRAPH_MERGE_COMMON)

    def remove_dead(self) -> Graph:
        """A graph without calls and attributes that nothing uses."""
        return self._transformed(_tenon.TENON_GRAPH_REMOVE_DEAD)

    def infer(self) -> Graph:
        """A graph in which what was not known of values is found out on fake tensors."""
        return self._transformed(_tenon.TENON_GRAPH_INFER)

    def rewrite(self, function: Callable[[Call], Any]) -> Graph:
        """A graph by a pass that looks at each call.

        Args:
            function: It gets a `Call`, and returns what stands for the results: a Ref, a tensor, a
                number or a list of such, or a tuple of them for several results; `()` where nothing
                uses them any more. None leaves the call as it is.

        Raises:
            StateError: A result is used that nothing stands for.
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
        """A graph in which another one stands wherever a pattern was, and how many times.

        Inputs of the pattern match any values. A match is none where something else uses its inner
        results, and where a call between its calls writes to what it reads.

        Args:
            pattern: What is searched for.
            replacement: What stands there; its inputs and outputs are the pattern's, one by one.
            ignore_literals: Constants of the pattern match any others.
        """
        flags = _tenon.TENON_GRAPH_IGNORE_LITERALS if ignore_literals else 0
        handle, count = _tenon.graph_replace_pattern(
            self._handle, pattern._handle, replacement._handle, flags
        )
        return self._like(handle), count

    def check(self) -> None:
        """Checks that operators are as they were, and that values are what their calls give.

        Raises:
            NotSupportedError: An operator changed.
            ArgumentTypeError: A value is recorded as another than its call gives.
        """
        _tenon.tenon_graph_check(self._handle)

    def functionalize(self, *, remove: str = "mutations") -> Graph:
        """A graph that writes to nothing but, at its end, the inputs and attributes that it wrote.

        Calls that write become those that give new values: `add` for `add_` and `add.out`. Results
        are the same to the bit. An output that was an input, or a view of what was written, shares
        no memory with it any more.

        Args:
            remove: "mutations", or "mutations_and_views": views become copies, too.

        Raises:
            NotSupportedError: An operator writes and has no functional overload, or a view of what
                is written is one that nothing undoes.
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
        """A graph of the same inputs and outputs."""
        made = Graph(handle)
        made._in_spec, made._out_spec = self._in_spec, self._out_spec
        return made

    # ---- Files ------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the graph and its tensors to one file, in the safetensors layout."""
        _tenon.tenon_graph_save(self._handle, _path(path))

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Graph:
        """Reads a graph from a file; its operators must be defined, and nothing is run."""
        return Graph(_tenon.tenon_graph_load(_path(path)))

    def to_bytes(self) -> bytes:
        """What `save` writes."""
        return _tenon.graph_write(self._handle)

    @staticmethod
    def from_bytes(data: bytes) -> Graph:
        """Reads what `to_bytes` gave."""
        return Graph(_tenon.graph_read(data))

    @staticmethod
    def parse(text: str, attributes: Sequence[Tensor] = ()) -> Graph:
        """Reads what `str(graph)` gave; `attributes` are its tensors, in the text's order."""
        return Graph(_tenon.graph_parse(text, tuple(attributes)))


def _path(path: str | os.PathLike[str]) -> str:
    import os

    return os.fsdecode(path)


def _bound(op: OpOverload, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """All arguments of a call in schema order."""
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
        below_autograd: What reaches the kernels, not what is called: composites decomposed,
            transforms and autocast traced away, backward passes included.
        strict: Calls that make numbers of tensors, such as `item`, fail.
        frames: Calls know where they were made from: see `Graph.frames`.
        any_sizes: Runs take inputs of any sizes. That is right only if nothing in the graph came
            from the sizes of the inputs; otherwise runs refuse sizes other than the recorded ones.
    """

    def __init__(
        self,
        *,
        below_autograd: bool = True,
        strict: bool = False,
        frames: bool = False,
        any_sizes: bool = False,
    ) -> None:
        """Says what is recorded."""
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
    """Runs a function once and returns the graph of what it called.

    Args:
        function: It may return tensors, numbers, and trees of such.
        *inputs: Its arguments: tensors, or trees of them.
        below_autograd: As `Recording` has it.
        strict: As `Recording` has it.
        frames: As `Recording` has it.
        dynamic: Which sizes of inputs the graph takes as any number; the function then runs on fake
            tensors, which computes nothing. True: each size of 2 and more. A tuple with an entry
            for each input, or a dict by input's place or parameter's name: None, True, or for a
            tensor `{dim: size}` or a size for each dim, as `torch.export` has it. A size is None
            for the number, True or `Dim.AUTO`, a name or `Dim`; those of one name are the same.
            What is asked of sizes becomes guards of the graph, which each run checks.
        any_sizes: As `Recording` has it.
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
    """Tells whether the calling thread records calls."""
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
