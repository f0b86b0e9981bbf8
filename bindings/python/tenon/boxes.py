# SPDX-License-Identifier: Apache-2.0
"""Pictures of graphs as SVG: boxes with lines of text, and arrows between them, in layers."""

from __future__ import annotations

from html import escape
from itertools import pairwise
from typing import NamedTuple

from .autograd.layout import layered
from .picture import _document, _text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from .autograd.layout import Point

_LETTER, _LINE, _MARGIN = 7.4, 15, 12
_BADGE_LETTER, _BADGE_HEIGHT = 6.1, 13

# Language of a kernel -> colour of its badge.
LANGUAGES = {
    "C": "#5f7a8c",
    "C++": "#2f6fb0",
    "Python": "#a6851b",
    "Rust": "#a8532d",
    "Java": "#b03a48",
}


class Style(NamedTuple):
    """The look of a kind of box, and its text in the legend."""

    fill: str
    border: str
    legend: str
    is_dashed: bool = False
    is_round: bool = False


class Box(NamedTuple):
    """A box: its kind, its lines of text, and the number of its node.

    `badge` is a language, `title` the tooltip.
    """

    kind: str
    lines: list[str]
    number: int | None
    badge: str = ""
    title: str = ""


class Edge(NamedTuple):
    """An arrow from a box to one that uses its result; `output` is the index of that result."""

    begin: int
    end: int
    output: int


def _size(box: Box) -> tuple[float, float]:
    width = max(map(len, box.lines)) * _LETTER
    return max(width, len(box.badge) * _BADGE_LETTER + 20) + 20, _LINE * len(box.lines) + 12


def _ports(
    places: Sequence[Point], widths: Sequence[float], edges: Sequence[Edge], near: Sequence[Point]
) -> list[float]:
    """Returns the offset at which each edge ends, so that edges of one box are side by side."""
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


def _badge(language: str, right: float, y: float) -> list[str]:
    """Draws a language's name on its colour, at the upper border of a box."""
    width = len(language) * _BADGE_LETTER + 10
    x = right - width - 8
    return [
        f'<rect x="{x:.1f}" y="{y - _BADGE_HEIGHT / 2:.1f}" width="{width:.1f}" '
        f'height="{_BADGE_HEIGHT}" rx="{_BADGE_HEIGHT / 2:g}" '
        f'fill="{LANGUAGES.get(language, "#6b6b6b")}"/>',
        _text(
            round(x + width / 2, 1),
            round(y + 3.4, 1),
            language,
            'text-anchor="middle" fill="white" font-size="10"',
        ),
    ]


def _draw_box(box: Box, style: Style, x: float, y: float, width: float, height: float) -> list[str]:
    dashes = ' stroke-dasharray="4 3"' if style.is_dashed else ""
    round_by = height / 2 if style.is_round else 4
    parts = [
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:g}" '
        f'rx="{round_by:g}" fill="{style.fill}" stroke="{style.border}"{dashes}/>'
    ]
    for line, content in enumerate(box.lines):
        more = 'text-anchor="middle"' + (' fill="#555555"' if line else "")
        parts.append(_text(round(x + width / 2, 1), round(y + 18 + _LINE * line, 1), content, more))
    if box.badge:
        parts += _badge(box.badge, x + width, y)
    if box.title:
        parts = ["<g>", f"<title>{escape(box.title)}</title>", *parts, "</g>"]
    return parts


def _legend(
    kinds: Iterable[str], styles: Mapping[str, Style], top: float
) -> tuple[list[str], float]:
    """Returns a one-line legend of the boxes, and its width."""
    parts, x = [], float(_MARGIN)
    for kind, style in styles.items():
        if kind in kinds:
            parts += _draw_box(Box(kind, [""], None), style, x, top, 14, 14)[:1]
            parts.append(_text(x + 20, top + 11, style.legend, 'fill="#555555"'))
            x += 36 + _LETTER * len(style.legend)
    return parts, x


def draw_boxes(boxes: Sequence[Box], edges: Sequence[Edge], styles: Mapping[str, Style]) -> str:
    """Draws boxes from top to bottom in the order of the arrows, and a legend of used styles."""
    sizes = [_size(box) for box in boxes]
    laid = layered(sizes, [(edge.begin, edge.end) for edge in edges])
    widths = [width for width, _ in sizes]
    firsts = [
        bends[0] if bends else laid.boxes[edge.end]
        for edge, bends in zip(edges, laid.bends, strict=True)
    ]
    lasts = [
        bends[-1] if bends else laid.boxes[edge.begin]
        for edge, bends in zip(edges, laid.bends, strict=True)
    ]
    legend, wide = _legend({box.kind for box in boxes}, styles, laid.height + 2 * _MARGIN + 8)
    whole = max(laid.width + 2 * _MARGIN, wide)
    turned = [Edge(edge.end, edge.begin, edge.output) for edge in edges]
    leaving = _ports(laid.boxes, widths, turned, firsts)
    entering = _ports(laid.boxes, widths, edges, lasts)
    several = {edge.begin for edge in edges if edge.output}
    parts = [
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" '
        'markerHeight="8" orient="auto"><path d="M0 1L8 4L0 7z" fill="#555555"/></marker></defs>',
        f'<g transform="translate({(whole - laid.width) / 2:.1f} {_MARGIN})">',
    ]
    for edge, bends, left, right in zip(edges, laid.bends, leaving, entering, strict=True):
        top = laid.boxes[edge.begin].y + sizes[edge.begin][1] / 2
        bottom = laid.boxes[edge.end].y - sizes[edge.end][1] / 2
        path = _path([(left, top), *bends, (right, bottom)])
        parts.append(f'<path d="{path}" fill="none" stroke="#555555" marker-end="url(#tip)"/>')
        if edge.begin in several:
            parts.append(_text(round(left + 3, 1), top + 12, str(edge.output), 'fill="#555555"'))
    for box, place, (width, height) in zip(boxes, laid.boxes, sizes, strict=True):
        x, y = place.x - width / 2, place.y - height / 2
        parts += _draw_box(box, styles[box.kind], x, y, width, height)
    parts.append("</g>")
    return _document(round(whole, 1), laid.height + 2 * _MARGIN + 36, [*parts, *legend])


__all__ = ["LANGUAGES", "Box", "Edge", "Style", "draw_boxes"]
