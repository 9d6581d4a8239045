"""The same curve at another pace: slower, backwards, braked where it is. What was proven of its shape still holds."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from freefloat.errors import InputError
from freefloat.frames import Array
from freefloat.gnc.planning.arm.jerk_limited import Path
from freefloat.gnc.planning.arm.joint_path import QuinticPieces

KNOT = 0.05  # [s] between samples of the new time law


@dataclass(frozen=True)
class Ride:
    """Along a path from the place `start` on its own clock to `end`, from rest to rest; backwards where `end` is first.

    At a share `rate` of the path's own pace, which it takes up and leaves over `ramp`; a short way is ridden slower.
    """

    start: float  # [s]
    end: float  # [s]
    rate: float = 1.0  # [-]
    ramp: float = 4.0  # [s]

    def __post_init__(self) -> None:
        if not (self.rate > 0.0 and self.ramp > 0.0 and math.isfinite(self.start + self.end)):
            raise InputError(f"{self}: allowed: a rate and a ramp above 0, finite places")

    @property
    def top(self) -> float:
        """The largest share of the path's pace, below 0 backwards."""
        way = self.end - self.start
        return math.copysign(min(self.rate, abs(way) / self.ramp), way)

    @property
    def duration(self) -> float:
        """[s]"""
        return (self.end - self.start) / self.top + self.ramp if self.top != 0.0 else 0.0

    def at(self, t: float) -> tuple[float, float, float]:
        """Place [s], rate and its change [1/s] on the path's clock at t [s]."""
        ramp, top, span = self.ramp, self.top, self.duration
        if span == 0.0:
            return self.start, 0.0, 0.0
        t = min(max(t, 0.0), span)
        up, down = min(t / ramp, 1.0), max((t - span + ramp) / ramp, 0.0)
        s = top * (ramp * (_step_sum(up) - _step_sum(down)) + max(t - ramp, 0.0))
        return self.start + s, top * (_step(up) - _step(down)), top * (_slope(up) - _slope(down)) / ramp


@dataclass(frozen=True)
class Brake:
    """From the place `start` [s] of a path that goes by at `rate` (below 0: backwards) to rest within `ramp`."""

    start: float  # [s]
    rate: float = 1.0  # [-]
    ramp: float = 4.0  # [s]

    @property
    def duration(self) -> float:
        """[s]"""
        return self.ramp

    def at(self, t: float) -> tuple[float, float, float]:
        """Place [s], rate and its change [1/s] on the path's clock at t [s]."""
        x = min(max(t / self.ramp, 0.0), 1.0)
        s = self.rate * self.ramp * (x - _step_sum(x))
        return self.start + s, self.rate * (1.0 - _step(x)), -self.rate * _slope(x) / self.ramp


def retimed(path: Path, law: Ride | Brake) -> QuinticPieces:
    """The path by another law of time; places before its start and after its end are those."""
    span = max(law.duration, KNOT)
    times = np.linspace(0.0, span, math.ceil(span / KNOT) + 1)
    s, ds, dds = (np.array(x) for x in zip(*(law.at(float(t)) for t in times), strict=True))
    states = [path.at(float(a)) for a in np.clip(s, 0.0, path.duration)]
    q, qd, qdd = (np.stack(x) for x in zip(*states, strict=True))
    return QuinticPieces(times, q, qd * ds[:, None], qdd * (ds**2)[:, None] + qd * dds[:, None])


def turned_round(path: QuinticPieces) -> QuinticPieces:
    """The same joints counted from the other end of the chain."""
    times, states = path.knots
    return QuinticPieces(times, *(np.ascontiguousarray(x[:, ::-1]) for x in _rows(states)))


def _rows(states: Array) -> tuple[Array, Array, Array]:
    return states[:, 0], states[:, 1], states[:, 2]


def _step(x: float) -> float:
    return x**3 * (10.0 + x * (6.0 * x - 15.0))


def _step_sum(x: float) -> float:
    """Integral of the step from 0; 1/2 at 1."""
    return x**4 * (2.5 + x * (x - 3.0))


def _slope(x: float) -> float:
    return 30.0 * x**2 * (1.0 - x) ** 2
