"""Dwell times of valves as linear constraints on binary ticks: how long a valve stays open, and how long shut."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from freefloat.errors import InputError
from freefloat.frames import Array


@dataclass(frozen=True)
class Dwell:
    """Limits of a valve's times; the defaults leave it free from tick to tick."""

    min_on: float = 0.0  # [s]
    max_on: float = math.inf  # [s]
    min_off: float = 0.0  # [s]

    def __post_init__(self) -> None:
        if not (
            self.min_on >= 0.0 and self.max_on > 0.0 and self.max_on >= self.min_on and 0.0 <= self.min_off < math.inf
        ):
            raise InputError(f"dwell times: {self}; allowed: min_on, min_off 0 or more, max_on positive and >= min_on")

    def ticks(self, tick: float) -> tuple[int, int, int]:
        """Fewest open, most open (0: any number) and fewest shut ticks of `tick` [s]."""
        most = 0 if math.isinf(self.max_on) else math.floor(self.max_on / tick + 1e-9)
        least = max(1, math.ceil(self.min_on / tick - 1e-9))
        if not math.isinf(self.max_on) and most < least:
            raise InputError(f"dwell times: {self}; allowed with ticks of {tick} s: a whole number of ticks between")
        return least, most, max(1, math.ceil(self.min_off / tick - 1e-9))

    def duty(self, tick: float) -> float:
        """Largest share of time that a valve can be open in the long run."""
        _, most, shut = self.ticks(tick)
        return 1.0 if most == 0 else most / (most + shut)


def dwell_rows(least: int, most: int, shut: int, past: int, ahead: int) -> tuple[Array, Array]:
    """Rows (m, past + ahead) and bounds (m,) of rows @ u <= bounds for one valve's ticks, those before now first.

    u_a + .. + u_a+most <= most;   u_a - u_a+1 + u_a+g <= 1, g = 2 .. shut;   u_a+1 - u_a - u_a+g <= 0, g = 2 .. least
    """
    rows: list[Array] = []
    bounds: list[float] = []

    def add(bound: float, *terms: tuple[int, float]) -> None:
        row = np.zeros(past + ahead)
        if all(place < past + ahead for place, _ in terms):
            for place, factor in terms:
                row[place] += factor
            if row[past:].any():
                rows.append(row)
                bounds.append(bound)

    for a in range(past + ahead):
        if most > 0:
            add(most, *((a + i, 1.0) for i in range(most + 1)))
        for g in range(2, shut + 1):
            add(1.0, (a, 1.0), (a + 1, -1.0), (a + g, 1.0))
        for g in range(2, least + 1):
            add(0.0, (a + 1, 1.0), (a, -1.0), (a + g, -1.0))
    return np.array(rows).reshape(-1, past + ahead), np.array(bounds)


@dataclass(frozen=True, eq=False)
class DwellConstraint:
    """Rows @ u <= bounds - behind @ past for all valves and ticks of a plan, tick by tick."""

    rows: Array  # (m, ahead n)
    behind: Array  # (m, past n), the latest tick last
    bounds: Array  # (m,)
    past: int  # [ticks]

    @classmethod
    def of(cls, dwell: Dwell, tick: float, valves: int, ahead: int) -> DwellConstraint:
        """For so many valves over so many ticks [s]."""
        least, most, shut = dwell.ticks(tick)
        past = max(least, most, shut)
        one, bounds = dwell_rows(least, most, shut, past, ahead)
        rows = np.kron(one, np.eye(valves)).astype(np.float64)
        return cls(rows[:, past * valves :], rows[:, : past * valves], np.repeat(bounds, valves), past)
