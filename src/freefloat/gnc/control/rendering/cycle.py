"""What a rendering sees in one cycle, and what it orders of the satellites' world."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from freefloat.frames import Array, Pose


@dataclass(frozen=True)
class Satellite:
    """Mass properties that are to be rendered; the frame's origin is the centre of mass."""

    mass: float  # [kg]
    inertia: Array  # [kg m^2] (3, 3), in the satellite's frame


@dataclass(frozen=True)
class Moving:
    """A simulated satellite now."""

    X_W: Pose
    v_W: Array  # [m/s] of the origin
    w_B: Array  # [rad/s] in its own frame

    def energy(self, satellite: Satellite) -> float:
        """Kinetic energy [J]."""
        return float(0.5 * satellite.mass * self.v_W @ self.v_W + 0.5 * self.w_B @ satellite.inertia @ self.w_B)


@dataclass(frozen=True)
class Sensed:
    """One cycle: mock-ups by motor angles, contact wrenches on them, the simulated satellites; 1 is the servicer."""

    t: float  # [s]
    X_1: Pose  # mock-ups in W, as the satellites' frames
    X_2: Pose
    F_1: Array  # [N m, N] (6,) contact wrench on mock-up 1 at its frame's origin, in W
    F_2: Array
    v_tip: Array  # [m/s] of mock-up 1's tip as seen from mock-up 2, in W
    compliance: Array  # [m/N] (3, 3) of both arms together at the tip, in W
    servicer: Moving
    client: Moving

    @property
    def force(self) -> Array:
        """Force of the client on the servicer's mock-up, in W [N]: the mean of what both wrists say."""
        return 0.5 * (self.F_1[3:] - self.F_2[3:])

    def sure_force(self, normal: Array) -> float:
        """What both wrists say of the force along a direction [N]: the smaller one. Arms that swing press only one."""
        return float(min(normal @ self.F_1[3:], -normal @ self.F_2[3:]))

    def doubt(self, normal: Array) -> float:
        """By how much the wrists differ along a direction [N], half of it."""
        return 0.5 * abs(float(normal @ (self.F_1[3:] + self.F_2[3:])))


@dataclass(frozen=True)
class Orders:
    """For the satellites' world: the surface's place in the client's frame with its gate, outside wrenches, a redo."""

    place: Pose
    gate: float = 1.0
    wrench_1: Array = field(default_factory=lambda: np.zeros(6))  # [N m, N] on the servicer, in its frame
    wrench_2: Array = field(default_factory=lambda: np.zeros(6))
    since: float | None = None  # [s] from when on place and gate hold
