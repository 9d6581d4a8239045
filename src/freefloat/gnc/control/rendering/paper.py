"""Rendering by eqs 12 to 38 of Lange, Grunwald and Albu-Schaeffer 2016: shapes unknown, the normal is the force's."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from freefloat.frames import Array, Pose
from freefloat.gnc.control.rendering.cycle import Orders, Sensed
from freefloat.gnc.control.rendering.redo import Redo
from freefloat.gnc.control.rendering.shapes import Tools, plane_place
from freefloat.gnc.control.rendering.touch import Touch

LEAST = 1e-6  # [m] penetration that counts at least, as a weight


def contact_point(apex_W: Array, X_WC: Pose, F_W: Array) -> Array:
    """Point (3,) [m] of the client at which a contact wrench [moment; force] about its origin acts (eq. 38).

    It is the one in the plane through the apex and normal to the force (eq. 37), which holds without friction and
    without a torque in the contact.
    """
    force = F_W[3:]
    moment = F_W[:3] - np.cross(apex_W - X_WC.p, force)  # about the apex
    return apex_W + np.cross(force, moment) / float(force @ force)


@dataclass(frozen=True)
class Facet:
    """The plane of one cycle in the client's frame: its normal, and where the satellites' tip would touch it."""

    normal: Array
    point: Array  # [m]

    @property
    def place(self) -> Pose:
        """Its frame."""
        return plane_place(self.point, self.normal)


@dataclass
class Paper:
    """While the robots touch, the satellites meet a plane through x_de of eq. 32, normal to the measured force.

    With f_d = k_d (x_dc2 - x_dc1 + o) n and o = |f| / k_e - n^T (x_c2 - x_c1) held over a cycle, eqs 12, 27, 28 and the
    gate 34, 35 are the law of the satellites' contact on that plane. Where the whole contact is redone (beyond the
    paper, which redoes it at its onset), one plane has to do for all of it: the mean over its cycles, each with the
    satellites' own penetration as its weight.
    """

    tools: Tools  # of which the paper uses the tip, and the apex of the surface
    stiffness: float  # [N/m] K_e of both tools in series, as assumed
    touch: Touch
    redo: Redo

    def __post_init__(self) -> None:
        self.place = self.tools.surface.X_CS
        self.met = False  # the satellites, in this contact of the robots
        self.mean = MeanFacet()

    def update(self, s: Sensed) -> Orders:
        """The plane of this cycle; without a measured force no contact."""
        force = s.force
        size = float(np.linalg.norm(force))
        tip = self.tools.tip_in_client(s.servicer.X_W, s.client.X_W)
        before = self.touch.touching
        inside = before and bool(self._gap(tip) <= 0.0)  # the plane of the cycle before
        touching = self.touch.update(s.t, size)
        self.met = touching and (self.met or inside)
        over = self.met and not inside and before  # of the robots' contact the satellites' part is done (eqs 34, 35)
        if touching and not before:
            self.mean = MeanFacet()
        if touching and not over:
            facet = self._facet(s, force / size, size)
            if self.redo.whole:
                deep = self.tools.radius - float((tip - facet.point) @ facet.normal)
                facet = self.mean.with_one(facet, max(deep, LEAST))
            self.place = facet.place
        since = self.redo.update(s.t, tip, inside, touching, touching and not over, self._gap)
        return Orders(self.place, float(touching), since=since)

    def _gap(self, p_CT: Array) -> Array:
        """Of tips (..., 3) in the client's frame over the plane."""
        return (p_CT - self.place.p) @ self.place.R[:, 2] - self.tools.radius

    def _facet(self, s: Sensed, normal: Array, size: float) -> Facet:
        apex = s.X_2.apply(self.tools.surface.X_CS.p)
        x_c1 = s.X_1.apply(np.array(self.tools.p_ST)) - self.tools.radius * normal
        x_c2 = contact_point(apex, s.X_2, s.F_2)
        compliance = 1.0 / self.stiffness + float(normal @ s.compliance @ normal)
        offset = size * compliance - float(normal @ (x_c2 - x_c1))
        X_CW = s.X_2.inverse()
        return Facet(X_CW.R @ normal, X_CW.apply(x_c2 + offset * normal))


class MeanFacet:
    """Weighted mean over the cycles of a contact."""

    def __init__(self) -> None:
        self.weight, self.normal, self.point = 0.0, np.zeros(3), np.zeros(3)

    def with_one(self, facet: Facet, weight: float) -> Facet:
        """The mean with one more."""
        self.weight += weight
        self.normal = self.normal + weight * facet.normal
        self.point = self.point + weight * facet.point
        return Facet(self.normal / np.linalg.norm(self.normal), self.point / self.weight)
