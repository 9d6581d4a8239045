"""Rendering by eqs 12 to 38 of Lange, Grunwald and Albu-Schaeffer 2016: shapes unknown, the normal is the force's."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from freefloat.frames import Array, Pose
from freefloat.gnc.control.rendering.cycle import Orders, Sensed
from freefloat.gnc.control.rendering.redo import Redo
from freefloat.gnc.control.rendering.shapes import Tools, plane_place
from freefloat.gnc.control.rendering.touch import Touch


def contact_point(apex_W: Array, X_WC: Pose, F_W: Array) -> Array:
    """Point (3,) [m] of the client at which a contact wrench [moment; force] about its origin acts (eq. 38).

    It is the one in the plane through the apex and normal to the force (eq. 37), which holds without friction and
    without a torque in the contact.
    """
    force = F_W[3:]
    moment = F_W[:3] - np.cross(apex_W - X_WC.p, force)  # about the apex
    return apex_W + np.cross(force, moment) / float(force @ force)


@dataclass
class Paper:
    """While the robots touch, the satellites meet a plane through x_de of eq. 32, normal to the measured force.

    With f_d = k_d (x_dc2 - x_dc1 + o) n and o = |f| / k_e - n^T (x_c2 - x_c1) held over a cycle, eqs 12, 27, 28 and the
    gate 34, 35 are the law of the satellites' contact on that plane.
    """

    tools: Tools  # of which the paper uses the tip, and the apex of the surface
    stiffness: float  # [N/m] K_e of both tools in series, as assumed
    touch: Touch
    redo: Redo

    def __post_init__(self) -> None:
        self.place = self.tools.surface.X_CS

    def update(self, s: Sensed) -> Orders:
        """The plane of this cycle; without a measured force no contact."""
        force = s.force
        size = float(np.linalg.norm(force))
        tip = self.tools.tip_in_client(s.servicer.X_W, s.client.X_W)
        inside = self.touch.touching and self._gap(tip) <= 0.0  # the plane of the cycle before
        touching = self.touch.update(s.t, size)
        if touching:
            self.place = self._plane(s, force / size, size)
        since = self.redo.update(s.t, tip, inside, touching, touching, self._gap)
        return Orders(self.place, float(touching), since=since)

    def _gap(self, p_CT: Array) -> Array:
        """Of tips (..., 3) in the client's frame over the plane."""
        return (p_CT - self.place.p) @ self.place.R[:, 2] - self.tools.radius

    def _plane(self, s: Sensed, normal: Array, size: float) -> Pose:
        apex = s.X_2.apply(self.tools.surface.X_CS.p)
        x_c1 = s.X_1.apply(np.array(self.tools.p_ST)) - self.tools.radius * normal
        x_c2 = contact_point(apex, s.X_2, s.F_2)
        compliance = 1.0 / self.stiffness + float(normal @ s.compliance @ normal)
        offset = size * compliance - float(normal @ (x_c2 - x_c1))
        X_CW = s.X_2.inverse()
        return plane_place(X_CW.apply(x_c2 + offset * normal), X_CW.R @ normal)
