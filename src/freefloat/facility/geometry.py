"""Where rail and robots stand in the lab frame G, which is the world W: z up, 1.5 m above the base of robot 2.

x of G runs along the rail, away from robot 2; robot 1 looks against it (Benninghoff and others 2017, sec. 2.2.3;
offsets derived from its Table 3, docs/reference/parameters.md).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from freefloat.errors import InputError
from freefloat.frames import Array, Pose
from freefloat.gnc.planning.arm.six_axis import SixAxis
from freefloat.six_axis_arms import AXES, SixAxisArm, six_axis_arm

ROBOTS = (1, 2)
Vector = tuple[float, float, float]


@dataclass(frozen=True)
class LabGeometry:
    """The nominal lab. Robot 1's base is at (E1, 0, 0) from `base1`, turned by 180 deg about z; robot 2's is unturned.

    The adapter plate T of either robot is its flange F (z outwards) turned by +90 deg about z.
    """

    arms: tuple[str, str] = ("kr100-ha", "kr240-2")  # types of robots 1 and 2
    base1: Vector = (0.0, 0.0, -1.0)  # [m] in G, where E1 = 0
    base2: Vector = (0.0, 1.5, -1.5)  # [m] in G
    floor: float = -1.5  # [m] z of the floor in G
    rail: tuple[float, float] = (0.0, 25.0)  # [m] of E1
    rail_speed: float = 1.45  # [m/s]
    endless: tuple[tuple[str, ...], tuple[str, ...]] = ((), ("A4", "A6"))  # of robots 1 and 2

    def __post_init__(self) -> None:
        for name in self.arms:
            six_axis_arm(name)
        low, high = self.rail
        if not (math.isfinite(low) and math.isfinite(high) and low < high):
            raise InputError(f"lab: rail from {low!r} to {high!r} m; allowed: finite, lower < upper")
        if not 0.0 < self.rail_speed < math.inf:
            raise InputError(f"lab: rail_speed {self.rail_speed!r} m/s; allowed: > 0 and finite")
        for name in ("base1", "base2"):
            if len(getattr(self, name)) != 3 or not all(map(math.isfinite, getattr(self, name))):
                raise InputError(f"lab: {name} {getattr(self, name)!r}; allowed: three finite numbers [m]")
        for axis in (*self.endless[0], *self.endless[1]):
            if axis not in AXES:
                raise InputError(f"lab: endless axis {axis!r}; allowed: {', '.join(AXES)}")

    @property
    def X_FT(self) -> Pose:
        """Of the adapter plate on the flange."""
        return Pose([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])

    def arm(self, number: int) -> SixAxisArm:
        """Lengths and limits of robot 1 or 2."""
        return six_axis_arm(self.arms[_index(number)])

    def base(self, number: int, rail: float = 0.0) -> Pose:
        """X_GB of robot 1, with E1 at `rail` [m], or of robot 2."""
        if _index(number):
            return Pose(np.eye(3), self.base2)
        x, y, z = self.base1
        return Pose(np.diag([-1.0, -1.0, 1.0]), (x + rail, y, z))

    def robot(self, number: int, rail: float = 0.0, X_TU: Pose | None = None) -> SixAxis:
        """Kinematics of robot 1 (E1 at `rail` [m]) or 2 in G; its tool is the plate T, or U at X_TU."""
        X_FU = self.X_FT if X_TU is None else self.X_FT @ X_TU
        return SixAxis(self.arm(number), self.base(number, rail), X_FU, self.endless[_index(number)])

    @property
    def lower(self) -> Array:
        """[m, rad] (13,) of the axes; -inf of an endless one."""
        return np.concatenate([[self.rail[0]], *(self.robot(n).lower for n in ROBOTS)])

    @property
    def upper(self) -> Array:
        """[m, rad] (13,) of the axes; inf of an endless one."""
        return np.concatenate([[self.rail[1]], *(self.robot(n).upper for n in ROBOTS)])

    @property
    def speed(self) -> Array:
        """[m/s, rad/s] (13,) of the axes."""
        return np.concatenate([[self.rail_speed], *(self.robot(n).speed for n in ROBOTS)])


def _index(number: int) -> int:
    if number not in ROBOTS:
        raise InputError(f"robot {number!r} of the lab; allowed: 1, 2")
    return number - 1
