"""Motion ranges of the robots in the lab frame: Benninghoff and others 2017, Table 3.

Each end is reached, with the other components anywhere; not every corner of the box is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

COMPONENTS = ("x", "y", "z", "roll", "pitch", "yaw")  # the angles are C, B, A of a GLC record
TURN = 2.0 * math.pi
Span = tuple[float, float]


RIGHT: Span = (-0.5 * math.pi, 0.5 * math.pi)


@dataclass(frozen=True)
class MotionRange:
    """Of the user tool of one robot in G. Roll counts its turns: `continued`."""

    x: Span  # [m]
    y: Span  # [m]
    z: Span  # [m]
    roll: Span  # [rad] C
    pitch: Span = RIGHT  # [rad] B
    yaw: Span = RIGHT  # [rad] A
    speed: float = 2.0  # [m/s]
    angular_speed: float = math.pi  # [rad/s]


TABLE3 = {
    "rob1": MotionRange((-2.5, 24.5), (-2.5, 2.5), (-0.5, 1.2), (math.radians(-300.0), math.radians(300.0))),
    "rob2": MotionRange((-2.5, 2.5), (-1.0, 4.0), (-0.5, 1.5), (-math.inf, math.inf)),
}


def continued(angle: float, before: float) -> float:
    """An angle [rad] by whole turns nearest to the one before it."""
    return angle + TURN * math.floor((before - angle) / TURN + 0.5)
