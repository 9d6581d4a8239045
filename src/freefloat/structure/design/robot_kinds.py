"""Kinds of robots that can stand on a design, as far as a check has to know them."""

from __future__ import annotations

import math
from dataclasses import dataclass

from freefloat.structure.module import InterfaceType


@dataclass(frozen=True)
class RobotKind:
    """A robot with two equal ends, either of which stands; joints are numbered from end A.

    Its file among the shipped robots has the same name and limits.
    """

    name: str
    lower: tuple[float, ...]  # [rad] of the joints
    upper: tuple[float, ...]  # [rad]
    end: InterfaceType  # at both ends

    @property
    def joints(self) -> int:
        return len(self.lower)


_WALKER = tuple(math.radians(limit) for limit in (270.0, 120.0, 270.0, 150.0, 270.0, 120.0, 270.0))
WALKING_MANIPULATOR = RobotKind("walking_manipulator", tuple(-q for q in _WALKER), _WALKER, InterfaceType("end"))
ROBOT_KINDS = {kind.name: kind for kind in (WALKING_MANIPULATOR,)}
