# SPDX-License-Identifier: Apache-2.0
"""A layered layout of an acyclic graph: boxes in rows, with edges that lead down.

Rows, orders and positions follow Sugiyama's method: every box is one row above the highest box
that it leads to, an edge over several rows has a bend in each row that it crosses, orders within
rows are improved by barycentres, and positions by least squares that keep the order.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_SWEEPS = 24  # of order() and spread(), whose last quarter uses both adjacent rows
_BEND = 10.0  # width of an edge that passes a row


class Point(NamedTuple):
    """A place in a picture, x to the right and y down."""

    x: float
    y: float


class Layout(NamedTuple):
    """Where everything is: the centre of each box, the bends of each edge, and the size of all."""

    boxes: list[Point]
    bends: list[list[Point]]
    width: float
    height: float


def _rows_of(count: int, edges: Sequence[tuple[int, int]]) -> list[int]:
    """Returns the row of each box from below: one above the highest box that it leads to."""
    entering: list[list[int]] = [[] for _ in range(count)]
    waits = [0] * count
    for begin, end in edges:
        entering[end].append(begin)
        waits[begin] += 1
    rows = [0] * count
    ready = [box for box in range(count) if waits[box] == 0]
    placed = 0
    while ready:
        box = ready.pop()
        placed += 1
        for begin in entering[box]:
            rows[begin] = max(rows[begin], rows[box] + 1)
            waits[begin] -= 1
            if waits[begin] == 0:
                ready.append(begin)
    if placed != count:
        raise ValueError("layout: edges must form no cycle, got one")
    return rows


class _Grid:
    """Boxes and bends in rows; bends are extra boxes, numbered after the real ones."""

    def __init__(self, widths: Sequence[float], edges: Sequence[tuple[int, int]]) -> None:
        self.widths = list(widths)
        from_below = _rows_of(len(self.widths), edges)
        top = max(from_below, default=-1)
        self.row = [top - row for row in from_below]
        self.paths: list[list[int]] = []  # per edge: its two boxes, with bends between
        for begin, end in edges:
            path = [begin]
            for row in range(self.row[begin] + 1, self.row[end]):
                path.append(len(self.widths))
                self.widths.append(_BEND)
                self.row.append(row)
            self.paths.append([*path, end])
        self.above: list[list[int]] = [[] for _ in self.widths]
        self.below: list[list[int]] = [[] for _ in self.widths]
        for path in self.paths:
            for upper, lower in pairwise(path):
                self.below[upper].append(lower)
                self.above[lower].append(upper)
        self.rows: list[list[int]] = [[] for _ in range(top + 1)]
        for box, row in enumerate(self.row):
            self.rows[row].append(box)

    def crossings(self) -> int:
        """Returns the number of crossing edges between each row and the next."""
        place = self.places()
        count = 0
        for row in self.rows:
            ends: list[int] = []  # of the edges that began further to the left
            for upper in row:
                own = [place[lower] for lower in self.below[upper]]
                count += sum(other > end for end in own for other in ends)
                ends += own
        return count

    def places(self) -> list[int]:
        """Returns the place of each box in its row."""
        place = [0] * len(self.widths)
        for row in self.rows:
            for index, box in enumerate(row):
                place[box] = index
        return place

    def order(self) -> None:
        """Sorts each row by the middle of its neighbours, from above and from below in turn."""
        best, fewest = [row[:] for row in self.rows], self.crossings()
        for sweep in range(_SWEEPS):
            down = sweep % 2 == 0
            near = self.above if down else self.below
            for row in self.rows[1:] if down else self.rows[-2::-1]:
                place = self.places()
                middle = {
                    box: sum(place[each] for each in near[box]) / len(near[box])
                    if near[box]
                    else place[box]
                    for box in row
                }
                row.sort(key=middle.__getitem__)
            found = self.crossings()
            if found < fewest:
                best, fewest = [row[:] for row in self.rows], found
            if fewest == 0:
                break
        self.rows = best

    def spread(self, gap: float) -> list[float]:
        """Returns centres, left to right: near those of their neighbours, at least `gap` apart."""
        centre = [0.0] * len(self.widths)
        for row in self.rows:
            _place(row, [0.0] * len(row), self.widths, gap, centre)
        for sweep in range(_SWEEPS):
            down = sweep % 2 == 0
            last = sweep >= _SWEEPS * 3 // 4
            for row in self.rows if down else self.rows[::-1]:
                wanted = []
                for box in row:
                    near = self.above[box] if down else self.below[box]
                    if last or not near:
                        near = self.above[box] + self.below[box]
                    wanted.append(
                        sum(centre[each] for each in near) / len(near) if near else centre[box]
                    )
                _place(row, wanted, self.widths, gap, centre)
        for row in self.rows:
            wanted = [centre[self._link(box)] for box in row]
            _place(row, wanted, self.widths, gap, centre)
        return centre

    def _link(self, box: int) -> int:
        """Returns the box above in a chain, which should be straight; otherwise the box itself."""
        above = set(self.above[box])
        if len(above) != 1:
            return box
        (one,) = above
        return one if set(self.below[one]) == {box} else box


def _place(
    row: list[int], wanted: list[float], widths: list[float], gap: float, centre: list[float]
) -> None:
    """Sets centres near the wanted ones, in order and with gaps (by isotonic regression)."""
    offset, offsets = 0.0, []  # of each box from the first one, packed with minimum gaps
    for index, box in enumerate(row):
        if index:
            offset += (widths[row[index - 1]] + widths[box]) / 2 + gap
        offsets.append(offset)
    blocks: list[tuple[float, int]] = []  # touching boxes: sum of wanted starts, number
    for wish, shift in zip(wanted, offsets, strict=True):
        total, count = wish - shift, 1
        while blocks and blocks[-1][0] / blocks[-1][1] > total / count:
            more, boxes = blocks.pop()
            total, count = total + more, count + boxes
        blocks.append((total, count))
    starts = [total / count for total, count in blocks for _ in range(count)]
    for box, start, shift in zip(row, starts, offsets, strict=True):
        centre[box] = start + shift


def layered(
    sizes: Sequence[tuple[float, float]],
    edges: Sequence[tuple[int, int]],
    gap: float = 16,
    rise: float = 30,
) -> Layout:
    """Lays a graph out.

    Args:
        sizes: Width and height of each box.
        edges: Pairs of their numbers: from, to.
        gap: Between boxes of a row.
        rise: Between rows.

    Raises:
        ValueError: the edges make a cycle.
    """
    grid = _Grid([width for width, _ in sizes], edges)
    grid.order()
    centre = grid.spread(gap)
    left = min((x - width / 2 for x, width in zip(centre, grid.widths, strict=True)), default=0)
    right = max((x + width / 2 for x, width in zip(centre, grid.widths, strict=True)), default=0)
    middles, top = [], 0.0
    for row in grid.rows:
        height = max((sizes[box][1] for box in row if box < len(sizes)), default=0)
        middles.append(top + height / 2)
        top += height + rise
    points = [Point(x - left, middles[row]) for x, row in zip(centre, grid.row, strict=True)]
    bends = [[points[box] for box in path[1:-1]] for path in grid.paths]
    return Layout(points[: len(sizes)], bends, right - left, max(top - rise, 0))


__all__ = ["Layout", "Point", "layered"]
