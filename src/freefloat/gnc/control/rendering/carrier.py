"""A robot with its mock-up as the facility knows it: where the mock-up is, what touches it, how far the arm gives."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from freefloat.frames import Array, Pose, skew
from freefloat.gnc.estimation.wrist import WristCompensation
from freefloat.gnc.planning.arm.six_axis import SixAxis


@dataclass(frozen=True, eq=False)
class Carrier:
    """The tool frame T of the kinematics is the frame of the satellite that the robot carries."""

    kinematics: SixAxis
    wrist: WristCompensation
    softness: Array = field(default_factory=lambda: np.zeros(6))  # [rad/(N m)] of the gears, as assumed; 0: rigid
    wound: Array = field(default_factory=lambda: np.zeros(6))  # [rad] by which motors lead the links at rest

    def pose(self, motors: Array) -> Pose:
        """X_WT for motor angles (6,) [rad], without what a contact bends."""
        return self.kinematics.forward(motors - self.wound)

    def contact_wrench(self, motors: Array, rates: Array, turns: Array, wrist: Array) -> Array:
        """[moment; force] (6,) on the mock-up about the origin of T, in W."""
        found = self.wrist.contact(motors - self.wound, rates, turns, wrist)
        return np.concatenate([found[3:], found[:3]])

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
