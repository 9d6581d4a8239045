"""A robot with its mock-up as the facility knows it: where the mock-up is, what touches it, how far the arm gives."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from freefloat.frames import Array, Pose, skew
from freefloat.gnc.estimation.wrist import WristCompensation
from freefloat.gnc.planning.arm.six_axis import SixAxis
from freefloat.gnc.planning.arm.six_axis_statics import Statics


@dataclass(frozen=True, eq=False)
class Carrier:
    """The tool frame T of the kinematics is the frame of the satellite that the robot carries."""

    kinematics: SixAxis
    wrist: WristCompensation
    statics: Statics | None = None  # weights and gears as assumed; None: rigid
    rest: Array = field(default_factory=lambda: np.zeros(6))  # [rad] wind-up beyond that, found in the start's posture

    def links(self, motors: Array, turns: Array | None = None) -> Array:
        """Angles of the links (6,) [rad] from those of the motors and their accelerations, nothing touching."""
        if self.statics is None:
            return motors
        return motors - self.wound(motors - self.wound(motors), turns)

    def wound(self, q: Array, turns: Array | None = None) -> Array:
        """By how much motors lead the links at q, nothing touching (eq. 7)."""
        if self.statics is None:
            return self.rest
        return self.statics.sag(q, np.zeros(6) if turns is None else turns) + self.rest

    def pose(self, q: Array) -> Pose:
        """X_WT for angles of the links."""
        return self.kinematics.forward(q)

    def contact_wrench(self, q: Array, rates: Array, turns: Array, wrist: Array) -> Array:
        """[moment; force] (6,) on the mock-up about the origin of T, in W."""
        found = self.wrist.contact(q, rates, turns, wrist)
        return np.concatenate([found[3:], found[:3]])

    def velocity_at(self, p_W: Array, q: Array, rates: Array) -> Array:
        """Of the mock-up's point that is at p_W [m/s], in W."""
        return self._point_jacobian(p_W, q) @ rates

    def compliance_at(self, p_W: Array, q: Array) -> Array:
        """(3, 3) [m/N] in W: how far the point at p_W gives under a force, J K^-1 J^T (sec. IV-B)."""
        if self.statics is None:
            return np.zeros((3, 3))
        J = self._point_jacobian(p_W, q)
        return (J / np.asarray(self.statics.stiffness, np.float64)) @ J.T

    def _point_jacobian(self, p_W: Array, q: Array) -> Array:
        J = self.kinematics.jacobian(q)
        return J[3:] - skew(p_W - self.kinematics.forward(q).p) @ J[:3]
