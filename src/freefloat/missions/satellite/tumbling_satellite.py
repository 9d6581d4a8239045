"""A rigid satellite that tumbles in orbit around a point-mass Earth."""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np
from pydantic import model_validator

from freefloat.engine.blueprint import Motion
from freefloat.engine.mission import Mission
from freefloat.engine.result import Result
from freefloat.engine.rows import point_mass_gravity
from freefloat.errors import about
from freefloat.frames import Pose, mrp_from_quat
from freefloat.inertia import check_inertia
from freefloat.scenario.base import Scenario
from freefloat.scenario.fields import Rotation, Settings, Vector3, quantity, rotation, setting
from freefloat.scenario.registry import register
from freefloat.structure import RigidBody


class Truth(Settings):
    """Where the satellite must be at one instant, to be compared with when the run ends there."""

    at: float = quantity(10.0, "s", "the instant of these values", gt=0)
    p_WB: Vector3 = quantity((-4072255.7737936, 7456050.4649078, 5258610.0296275), "m", "position then")
    mrp_WB: Vector3 = quantity(
        (0.373034285, -0.00239564413, 0.208570797), "-", "attitude then, modified Rodrigues parameters"
    )
    w_WB_B: Vector3 = quantity((0.4876472754, 0.3146415831, 0.7422941965), "rad/s", "angular velocity then, in B")


@register
class TumblingSatellite(Scenario):
    """One rigid body, no torque, gravity of a point mass: Basilisk's spacecraft test by default."""

    kind: ClassVar[str] = "tumbling-satellite"
    title: ClassVar[str] = "A rigid satellite tumbles in orbit; compared with published truth values"

    duration: float = quantity(10.0, "s", "simulated time", gt=0, le=1e9)
    mass: float = quantity(100.0, "kg", "mass of the satellite", gt=0)
    inertia: Vector3 = quantity((500.0, 200.0, 300.0), "kg m^2", "principal moments about the centre of mass", gt=0)
    size: Vector3 = quantity((4.0, 6.0, 5.0), "m", "edges of the drawn box", gt=0)
    mu: float = quantity(3.986004415e14, "m^3/s^2", "gravity parameter of the Earth; 0: no gravity", ge=0)
    position: Vector3 = quantity((-4020338.690396649, 7490566.741852513, 5248299.211589362), "m", "p_WB at the start")
    velocity: Vector3 = quantity((-5199.77710904224, -3436.681645356935, 1041.576797498721), "m/s", "v_WB at the start")
    attitude: Rotation = rotation((0.0, 0.0, 0.0), "R_WB at the start")
    rate: Vector3 = quantity((0.5, -0.4, 0.7), "rad/s", "w_WB_B at the start")
    truth: Truth | None = setting(
        None, "values to compare with, when the run ends at their instant; none: no comparison"
    )

    @model_validator(mode="after")
    def _has_an_inertia_that_can_be(self) -> Self:
        with about("inertia"):
            check_inertia(np.diag(self.inertia))
        return self

    def build(self) -> Mission:
        """One free body under point-mass gravity."""
        motion = Motion(Pose.from_rpy(self.attitude, self.position), self.rate, self.velocity)
        body = RigidBody("satellite", self.mass, self.inertia, self.size, motion=motion)
        rows = [point_mass_gravity(self.mu)] if self.mu > 0.0 else []
        return Mission(
            [body],
            rows=rows,
            integrator=self.integrator.make(),
            record_rate=self.record_rate,
            judge=self._judge,
            plots=("satellite.w_WB_B", "satellite.q_WB"),
        )

    def _judge(self, result: Result) -> dict[str, float]:
        """Errors at the end against the truth, where one is given for that instant."""
        w = np.linalg.norm(result["satellite.w_WB_B"], axis=1)
        found = {"largest_rate_rad_s": float(w.max())}
        if self.truth is not None and abs(result.duration - self.truth.at) < 1e-9:
            mrp = mrp_from_quat(result["satellite.q_WB"][-1])
            p, rate = result["satellite.p_WB"][-1], result["satellite.w_WB_B"][-1]
            found["position_error_m"] = float(np.linalg.norm(p - self.truth.p_WB))
            found["mrp_error"] = float(np.linalg.norm(mrp - self.truth.mrp_WB))
            found["rate_error_rad_s"] = float(np.linalg.norm(rate - self.truth.w_WB_B))
        return found
