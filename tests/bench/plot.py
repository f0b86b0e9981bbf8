# SPDX-License-Identifier: Apache-2.0
"""Plots as SVG text, readable on light and dark pages: ours and peers, and used budgets."""

from __future__ import annotations

import dataclasses
import html
import math

WIDTH = 1020
LABELS = 380  # room for the labels at the left
MARGIN = 130  # room for the numbers at the right
ROW = 26
TOP = 64
STYLE = """
  text { font: 13px system-ui, sans-serif; fill: #24292f; }
  .title { font-size: 15px; font-weight: 600; }
  .small { font-size: 11px; fill: #57606a; }
  .grid { stroke: #d0d7de; stroke-width: 1; }
  .link { stroke: #afb8c1; stroke-width: 2; }
  .ours { fill: #0969da; }
  .peer { fill: #ffffff; stroke: #bc4c00; stroke-width: 2; }
  .met { fill: #1a7f37; }
  .missed { fill: #cf222e; }
  .limit { stroke: #24292f; stroke-width: 1.5; stroke-dasharray: 4 3; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .small { fill: #9198a1; }
    .grid { stroke: #30363d; }
    .link { stroke: #656c76; }
    .ours { fill: #58a6ff; }
    .peer { fill: #0d1117; stroke: #f0883e; }
    .met { fill: #3fb950; }
    .missed { fill: #f85149; }
    .limit { stroke: #e6edf3; }
  }
"""


@dataclasses.dataclass
class Line:
    """One line of a plot: our value, and peers' values by name."""

    label: str
    ours: float
    peers: dict[str, float]


class _Scale:
    """A logarithmic axis at least one decade long, with a margin below the smallest value."""

    def __init__(self, values: list[float]) -> None:
        values = [value for value in values if value > 0]
        self.low = math.floor(math.log10(min(values)) * 2) / 2
        self.high = max(math.ceil(math.log10(max(values)) * 2) / 2, self.low + 1)

    def at(self, value: float) -> float:
        part = (math.log10(value) - self.low) / (self.high - self.low) if value > 0 else 0.0
        return LABELS + part * (WIDTH - LABELS - MARGIN)

    def ticks(self) -> list[float]:
        decades = range(math.ceil(self.low), math.floor(self.high) + 1)
        if len(decades) >= 2:
            return [10.0**one for one in decades]
        return [
            step * 10.0**one for one in range(-6, 13) for step in (1, 2, 5) if self._has(step, one)
        ]

    def _has(self, step: int, decade: int) -> bool:
        return self.low <= math.log10(step) + decade <= self.high


def short(value: float) -> str:
    """Formats a number with at most three digits, thousands as k, millions as M."""
    for limit, sign in ((1e6, "M"), (1e3, "k")):
        if value >= limit:
            return f"{value / limit:.3g}{sign}"
    return f"{value:.3g}"


def dots(title: str, unit: str, lines: list[Line]) -> str:
    """Plots our value of each line as a filled dot and peers as rings, on a logarithmic axis."""
    values = [value for line in lines for value in (line.ours, *line.peers.values())]
    scale = _Scale(values)
    parts = [_text(LABELS, 40, "● ours", "small ours"), _text(LABELS + 60, 40, "○ peer", "small")]
    parts.append(_text(WIDTH - 8, 40, f"{unit}, logarithmic; less is better", "small", "end"))
    parts += _grid(scale, len(lines))
    for index, line in enumerate(lines):
        y = TOP + ROW * index + ROW / 2
        places = [scale.at(value) for value in (line.ours, *line.peers.values())]
        parts.append(_text(LABELS - 12, y + 4, line.label, "", "end"))
        parts.append(_rule(min(places), y, max(places), y, "link"))
        for name, value in line.peers.items():
            hint = f"{name}: {short(value)} {unit}"
            parts.append(_circle(scale.at(value), y, 5, "peer", hint))
        hint = f"ours: {short(line.ours)} {unit}"
        parts.append(_circle(scale.at(line.ours), y, 6, "ours", hint))
        numbers = " / ".join(short(value) for value in (line.ours, *line.peers.values()))
        parts.append(_text(WIDTH - 8, y + 4, numbers, "small", "end"))
    return _document(title, len(lines), parts)


def budgets(title: str, bars: list[tuple[str, float]]) -> str:
    """Plots the used share of each budget: one bar per budget, and a line at 100 %."""
    scale = _Scale([1.0, *(used for _, used in bars)])
    parts = [_text(WIDTH - 8, 40, "part of the budget used, logarithmic", "small", "end")]
    parts += _grid(scale, len(bars))
    for index, (label, used) in enumerate(bars):
        y = TOP + ROW * index
        kind = "met" if used <= 1 else "missed"
        width = max(scale.at(used) - LABELS, 2)
        parts.append(_text(LABELS - 12, y + ROW / 2 + 4, label, "", "end"))
        parts.append(
            f'<rect class="{kind}" x="{LABELS}" y="{y + 6}" width="{width:.1f}" '
            f'height="{ROW - 12}" rx="2"/>'
        )
        parts.append(_text(WIDTH - 8, y + ROW / 2 + 4, f"{used:.2f}", "small", "end"))
    full = scale.at(1.0)
    parts.append(_rule(full, TOP - 4, full, TOP + ROW * len(bars), "limit"))
    return _document(title, len(bars), parts)


def ticks(title: str, lines: list[tuple[str, list[tuple[float, str]], float]]) -> str:
    """Plots the values of each line as ticks with hints and their mean as a dot; a line marks 1."""
    scale = _Scale([1.0, *(value for _, marks, _ in lines for value, _ in marks)])
    parts = [_text(LABELS, 40, "● mean", "small ours")]
    parts.append(_text(WIDTH - 8, 40, "logarithmic; more is better", "small", "end"))
    parts += _grid(scale, len(lines))
    for index, (label, marks, mean) in enumerate(lines):
        y = TOP + ROW * index + ROW / 2
        parts.append(_text(LABELS - 12, y + 4, label, "", "end"))
        for value, hint in marks:
            kind = "met" if value >= 1 else "missed"
            x = scale.at(value)
            parts.append(
                f'<rect class="{kind}" x="{x - 1:.1f}" y="{y - 6}" width="2" height="12">'
                f"<title>{hint}</title></rect>"
            )
        parts.append(_circle(scale.at(mean), y, 6, "ours", f"mean: {mean:.2f}"))
        parts.append(_text(WIDTH - 8, y + 4, f"{mean:.2f}", "small", "end"))
    one = scale.at(1.0)
    parts.append(_rule(one, TOP - 4, one, TOP + ROW * len(lines), "limit"))
    return _document(title, len(lines), parts)


def _grid(scale: _Scale, rows: int) -> list[str]:
    parts = []
    for tick in scale.ticks():
        x = scale.at(tick)
        parts.append(_rule(x, TOP - 4, x, TOP + ROW * rows, "grid"))
        parts.append(_text(x, TOP + ROW * rows + 16, short(tick), "small", "middle"))
    return parts


def _text(x: float, y: float, text: str, kind: str, anchor: str = "start") -> str:
    text = html.escape(text)
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{text}</text>'


def _rule(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def _circle(x: float, y: float, radius: float, kind: str, hint: str) -> str:
    hint = html.escape(hint)
    return (
        f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="{radius}">'
        f"<title>{hint}</title></circle>"
    )


def _document(title: str, rows: int, parts: list[str]) -> str:
    height = TOP + ROW * rows + 28
    heading = _text(8, 22, title, "title")
    body = "\n".join([heading, *parts])
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'width="{WIDTH}" height="{height}" role="img" aria-label="{html.escape(title)}">\n'
        f"<style>{STYLE}</style>\n{body}\n</svg>\n"
    )
