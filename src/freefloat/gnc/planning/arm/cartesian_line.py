"""Straight motion of the tip: approach and retreat along a face's normal."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.interpolate import BSpline, make_interp_spline

from freefloat.frames import Array, Pose, so3_exp, so3_log
from freefloat.gnc.planning.arm.inverse_kinematics import InverseKinematics, UnreachableError
from freefloat.gnc.planning.arm.jerk_limited import JerkLimited, MotionLimits, State

DEVIATION = 1e-7  # [m and rad] largest distance of the tip from its line
FIRST_KNOTS, MOST_KNOTS = 17, 257
LONGEST_KNOT = 0.4  # [rad or m] of one joint between two knots


class CartesianLine:
    """The tip moves from X_AT(q0) straight to X_AT, turning about one axis at the same pace: rest to rest.

    Joint positions at the knots follow from q0 by continuation (shortest joint step to each next pose), between them by
    a quintic spline q(s); the pace s(t) is jerk-limited such that every joint keeps its limits. `deviation` is the
    largest distance [m] and angle [rad] of the tip from its line, sampled four times between neighbouring knots.
    """

    def __init__(
        self,
        ik: InverseKinematics,
        q0: ArrayLike,
        X_AT: Pose,
        limits: MotionLimits,
        speed: float = np.inf,  # [m/s] of the tip
    ) -> None:
        q0 = np.array(q0, np.float64)
        self.X_start, self.X_end = ik.chain.pose(q0), X_AT
        knots = FIRST_KNOTS
        while True:
            self.spline = _spline(ik, q0, self, knots)
            self.deviation = _deviation(ik, self, knots)
            if max(self.deviation) <= DEVIATION:
                break
            knots = 2 * knots - 1
            if knots > MOST_KNOTS:
                raise UnreachableError(
                    f"the tip leaves its line by {self.deviation[0]:.3g} m, {self.deviation[1]:.3g} rad"
                    f" with {MOST_KNOTS} knots; allowed: {DEVIATION:g}"
                )
        length = float(np.linalg.norm(X_AT.p - self.X_start.p))
        self._q0, self._q1 = q0, self.spline(1.0)
        self._pace = JerkLimited(np.zeros(1), np.ones(1), _pace_limits(self.spline, limits, length, speed))
        self.duration = self._pace.duration  # [s]

    def at(self, t: float) -> State:
        """Joint position, rate and acceleration at t [s]; at rest before 0 and after the duration."""
        if t <= 0.0 or t >= self.duration:
            q = self._q0 if t <= 0.0 else self._q1
            return q.copy(), np.zeros(q.size), np.zeros(q.size)
        (s,), (ds,), (dds,) = self._pace.at(t)
        first, second = self.spline(s, 1), self.spline(s, 2)
        return self.spline(s), first * ds, second * ds**2 + first * dds

    def points(self, n: int) -> Array:
        """Joint positions (n, joints) at equal steps of s."""
        return self.spline(np.linspace(0.0, 1.0, n))

    def pose(self, s: float) -> Pose:
        """The pose X_AT of the line at s from 0 to 1."""
        turn = so3_log(self.X_start.R.T @ self.X_end.R)
        return Pose(self.X_start.R @ so3_exp(s * turn), (1.0 - s) * self.X_start.p + s * self.X_end.p)


def _spline(ik: InverseKinematics, q0: Array, line: CartesianLine, knots: int) -> BSpline:
    s, q = np.linspace(0.0, 1.0, knots), [q0]
    for si in s[1:]:
        found = ik.refine(line.pose(si), q[-1])
        if found is None or np.abs(found - q[-1]).max() > LONGEST_KNOT:
            at = ", ".join(f"{x:.4g}" for x in line.pose(si).p)
            raise UnreachableError(f"straight motion of the tip: no way on within the joint limits at ({at}) m")
        q.append(found)
    return make_interp_spline(s, np.array(q), k=5)


def _deviation(ik: InverseKinematics, line: CartesianLine, knots: int) -> tuple[float, float]:
    samples = np.linspace(0.0, 1.0, 5 * (knots - 1) + 1)
    off = np.array([ik.chain.residual(line.spline(s), line.pose(s)) for s in samples])
    return float(off[:, 1].max()), float(off[:, 0].max())


def _pace_limits(spline: BSpline, limits: MotionLimits, length: float, speed: float) -> MotionLimits:
    """Limits of s', s'' and s''' that keep those of the joints, a share for each term of

    q'' = q_ss s'^2 + q_s s'',   q''' = q_sss s'^3 + 3 q_ss s' s'' + q_s s'''.
    """
    s = np.linspace(0.0, 1.0, 1001)
    d1, d2, d3 = (np.maximum(np.abs(spline(s, k)).max(axis=0), 1e-12) for k in (1, 2, 3))
    v, a, j = limits.velocity, limits.acceleration, limits.jerk
    ds = float(np.min([v / d1, np.sqrt(0.5 * a / d2), np.cbrt(j / 3.0 / d3)]))
    if length > 0.0:
        ds = min(ds, speed / length)
    dds = float(np.min([0.5 * a / d1, j / 9.0 / (d2 * ds)]))
    ddds = float(np.min(j / 3.0 / d1))
    return MotionLimits.uniform(1, ds, dds, ddds)
