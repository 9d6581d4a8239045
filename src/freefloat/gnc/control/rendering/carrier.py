"""A robot with its mock-up as the facility knows it: where the mock-up is, what touches it, how far the arm gives."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from freefloat.frames import Array, Pose, skew
from freefloat.gnc.planning.arm.six_axis import SixAxis


@dataclass(frozen=True, eq=False)
class Carrier:
    """The tool frame T of the kinematics is the frame of the satellite that the robot carries."""

    kinematics: SixAxis
    mass: float
    p_FFcm: Array
    inertia: Array
    gravity: Array
    softness: Array = field(default_factory=lambda: np.zeros(6))  # [rad/(N m)] of the gears, as assumed; 0: rigid
    wound: Array = field(default_factory=lambda: np.zeros(6))  # [rad] by which motors lead the links at rest

    def pose(self, motors: Array) -> Pose:
        """X_WT for motor angles (6,) [rad], without what a contact bends."""
        return self.kinematics.forward(motors - self.wound)

    def contact_wrench(self, motors: Array, rates: Array, turns: Array, wrist: Array) -> Array:
        q = motors - self.wound
        X_WF, X_WT, J = self.kinematics.flange(q), self.kinematics.forward(q), self.kinematics.jacobian(q)
        size = float(np.abs(rates).max())
        A = J @ turns
        if size > 0.0:
            h = 1e-5 / size
            A = A + (self.kinematics.jacobian(q + h * rates) - self.kinematics.jacobian(q - h * rates)) @ rates / (
                2 * h
            )
        w = J[:3] @ rates
        cm = X_WF.apply(self.p_FFcm)
        r = cm - X_WT.p
        a_cm = A[3:] + np.cross(A[:3], r) + np.cross(w, np.cross(w, r))
        f_s, m_s = X_WF.R @ wrist[:3], X_WF.R @ wrist[3:]
        f = self.mass * (a_cm - self.gravity) - f_s
        I_W = X_WF.R @ self.inertia @ X_WF.R.T
        m_cm = I_W @ A[:3] + np.cross(w, I_W @ w) - (m_s - np.cross(cm - X_WF.p, f_s))
        return np.concatenate([m_cm + np.cross(cm - X_WT.p, f), f])

    def velocity_at(self, p_W: Array, motors: Array, rates: Array) -> Array:
        """Of the mock-up's point that is at p_W [m/s], in W."""
        return self._point_jacobian(p_W, motors) @ rates

    def compliance_at(self, p_W: Array, motors: Array) -> Array:
        """(3, 3) [m/N] in W: how far the point at p_W gives under a force, J K^-1 J^T (sec. IV-B)."""
        if not self.softness.any():
            return np.zeros((3, 3))
        J = self._point_jacobian(p_W, motors)
        return (J * self.softness) @ J.T

    def _point_jacobian(self, p_W: Array, motors: Array) -> Array:
        q = motors - self.wound
        J = self.kinematics.jacobian(q)
        return J[3:] - skew(p_W - self.kinematics.forward(q).p) @ J[:3]
