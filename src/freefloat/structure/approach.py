"""From where a hand came: a point that trails behind its end, in the structure's frame, as if on a string.

The point moves only when the string is taut, so that the direction does not depend on how fast the end came, or on how
long it has waited in front of a face.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from freefloat.compiled import Ticking
from freefloat.engine.task import Task
from freefloat.frames import Array, Pose

STRING = 0.03  # [m] of the way before a face that tells the direction of an approach; assumed
LEAST = 1e-3  # [m] of way below which there is none
PERIOD = 0.02  # [s]


class TrailState(NamedTuple):
    """Length of the string, and whether it lies already."""

    length: Array  # [m] (1,)
    lies: Array  # (1,)


class TrailOut(NamedTuple):
    """Where the points are."""

    trail: Array  # [m] (3 n,) in T


class Trails(Ticking):
    """Draws a point behind each of n ends."""

    def __init__(self, ends: int) -> None:
        self.state = TrailState(np.array([STRING]), np.zeros(1))
        self.out = TrailOut(np.zeros(3 * ends))

    @staticmethod
    def tick(t: float, meas: Any, state: TrailState, out: TrailOut) -> None:
        """`ends` (3 n,) are positions in W, `p` and `q` the pose of the structure."""
        w, x, y, z = meas.q[0], -meas.q[1], -meas.q[2], -meas.q[3]
        for k in range(out.trail.size // 3):
            a = meas.ends[3 * k] - meas.p[0]
            b = meas.ends[3 * k + 1] - meas.p[1]
            c = meas.ends[3 * k + 2] - meas.p[2]
            tx, ty, tz = 2.0 * (y * c - z * b), 2.0 * (z * a - x * c), 2.0 * (x * b - y * a)
            px = a + w * tx + y * tz - z * ty
            py = b + w * ty + z * tx - x * tz
            pz = c + w * tz + x * ty - y * tx
            dx, dy, dz = out.trail[3 * k] - px, out.trail[3 * k + 1] - py, out.trail[3 * k + 2] - pz
            far = math.sqrt(dx * dx + dy * dy + dz * dz)
            share = 1.0
            if state.lies[0] == 0.0:
                share = 0.0
            elif far > state.length[0]:
                share = state.length[0] / far
            if share < 1.0:
                out.trail[3 * k] = px + share * dx
                out.trail[3 * k + 1] = py + share * dy
                out.trail[3 * k + 2] = pz + share * dz
        state.lies[0] = 1.0


def trail_task(assembly: str, structure: str, hands: int) -> Task:
    """The task that keeps the command `trail` of an assembly, from its signal `ends`."""
    return Task(
        Trails(hands),
        PERIOD,
        {"p": f"{structure}.p_WB", "q": f"{structure}.q_WB", "ends": f"{assembly}.ends"},
        {"trail": f"{assembly}.trail"},
        name=f"{assembly}-approach",
    )


def approach_angle(p_TE: Array, trail: Array, X_TF: Pose) -> float | None:
    """Angle [rad] between the way of an end E to a face F and the face's axis; None where it has not moved."""
    way = p_TE - trail
    length = float(np.linalg.norm(way))
    if not length >= LEAST:  # or not known yet
        return None
    return math.acos(min(max(float(-(way @ X_TF.R[:, 2])) / length, -1.0), 1.0))
