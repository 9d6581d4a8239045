"""Gains of a TVLQR along a platform's reference (REACSA eqs 4.25 to 4.38)."""

from __future__ import annotations

import math

import numpy as np

from freefloat.frames import Array
from freefloat.gnc.control.tvlqr import Weights, riccati, steady_gain
from freefloat.gnc.planning.platform.hermite_reference import HermiteReference
from freefloat.gnc.planning.platform.model import PlatformModel

KNOT_SPACING = 1.0  # [s] at most between two gains: they change with the reference, not with the loop
KNOT_TURN = 0.05  # [rad] of the reference between two gains
LAST_KNOTS = 0.01 * 2.0 ** np.arange(6, -1, -1)  # [s] before the end, where S grows to Q_final


def table_weights(thrusters: int) -> Weights:
    """Table A.1, simulation."""
    Q = np.diag([1e4, 1e4, 1e4, 100.0, 100.0, 100.0, 1e-3])
    return Weights(Q, 10.0 * np.eye(1 + thrusters), np.diag([1e5, 1e5, 1e5, 1e6, 1e6, 1e6, 1e-7]))


def gain_times(reference: HermiteReference) -> Array:
    """Times [s] of the gains: every segment cut evenly, and finer before the end."""
    cuts = [np.zeros(1)]
    for start, end, turn in zip(reference.times[:-1], reference.times[1:], np.diff(reference.poses[:, 2]), strict=True):
        parts = math.ceil(max((end - start) / KNOT_SPACING, abs(turn) / KNOT_TURN) - 1e-9)
        cuts.append(np.linspace(start, end, max(parts, 1) + 1)[1:])
    last = reference.duration - LAST_KNOTS
    times = np.sort(np.concatenate([*cuts, last[last > 0.0]]).astype(np.float64))
    return times[np.append(np.diff(times) > 1e-6, True)]


def platform_gains(
    reference: HermiteReference, model: PlatformModel, weights: Weights, times: Array, idle: float
) -> Array:
    """K (k + 1, 1 + n, 7) at the times along the reference, and last the steady gain at its end."""

    def linear(t: float) -> tuple[Array, Array]:
        pose, rate, acceleration = reference.at(t)
        wheel = idle - model.inertia / model.wheel_inertia * rate[2]
        return model.linearised(np.array([*pose, *rate, wheel]), model.feedforward(pose[2], acceleration))

    S = riccati(linear, weights, times)
    inverse = np.linalg.inv(weights.R)
    gains = [-inverse @ (linear(float(t))[1].T @ s) for t, s in zip(times, S, strict=True)]
    return np.array([*gains, steady_gain(*linear(reference.duration), weights.Q, weights.R)], np.float64)
