"""Settings of satellites that the facility shows."""

from __future__ import annotations

import math

import numpy as np

from freefloat.missions.facility.hybrid_space import Flight
from freefloat.scenario.fields import Settings, Vector3, quantity


def _degrees(*rates: float) -> tuple[float, float, float]:
    x, y, z = map(math.radians, rates)
    return x, y, z


class FlightSettings(Settings):
    """The servicer comes along the rail and turns a little; the client tumbles. Both are at rest until Confirm."""

    distance: float = quantity(3.0, "m", "between the docking frames at the start", gt=0.2, le=20)
    speed: float = quantity(0.05, "m/s", "of the servicer", ge=0, le=1)
    ramp: float = quantity(5.0, "s", "in which both satellites are set moving", gt=0.1, le=100)
    servicer_rate: Vector3 = quantity(
        _degrees(0.1, 0.15, -0.2), "rad/s", "of the servicer in its own axes, once it is free"
    )
    client_rate: Vector3 = quantity(_degrees(2.0, 0.5, 0.3), "rad/s", "of the client in its own axes, once it is free")

    def flight(self) -> Flight:
        """As it is flown."""
        return Flight(self.distance, self.speed, self.ramp, np.array(self.servicer_rate), np.array(self.client_rate))


class ImpactSettings(Settings):
    """With contact: the servicer's tip comes straight to the middle of the client's plate; nothing turns."""

    distance: float = quantity(0.25, "m", "of the tip from the plate at the start", gt=0, le=1)
    speed: float = quantity(0.0993, "m/s", "of the servicer; 157 N follow from it", gt=0, le=0.5)
    ramp: float = quantity(1.0, "s", "in which it is set moving", gt=0.1, le=10)
    running: float = quantity(5.0, "s", "after Confirm at which the operator stops the facility", gt=0, le=1e3)

    def flight(self, radius: float) -> Flight:
        """As it is flown; `radius` [m] of the tip."""
        return Flight(self.distance + radius, self.speed, self.ramp, np.zeros(3), np.zeros(3))
