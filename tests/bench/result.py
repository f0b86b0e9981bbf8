# SPDX-License-Identifier: Apache-2.0
"""Rows combined with their measurements: the ratio to the peer, and the state of the budget."""

from __future__ import annotations

import dataclasses
import enum

from bench import Bench
from rows import SECTIONS, Row
from sample import Sample, number, quantity


class State(enum.Enum):
    MET = "yes"
    MISSED = "**no**"
    NO_LIMIT = ""
    NO_PEER = "no peer"
    LEFT_OUT = "not measured"


@dataclasses.dataclass(frozen=True)
class Result:
    """A row with its samples; `why` is the reason if one of them is missing."""

    section: str
    row: Row
    state: State
    ours: Sample | None = None
    peer: Sample | None = None
    why: str = ""

    @property
    def ratio(self) -> float | None:
        if self.ours is None or self.peer is None or self.peer.least <= 0:
            return None
        return self.ours.least / self.peer.least

    @property
    def used(self) -> float | None:
        """Share of the budget that is used; at most 1 if the budget is met."""
        if self.state not in (State.MET, State.MISSED):
            return None
        value = self.ratio if self.row.peer else self.ours.least
        return self.row.limit / value if self.row.at_least else value / self.row.limit

    @property
    def noise(self) -> float | None:
        """The larger distance from minimum to median, of ours and the peer's."""
        noises = [one.noise for one in (self.ours, self.peer) if one is not None]
        return max((one for one in noises if one is not None), default=None)

    @property
    def budget(self) -> str:
        if self.row.limit is None:
            return ""
        sign = "≥" if self.row.at_least else "≤"
        if self.row.peer:
            return f"{sign} {self.row.limit:g} ×"
        unit = self.ours.unit if self.ours else ""
        return f"{sign} {quantity(self.row.limit, unit)}"

    def miss(self) -> str:
        """Describes a missed budget."""
        if self.row.peer:
            got = f"{self.ratio:.3g} × {self.row.peer_name}"
        else:
            got = quantity(self.ours.least, self.ours.unit)
        said = f"{self.section}: {self.row.what}: {got}, budget {self.budget}"
        return f"{said}. Why: {self.row.floor}" if self.row.floor else said


def fill(bench: Bench) -> tuple[list[Result], list[str]]:
    """Returns all rows with their samples, and the names that should have been measured."""
    results, lost = [], []
    for section, rows in SECTIONS.items():
        for row in rows:
            ours, peer = bench.samples.get(row.ours), bench.samples.get(row.peer)
            names = [row.ours] if ours is None else []
            if row.peer and peer is None:
                names.append(row.peer)
            reasons = [bench.reason(name) for name in names]
            lost += [name for name, why in zip(names, reasons) if why is None]
            why = next((one for one in reasons if one), "")
            state = _state(row, ours, peer)
            results.append(Result(section, row, state, ours, peer, why))
    return results, list(dict.fromkeys(lost))


def _state(row: Row, ours: Sample | None, peer: Sample | None) -> State:
    if ours is None:
        return State.LEFT_OUT
    if row.peer and peer is None:
        return State.NO_PEER
    if row.limit is None:
        return State.NO_LIMIT
    value = ours.least / peer.least if row.peer else ours.least
    met = value >= row.limit if row.at_least else value <= row.limit
    return State.MET if met else State.MISSED


def cells(result: Result) -> list[str]:
    """Returns a line of a table: name, ours, peer, ratio, budget, met, median, spread."""
    ours, peer = result.ours, result.peer
    if ours is None:
        return [result.row.what, "", "", "", result.budget, result.state.value, "", ""]
    peer_cell = result.row.peer_name
    if peer is not None:
        peer_cell = f"{quantity(peer.least, peer.unit)} ({result.row.peer_name})"
    elif result.row.peer:
        peer_cell = f"{result.row.peer_name}: {result.why}"
    ratio = "" if result.ratio is None else number(result.ratio)
    median = "" if ours.median is None else quantity(ours.median, ours.unit)
    spread = "" if ours.spread is None else f"{ours.spread:.0%}"
    shown = quantity(ours.least, ours.unit)
    return [
        result.row.what,
        shown,
        peer_cell,
        ratio,
        result.budget,
        result.state.value,
        median,
        spread,
    ]


HEADER = ["what", "ours", "peer", "ratio", "budget", "met?", "median", "spread"]
