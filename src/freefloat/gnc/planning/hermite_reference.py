"""Closed-form references of the floating platform: piecewise cubic Hermite in (x, y, theta).

Between two knots with given pose and rate the cubic is the minimiser of the integral of the squared acceleration.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from freefloat.errors import InputError
from freefloat.frames import Array

LINE_DURATION = 104.0  # [s]
SEGMENT = 15.708  # [s] between two knots of the circle and the S
SEGMENTS = 40  # of a whole turn of phi
PACE = 0.01  # [1/s] phi' along circle and S


@dataclass(frozen=True, eq=False)
class HermiteReference:
    """Motion through knots with given poses and rates; it rests before 0 and after its duration."""

    times: Array  # [s] (k,) from 0, rising
    poses: Array  # [m, m, rad] (k, 3) in W; the angle is not wrapped
    rates: Array  # [m/s, m/s, rad/s] (k, 3), zero at both ends

    def __post_init__(self) -> None:
        for name, columns in (("times", ()), ("poses", (3,)), ("rates", (3,))):
            value = np.array(getattr(self, name), np.float64)
            if value.shape != (len(self.times), *columns) or len(value) < 2 or not np.isfinite(value).all():
                raise InputError(f"reference {name}: shape {value.shape}; allowed: finite, one row per knot, two knots")
            value.flags.writeable = False
            object.__setattr__(self, name, value)
        if self.times[0] != 0.0 or not (np.diff(self.times) > 0.0).all():
            raise InputError(f"reference times: {self.times.tolist()}; allowed: from 0 and rising")
        if self.rates[0].any() or self.rates[-1].any():
            raise InputError(f"reference rates: {self.rates[[0, -1]].tolist()} at the ends; allowed: zero")

    @property
    def duration(self) -> float:
        """[s]."""
        return float(self.times[-1])

    def at(self, t: float) -> tuple[Array, Array, Array]:
        """Pose, rate and acceleration [(3,) each, W] at t [s]; at a knot the acceleration is that after it."""
        if t < 0.0 or t >= self.duration:
            return self.poses[0 if t < 0.0 else -1].copy(), np.zeros(3), np.zeros(3)
        i = int(np.searchsorted(self.times, t, side="right")) - 1
        h = float(self.times[i + 1] - self.times[i])
        s = (t - float(self.times[i])) / h
        p0, v0, v1 = self.poses[i], h * self.rates[i], h * self.rates[i + 1]
        step = self.poses[i + 1] - p0
        c2, c3 = 3.0 * step - 2.0 * v0 - v1, v0 + v1 - 2.0 * step
        pose = p0 + s * (v0 + s * (c2 + s * c3))
        rate = (v0 + s * (2.0 * c2 + 3.0 * s * c3)) / h
        return pose, rate, (2.0 * c2 + 6.0 * s * c3) / h**2

    def sampled(self, times: ArrayLike) -> tuple[Array, Array, Array]:
        """Poses, rates and accelerations (n, 3) at times [s]."""
        pose, rate, acceleration = zip(*(self.at(float(t)) for t in np.atleast_1d(times)), strict=True)
        return np.array(pose), np.array(rate), np.array(acceleration)


def rest_to_rest(start: ArrayLike, goal: ArrayLike, duration: float) -> HermiteReference:
    """One cubic from pose to pose in `duration` [s]; the angle turns by goal - start, not the short way round."""
    return HermiteReference(np.array([0.0, duration]), np.array([start, goal], np.float64), np.zeros((2, 3)))


def line() -> HermiteReference:
    """From (0, 0, 0) to (1, 2, pi), Table 4.1's first case at alpha = 12."""
    return rest_to_rest((0.0, 0.0, 0.0), (1.0, 2.0, math.pi), LINE_DURATION)


def circle() -> HermiteReference:
    """Once around (0, 1), one metre from it, +y of the body towards the centre (sec. 5.3.1)."""
    return _arc(SEGMENTS)


def semicircle() -> HermiteReference:
    """The first half of the circle, all else the same (sec. 6.2.3)."""
    return _arc(SEGMENTS // 2)


def s_shape() -> HermiteReference:
    """One period of a sine along y at constant angle and y' (the knots are assumed: sec. 5.3.1 gives none)."""
    phi = _phases(SEGMENTS)
    zero = np.zeros_like(phi)
    poses = np.column_stack([np.sin(phi), 0.5 * phi, zero])
    return _knotted(poses, PACE * np.column_stack([np.cos(phi), zero + 0.5, zero]))


def _arc(segments: int) -> HermiteReference:
    phi = _phases(segments)
    poses = np.column_stack([np.sin(phi), 1.0 - np.cos(phi), phi])
    return _knotted(poses, PACE * np.column_stack([np.cos(phi), np.sin(phi), np.ones_like(phi)]))


def _phases(segments: int) -> Array:
    return 2.0 * math.pi * np.arange(segments + 1) / SEGMENTS


def _knotted(poses: Array, rates: Array) -> HermiteReference:
    rates[[0, -1]] = 0.0
    return HermiteReference(np.arange(len(poses), dtype=np.float64) * SEGMENT, poses, rates)
