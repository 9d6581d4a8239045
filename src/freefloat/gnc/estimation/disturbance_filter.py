"""Pose, rate and slope of a floating platform from poses alone, with a filter that reopens after a shock.

Each of x, y and theta has the states [position, rate, d]: d is the acceleration by the floor's slope (or its torque),
a random walk. The three axes share no noise and are filtered apart; theta lives on SO(2). `predict_axis` and
`correct_axis` are the steps of one axis, `predict_pose` and `correct_pose` of all three: what trackers of a
platform run, each with what it knows about its thrusters and wheel.

A shock is a jump of the rate that the model does not know. Two sums of innovations per axis watch for it,
    g <- max(0, g +- nu / sigma_nu - drift)    (Page 1954),
and when one passes `alarm` the axis' covariance takes up a jump of the rate of size `jump`, at the time when the sum
last stood at zero; the filter then finds the new rate within a few measurements.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from freefloat.compiled import inlined
from freefloat.errors import InputError
from freefloat.frames import Array
from freefloat.gnc.estimation.kalman import wrapped
from freefloat.gnc.rotations import Vector

SIGMA, JUMP, DRIFT, ALARM, NOISE, WALK = range(6)  # places in a row of `axis_numbers`


@dataclass(frozen=True)
class AxisTuning:
    """Noise and shocks of one axis; metres for x and y, radians for theta."""

    sigma: float  # [m] of one measured position
    noise: float  # [m/s^1.5] root density of unmodelled acceleration
    walk: float  # [m/s^2.5] root density of the slope's change
    rate_sigma: float  # [m/s] at the start
    slope_sigma: float  # [m/s^2] at the start
    jump: float  # [m/s] standard deviation of a shock's change of rate
    drift: float = 0.5  # [-] standard deviations that an innovation may stray for long
    alarm: float = 15.0  # [-] sum at which a shock is taken for real: false about once in 10^7 measurements

    def __post_init__(self) -> None:
        least = min(self.sigma, self.rate_sigma, self.slope_sigma, self.jump, self.drift, self.alarm)
        if not (least > 0.0 and min(self.noise, self.walk) >= 0.0):
            raise InputError(f"axis tuning: {self}; allowed: positive, noise and walk 0 or more")


POSITION = AxisTuning(sigma=3.2e-3, noise=1e-4, walk=1e-4, rate_sigma=0.05, slope_sigma=4e-3, jump=0.05)
ANGLE = AxisTuning(sigma=3.2e-3, noise=2e-4, walk=5e-4, rate_sigma=0.1, slope_sigma=2e-3, jump=0.2)


def axis_numbers(axes: Sequence[AxisTuning]) -> Array:
    """One row per axis for compiled steps: [sigma, jump, drift, alarm, noise^2, walk^2]."""
    return np.array([[a.sigma, a.jump, a.drift, a.alarm, a.noise**2, a.walk**2] for a in axes])


def pose_filter(position: AxisTuning, angle: AxisTuning) -> tuple[Array, Array, Array, Array, Array]:
    """Arrays of a filter at rest: axes (3, 6), x (3, 3), P (3, 3, 3), watch (3, 4), and the last pose (3,): none."""
    axes = (position, position, angle)
    P = np.array([np.diag(np.square([a.sigma, a.rate_sigma, a.slope_sigma])) for a in axes])
    return axis_numbers(axes), np.zeros((3, 3)), P, np.zeros((3, 4)), np.full(3, np.nan)


@inlined
def is_new(pose: Array, last: Array) -> bool:
    """Whether a pose (3,) is no lost sample: finite, and not the last one bit by bit. Then it becomes the last."""
    if not math.isfinite(pose[0] + pose[1] + pose[2]):
        return False
    if pose[0] == last[0] and pose[1] == last[1] and pose[2] == last[2]:
        return False
    for i in range(3):
        last[i] = pose[i]
    return True


@inlined
def predict_pose(axes: Array, x: Array, P: Array, known: Vector, noise: Vector, roughness: float, T: float) -> None:
    """All axes after T [s] with known accelerations, in place; `noise` is added to the density of the unknown ones.

    The slope walks with the way over the floor too, by `roughness` [m/s^2 per root of m].
    """
    walk = roughness**2 * math.sqrt(x[0, 1] ** 2 + x[1, 1] ** 2)
    for i in range(3):
        more = walk if i < 2 else 0.0
        predict_axis(x[i], P[i], known[i], T, axes[i, NOISE] + noise[i], axes[i, WALK] + more)


@inlined
def correct_pose(axes: Array, x: Array, P: Array, watch: Array, pose: Array, delay: float, T: float) -> None:
    """Use a pose (3,) measured `delay` [s] ago, T [s] after the one before; the angle is not wrapped here."""
    for i in range(3):
        gap = pose[i] - x[i, 0] + delay * x[i, 1]
        gap = wrapped(gap) if i == 2 else gap
        correct_axis(x[i], P[i], watch[i], gap, T, axes[i, SIGMA], axes[i, JUMP], axes[i, DRIFT], axes[i, ALARM])


@inlined
def correct_axis(
    x: Array,
    P: Array,
    watch: Array,
    innovation: float,
    T: float,
    sigma: float,
    jump: float,
    drift: float,
    alarm: float,
) -> int:
    """Use one measured position, in place; 1 where this was a shock. x (3,), P (3, 3), and watch (4,): the rising sum,
    its ticks since zero, the falling sum, its ticks since zero. The caller takes an angle's innovation the short way.

    The measurement is the first state, so that the update (eqs 4.44, 4.52, 4.60) is of rank one.
    """
    shocked = 0
    z = innovation / math.sqrt(P[0, 0] + sigma**2)
    for place, signed in ((0, z), (2, -z)):
        watch[place] = max(0.0, watch[place] + signed - drift)
        watch[place + 1] = watch[place + 1] + 1.0 if watch[place] > 0.0 else 0.0
        if watch[place] > alarm:
            since = T * watch[place + 1]
            P[0, 0] += jump**2 * since**2
            P[0, 1] += jump**2 * since
            P[1, 0] += jump**2 * since
            P[1, 1] += jump**2
            shocked = 1
    if shocked == 1:
        watch[:] = 0.0
    spread = P[0, 0] + sigma**2
    column = (P[0, 0], P[1, 0], P[2, 0])
    for i in range(3):
        x[i] += column[i] / spread * innovation
        for j in range(3):
            P[i, j] -= column[i] * column[j] / spread
    return shocked


@inlined
def predict_axis(x: Array, P: Array, acceleration: float, T: float, noise: float, walk: float) -> None:
    """x (3,) and P (3, 3) after T [s] with a known acceleration, in place: exact.

    p' = v, v' = acceleration + d + white noise, d' = white noise; `noise` and `walk` are the densities, the squares of
    `AxisTuning`'s.
    """
    q = T * T / 2.0
    x[0] += T * x[1] + q * (x[2] + acceleration)
    x[1] += T * (x[2] + acceleration)
    a, b, c, d, e, f = P[0, 0], P[0, 1], P[0, 2], P[1, 1], P[1, 2], P[2, 2]
    top, right, low = b + T * d + q * e, c + T * e + q * f, e + T * f
    P[0, 0] = a + T * b + q * c + T * top + q * right + T**3 * (noise / 3.0 + walk * T**2 / 20.0)
    P[0, 1] = top + T * right + T**2 * (noise / 2.0 + walk * T**2 / 8.0)
    P[0, 2] = right + walk * T**3 / 6.0
    P[1, 1] = d + T * e + T * low + T * (noise + walk * T**2 / 3.0)
    P[1, 2] = low + walk * T**2 / 2.0
    P[2, 2] = f + walk * T
    P[1, 0], P[2, 0], P[2, 1] = P[0, 1], P[0, 2], P[1, 2]
