"""Satellites that the facility shows: two free bodies with docking frames, set moving once the facility runs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from freefloat.facility.axes import CYCLE
from freefloat.facility.record import is_alive
from freefloat.frames import Array, Pose, quat_to_matrix
from freefloat.gnc.control.rendering.cycle import Moving, Satellite
from freefloat.gnc.control.rendering.shapes import Plate, Tools
from freefloat.missions.facility.courses import MEETING
from freefloat.missions.impacts.laboratory import SURFACE
from freefloat.missions.impacts.settings import ToolSettings

BACK = np.diag([-1.0, -1.0, 1.0])  # half a turn about z
# The satellites' inertial frame as the point of view P of every record: x along the approach, which is against x of G;
# its origin is where the client's docking frame is at the start.
X_GP = Pose(BACK, MEETING)


@dataclass(frozen=True)
class Flight:
    """From rest to a free flight: the servicer comes along x, both turn. Rates are those when nothing acts any more."""

    distance: float  # [m] between the docking frames at the start
    speed: float  # [m/s] of the servicer
    ramp: float  # [s] in which both are set moving
    servicer_rate: Array  # [rad/s] (3,) in its own axes
    client_rate: Array  # [rad/s] (3,)

    @property
    def rates(self) -> tuple[Array, Array]:
        """Of servicer and client."""
        return self.servicer_rate, self.client_rate


@dataclass(frozen=True, eq=False)
class Pairing:
    """Both satellites with their tools; frames lie in the centres of mass, x along the approach."""

    bodies: tuple[Satellite, Satellite]  # servicer, client
    settings: ToolSettings

    @property
    def tools(self) -> Tools:
        """A ball before the servicer and a plate before the client."""
        s = self.settings
        return Tools((s.tip, 0.0, 0.0), s.radius, Plate(Pose(SURFACE, [-s.base, 0.0, 0.0])))

    @property
    def ports(self) -> tuple[Pose, Pose]:
        """X_BU: docking frames, which the robots' user tools show. x is that of the lab: from client to servicer."""
        return Pose(BACK, [self.settings.tip, 0.0, 0.0]), Pose(BACK, [-self.settings.base, 0.0, 0.0])

    def at_rest(self, distance: float) -> tuple[Moving, Moving]:
        """At the start: docking frames so far [m] apart, the client's in the origin."""
        still, axes = np.zeros(3), np.eye(3)
        first = Pose(axes, [-distance - self.settings.tip, 0.0, 0.0])
        return Moving(first, still, still), Moving(Pose(axes, [self.settings.base, 0.0, 0.0]), still, still)


class Departure:
    """A controller that sets the satellites moving: reads `state` (24,) of the facility and the attitudes `q_1`, `q_2`,
    returns `wrench_1`, `wrench_2` (6,) [torque; force] in their own axes.

    Nothing acts before bit 14 of the state's mode, so that what rests where the facility is to start waits for Confirm.
    Then, over the ramp T, with s = 3 u^2 - 2 u^3 and u = t/T:  F = m s' v,  tau = I s' w + s^2 (w x I w),
    each held over its cycle at the value of its middle; after it the satellites are free.
    """

    def __init__(self, flight: Flight, bodies: tuple[Satellite, Satellite]) -> None:
        self.flight, self.bodies = flight, bodies
        self.begun = math.inf  # [s]

    def update(self, t: float, meas: Mapping[str, Array]) -> dict[str, Array]:
        """The wrenches of a cycle."""
        if math.isinf(self.begun) and is_alive(float(meas["state"][1])):
            self.begun = t
        u = (t - self.begun + 0.5 * CYCLE) / self.flight.ramp
        if not 0.0 < u < 1.0:
            return {"wrench_1": np.zeros(6), "wrench_2": np.zeros(6)}
        share, slope = u * u * (3.0 - 2.0 * u), 6.0 * u * (1.0 - u) / self.flight.ramp
        velocities = np.array([self.flight.speed, 0.0, 0.0]), np.zeros(3)
        found: dict[str, Array] = {}
        for k, (body, v, w) in enumerate(zip(self.bodies, velocities, self.flight.rates, strict=True), 1):
            force = body.mass * slope * v @ quat_to_matrix(meas[f"q_{k}"])
            torque = slope * body.inertia @ w + share**2 * np.cross(w, body.inertia @ w)
            found[f"wrench_{k}"] = np.concatenate([torque, force])
        return found
