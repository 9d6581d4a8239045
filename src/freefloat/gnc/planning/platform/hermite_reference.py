"""Closed-form references of the floating platform: piecewise cubic Hermite in (x, y, theta).

Between two knots with given pose and rate the cubic is the minimiser of the integral of the squared acceleration.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import ArrayLike

from freefloat.compiled import inner
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
        out = np.empty((3, 3))
        hermite_at(self.times, self.poses, self.rates, float(t), out)
        return out[0], out[1], out[2]

    def sampled(self, times: ArrayLike) -> tuple[Array, Array, Array]:
        """Poses, rates and accelerations (n, 3) at times [s]."""
        t = np.atleast_1d(np.asarray(times, np.float64))
        i = np.clip(np.searchsorted(self.times, t, side="right") - 1, 0, len(self.times) - 2)
        h = (self.times[i + 1] - self.times[i])[:, None]
        s = (t - self.times[i])[:, None] / h
        p0, v0, v1 = self.poses[i], h * self.rates[i], h * self.rates[i + 1]
        step = self.poses[i + 1] - p0
        c2, c3 = 3.0 * step - 2.0 * v0 - v1, v0 + v1 - 2.0 * step
        pose = p0 + s * (v0 + s * (c2 + s * c3))
        rate = (v0 + s * (2.0 * c2 + 3.0 * s * c3)) / h
        acceleration = (2.0 * c2 + 6.0 * s * c3) / (h * h)
        for resting, end in ((t < 0.0, 0), (t >= self.duration, -1)):
            pose[resting], rate[resting], acceleration[resting] = self.poses[end], 0.0, 0.0
        return pose, rate, acceleration


@inner
def hermite_at(times: Array, poses: Array, rates: Array, t: float, out: Array) -> None:
    """Pose, rate and acceleration at t [s] into the rows of out (3, 3), for the knots of a `HermiteReference`.

    Rest before 0 and from the last knot on; at a knot the acceleration is that after it.
    """
    last = times.shape[0] - 1
    if not 0.0 <= t < times[last]:
        end = 0 if t < 0.0 else last
        for a in range(3):
            out[0, a], out[1, a], out[2, a] = poses[end, a], 0.0, 0.0
        return
    i, above = 0, last  # times[i] <= t < times[above]
    while above - i > 1:
        middle = (i + above) // 2
        if times[middle] <= t:
            i = middle
        else:
            above = middle
    h = times[i + 1] - times[i]
    s = (t - times[i]) / h
    for a in range(3):
        p0, v0, v1 = poses[i, a], h * rates[i, a], h * rates[i + 1, a]
        step = poses[i + 1, a] - p0
        c2, c3 = 3.0 * step - 2.0 * v0 - v1, v0 + v1 - 2.0 * step
        out[0, a] = p0 + s * (v0 + s * (c2 + s * c3))
        out[1, a] = (v0 + s * (2.0 * c2 + 3.0 * s * c3)) / h
        out[2, a] = (2.0 * c2 + 6.0 * s * c3) / (h * h)


def rest_to_rest(start: ArrayLike, goal: ArrayLike, duration: float) -> HermiteReference:
    """One cubic from pose to pose in `duration` [s]; the angle turns by goal - start, not the short way round."""
    return HermiteReference(np.array([0.0, duration]), np.array([start, goal], np.float64), np.zeros((2, 3)))


@cache
def line() -> HermiteReference:
    """From (0, 0, 0) to (1, 2, pi), Table 4.1's first case at alpha = 12."""
    return rest_to_rest((0.0, 0.0, 0.0), (1.0, 2.0, math.pi), LINE_DURATION)


@cache
def circle() -> HermiteReference:
    """Once around (0, 1), one metre from it, +y of the body towards the centre (sec. 5.3.1)."""
    return _arc(SEGMENTS)


@cache
def semicircle() -> HermiteReference:
    """The first half of the circle, all else the same (sec. 6.2.3)."""
    return _arc(SEGMENTS // 2)


@cache
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
