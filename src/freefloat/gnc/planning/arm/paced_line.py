"""Straight motion from rest to rest at a given pace: of the tip, or of all joints together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from freefloat.errors import InputError
from freefloat.frames import Array, Pose, so3_log

KNOTS = 4  # of the pace: start, full speed, still full speed, end
LEAST_CRUISE = 0.999  # [-] of the rate at which nothing would be left between the ramps
RAMP = 1.5  # peak of the acceleration over its mean, while the speed goes as 3 x^2 - 2 x^3


@dataclass(frozen=True, eq=False)
class Pace:
    """s from 0 to 1: the speed rises as 3 x^2 - 2 x^3, stays, and falls alike; acceleration has no jumps."""

    times: Array  # [s] (4,)
    knots: Array  # (4, 3, 1) s, s', s'' at them: quintics between them are the pace

    @classmethod
    def of(cls, rate: float, acceleration: float) -> Pace:
        """At most `rate` [1/s] and `acceleration` [1/s^2]; slower where the way is too short for both."""
        if not (0.0 < rate < np.inf and 0.0 < acceleration < np.inf):
            raise InputError(f"pace: rate {rate!r} 1/s, acceleration {acceleration!r} 1/s^2; allowed: above 0, finite")
        rate = min(rate, LEAST_CRUISE * float(np.sqrt(acceleration / RAMP)))
        ramp = RAMP * rate / acceleration
        times = np.array([0.0, ramp, 1.0 / rate, 1.0 / rate + ramp])
        knots = np.zeros((KNOTS, 3, 1))
        knots[:, 0, 0] = 0.0, 0.5 * ramp * rate, 1.0 - 0.5 * ramp * rate, 1.0
        knots[1:3, 1, 0] = rate
        return cls(times, knots)

    @classmethod
    def resting(cls) -> Pace:
        """No motion."""
        return cls(1e-9 * np.arange(KNOTS, dtype=np.float64), np.zeros((KNOTS, 3, 1)))

    @property
    def duration(self) -> float:
        """[s]"""
        return float(self.times[-1])

    @property
    def rate(self) -> float:
        """[1/s] largest s'."""
        return float(self.knots[1, 1, 0])


@dataclass(frozen=True, eq=False)
class TipLine:
    """The tip goes from X_AT straight to a pose, turning about one axis at the same pace."""

    start: Pose
    end: Pose
    pace: Pace

    @classmethod
    def at(cls, start: Pose, end: Pose, speed: float, acceleration: float, turn_rate: float = 0.1) -> TipLine:
        """At `speed` [m/s] and `acceleration` [m/s^2], turning by at most `turn_rate` [rad/s]."""
        way, turn = float(np.linalg.norm(end.p - start.p)), float(np.linalg.norm(so3_log(start.R.T @ end.R)))
        if max(way, turn) < 1e-12:
            return cls(start, end, Pace.resting())
        rate = min(speed / max(way, 1e-12), turn_rate / max(turn, 1e-12))
        return cls(start, end, Pace.of(rate, acceleration / max(way, turn, 1e-12)))

    @property
    def turn(self) -> Array:
        """[rad] rotation vector from start to end, in axes of the start."""
        return so3_log(self.start.R.T @ self.end.R)


@dataclass(frozen=True, eq=False)
class JointLine:
    """All joints go from q0 to q1 at the same pace."""

    q0: Array
    q1: Array
    pace: Pace

    def __post_init__(self) -> None:
        for name in ("q0", "q1"):
            object.__setattr__(self, name, np.array(getattr(self, name), np.float64))

    @classmethod
    def resting(cls, q: ArrayLike) -> JointLine:
        """At rest in q."""
        return cls(np.asarray(q, np.float64), np.asarray(q, np.float64), Pace.resting())


Line = TipLine | JointLine
