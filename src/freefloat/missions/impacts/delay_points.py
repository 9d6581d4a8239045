"""The map of critical delays: a grid of loops, each by the closed form and by simulation with a continuous delay."""

from __future__ import annotations

import csv
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from freefloat.frames import Array
from freefloat.gnc.control.loop_delay import critical_delay
from freefloat.missions.impacts.delay_search import continuous_critical_delay

HEAD = ("mass_kg", "stiffness_N_m", "damping_N_s_m", "damping_ratio", "closed_form_s", "simulated_s", "difference")


@dataclass(frozen=True)
class Point:
    """One loop of the map."""

    mass: float  # [kg]
    stiffness: float  # [N/m]
    ratio: float  # [-] damping ratio b / (2 sqrt(k m))
    closed: float  # [s] critical delay by the closed form
    simulated: float  # [s] by simulation

    @property
    def damping(self) -> float:
        """[N s/m]"""
        return damping_of(self.mass, self.stiffness, self.ratio)

    @property
    def difference(self) -> float:
        """Of the simulated delay, relative."""
        return self.simulated / self.closed - 1.0


@dataclass(frozen=True)
class DelayGrid:
    """Masses [kg], stiffnesses [N/m] and damping ratios [-], each with each; simulated when first asked for."""

    masses: Sequence[float]
    stiffnesses: Sequence[float]
    ratios: Sequence[float]

    @classmethod
    def between(
        cls, masses: Sequence[float], stiffness: tuple[float, float], ratio: tuple[float, float], count: int
    ) -> DelayGrid:
        """`count` stiffnesses and as many damping ratios between two ends, evenly in their logarithms."""
        return cls(masses, np.geomspace(*stiffness, count).tolist(), np.geomspace(*ratio, count).tolist())

    @cached_property
    def points(self) -> list[Point]:
        """Every loop of the grid."""
        return [_point(m, k, z) for m in self.masses for k in self.stiffnesses for z in self.ratios]

    @property
    def worst(self) -> float:
        """The largest difference from the closed form, relative."""
        return max(abs(point.difference) for point in self.points)

    def write(self, path: Path) -> None:
        """The table as CSV."""
        with path.open("w", newline="", encoding="utf-8") as file:
            table = csv.writer(file)
            table.writerow(HEAD)
            for p in self.points:
                row = (p.mass, p.stiffness, p.damping, p.ratio, p.closed, p.simulated, p.difference)
                table.writerow([f"{value:.10g}" for value in row])


def damping_of(mass: float, stiffness: float, ratio: float) -> float:
    """[N s/m] of a damping ratio."""
    return 2.0 * ratio * math.sqrt(stiffness * mass)


def closed_form(mass: float, stiffness: Array, ratio: Array) -> Array:
    """[s] Critical delays over stiffnesses (across) and damping ratios (down)."""
    return np.array([[critical_delay(mass, k, damping_of(mass, k, z)) for k in stiffness] for z in ratio])


def _point(m: float, k: float, z: float) -> Point:
    b = damping_of(m, k, z)
    return Point(m, k, z, critical_delay(m, k, b), continuous_critical_delay(m, k, b))
