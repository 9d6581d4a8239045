"""Renderings that put the measured force on the satellites: as it is, kept passive, or beside a virtual one."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from freefloat.frames import Array, Pose
from freefloat.gnc.control.rendering.cycle import Moving, Orders, Satellite, Sensed
from freefloat.gnc.control.rendering.shapes import Tools
from freefloat.gnc.control.rendering.touch import Touch


def in_body(F_W: Array, X_W: Pose) -> Array:
    """A wrench [moment; force] about the origin, from W into the body's axes."""
    return np.concatenate([F_W[:3] @ X_W.R, F_W[3:] @ X_W.R])


@dataclass
class Naive:
    """Both measured wrenches, held over the cycle: late and sampled, they pump energy into the satellites."""

    place: Pose
    touch: Touch

    def update(self, s: Sensed) -> Orders:
        """Hand the wrenches on while the robots touch."""
        if not self.touch.update(s.t, float(np.linalg.norm(s.force))):
            return Orders(self.place, 0.0)
        return Orders(self.place, 0.0, in_body(s.F_1, s.X_1), in_body(s.F_2, s.X_2))


@dataclass
class Passivity:
    """Naive with an energy observer and a controller at the satellites' port (Krenn, Boge and Zebenay 2014; De Stefano
    et al. 2015): a contact gives back at most what it took, so that wrenches are cut where they would generate energy.

    The observer is exact: kinetic energy of the simulated satellites, against that before the touch. What a held wrench
    would add in the coming cycle is h F.V + h^2 F M^-1 F / 2.
    """

    place: Pose
    touch: Touch
    satellites: tuple[Satellite, Satellite]
    cycle: float  # [s] h
    reserve: float = 1e-9  # of the energy, for rounding
    start: float | None = field(default=None, init=False)  # [J] before the touch

    def update(self, s: Sensed) -> Orders:
        """Hand on as much of the wrenches as passivity leaves."""
        movers = (s.servicer, s.client)
        now = sum(m.energy(b) for m, b in zip(movers, self.satellites, strict=True))
        touching = self.touch.update(s.t, float(np.linalg.norm(s.force)))
        if not touching or self.start is None:
            self.start = now if self.start is None else min(self.start, now)
        if not touching:
            return Orders(self.place, 0.0)
        wrenches = in_body(s.F_1, s.X_1), in_body(s.F_2, s.X_2)
        share = self._share(movers, wrenches, (1.0 - self.reserve) * self.start - now)
        return Orders(self.place, 0.0, share * wrenches[0], share * wrenches[1])

    def _share(self, movers: tuple[Moving, Moving], wrenches: tuple[Array, Array], room: float) -> float:
        """The largest share, 0 to 1, with which the next cycle adds at most `room` [J]."""
        linear = square = 0.0
        for mover, F, body in zip(movers, wrenches, self.satellites, strict=True):
            linear += self.cycle * float(F[3:] @ (mover.v_W @ mover.X_W.R) + F[:3] @ mover.w_B)
            turning = float(F[:3] @ np.linalg.solve(body.inertia, F[:3]))
            square += 0.5 * self.cycle**2 * (float(F[3:] @ F[3:]) / body.mass + turning)
        if linear + square <= room:
            return 1.0
        if square == 0.0:
            return 0.0
        root = math.sqrt(max(linear**2 + 4.0 * square * room, 0.0))
        return min(max((root - linear) / (2.0 * square), 0.0), 1.0)


@dataclass
class Hybrid:
    """Measured force plus a virtual spring and damper on the mock-ups' penetration (Zebenay, Boge and Choukroun 2014).

    The virtual stiffness makes up for tools that are softer than what is rendered; the virtual damping is chosen so
    that the loop's critical delay is above the facility's.
    """

    tools: Tools
    touch: Touch
    stiffness: float  # [N/m] virtual
    damping: float  # [N s/m] virtual

    def update(self, s: Sensed) -> Orders:
        """Both forces at the tip."""
        place = self.tools.surface.X_CS
        if not self.touch.update(s.t, float(np.linalg.norm(s.force))):
            return Orders(place, 0.0)
        p_CT = self.tools.tip_in_client(s.X_1, s.X_2)
        gap, normal_C = self.tools.meet(p_CT)
        normal = s.X_2.R @ normal_C
        size = self.stiffness * max(-gap, 0.0) - self.damping * float(normal @ s.v_tip)
        virtual = max(size, -float(normal @ s.force)) * normal  # together they never pull
        tip = s.X_1.apply(np.array(self.tools.p_ST))
        F_1 = s.F_1 + np.concatenate([np.cross(tip - s.X_1.p, virtual), virtual])
        F_2 = s.F_2 - np.concatenate([np.cross(tip - s.X_2.p, virtual), virtual])
        return Orders(place, 0.0, in_body(F_1, s.X_1), in_body(F_2, s.X_2))
