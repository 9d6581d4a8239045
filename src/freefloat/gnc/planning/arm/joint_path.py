"""Smooth joint motion: quintics between states of position, rate and acceleration."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from freefloat.compiled import inner, onboard
from freefloat.errors import InputError
from freefloat.frames import Array

State = tuple[Array, Array, Array]  # position, rate, acceleration


@dataclass(frozen=True)
class QuinticPath:
    """q(t) = q0 + (q1 - q0) s(t / T), s(x) = 10 x^3 - 15 x^4 + 6 x^5: rest to rest, acceleration without jumps."""

    q0: Array  # [rad or m]
    q1: Array  # [rad or m]
    duration: float  # [s]

    @property
    def knots(self) -> tuple[Array, Array]:
        """Times (2,) and states (2, 3, n) at them, as `quintic_at` takes them."""
        return np.array([0.0, self.duration]), np.stack([resting(self.q0), resting(self.q1)])

    def at(self, t: float) -> State:
        """Position, rate and acceleration at t [s]; at rest before 0 and after the duration."""
        return state_at(*self.knots, t)


class QuinticPieces:
    """A path through given positions, rates and accelerations, one quintic from each knot to the next."""

    def __init__(self, times: ArrayLike, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> None:
        """Times [s] (k,), rising; states (k, n) [rad or m, per s, per s^2]."""
        at = np.array(times, np.float64)
        states = np.stack([np.asarray(x, np.float64) for x in (q, qd, qdd)], axis=1)
        if at.ndim != 1 or at.size < 2 or not (np.diff(at) > 0.0).all() or states.shape[0] != at.size:
            raise InputError(
                f"path: {states.shape[0]} states at {at.size} times; allowed: as many, two or more, rising"
            )
        self.knots: tuple[Array, Array] = at, np.ascontiguousarray(states)

    @property
    def duration(self) -> float:
        """[s] from time 0 to the last knot."""
        return float(self.knots[0][-1])

    def at(self, t: float) -> State:
        """Position, rate and acceleration at t [s]; at rest before the first knot and after the last."""
        return state_at(*self.knots, t)


def resting(q: ArrayLike) -> Array:
    """The state (3, n) at rest in q."""
    position = np.asarray(q, np.float64)
    return np.stack([position, np.zeros_like(position), np.zeros_like(position)])


def state_at(times: Array, states: Array, t: float) -> State:
    """Position, rate and acceleration of the knots' quintics at t [s]."""
    out = np.empty(states.shape[1:])
    quintic_state(times, states, float(t), out)
    return out[0], out[1], out[2]


@onboard
def quintic_state(times: Array, states: Array, t: float, out: Array) -> None:
    """`quintic_at`, for callers from Python."""
    quintic_at(times, states, t, out)


@inner
def quintic_at(times: Array, states: Array, t: float, out: Array) -> None:
    """Position, rate and acceleration at t [s] into the rows of out (3, n), for knots `times` (k,), `states` (k, 3, n).

    Between two knots it is the quintic that has both their states; before the first and after the last it rests.
    """
    n, last = states.shape[2], times.shape[0] - 1
    if not times[0] <= t <= times[last]:
        end = 0 if t < times[0] else last
        for j in range(n):
            out[0, j], out[1, j], out[2, j] = states[end, 0, j], 0.0, 0.0
        return
    i, above = 0, last  # times[i] <= t < times[above], or both the last
    while above - i > 1:
        middle = (i + above) // 2
        if times[middle] <= t:
            i = middle
        else:
            above = middle
    h = times[above] - times[i]
    if h <= 0.0:
        out[:] = states[above]
        return
    x = (t - times[i]) / h
    y, xy = 1.0 - x, x * (1.0 - x)
    # what the way between the knots, and their rates and accelerations, give to position, rate and acceleration
    way = (x**3 * (10.0 - 15.0 * x + 6.0 * x**2), 30.0 * xy**2, 60.0 * xy * (1.0 - 2.0 * x))
    v0 = (xy * y**2 * (1.0 + 3.0 * x), y**2 * (1.0 + 2.0 * x - 15.0 * x**2), -12.0 * xy * (3.0 - 5.0 * x))
    v1 = (-xy * x**2 * (4.0 - 3.0 * x), -(x**2) * (12.0 - 28.0 * x + 15.0 * x**2), -12.0 * xy * (2.0 - 5.0 * x))
    a0 = (0.5 * xy**2 * y, 0.5 * xy * y * (2.0 - 5.0 * x), y * (1.0 - 8.0 * x + 10.0 * x**2))
    a1 = (0.5 * xy**2 * x, 0.5 * xy * x * (3.0 - 5.0 * x), x * (3.0 - 12.0 * x + 10.0 * x**2))
    per = (1.0, h, h * h)
    for j in range(n):
        step = states[above, 0, j] - states[i, 0, j]
        for k in range(3):
            rates = h * (v0[k] * states[i, 1, j] + v1[k] * states[above, 1, j])
            bends = h * h * (a0[k] * states[i, 2, j] + a1[k] * states[above, 2, j])
            out[k, j] = (way[k] * step + rates + bends) / per[k]
        out[0, j] += states[i, 0, j]
