# SPDX-License-Identifier: Apache-2.0
"""Pictures of backward graphs: as SVG, and as text with a line for each node."""

from __future__ import annotations

import heapq
from typing import NamedTuple

from .. import _tenon, introspect
from .._tenon import Node, Tensor
from ..boxes import Box, Edge, Style, draw_boxes
from ..error import ArgumentTypeError, Error
from .graph import GradientEdge, get_gradient_edge

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

KINDS = {
    "leaf": Style("#dcefd5", "#6aa84f", "leaf", is_round=True),
    "call": Style("#dbe7f3", "#4878a8", "call"),
    "view": Style("#ffffff", "#4878a8", "view", is_dashed=True),
    "write": Style("#f6e3d3", "#c27c4a", "write through a view"),
    "result": Style("#eeeeee", "#9e9e9e", "tensor that was given", is_round=True),
    "fold": Style("#ffffff", "#9e9e9e", "what is not drawn", is_dashed=True, is_round=True),
}


class Picture(NamedTuple):
    """The contents of a picture: boxes, edges, and the number of nodes that are left out."""

    boxes: list[Box]
    edges: list[Edge]
    folded: int


# ---- Nodes ---------------------------------------------------------------------------------------


def _view_names() -> set[str]:
    """Names of nodes of calls whose result shares its memory with an argument."""
    names = {"AsStridedBackward"}
    for name in introspect.operators():
        schema = str(_tenon.find_op(name)._schema)
        if "Tensor(" in schema.partition(" -> ")[2] and "!" not in schema:
            base = name.partition("::")[2].partition(".")[0]
            names.add("".join(w[:1].upper() + w[1:] for w in base.split("_")) + "Backward")
    return names


def _kind(node: Node, views: set[str]) -> str:
    name = node.name()
    if name == "AccumulateGrad":
        return "leaf"
    if name == "CopySlices":
        return "write"
    return "view" if name.rstrip("0123456789") in views else "call"


def _described(tensor: Tensor) -> str:
    return f"{tuple(tensor.shape)} {str(tensor.dtype).removeprefix('tenon.')}"


def _begin(given: Any) -> tuple[Node, int, Tensor | None]:
    """Returns the start of a tensor or a node: a node, its output index, and the tensor."""
    if isinstance(given, Node):
        return given, 0, None
    if isinstance(given, GradientEdge):
        return given.node, given.output_nr, None
    if not isinstance(given, Tensor):
        raise ArgumentTypeError(
            f"draw: argument must be a tensor, a node or an edge, got {type(given).__name__}"
        )
    if not given.requires_grad:
        raise Error("draw: tensor must require grad, got one that nothing tracks")
    return *get_gradient_edge(given), given


def _is_leaf(node: Node) -> bool:
    return node.name() == "AccumulateGrad"


def _following(node: Node) -> list[tuple[Node, int]]:
    return [(each, output) for each, output in node.next_functions if each is not None]


def _reach(roots: Iterable[Node], limit: int) -> tuple[list[Node], list[Node]]:
    """Returns the nodes to draw and those left out: the latest calls, and their leaves."""
    known = dict.fromkeys(roots)
    heap = [(-node._sequence_nr(), index, node) for index, node in enumerate(known)]
    heapq.heapify(heap)
    order = []
    while heap:
        node = heapq.heappop(heap)[2]
        order.append(node)
        for each, _ in _following(node):
            if each not in known:
                heapq.heappush(heap, (-each._sequence_nr(), len(known), each))
                known[each] = None
    calls = [node for node in order if not _is_leaf(node)][:limit]
    leaves = dict.fromkeys(node for node in roots if _is_leaf(node))
    for node in calls:
        leaves.update(dict.fromkeys(each for each, _ in _following(node) if _is_leaf(each)))
    drawn = dict.fromkeys([*calls, *list(leaves)[:limit]])
    return list(drawn), [node for node in order if node not in drawn]


def _saved(node: Node) -> list[str]:
    """Returns a line for each tensor that a node saved, with its shape."""
    names = [name for name in dir(node) if name.startswith("_saved_")]
    if not names and hasattr(type(node), "saved_tensors"):
        names = ["saved_tensors"]
    lines = []
    for name in names:
        label = name.removeprefix("_saved_")
        try:
            value = getattr(node, name)
        except Error:
            lines.append(f"{label}: freed, or written since")
            continue
        tensors = [value] if isinstance(value, Tensor) else value
        if isinstance(tensors, (list, tuple)):
            lines += [f"{label}: {_described(one)}" for one in tensors if isinstance(one, Tensor)]
    return lines


def _named(params: Any) -> dict[int, str]:
    """Names by the address of their tensors, from a mapping, pairs or a module."""
    if params is None:
        return {}
    if hasattr(params, "named_parameters"):
        params = params.named_parameters()
    pairs = params.items() if hasattr(params, "items") else params
    return {id(tensor): name for name, tensor in pairs}


def _box(node: Node, number: int, names: Mapping[int, str], views: set[str], saved: bool) -> Box:
    kind = _kind(node, views)
    if kind == "leaf":
        tensor = node.variable
        if tensor is None:
            return Box(kind, ["leaf", "its tensor is gone"], number)
        return Box(kind, [names.get(id(tensor), "leaf"), _described(tensor)], number)
    return Box(kind, [node.name(), *(_saved(node) if saved else ())], number)


def picture(
    given: Sequence[Any], params: Any = None, saved: bool = False, limit: int = 200
) -> Picture:
    """Builds the picture of the graph behind tensors and nodes: see `graph.draw`."""
    if limit < 1:
        raise ArgumentTypeError(f"draw: limit must be at least 1, got {limit}")
    names = _named(params)
    begins = [_begin(each) for each in given]
    drawn, left = _reach([node for node, _, _ in begins], limit)
    number = {node: index for index, node in enumerate(drawn)}
    views = _view_names()
    boxes = [_box(node, index, names, views, saved) for node, index in number.items()]
    edges = [
        Edge(number[each], end, output)
        for node, end in number.items()
        for each, output in _following(node)
        if each in number
    ]
    for node, output, tensor in begins:
        if tensor is not None and not _is_leaf(node):
            edges.append(Edge(number[node], len(boxes), output))
            boxes.append(Box("result", [names.get(id(tensor), "result"), _described(tensor)], None))
    if left:
        fold = len(boxes)
        shared = {each for node in left for each, _ in _following(node)} & set(number)
        edges += [Edge(number[each], fold, 0) for each in number if each in shared]
        beyond = set(left)
        edges += [
            Edge(fold, end, 0)
            for node, end in number.items()
            if any(each in beyond for each, _ in _following(node))
        ]
        boxes.append(Box("fold", [f"{len(left)} more"], None))
    return Picture(boxes, edges, len(left))


# ---- As text -------------------------------------------------------------------------------------


def text(shown: Picture) -> str:
    """Returns a line for each box: what it is, and the numbers of those that it was made from."""
    made: list[list[str]] = [[] for _ in shown.boxes]
    for begin, end, output in shown.edges:
        source = shown.boxes[begin].number
        name = "..." if source is None else str(source)
        made[end].append(f"{name}[{output}]" if output else name)
    results, nodes = [], []
    for box, sources in zip(shown.boxes, made, strict=True):
        arrow = f" <- {', '.join(sources)}" if sources else ""
        if box.kind == "result":
            results.append(f"{box.lines[0]} {box.lines[1]}{arrow}")
        elif box.number is not None:
            kind = f" ({KINDS[box.kind].legend})" if box.kind in ("leaf", "view", "write") else ""
            more = "".join(f"  {line}" for line in box.lines[1:])
            nodes.append(f"{box.number:>4} {box.lines[0]}{more}{kind}{arrow}")
        else:
            nodes.append(f" ... {box.lines[0]}{arrow}")
    return "\n".join([*results, *nodes]) + "\n"


# ---- As SVG --------------------------------------------------------------------------------------


def svg(shown: Picture) -> str:
    """Draws it: data runs down the arrows, gradients against them."""
    return draw_boxes(shown.boxes, shown.edges, KINDS)


__all__ = ["KINDS", "Box", "Edge", "Picture", "picture", "svg", "text"]
