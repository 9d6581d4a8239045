"""A slender satellite that the gravity gradient holds upright: it librates in the orbit plane."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar, Self

import numpy as np
from pydantic import model_validator

from freefloat.engine.blueprint import Motion
from freefloat.engine.mission import Mission
from freefloat.engine.result import Result
from freefloat.errors import about
from freefloat.frames import Array, Pose, quat_to_matrix, rpy_to_matrix
from freefloat.inertia import check_inertia
from freefloat.missions.orbit_settings import OrbitSettings
from freefloat.orbit.lvlh import lvlh_axes, lvlh_rate
from freefloat.scenario.base import IntegratorSettings, Scenario
from freefloat.scenario.fields import Vector3, quantity, setting
from freefloat.scenario.registry import register
from freefloat.structure import RigidBody


@register
class GravityGradientBoom(Scenario):
    """One slender body B, its long axis z near the vertical, released at rest in the orbital frame LVLH."""

    kind: ClassVar[str] = "gravity-gradient-boom"
    title: ClassVar[str] = "A slender satellite librates about the vertical in the gravity gradient"

    duration: float = quantity(11200.0, "s", "simulated time", gt=0, le=1e9)
    orbit: OrbitSettings = setting(OrbitSettings(degree=0, third_bodies=False), "the orbit")
    mass: float = quantity(100.0, "kg", "mass of the satellite", gt=0)
    inertia: Vector3 = quantity((1000.0, 1000.0, 10.0), "kg m^2", "principal moments about x, y and the boom z", gt=0)
    size: Vector3 = quantity((0.5, 0.5, 11.0), "m", "edges of the drawn box", gt=0)
    pitch: float = quantity(0.5 * np.pi / 180.0, "rad", "angle of the boom from the vertical at the start, about y")
    integrator: IntegratorSettings = setting(IntegratorSettings(step=0.1), "how the plant is integrated")
    record_rate: float = quantity(0.1, "Hz", "rate at which signals are recorded", gt=0, le=1e6)

    @model_validator(mode="after")
    def _has_an_inertia_that_can_be(self) -> Self:
        with about("inertia"):
            check_inertia(np.diag(self.inertia))
        return self

    def build(self) -> Mission:
        """Orbit and body."""
        frame = self.orbit.frame(self.duration)
        p_I, v_I = frame.reference.position(0.0), frame.reference.velocity(0.0)
        R_LB = rpy_to_matrix(0.0, self.pitch, 0.0)
        w = R_LB.T @ lvlh_rate(p_I, v_I)
        motion = Motion(Pose(lvlh_axes(p_I, v_I) @ R_LB, np.zeros(3)), (float(w[0]), float(w[1]), float(w[2])))
        body = RigidBody("satellite", self.mass, self.inertia, self.size, motion=motion)
        return Mission(
            [frame, body],
            integrator=self.integrator.make(),
            record_rate=self.record_rate,
            judge=self._judge,
            plots=("satellite.q_WB", "satellite.w_WB_B", "orbit.p_IW"),
            writers=[self.orbit.writer("satellite"), _draw],
        )

    def _judge(self, result: Result) -> dict[str, float]:
        """Libration angles, and the frequency of pitch once the boom has passed the vertical twice.

        A small pitch in a circular orbit of rate n has the frequency n sqrt(3 (Ix - Iz) / Iy) (Hughes, Spacecraft
        Attitude Dynamics, sec. 9.2); a finite one of amplitude a is slower by a^2 / 4.
        """
        p_I, v_I = result["orbit.p_IW"], result["orbit.v_IW"]
        pitch, out_of_plane = _angles(result)
        found = {
            "pitch_max_deg": float(np.rad2deg(np.abs(pitch).max())),
            "out_of_plane_max_deg": float(np.rad2deg(np.abs(out_of_plane).max())),
        }
        passes = _zeros(result.time("satellite.q_WB"), pitch)
        stiffness = 3.0 * (self.inertia[0] - self.inertia[2]) / self.inertia[1]
        if len(passes) < 2 or stiffness <= 0.0:
            return found
        expected = float(-lvlh_rate(p_I[0], v_I[0])[1] * np.sqrt(stiffness))
        frequency = float(np.pi * (len(passes) - 1) / (passes[-1] - passes[0]))
        found["libration_frequency_rad_s"] = frequency
        found["libration_frequency_error"] = abs(frequency / expected - 1.0)
        return found


def _angles(result: Result) -> tuple[Array, Array]:
    """Of the boom from the vertical [rad], (n,) each: in the orbit plane, and out of it."""
    p_I, v_I = result["orbit.p_IW"], result["orbit.v_IW"]
    axes = np.array([lvlh_axes(p, v) for p, v in zip(p_I, v_I, strict=True)])
    boom_L = np.array([L.T @ quat_to_matrix(q)[:, 2] for L, q in zip(axes, result["satellite.q_WB"], strict=True)])
    return np.arctan2(boom_L[:, 0], boom_L[:, 2]), np.arcsin(boom_L[:, 1])


def _draw(result: Result, out: Path) -> None:
    from freefloat.missions.satellite.closed_form_pictures import draw_libration  # heavy, and only needed here

    pitch, roll = (np.rad2deg(angle) for angle in _angles(result))
    draw_libration(result.time("satellite.q_WB"), pitch, roll, out / "plots" / "libration.png")


def _zeros(t: Array, x: Array) -> Array:
    """Times at which x passes zero, linear between samples."""
    k = np.flatnonzero(x[:-1] * x[1:] < 0.0)
    return t[k] - x[k] * (t[k + 1] - t[k]) / (x[k + 1] - x[k])
