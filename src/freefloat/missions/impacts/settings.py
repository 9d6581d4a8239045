"""Settings of impacts that two robots render: satellites, robots, tools."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from freefloat.gnc.control.rendering.cycle import Satellite
from freefloat.scenario.fields import Settings, Vector3, quantity, setting

Rendering = Literal["observer", "paper", "naive", "passivity", "hybrid"]
Recomputation = Literal["off", "onset", "contact"]
Switch = Literal["on", "off"]


class SatelliteSettings(Settings):
    """A satellite; its frame lies in its centre of mass."""

    mass: float = quantity(100.0, "kg", "mass that is rendered", gt=0, le=1e6)
    inertia: Vector3 = quantity((10.0, 10.0, 10.0), "kg m^2", "principal moments of inertia", gt=0, le=1e8)

    def model(self) -> Satellite:
        """Its mass properties."""
        return Satellite(self.mass, np.diag(self.inertia))


class RobotSettings(Settings):
    """Both robots and what connects them with the simulation."""

    model: Literal["kr16-2", "kr240-2", "kr100-ha"] = setting("kr16-2", "type of both robots")
    cycle: float = quantity(0.004, "s", "of the robots' interface and of the simulation; KUKA's RSI has 4 or 12 ms",
                            ge=1e-3, le=0.1)  # fmt: skip
    delay: float = quantity(0.012, "s", "from a set-point being sent to the robot being there", ge=0, le=0.2)
    acceleration: float = quantity(0.45, "m/s^2", "largest of a mock-up's frame along each axis", gt=0, le=100)
    jerk: float = quantity(1e3, "m/s^3", "largest of a mock-up's frame along each axis", gt=0, le=1e6)
    direction: Literal["along", "across"] = setting(
        "along", "approach along the arms' reach, or across it, where the arms are ten times softer"
    )
    mockup_mass: float = quantity(5.0, "kg", "mass of each mock-up on its flange (assumed)", gt=0, le=200)


class ToolSettings(Settings):
    """What touches: a ball tip of the servicer, and the client's surface; each side has a stiffness of its own."""

    stiffness: float = quantity(1e5, "N/m", "of each satellite's tool: the contact that is rendered", gt=0, le=1e9)
    mockup_stiffness: float = quantity(1e5, "N/m", "of each mock-up's tool, as assumed", gt=0, le=1e9)
    tip: float = quantity(0.5, "m", "from the servicer's centre of mass to the centre of the tip", gt=0, le=10)
    base: float = quantity(0.5, "m", "from the client's centre of mass to its plate, or its cone's apex", gt=0, le=10)
    radius: float = quantity(0.01, "m", "radius of the tip", gt=0, le=1)

    @property
    def rendered(self) -> float:
        """[N/m] K_d, both sides in series."""
        return 0.5 * self.stiffness

    @property
    def assumed(self) -> float:
        """[N/m] K_e, both sides in series, as the facility believes."""
        return 0.5 * self.mockup_stiffness


class ConeSettings(ToolSettings):
    """A ball tip and a hollow cone."""

    half_angle: float = quantity(math.radians(35.0), "rad", "between the cone's axis and its wall", gt=0.05, lt=1.5)
    generator: float = quantity(0.25, "m", "from the apex to the rim", gt=0, le=10)


class CentralApproach(Settings):
    """The servicer comes straight to the middle of a plate; the client rests."""

    speed: float = quantity(0.0993, "m/s", "of the servicer; 157 N in the paper's case follow from it", gt=0, le=2)
    distance: float = quantity(0.08, "m", "of the tip from the plate at the start", gt=0, le=0.5)


class ConeApproach(Settings):
    """The servicer comes into a cone beside its axis; the client rests."""

    speed: float = quantity(0.05, "m/s", "of the servicer along the cone's axis", gt=0, le=2)
    across: float = quantity(8e-3, "m/s", "upwards, across both the axis and the way to it", ge=-0.5, le=0.5)
    beside: float = quantity(0.05, "m", "of the tip from the axis at the start", ge=-0.5, le=0.5)
    distance: float = quantity(0.0, "m", "of the tip's centre from the plane of the rim at the start", ge=-1, le=0.5)
