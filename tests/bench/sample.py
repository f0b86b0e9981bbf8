# SPDX-License-Identifier: Apache-2.0
"""One measurement: statistics of many short rounds, and their JSON form."""

from __future__ import annotations

import dataclasses
import statistics


@dataclasses.dataclass(frozen=True)
class Sample:
    """The minimum of many rounds, their median, and their spread.

    The minimum is the machine's undisturbed speed; ratios are computed from it. The spread (third
    quartile minus first, divided by the median) and the distance from minimum to median show how
    disturbed the run was. Counts and sizes are exact: one round, no spread.
    """

    least: float
    median: float | None = None
    spread: float | None = None
    rounds: int = 1
    unit: str = "ns"

    @classmethod
    def of(cls, values: list[float], unit: str = "ns") -> Sample:
        """Makes a sample of the values of all rounds."""
        if len(values) < 2:
            return cls(values[0], unit=unit)
        median = statistics.median(values)
        first, _, third = statistics.quantiles(values, n=4, method="inclusive")
        # A count of leaked bytes may be 0.
        spread = (third - first) / median if median else None
        return cls(min(values), median, spread, len(values), unit)

    def merged(self, other: Sample) -> Sample:
        """Merges two runs: the smaller minimum, and the median of the quieter run."""
        quieter = min(self, other, key=lambda one: one.median or one.least)
        return dataclasses.replace(
            quieter, least=min(self.least, other.least), rounds=self.rounds + other.rounds
        )

    @property
    def noise(self) -> float | None:
        """Distance of the median from the minimum, relative to the minimum."""
        if self.median is None or self.least <= 0:
            return None
        return self.median / self.least - 1


def to_json(samples: dict[str, Sample]) -> dict:
    """Returns the form that `from_json` reads."""
    return {name: dataclasses.asdict(one) for name, one in samples.items()}


def from_json(values: dict) -> dict[str, Sample]:
    """Reads samples that `./dev bench --json` wrote, in the current or the first format.

    The first format had `value` and `noise`, in nanoseconds or in a unit that is part of the name.
    """
    samples = {}
    for name, one in values.items():
        if "least" in one:
            samples[name] = Sample(**one)
            continue
        noise = one.get("noise")
        median = None if noise is None else one["value"] * (1 + noise)
        samples[name] = Sample(one["value"], median, unit=_unit_of(name))
    return samples


def _unit_of(name: str) -> str:
    if name.startswith("count:"):
        return "instructions"
    if name.startswith("size:"):
        return "MB"
    if name.startswith("python:import"):
        return "ms"
    return "bytes" if name.endswith("bytes") else "ns"


def number(value: float) -> str:
    """Formats a number with three or four digits, and thousands apart."""
    if abs(value) >= 1000:
        return f"{value:,.0f}".replace(",", " ")
    return f"{value:.3g}" if abs(value) < 100 else f"{value:.0f}"


def quantity(value: float, unit: str) -> str:
    """Formats a number with its unit; nanoseconds in larger units above a microsecond."""
    if unit == "ns":
        for limit, factor, name in ((1e3, 1, "ns"), (1e6, 1e3, "µs"), (1e9, 1e6, "ms")):
            if abs(value) < limit:
                return f"{number(value / factor)} {name}"
        return f"{number(value / 1e9)} s"
    return f"{number(value)} {unit}".strip()
