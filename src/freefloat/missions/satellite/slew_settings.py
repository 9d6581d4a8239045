"""Settings of a satellite that turns by thrusters: twelve of them and their tank, the turn, the controller."""

from __future__ import annotations

import math

import numpy as np

from freefloat.actuators import Pulses, Tank, Thruster, Thrusters
from freefloat.engine.randomness import stream
from freefloat.errors import FieldError
from freefloat.frames import Array
from freefloat.gnc.control.allocation import ThrusterAllocation
from freefloat.scenario.fields import Settings, Vector3, quantity


class JetSettings(Settings):
    """Twelve cold-gas thrusters on the faces of a box, four about each axis, of which two make a pure torque."""

    thrust: float = quantity(0.1, "N", "of each, nominal", gt=0)
    specific_impulse: float = quantity(65.0, "s", "of nitrogen from a cold nozzle (assumed)", gt=0)
    spread: float = quantity(0.9, "-", "place across the face, of half its edge", gt=0, le=1)
    min_on: float = quantity(0.01, "s", "shortest pulse; with the thrust, the least impulse", ge=0, le=1)
    tick: float = quantity(0.005, "s", "of the valves' driver; pulses are multiples of it", ge=1e-4, le=0.1)
    strength_sigma: float = quantity(
        0.03, "-", "standard deviation of each true thrust about the nominal", ge=0, le=0.3
    )
    tilt_sigma: float = quantity(
        math.radians(0.5), "rad", "standard deviation of each direction's error about two axes", ge=0, le=0.3
    )
    propellant: float = quantity(0.5, "kg", "in the tank at the start, which is at the centre of mass", gt=0)

    def places(self, size: Vector3) -> tuple[Array, Array]:
        """Positions (12, 3) [m] in B and directions of the force, for a box with edges `size` [m]."""
        half = 0.5 * np.asarray(size)
        p, d = [], []
        for axis in range(3):  # forces along `push` at both ends of `arm` turn about `axis`
            push, arm = (axis + 1) % 3, (axis + 2) % 3
            for side in (1.0, -1.0):
                for face in (1.0, -1.0):
                    place = np.zeros(3)
                    place[push], place[arm] = face * half[push], side * face * self.spread * half[arm]
                    p.append(place)
                    d.append(-face * np.eye(3)[push])
        return np.array(p), np.array(d)

    def part(self, name: str, on: str, size: Vector3, period: float, seed: int) -> Thrusters:
        """The set on the body `on`, driven by pulses every `period` [s], its errors drawn from the run's seed."""
        p, d = self.places(size)
        n = len(p)
        strength = 1.0 + stream(seed, "thruster.strength").normal(0.0, self.strength_sigma, n)
        tilt = stream(seed, "thruster.tilt").normal(0.0, self.tilt_sigma, (n, 3))
        jets = [
            Thruster(
                _three(p[k]),
                _three(d[k]),
                self.thrust,
                self.specific_impulse,
                strength=max(0.0, float(strength[k])),
                tilt=_three(tilt[k]),
            )
            for k in range(n)
        ]
        return Thrusters(name, on, jets, Pulses(period, self.tick))

    def tank(self, name: str, body: str, jets: str, centre: Vector3) -> Tank:
        """The tank, at the centre of mass of the empty body."""
        return Tank(name, body, [jets], self.propellant, centre)

    def allocation(self, size: Vector3, centre: Vector3, period: float) -> ThrusterAllocation:
        """On-times as the onboard computer finds them: it knows nominal thrusters and the centre of mass."""
        p, d = self.places(size)
        return ThrusterAllocation(p - np.asarray(centre), d, self.thrust, period, self.min_on, tick=self.tick)


class SlewSettings(Settings):
    """A turn about an axis of the body: thrust, coast, thrust."""

    axis: Vector3 = quantity((0.0, 0.0, 1.0), "-", "axis of the turn in B; its length does not count")
    angle: float = quantity(math.pi / 3.0, "rad", "how far", gt=0, le=math.pi)
    start: float = quantity(10.0, "s", "when it starts; the attitude of the start is held until then", ge=0)
    time: float = quantity(60.0, "s", "from rest to rest", gt=0)
    settling: float = quantity(20.0, "s", "after it, from when on the satellite counts as at rest", ge=0)

    def vector(self) -> Array:
        """The unit vector of the axis."""
        size = float(np.linalg.norm(self.axis))
        if not size > 0.0:
            raise FieldError("slew.axis", f"{self.axis}; allowed: not zero")
        return np.asarray(self.axis) / size


class PulseControlSettings(Settings):
    """Quaternion feedback on the slew's profile, and how little of an error thrusters leave alone."""

    rate: float = quantity(4.0, "Hz", "update rate of filter and controller, and of the pulses", gt=0, le=100)
    bandwidth: float = quantity(0.2, "rad/s", "natural frequency of the attitude error", gt=0)
    damping: float = quantity(0.7, "-", "damping ratio of the attitude error", gt=0)
    dead_band: float = quantity(math.radians(0.03), "rad", "error on an axis at which thrusters start to work", gt=0)
    share: float = quantity(
        0.8, "-", "of the largest torque, which the profile uses; feedback has the rest", gt=0, le=1
    )


def _three(v: Array) -> Vector3:
    return float(v[0]), float(v[1]), float(v[2])
