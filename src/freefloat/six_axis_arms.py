"""Industrial arms with six axes and a spherical wrist, as numbers: lengths, limits and speeds.

All have KUKA's chain. Positions of the joints from one to the next [m] and axes, at q = 0 with all frames parallel:

    A1 (0, 0, d1)   -z      A2 (a1, 0, 0)   +y      A3 (a2, 0, 0)   +y
    A4 (l, 0, o)    -x      A5 (0, 0, 0)    +y      A6 (0, 0, 0)    -x

The flange F is at (f, 0, 0) behind A6, with z outwards and x down: R_6F turns by 90 deg about y.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from freefloat.errors import InputError, unknown_name

Six = tuple[float, float, float, float, float, float]
AXES = ("A1", "A2", "A3", "A4", "A5", "A6")


def _radians(*degrees: float) -> Six:
    a, b, c, d, e, f = (math.radians(x) for x in degrees)
    return a, b, c, d, e, f


@dataclass(frozen=True)
class SixAxisArm:
    """Numbers of one type of arm; sources in docs/reference/parameters.md, "Industrial robots"."""

    name: str
    d1: float  # [m] height of A2 over the base
    a1: float  # [m] of A2 before A1
    a2: float  # [m] upper arm
    o: float  # [m] of the wrist over A3, where the forearm is level; mostly negative
    forearm: float  # [m] l, from A3 to the wrist
    flange: float  # [m] f, from the wrist to the flange
    lower: Six  # [rad]
    upper: Six  # [rad]
    speed: Six  # [rad/s]

    def __post_init__(self) -> None:
        where = f"six-axis arm {self.name!r}"
        for field in ("a2", "forearm"):
            if not 0.0 < getattr(self, field) < math.inf:
                raise InputError(f"{where}: {field} {getattr(self, field)!r} m; allowed: > 0 and finite")
        for field in ("d1", "a1", "o", "flange"):
            if not math.isfinite(getattr(self, field)):
                raise InputError(f"{where}: {field} {getattr(self, field)!r} m; allowed: a finite number")
        for axis, low, high, speed in zip(AXES, self.lower, self.upper, self.speed, strict=True):
            if not (low < high and speed > 0.0):
                given = f"{axis} from {low!r} to {high!r} rad at {speed!r} rad/s"
                raise InputError(f"{where}: {given}; allowed: lower < upper, speed > 0")


_KR240 = SixAxisArm(
    "kr240-2",
    0.75,
    0.35,
    1.25,
    -0.055,
    1.10,
    0.23,
    _radians(-185.0, -146.0, -119.0, -350.0, -125.0, -350.0),
    _radians(185.0, 0.0, 155.0, 350.0, 125.0, 350.0),
    _radians(86.0, 84.0, 84.0, 100.0, 110.0, 184.0),
)
ARMS: dict[str, SixAxisArm] = {
    arm.name: arm
    for arm in (
        SixAxisArm(
            "kr16-2",
            0.675,
            0.26,
            0.68,
            -0.035,
            0.67,
            0.158,
            _radians(-185.0, -155.0, -130.0, -350.0, -130.0, -350.0),
            _radians(185.0, 35.0, 154.0, 350.0, 130.0, 350.0),
            _radians(156.0, 156.0, 156.0, 330.0, 330.0, 615.0),
        ),
        _KR240,
        SixAxisArm(
            "kr100-ha",
            _KR240.d1,
            _KR240.a1,
            _KR240.a2,
            _KR240.o,
            1.00,
            _KR240.flange,
            _KR240.lower,
            _KR240.upper,
            _radians(110.0, 110.0, 100.0, 170.0, 170.0, 238.0),
        ),
    )
}


def six_axis_arm(name: str) -> SixAxisArm:
    """The numbers of a type by its name, such as "kr16-2"."""
    if name not in ARMS:
        raise unknown_name("industrial arm", name, ARMS)
    return ARMS[name]
