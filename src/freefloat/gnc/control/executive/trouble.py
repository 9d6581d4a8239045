"""What can go wrong in a step, as telemetry shows it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["lost-order", "latch", "pick", "place", "release", "overload", "joint", "contents", "power"]


@dataclass(frozen=True)
class Trouble:
    """What went wrong at an instant, in which of the robot's steps and where on its curve."""

    kind: Kind
    cause: str  # in words
    end: str = ""  # of the robot: whose hand it is about
    joint: int = -1  # counted from end A
    angle: float = 0.0  # [rad] at which that joint stands
    face: tuple[int, int] = (-1, -1)  # place and side of the interface that failed
    place: float = 0.0  # [s] on the clock of the motion's own curve
    rate: float = 0.0  # [-] at which it went by
