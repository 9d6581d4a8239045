"""What the thirteen axes may do: speed, acceleration and jerk, and how hard an emergency stop brakes them."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import ArrayLike

from freefloat.errors import InputError
from freefloat.facility.axes import COUNT, NAMES, UNITS
from freefloat.frames import Array
from freefloat.gnc.planning.arm.jerk_limited import MotionLimits
from freefloat.six_axis_arms import six_axis_arm

ACCELERATION = 2.5  # [1/s] acceleration of a robot's axis over its speed; assumed, docs/reference/parameters.md
JERK = 20.0  # [1/s] jerk of a robot's axis over its acceleration; assumed
EMERGENCY = 3.0  # [-] deceleration of an emergency stop over the acceleration; assumed
EMERGENCY_JERK = 20.0  # [1/s] jerk of an emergency stop over its deceleration; assumed
RAIL = (1.45, 1.0, 10.0)  # [m/s] Benninghoff and others 2017, Table 1; [m/s^2], [m/s^3] assumed
ROBOTS = ("kr100-ha", "kr240-2")  # robots 1 and 2


@dataclass(frozen=True, eq=False)
class AxisLimits:
    """Limits of the 13 axes, in the order of `axes.NAMES`: E1 in m, the robots' axes in rad; all read-only."""

    speed: Array  # [m/s, rad/s]
    acceleration: Array  # [m/s^2, rad/s^2]
    jerk: Array  # [m/s^3, rad/s^3]
    emergency: Array  # [m/s^2, rad/s^2] deceleration of an emergency stop
    emergency_jerk: Array  # [m/s^3, rad/s^3]

    def __post_init__(self) -> None:
        for one in fields(self):
            value = np.array(getattr(self, one.name), np.float64)
            if value.shape != (COUNT,):
                raise InputError(f"limits of the axes: {one.name} of shape {value.shape}; allowed: {COUNT} numbers")
            for axis, unit, x in zip(NAMES, UNITS, value, strict=True):
                if not 0.0 < x < np.inf:
                    told = f"limits of the axes: {one.name} of {axis} {float(x)!r} (in {unit} and s)"
                    raise InputError(f"{told}; allowed: > 0 and finite")
            value.flags.writeable = False
            object.__setattr__(self, one.name, value)

    @property
    def motion(self) -> MotionLimits:
        """Of motions and safe stops."""
        return MotionLimits(self.speed, self.acceleration, self.jerk)

    @property
    def braking(self) -> MotionLimits:
        """Of emergency stops."""
        return MotionLimits(self.speed, self.emergency, self.emergency_jerk)

    def slowed(self, share: float, axes: slice) -> MotionLimits:
        """Of some axes at a share of their speeds, their accelerations and jerks as they are."""
        return MotionLimits(share * self.speed[axes], self.acceleration[axes], self.jerk[axes])


def axis_limits(rail: ArrayLike = RAIL, robots: tuple[str, str] = ROBOTS) -> AxisLimits:
    """Limits of a rail (speed, acceleration, jerk) and two types of robots; the rest by the ratios of this module."""
    v, a, j = (float(x) for x in np.asarray(rail, np.float64))
    speed = np.array([v, *six_axis_arm(robots[0]).speed, *six_axis_arm(robots[1]).speed])
    acceleration = np.array([a, *ACCELERATION * speed[1:]])
    jerk = np.array([j, *JERK * acceleration[1:]])
    emergency = EMERGENCY * acceleration
    return AxisLimits(speed, acceleration, jerk, emergency, EMERGENCY_JERK * emergency)
