# SPDX-License-Identifier: Apache-2.0
"""Human-readable graphs: a table with a line for each step, and a picture."""

from __future__ import annotations

import os.path

from . import _tenon
from ._tenon import Ref, Tensor
from .boxes import Box, Edge, Style, draw_boxes
from .error import InvalidArgumentError, NotFoundError
from .graph import ATTRIBUTE, ELEMENT, INPUT
from .introspect import Slot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from .graph import Frame, Graph, Node, Value

KINDS = {
    "input": Style("#dcefd5", "#6aa84f", "input", is_round=True),
    "attribute": Style("#f3ecc8", "#b6a642", "attribute", is_round=True),
    "call": Style("#dbe7f3", "#4878a8", "call"),
    "view": Style("#ffffff", "#4878a8", "view", is_dashed=True),
    "write": Style("#f6e3d3", "#c27c4a", "call that writes"),
    "random": Style("#eadff2", "#8a63a8", "call that draws random numbers"),
    "output": Style("#eeeeee", "#9e9e9e", "output", is_round=True),
    "fold": Style("#ffffff", "#9e9e9e", "what is not drawn", is_dashed=True, is_round=True),
}


# ---- Properties of nodes -------------------------------------------------------------------------


class _Kernels:
    """The languages of the kernels that calls reach, below all layers."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, int], str] = {}

    def language(self, op: Any, device: Any) -> str:
        """Language of the kernel of an operator for a device; "" where it has none."""
        backend = 0 if device is None else int(device.type_code)
        known = self._known.get((op.name(), backend))
        if known is None:
            slot = Slot("", _tenon.op_slot(op, backend << 8))
            known = slot.language if slot.provenance != "missing" else ""
            self._known[op.name(), backend] = known
        return known


def _references(value: Any) -> Iterator[int]:
    """Yields the numbers of the values that an argument or output refers to."""
    if isinstance(value, Ref):
        yield value.value
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from _references(each)
    elif isinstance(value, dict):
        for each in value.values():
            yield from _references(each)


def _schema(node: Node) -> Any:
    """Returns the schema of a call's operator; None if it is no longer defined."""
    try:
        return node.op._schema
    except NotFoundError:
        return None


def _arguments(node: Node) -> list[tuple[Any, Any]]:
    """Returns pairs of the schema's arguments and the values passed for them."""
    schema = _schema(node)
    return [] if schema is None else list(zip(schema.arguments, node.args, strict=False))


def _kind(node: Node) -> str:
    schema = _schema(node)
    if schema is None:
        return "call"
    if any(argument.is_write for argument in schema.arguments):
        return "write"
    if "nondeterministic_seeded" in node.op.tags:
        return "random"
    aliases = any(returned.alias_info is not None for returned in schema.returns)
    return "view" if aliases else "call"


def _described(value: Value) -> str:
    """Returns a value's dtype, sizes and, unless it is the CPU, device: "float32[2, 3]"."""
    if value.dtype is None or value.shape is None:
        return ""
    text = f"{str(value.dtype).removeprefix('tenon.')}{list(value.shape)}"
    device = str(value.device)
    return text if device == "cpu" else f"{text} {device}"


def _constants(node: Node) -> list[str]:
    """Returns the arguments that are neither graph values nor defaults: "dim=[0]"."""
    texts = []
    for argument, value in _arguments(node):
        if any(True for _ in _references(value)) or isinstance(value, Tensor):
            continue
        if argument.has_default_value() and _same(value, argument.default_value):
            continue
        text = repr(value) if isinstance(value, str) else str(value).removeprefix("tenon.")
        texts.append(f"{argument.name}={text if len(text) <= 24 else text[:23] + '…'}")
    return texts


def _same(a: Any, b: Any) -> bool:
    return type(a) is type(b) and bool(a == b)


def _place(frames: list[Frame]) -> str:
    """Returns the innermost line, "model.py:12 in forward", or "" if none is known."""
    if not frames:
        return ""
    frame = frames[0]
    return f"{os.path.basename(frame.file)}:{frame.line} in {frame.function}"


def _device(node: Node, values: list[Value]) -> Any:
    """Returns the device of a node: the first known one of its results and arguments."""
    results = range(node.first_result, node.first_result + node.num_results)
    for number in (*results, *_references(node.args)):
        if values[number].device is not None:
            return values[number].device
    return None


# ---- As a table ----------------------------------------------------------------------------------


def table(graph: Graph) -> str:
    """A line for each input, attribute, call and output: see `Graph.tabular`."""
    values, kernels = graph.values, _Kernels()
    rows = []
    for number, value in enumerate(values):
        if value.kind in (INPUT, ATTRIBUTE):
            what = "input" if value.kind == INPUT else "attribute"
            rows.append((number, (what, f"%{number}", str(value.name), _described(value), "", "")))
    for index, node in enumerate(graph.nodes):
        results = range(node.first_result, node.first_result + node.num_results)
        target = f"{node.op}({', '.join(_argument(value) for value in _given(node))})"
        rows.append(
            (
                node.first_result - 0.5,
                (
                    "call",
                    ", ".join(f"%{number}" for number in results),
                    target,
                    ", ".join(filter(None, (_described(values[number]) for number in results))),
                    kernels.language(node.op, _device(node, values)),
                    _place(graph.frames(index)),
                ),
            )
        )
    rows.sort(key=lambda row: row[0])
    lines = [row for _, row in rows]
    lines += [("output", "", _argument(output), "", "", "") for output in graph.outputs]
    head = ("what", "value", "target", "type", "kernel", "place")
    used = [
        column for column in range(len(head)) if column < 4 or any(line[column] for line in lines)
    ]
    whole = [head, *lines]
    widths = [max(len(line[column]) for line in whole) for column in used]
    ruled = [head, tuple("-" * width for width in widths), *lines]
    text = ""
    for number, line in enumerate(ruled):
        cells = line if number == 1 else [line[column] for column in used]
        padded = (cell.ljust(width) for cell, width in zip(cells, widths, strict=True))
        text += "  ".join(padded).rstrip() + "\n"
    return text


def _given(node: Node) -> list[Any]:
    """Its arguments without the last ones that equal their defaults."""
    args = list(node.args)
    arguments = [argument for argument, _ in _arguments(node)]
    while args and len(arguments) >= len(args):
        last = arguments[len(args) - 1]
        if not last.has_default_value() or not _same(args[-1], last.default_value):
            break
        args.pop()
    return args


def _argument(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_argument, value))}]"
    return repr(value) if isinstance(value, str) else str(value).removeprefix("tenon.")


# ---- As a picture --------------------------------------------------------------------------------


class _Drawing:
    """Boxes and edges of a graph; a value that a call writes is drawn as that call's result."""

    def __init__(self, graph: Graph, limit: int) -> None:
        self._graph = graph
        self._values = graph.values
        self._nodes = graph.nodes
        self._limit = limit
        self._kernels = _Kernels()
        self._source: dict[int, tuple[int, int]] = {}  # value -> box, index of the result
        self._root: dict[int, int] = {}  # view -> the value that it is a view of
        self._fold: int | None = None
        self.boxes: list[Box] = []
        self.edges: list[Edge] = []

    def draw(self) -> None:
        used = self._used()
        hidden = 0
        for number, value in enumerate(self._values):
            hidden += value.kind == ATTRIBUTE and number not in used
            if value.kind == INPUT or (value.kind == ATTRIBUTE and number in used):
                kind = "input" if value.kind == INPUT else "attribute"
                lines = [str(value.name), *filter(None, [_described(value)])]
                self._source[number] = self._add(Box(kind, lines, number, "", f"%{number}")), 0
        for index, node in enumerate(self._nodes):
            if index < self._limit:
                self._add_call(index, node)
            else:
                self._add_folded(node)
        left = 0
        for number, output in enumerate(self._graph.outputs):
            begins = {self._begin(each)[0] for each in _references(output)}
            if self._fold is not None and begins == {self._fold}:
                left += 1
            else:
                self._add_output(number, output)
        if self._fold is not None:
            self._tell_folded(hidden, left)

    def _used(self) -> set[int]:
        """Returns the values that drawn calls and outputs use."""
        used = set(_references([node.args for node in self._nodes[: self._limit]]))
        return used | set(_references(self._graph.outputs))

    def _tell_folded(self, attributes: int, outputs: int) -> None:
        assert self._fold is not None
        counts = ((attributes, "attributes"), (outputs, "outputs"))
        more = ", ".join(f"{count} {what}" for count, what in counts if count)
        box = self.boxes[self._fold]
        self.boxes[self._fold] = box._replace(lines=[*box.lines, *filter(None, [more])])

    def _add(self, box: Box) -> int:
        self.boxes.append(box)
        return len(self.boxes) - 1

    def _lead(self, value: Any, end: int) -> None:
        """Draws edges from the values that an argument or output refers to."""
        for number in _references(value):
            if self._values[number].kind == ATTRIBUTE and number not in self._source:
                continue  # used only by calls that are not drawn
            begin, output = self._begin(number)
            edge = Edge(begin, end, output)
            if begin != end and edge not in self.edges:
                self.edges.append(edge)

    def _begin(self, number: int) -> tuple[int, int]:
        known = self._source.get(number)
        if known is not None:
            return known
        value = self._values[number]
        assert value.kind == ELEMENT, value
        return self._begin(value.source)[0], value.index

    def _add_call(self, index: int, node: Node) -> None:
        results = range(node.first_result, node.first_result + node.num_results)
        types = list(dict.fromkeys(filter(None, (_described(self._values[n]) for n in results))))
        frames = self._graph.frames(index)
        name = str(node.op).removeprefix("aten.").removesuffix(".default")
        lines = [name, *self._wrapped(_constants(node)), *types, *filter(None, [_place(frames)])]
        numbers = ", ".join(f"%{number}" for number in results)
        title = "\n".join([f"{numbers} = {node.op}", *(_place([f]) for f in frames)])
        language = self._kernels.language(node.op, _device(node, self._values))
        box = self._add(Box(_kind(node), lines, index, language, title))
        self._lead(node.args, box)
        for place, number in enumerate(results):
            self._source[number] = box, place
        for argument, value in _arguments(node):
            for number in _references(value):
                if argument.is_write:
                    self._write(number, box)
                elif argument.alias_info is not None:
                    self._root.update(dict.fromkeys(results, self._root_of(number)))

    def _root_of(self, number: int) -> int:
        """The value that a value is a view of, perhaps itself."""
        value = self._values[number]
        number = value.source if value.kind == ELEMENT else number
        return self._root.get(number, number)

    def _write(self, number: int, box: int) -> None:
        """Records that all values sharing memory with a value now come from the writing call."""
        root = self._root_of(number)
        for each in [number, *self._source]:
            if self._root_of(each) == root:
                self._source[each] = box, 0

    @staticmethod
    def _wrapped(texts: list[str]) -> list[str]:
        """Joins texts into lines of limited length."""
        lines: list[str] = []
        for text in texts:
            if lines and len(lines[-1]) + len(text) < 28:
                lines[-1] += f", {text}"
            else:
                lines.append(text)
        return lines

    def _add_folded(self, node: Node) -> None:
        if self._fold is None:
            count = len(self._nodes) - self._limit
            self._fold = self._add(Box("fold", [f"{count} more calls"], None))
        self._lead(node.args, self._fold)
        for number in range(node.first_result, node.first_result + node.num_results):
            self._source[number] = self._fold, 0

    def _add_output(self, number: int, output: Any) -> None:
        name = "output" if len(self._graph.outputs) == 1 else f"output {number}"
        described = _described(self._values[output.value]) if isinstance(output, Ref) else ""
        if not any(True for _ in _references(output)):
            described = str(output)
        box = self._add(Box("output", [name, *filter(None, [described])], None))
        self._lead(output, box)


def draw(graph: Graph, limit: int = 200) -> str:
    """The picture of a graph: see `Graph.draw`."""
    if limit < 1:
        raise InvalidArgumentError(f"Graph.draw: limit must be at least 1, got {limit}")
    drawing = _Drawing(graph, limit)
    drawing.draw()
    return draw_boxes(drawing.boxes, drawing.edges, KINDS)


__all__ = ["KINDS", "draw", "table"]
