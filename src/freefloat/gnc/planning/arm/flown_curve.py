"""From way-points to the curve that is flown: one smooth curve, a jerk-limited time law by ruckig, quintic pieces."""

from __future__ import annotations

import numpy as np

from freefloat.frames import Array
from freefloat.gnc.planning.arm.curve_proof_step import shares
from freefloat.gnc.planning.arm.jerk_limited import MotionLimits
from freefloat.gnc.planning.arm.joint_path import resting
from freefloat.gnc.planning.arm.smooth_curve_step import curve_at, paces, sampled
from freefloat.gnc.planning.optional import ruckig

SHARE = 0.8  # [-] of acceleration and jerk for what the curve's bends take at cruise
RAMP = 0.95  # [-] of them for starting and stopping
WIDE = 0.5  # [s] on both sides over which the pace is evened out
STEP = 0.3  # [s] between control points at cruise
KNOTS = 0.25  # [s] between knots of the flown pieces at most
CLOSE = 0.999  # [-] of the limits that is used


def limit_table(limits: MotionLimits) -> Array:
    """(3, n) speed, acceleration, jerk."""
    return np.ascontiguousarray(np.stack([limits.velocity, limits.acceleration, limits.jerk]))


def flown(points: Array, limits: Array) -> tuple[Array, Array]:
    """Knots (k,) [s] and states (k, 3, n) of the motion from rest at the first of the points to rest at the last.

    The curve is a B-spline over points that are as far apart as its bends let it pass in `STEP`; along it ruckig's law
    starts, cruises and stops. What rounding the bends costs is made good by a slower pace of the whole, so that all
    limits (3, n) hold on the pieces between the knots, which is proven.
    """
    v, a, j = limits
    pace = np.empty(len(points) - 1)
    paces(points, v, a, j, SHARE, WIDE, pace)
    after = np.concatenate([[0.0], np.cumsum(pace)])
    n = max(int(np.ceil(after[-1] / STEP)), 6)
    control = np.empty((n + 1, points.shape[1]))
    state = np.empty((4, points.shape[1]))
    for k, u in enumerate(np.interp(np.linspace(0.0, after[-1], n + 1), after, np.arange(len(points)))):
        curve_at(points, u, state)
        control[k] = state[0]
    control[0], control[-1] = points[0], points[-1]
    times, law = _law(control, v, a, j, after[-1] / n)
    states = np.empty((len(times), 3, points.shape[1]))
    sampled(control, law, states)
    states[0], states[-1] = resting(points[0]), resting(points[-1])
    speed, push, kick = shares(times, states, limits)
    slower = max(speed, np.sqrt(push), np.cbrt(kick)) / CLOSE
    states[:, 1] /= slower
    states[:, 2] /= slower**2
    return times * slower, states


def _law(control: Array, v: Array, a: Array, j: Array, step: float) -> tuple[Array, Array]:
    """Knots [s] and (k, 3) u with its first two derivatives at them, from rest at 0 to rest at the last point."""
    slope = np.abs(np.diff(control, axis=0))
    fast, push, kick = (float((slope / x).max()) for x in (v, a, j))
    request = ruckig().InputParameter(1)
    request.current_position, request.target_position = [0.0], [float(len(control) - 1)]
    request.max_velocity = [min(1.0 / step, 1.0 / fast)]
    request.max_acceleration, request.max_jerk = [RAMP / push], [RAMP / kick]
    law = ruckig().Trajectory(1)
    ruckig().Ruckig(1).calculate(request, law)
    phases = np.cumsum([0.0, *law.profiles[0][0].t])
    times = _spread(phases)
    rows = np.array([[x[0] for x in law.at_time(float(t))] for t in times])
    rows[0], rows[-1] = (0.0, 0.0, 0.0), (len(control) - 1.0, 0.0, 0.0)
    return times, rows


def _spread(phases: Array) -> Array:
    """Knots at the ends of the law's phases, and between them so that none is longer than `KNOTS`."""
    found = [0.0]
    for end in phases[1:]:
        long = end - found[-1]
        if long > 1e-6:
            n = int(np.ceil(long / KNOTS))
            found += [found[-1] + long * (k + 1) / n for k in range(n)]
    return np.array(found)
