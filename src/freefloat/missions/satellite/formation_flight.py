"""Two satellites in formation: the deputy circles the chief on a relative orbit that does not drift."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import numpy as np

from freefloat.engine.blueprint import Motion
from freefloat.engine.mission import Mission
from freefloat.engine.result import Result
from freefloat.frames import Array, Pose
from freefloat.missions.orbit_settings import OrbitSettings
from freefloat.orbit.lvlh import lvlh_axes, lvlh_rate
from freefloat.scenario.base import IntegratorSettings, Scenario
from freefloat.scenario.fields import Vector3, quantity, setting
from freefloat.scenario.registry import register
from freefloat.structure import RigidBody


def relative_ellipse(t: Array, n: float, size: float, across: float, phase: float) -> tuple[Array, Array]:
    """Position [m] and velocity [m/s] in LVLH, (k, 3) each, on the drift-free solution of Hill's equations.

    x (along) = size cos a, y (across) = across sin a, z (down) = -size / 2 sin a with a = n t + phase
    (Clohessy and Wiltshire 1960): a 2 to 1 ellipse in the orbit plane, and a swing across it.
    """
    a = n * t + phase
    c, s = np.cos(a), np.sin(a)
    p = np.column_stack([size * c, across * s, -0.5 * size * s])
    v = n * np.column_stack([-size * s, across * c, -0.5 * size * c])
    return p, v


@register
class FormationFlight(Scenario):
    """Chief and deputy as free bodies in one falling frame, no control."""

    kind: ClassVar[str] = "formation-flight"
    title: ClassVar[str] = "Two satellites on a drift-free relative orbit; compared with Clohessy and Wiltshire"

    duration: float = quantity(11200.0, "s", "simulated time", gt=0, le=1e9)
    orbit: OrbitSettings = setting(OrbitSettings(degree=0, third_bodies=False), "the chief's orbit")
    mass: float = quantity(100.0, "kg", "mass of each satellite", gt=0)
    edges: Vector3 = quantity((1.0, 1.0, 1.0), "m", "edges of each satellite, a solid box", gt=0)
    size: float = quantity(100.0, "m", "semi-axis of the relative ellipse along the flight; half of it radially", ge=0)
    across: float = quantity(0.0, "m", "amplitude across the orbit plane", ge=0)
    phase: float = quantity(0.0, "rad", "angle on the ellipse at the start; 0: ahead of the chief, then above it")
    integrator: IntegratorSettings = setting(IntegratorSettings(step=0.1), "how the plant is integrated")
    record_rate: float = quantity(0.1, "Hz", "rate at which signals are recorded", gt=0, le=1e6)

    def build(self) -> Mission:
        """Chief at the origin of the falling frame, deputy on its ellipse."""
        frame = self.orbit.frame(self.duration)
        p_I, v_I = frame.reference.position(0.0), frame.reference.velocity(0.0)
        R_IL, w_IL_L = lvlh_axes(p_I, v_I), lvlh_rate(p_I, v_I)
        p_L, v_L = (x[0] for x in self._ellipse(np.zeros(1), -w_IL_L[1]))
        v_W = R_IL @ (v_L + np.cross(w_IL_L, p_L))
        deputy = Motion(Pose(np.eye(3), R_IL @ p_L), v_WL=(float(v_W[0]), float(v_W[1]), float(v_W[2])))
        parts = [
            frame,
            RigidBody("chief", self.mass, size=self.edges),
            RigidBody("deputy", self.mass, size=self.edges, motion=deputy),
        ]
        return Mission(
            parts,
            integrator=self.integrator.make(),
            record_rate=self.record_rate,
            judge=self._judge,
            plots=("deputy.p_WB", "deputy.v_WB", "orbit.p_IW"),
            writers=[self.orbit.writer("chief", "deputy"), self._draw],
        )

    def _ellipse(self, t: Array, n: float) -> tuple[Array, Array]:
        return relative_ellipse(t, n, self.size, self.across, self.phase)

    def _draw(self, result: Result, out: Path) -> None:
        from freefloat.missions.satellite.closed_form_pictures import draw_relative_orbit  # heavy, only needed here

        p_L, closed_L, _ = self._compared(result)
        draw_relative_orbit(result.time("chief.p_WB"), p_L, closed_L, out / "plots" / "relative-orbit.png")

    def _compared(self, result: Result) -> tuple[Array, Array, float]:
        """The deputy seen from the chief in LVLH and by the closed form [m], (k, 3) each; the orbit's rate [rad/s]."""
        p_I, v_I = result["orbit.p_IW"] + result["chief.p_WB"], result["orbit.v_IW"] + result["chief.v_WB"]
        apart = result["deputy.p_WB"] - result["chief.p_WB"]
        p_L = np.array([lvlh_axes(p, v).T @ d for p, v, d in zip(p_I, v_I, apart, strict=True)])
        n = float(-lvlh_rate(p_I[0], v_I[0])[1])
        return p_L, self._ellipse(result.time("chief.p_WB"), n)[0], n

    def _judge(self, result: Result) -> dict[str, float]:
        """Largest distance from the closed form, range of separation, and the drift along the flight per orbit."""
        t = result.time("chief.p_WB")
        p_L, closed_L, n = self._compared(result)
        error = p_L - closed_L
        distance = np.linalg.norm(p_L, axis=1)
        found = {
            "relative_error_max_m": float(np.linalg.norm(error, axis=1).max()),
            "separation_min_m": float(distance.min()),
            "separation_max_m": float(distance.max()),
        }
        orbits = int(n * t[-1] / (2.0 * np.pi) + 1e-9)
        if orbits >= 1:
            # the motion is periodic but for the drift, so the same angle on the ellipse is compared
            later = np.interp(2.0 * np.pi * orbits / n, t, error[:, 0])
            found["drift_per_orbit_m"] = float(abs(later - error[0, 0]) / orbits)
        return found
