"""What the open valves of a platform do to it."""

from __future__ import annotations

import math
from typing import Any

from numpy.typing import NDArray

from freefloat.compiled import inlined
from freefloat.frames import Array
from freefloat.gnc.rotations import Vector


@inlined
def open_wrench(valves: NDArray[Any], thrusters: Array, thrust: float) -> Vector:
    """[F_x, F_y, torque] in B of the open valves with `thrust` [N] each; thrusters (3, n) are wrenches per newton."""
    force_x = force_y = torque = 0.0
    for i in range(thrusters.shape[1]):
        if valves[i]:
            force_x += thrust * thrusters[0, i]
            force_y += thrust * thrusters[1, i]
            torque += thrust * thrusters[2, i]
    return force_x, force_y, torque


@inlined
def wrench_on_floor(valves: NDArray[Any], thrusters: Array, thrust: float, x: Array, T: float) -> Vector:
    """The same in W, for a body with rows [p, v, ..] of x, y, theta in x, in the middle of the coming T [s]."""
    force_x, force_y, torque = open_wrench(valves, thrusters, thrust)
    angle = x[2, 0] + 0.5 * T * x[2, 1]
    c, s = math.cos(angle), math.sin(angle)
    return c * force_x - s * force_y, s * force_x + c * force_y, torque
