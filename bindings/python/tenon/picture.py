# SPDX-License-Identifier: Apache-2.0
"""Pictures as SVG text: dispatch tables of operators, and profiles of calls."""

from __future__ import annotations

from html import escape as _escape

from .introspect import Event, dispatch_table, keys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

# Provenance -> colour; a skipped key is white.
COLOURS = {
    "kernel": "#4878a8",
    "default backend kernel": "#6aa84f",
    "math kernel": "#b6a642",
    "autograd kernel": "#a64d79",
    "batched kernel": "#c27c4a",
    "backend fallback": "#9e9e9e",
}
_CELL, _ROW = 26, 22
_STYLE = "font-family: ui-monospace, monospace; font-size: 12px"


def _text(x: float, y: float, text: str, more: str = "") -> str:
    return f'<text x="{x:g}" y="{y:g}" {more}>{_escape(text)}</text>'


def _document(width: float, height: float, parts: Iterable[str]) -> str:
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" '
        f'style="{_STYLE}">',
        '<rect width="100%" height="100%" fill="white"/>',
        *parts,
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def table_svg(ops: Iterable[str]) -> str:
    """Draws operators by keys: each cell coloured by where its kernel comes from.

    Hovering over a cell shows the kernel and its place. White with a dot: calls skip the key.
    """
    names = list(ops)
    tables = [dispatch_table(name) for name in names]
    columns = ["Undefined", *keys()]
    columns = [key for key in columns if any(key in table for table in tables)]
    left = 12 + 7.4 * max((len(name) for name in names), default=0)
    top = 14 + 7.4 * max((len(key) for key in columns), default=0)
    parts = []
    for number, key in enumerate(columns):
        x = left + _CELL * number + _CELL / 2 + 4
        parts.append(_text(x, top - 8, key, f'transform="rotate(-90 {x:g} {top - 8:g})"'))
    for row, (name, table) in enumerate(zip(names, tables, strict=True)):
        y = top + _ROW * row
        parts.append(_text(left - 8, y + 15, name, 'text-anchor="end"'))
        for number, key in enumerate(columns):
            slot = table.get(key)
            x = left + _CELL * number
            fill = "none" if slot is None else COLOURS[slot.provenance]
            if slot is not None and slot.fallthrough:
                fill = "white"
            title = f"{key}: missing"
            if slot is not None:
                place = f" at {slot.file}:{slot.line}" if slot.file else ""
                title = f"{key}: {slot.name}{place} [{slot.provenance}]"
            parts.append(
                f'<rect x="{x:g}" y="{y:g}" width="{_CELL - 2}" height="{_ROW - 2}" rx="3" '
                f'fill="{fill}" stroke="#cccccc"><title>{_escape(title)}</title></rect>'
            )
            if slot is not None and slot.fallthrough:
                parts.append(f'<circle cx="{x + 12:g}" cy="{y + 10:g}" r="2" fill="#9e9e9e"/>')
    y = top + _ROW * len(names) + 18
    for number, (provenance, colour) in enumerate(COLOURS.items()):
        x = 8 + 190 * (number % 3)
        below = y + 20 * (number // 3)
        parts.append(f'<rect x="{x}" y="{below - 11:g}" width="14" height="14" fill="{colour}"/>')
        parts.append(_text(x + 20, below, provenance))
    width = max(left + _CELL * len(columns) + 12, 590)
    return _document(width, y + 36, parts)


def profile_svg(events: Iterable[Event]) -> str:
    """Draws a profile: one bar a call from its beginning to its end, redispatches paler.

    Calls that had not returned when the profile ended extend to the right edge. Calls that failed
    have a red border.
    """
    rows = list(events)
    end = max((max(event.time, event.end or 0) for event in rows), default=0) + 1
    left, scale = 8.0, 700 / end
    parts = []
    for row, event in enumerate(rows):
        stop = end if event.end is None else event.end
        x, y = left + event.time * scale, 8 + _ROW * row
        width = max((stop - event.time) * scale, 1)
        paler = ' fill-opacity="0.45"' if event.redispatch else ""
        border = ' stroke="#cc0000"' if event.failed else ""
        parts.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{_ROW - 4}" rx="1" '
            f'fill="{COLOURS["kernel"]}"{paler}{border}><title>{_escape(str(event).strip())}, '
            f"begun at {event.time / 1000:.1f} us</title></rect>"
        )
        label = f"{'  ' * event.depth}{event.op} [{event.key}] {event.handler or event.kernel}"
        parts.append(_text(720, y + 14, label, 'xml:space="preserve"'))
    longest = max(
        (len(event.op) + len(event.handler or event.kernel) + 2 * event.depth for event in rows),
        default=0,
    )
    return _document(760 + 7.4 * (longest + 24), 16 + _ROW * len(rows), parts)


__all__ = ["COLOURS", "profile_svg", "table_svg"]
