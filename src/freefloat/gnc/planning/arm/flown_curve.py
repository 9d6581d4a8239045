"""From way-points to the curve that is flown: one smooth curve, a jerk-limited time law by ruckig, quintic pieces."""

from __future__ import annotations

from typing import Any

import numpy as np

from freefloat.frames import Array
from freefloat.gnc.planning.arm.curve_proof_step import too_fast
from freefloat.gnc.planning.arm.jerk_limited import MotionLimits
from freefloat.gnc.planning.arm.joint_path import resting
from freefloat.gnc.planning.arm.smooth_curve_step import controls, full_speed, law_at, repaced, sampled
from freefloat.gnc.planning.optional import ruckig

RAMP = 0.95  # [-] of acceleration and jerk for starting and stopping along the curve
STEP = 0.35  # [s] between control points at the curve's pace
KNOTS = 0.25  # [s] between knots of the flown pieces at most
ROUNDS = 8  # of finding where to be slower and where faster
GENTLE = 0.9  # power of the factor by which a round changes the pace
CLOSE = 0.999  # [-] of the limits that is used


def limit_table(limits: MotionLimits) -> Array:
    """(3, n) speed, acceleration, jerk."""
    return np.ascontiguousarray(np.stack([limits.velocity, limits.acceleration, limits.jerk]))


def flown(points: Array, limits: Array, step: float = STEP, fit: int = 0) -> tuple[Array, Array]:
    """Knots (k,) [s] and states (k, 3, n) of the motion from rest at the first of the points to rest at the last.

    The curve is a B-spline over control points that are nearer to each other where it has to be slow; along it ruckig's
    law starts, cruises and stops. Where the pieces break a limit (3, n) or could be faster, control points move for the
    next round; what is left at the fastest is made good by a slower pace of the whole, so that all limits hold between
    the knots, which is proven. The shorter the `step` [s] between control points, the less the curve cuts turns; with
    `fit` it hardly does.
    """
    pace = np.empty(len(points) - 1)
    full_speed(points, limits[0], pace)
    best: tuple[float, Array, Array] | None = None
    for _ in range(ROUNDS):
        n = max(int(np.ceil(float(pace.sum()) / step)), 6) + 1
        control, at = np.empty((n, points.shape[1])), np.empty(n)
        controls(points, pace, fit, control, at)
        times, law = _law(control, limits)
        states = np.empty((len(times), 3, points.shape[1]))
        sampled(control, law, states)
        states[0], states[-1] = resting(points[0]), resting(points[-1])
        slow = np.empty(len(times) - 1)
        slower = too_fast(times, states, limits, slow)
        if best is None or times[-1] * slower < best[0] * best[1][-1]:
            best = slower, times, states
        repaced(pace, law, at, slow, GENTLE)
    assert best is not None
    slower, times, states = best[0] / CLOSE, best[1], best[2]
    states[:, 1] /= slower
    states[:, 2] /= slower**2
    return times * slower, states


def _law(control: Array, limits: Array) -> tuple[Array, Array]:
    """Knots [s] and (k, 3) u with its first two derivatives at them, from rest at 0 to rest at the last point."""
    slope = np.abs(np.diff(control, axis=0))
    fast, push, kick = (float((slope / x).max()) for x in limits)
    rk: Any = ruckig()
    request, law = rk.InputParameter(1), rk.Trajectory(1)
    request.current_position, request.target_position = [0.0], [float(len(control) - 1)]
    request.max_velocity, request.max_acceleration, request.max_jerk = [1.0 / fast], [RAMP / push], [RAMP / kick]
    rk.Ruckig(1).calculate(request, law)
    profile = law.profiles[0][0]
    times = _spread(np.cumsum(profile.t))
    rows = np.empty((len(times), 3))
    law_at(np.array(profile.t), np.array(profile.j), times, rows)
    rows[0], rows[-1] = (0.0, 0.0, 0.0), (len(control) - 1.0, 0.0, 0.0)
    return times, rows


def _spread(ends: Array) -> Array:
    """Knots at the ends of the law's phases, and between them so that none is longer than `KNOTS`."""
    found = [0.0]
    for end in ends.tolist():
        long = end - found[-1]
        if long > 1e-6:
            n = int(np.ceil(long / KNOTS))
            found += [found[-1] + long * (k + 1) / n for k in range(n)]
    return np.array(found)
