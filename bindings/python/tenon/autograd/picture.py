# SPDX-License-Identifier: Apache-2.0
"""Pictures of backward graphs: as SVG, and as text with a line for each node."""

from __future__ import annotations

import heapq
from itertools import pairwise
from typing import NamedTuple

from .. import _tenon, introspect
from .._tenon import Node, Tensor
from ..error import ArgumentTypeError, Error
from ..picture import _document, _text
from .graph import GradientEdge, get_gradient_edge
from .layout import layered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from .layout import Point

# Kind of a box -> fill, border, what the legend says.
KINDS = {
    "leaf": ("#dcefd5", "#6aa84f", "leaf"),
    "call": ("#dbe7f3", "#4878a8", "call"),
    "view": ("#ffffff", "#4878a8", "view"),
    "write": ("#f6e3d3", "#c27c4a", "write through a view"),
    "result": ("#eeeeee", "#9e9e9e", "tensor that was given"),
    "fold": ("#ffffff", "#9e9e9e", "what is not drawn"),
}
_DASHED = {"view", "fold"}
_LETTER, _LINE, _MARGIN = 7.4, 15, 12


class Box(NamedTuple):
    """One box: its kind, the lines of its text, and the number of its node."""

    kind: str
    lines: list[str]
    number: int | None


class Edge(NamedTuple):
    """From a box to the one that was made from it; `output` is which result of the first."""

    begin: int
    end: int
    output: int


class Picture(NamedTuple):
    """What is drawn: boxes, from where to where data went, and the nodes that are left out."""

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
    """Where a tensor or a node begins: a node, which of its outputs, and the tensor."""
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
    """The nodes to draw and those left out: the latest calls, and the leaves they lead to."""
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
    """A line for each tensor that a node saved, with its shape."""
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
    """What a picture of the graph behind tensors and nodes shows: see `graph.draw`."""
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
    """A line for each box: what it is, and the numbers of those that it was made from."""
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
            kind = f" ({KINDS[box.kind][2]})" if box.kind in ("leaf", "view", "write") else ""
            more = "".join(f"  {line}" for line in box.lines[1:])
            nodes.append(f"{box.number:>4} {box.lines[0]}{more}{kind}{arrow}")
        else:
            nodes.append(f" ... {box.lines[0]}{arrow}")
    return "\n".join([*results, *nodes]) + "\n"


# ---- As SVG --------------------------------------------------------------------------------------


def _size(box: Box) -> tuple[float, float]:
    return _LETTER * max(map(len, box.lines)) + 20, _LINE * len(box.lines) + 12


def _ports(
    places: Sequence[Point], widths: Sequence[float], edges: Sequence[Edge], near: Sequence[Point]
) -> list[float]:
    """Where along its box each edge ends, so that edges of one box stand side by side."""
    by_box: dict[int, list[int]] = {}
    for index, edge in enumerate(edges):
        by_box.setdefault(edge.end, []).append(index)
    found = [0.0] * len(edges)
    for box, indices in by_box.items():
        indices.sort(key=lambda index: near[index].x)
        step = min(14.0, (widths[box] - 16) / len(indices))
        for place, index in enumerate(indices):
            found[index] = places[box].x + (place - (len(indices) - 1) / 2) * step
    return found


def _path(points: Sequence[tuple[float, float]]) -> str:
    parts = [f"M{points[0][0]:.1f} {points[0][1]:.1f}"]
    for (x, y), (right, down) in pairwise(points):
        middle = (y + down) / 2
        parts.append(f"C{x:.1f} {middle:.1f} {right:.1f} {middle:.1f} {right:.1f} {down:.1f}")
    return " ".join(parts)


def _draw_box(box: Box, x: float, y: float, width: float, height: float) -> list[str]:
    fill, border, _ = KINDS[box.kind]
    dashes = ' stroke-dasharray="4 3"' if box.kind in _DASHED else ""
    round_by = 4 if box.kind in ("call", "view", "write") else height / 2
    parts = [
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:g}" '
        f'rx="{round_by:g}" fill="{fill}" stroke="{border}"{dashes}/>'
    ]
    for line, content in enumerate(box.lines):
        more = 'text-anchor="middle"' + (' fill="#555555"' if line else "")
        parts.append(_text(round(x + width / 2, 1), round(y + 18 + _LINE * line, 1), content, more))
    return parts


def _legend(kinds: Iterable[str], top: float) -> tuple[list[str], float]:
    """What the boxes mean, on one line, and its width."""
    parts, x = [], float(_MARGIN)
    for kind in KINDS:
        if kind in kinds:
            parts += _draw_box(Box(kind, [""], None), x, top, 14, 14)[:1]
            parts.append(_text(x + 20, top + 11, KINDS[kind][2], 'fill="#555555"'))
            x += 36 + _LETTER * len(KINDS[kind][2])
    return parts, x


def svg(shown: Picture) -> str:
    """Draws it: data runs down the arrows, gradients against them."""
    sizes = [_size(box) for box in shown.boxes]
    laid = layered(sizes, [(edge.begin, edge.end) for edge in shown.edges])
    widths = [width for width, _ in sizes]
    firsts = [
        bends[0] if bends else laid.boxes[edge.end]
        for edge, bends in zip(shown.edges, laid.bends, strict=True)
    ]
    lasts = [
        bends[-1] if bends else laid.boxes[edge.begin]
        for edge, bends in zip(shown.edges, laid.bends, strict=True)
    ]
    legend, wide = _legend({box.kind for box in shown.boxes}, laid.height + 2 * _MARGIN + 8)
    whole = max(laid.width + 2 * _MARGIN, wide)
    turned = [Edge(edge.end, edge.begin, edge.output) for edge in shown.edges]
    leaving = _ports(laid.boxes, widths, turned, firsts)
    entering = _ports(laid.boxes, widths, shown.edges, lasts)
    several = {edge.begin for edge in shown.edges if edge.output}
    parts = [
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" '
        'markerHeight="8" orient="auto"><path d="M0 1L8 4L0 7z" fill="#555555"/></marker></defs>',
        f'<g transform="translate({(whole - laid.width) / 2:.1f} {_MARGIN})">',
    ]
    for edge, bends, left, right in zip(shown.edges, laid.bends, leaving, entering, strict=True):
        top = laid.boxes[edge.begin].y + sizes[edge.begin][1] / 2
        bottom = laid.boxes[edge.end].y - sizes[edge.end][1] / 2
        path = _path([(left, top), *bends, (right, bottom)])
        parts.append(f'<path d="{path}" fill="none" stroke="#555555" marker-end="url(#tip)"/>')
        if edge.begin in several:
            parts.append(_text(round(left + 3, 1), top + 12, str(edge.output), 'fill="#555555"'))
    for box, place, (width, height) in zip(shown.boxes, laid.boxes, sizes, strict=True):
        parts += _draw_box(box, place.x - width / 2, place.y - height / 2, width, height)
    parts.append("</g>")
    return _document(round(whole, 1), laid.height + 2 * _MARGIN + 36, [*parts, *legend])


__all__ = ["KINDS", "Box", "Edge", "Picture", "picture", "svg", "text"]
