"""What the facility executes: ranges, speeds and accelerations of its axes, and the ranges of its Table 3."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from freefloat.facility import axes as order
from freefloat.facility import limits_step as step
from freefloat.facility.axis_limits import AxisLimits, axis_limits
from freefloat.facility.clearance import Nearest
from freefloat.facility.euler import euler_angles
from freefloat.facility.kinematics import Kinematics, UnreachableError
from freefloat.facility.ranges import COMPONENTS, TABLE3, MotionRange
from freefloat.frames import Array
from freefloat.gnc.rotations import matrix

SLACK, RATE_SLACK = 1e-9, 1e-6  # [m, rad] of places; [-] of rates: what rounding may add
ALONG = math.cos(math.radians(45.0))  # [-] a tool whose x is farther from the flange's axis does not roll with it
NEAR_ANGLE, NEAR_DISTANCE = 0.02, 0.02  # [rad], [m] from singular axes that are told
_DISPLAY = {"rad": ("deg", math.degrees(1.0))}
_ROBOTS = ("rob1", "rob2")


def _named(kind: str, device: str, axis: str) -> str:
    if kind == "tool range":
        return f"{device} tool {axis}"
    return f"{device} {axis} {kind}" if kind in ("speed", "acceleration") else f"{device} {axis}".strip()


@dataclass(frozen=True)
class Quantity:
    """One of the measures of a cycle; `scale` makes its unit of SI."""

    kind: str  # range, speed, acceleration, tool range, tool speed, singularity
    device: str
    axis: str
    unit: str
    scale: float

    @property
    def name(self) -> str:
        """Such as "rob1 A3 speed" or "rob2 tool roll"."""
        return _named(self.kind, self.device, self.axis)


@dataclass(frozen=True)
class Violation:
    """What a command asks beyond a limit, in the units of the display."""

    kind: str  # that of a Quantity, or number, reach, clearance, end
    device: str  # rail, rob1, rob2; of a clearance: what is too near
    axis: str  # such as A3, x, roll; of a clearance: to what; empty where lengths do not reach
    value: float
    limit: float
    unit: str

    def __str__(self) -> str:
        if self.kind.startswith("stop "):
            return f"where a stop would end: {replace(self, kind=self.kind.removeprefix('stop '))}"
        if self.kind == "clearance":
            return f"clearance of {self.device} and {self.axis} {self._told}; allowed: at least {self._limit}"
        what = _named(self.kind, self.device, self.axis)
        if not math.isfinite(self.value):
            return f"{what} {self.value}; allowed: a finite number"
        if self.kind == "reach":
            return f"{what} misses its place by {self._told}; allowed: in reach"
        if self.kind == "end":
            return f"{what} still moves at {self._told}; allowed at the end: {self._limit}, else a Safe Stop follows"
        least = self.kind == "singularity" or self.value < self.limit
        word = " from singular" if self.kind == "singularity" else ""
        return f"{what} {self._told}{word}; allowed: {'at least' if least else 'at most'} {self._limit}"

    @property
    def _told(self) -> str:
        return f"{self.value:.6g} {self.unit}"

    @property
    def _limit(self) -> str:
        return f"{self.limit:.6g} {self.unit}"

    @classmethod
    def unreachable(cls, error: UnreachableError) -> Violation:
        """Of a command that kinematics refuse."""
        unit, scale = _DISPLAY.get(error.unit, (error.unit, 1.0))
        kind = "reach" if error.axis is None else "range"
        return cls(kind, error.device, error.axis or "", scale * error.value, scale * error.limit, unit)

    @classmethod
    def too_near(cls, found: Nearest, margin: float) -> Violation:
        """Of solids that come too near."""
        return cls("clearance", found.a, found.b, found.distance, margin, "m")


def _quantities() -> tuple[Quantity, ...]:
    devices = ("rail", *("rob1",) * 6, *("rob2",) * 6)
    axes = [name.split()[-1] for name in order.NAMES]
    found: list[Quantity] = []
    for kind, per in (("range", ""), ("speed", "/s"), ("acceleration", "/s^2")):
        for device, axis, si in zip(devices, axes, order.UNITS, strict=True):
            unit, scale = _DISPLAY.get(si, (si, 1.0))
            found.append(Quantity(kind, device, axis, f"{unit}{per}", scale))
    deg = _DISPLAY["rad"]
    for robot in _ROBOTS:
        found += [Quantity("tool range", robot, c, *(("m", 1.0) if c in "xyz" else deg)) for c in COMPONENTS]
    found += [Quantity("tool speed", robot, "tool's speed", "m/s", 1.0) for robot in _ROBOTS]
    found += [Quantity("tool speed", robot, "tool's angular speed", "deg/s", deg[1]) for robot in _ROBOTS]
    for robot in _ROBOTS:
        found += [Quantity("singularity", robot, "wrist", *deg)]
        found += [Quantity("singularity", robot, "shoulder", "m", 1.0)]
        found += [Quantity("singularity", robot, "elbow", *deg)]
    return tuple(found)


QUANTITIES = _quantities()  # in the order of `limits_step`


class Limits:
    """Limits of one cycle of commands, on ideal axes."""

    def __init__(
        self,
        kinematics: Kinematics,
        axes: AxisLimits | None = None,
        ranges: Mapping[str, MotionRange] = TABLE3,
        cycle: float = order.CYCLE,
    ) -> None:
        self.kinematics = kinematics
        self.axes = axis_limits() if axes is None else axes
        self.low, self.high = self._spans(ranges)
        slack = np.full(step.COUNT, SLACK)
        rates = np.r_[step.SPEED : step.TOOL, step.TOOL_SPEED : step.SINGULAR]
        slack[rates] = RATE_SLACK * self.high[rates]
        winding = np.array([self._winding(robot) for robot in range(2)])
        self.bounds = step.Bounds(kinematics.nominal, self.low - slack, self.high + slack, winding, cycle)
        self._row = np.empty(step.COUNT)

    @property
    def lower(self) -> Array:
        """[m, rad] (13,) of the axes; -inf of an endless one."""
        return self.low[: step.AXES]

    @property
    def upper(self) -> Array:
        """[m, rad] (13,) of the axes; inf of an endless one."""
        return self.high[: step.AXES]

    def check(self, axes: ArrayLike, last: ArrayLike, before: ArrayLike) -> Violation | None:
        """The first limit that axes (13,) [m, rad] break after those of the last cycle and the one before it.

        Standing still, all three are equal. Clearance is not among them: `Clearance.too_near`.
        """
        now, one, two = (np.ascontiguousarray(a, np.float64) for a in (axes, last, before))
        k = step.measure(self.bounds, now, one, two, self._row)
        return None if k < 0 else self.violation(k, float(self._row[k]))

    def measures(self, axes: Array) -> Array:
        """Measures (n, 61), in SI units, of rows 2 and on of axes (n + 2, 13); `QUANTITIES` names them."""
        rows = np.ascontiguousarray(axes, np.float64)
        out = np.empty((max(len(rows) - 2, 0), step.COUNT))
        step.measure_rows(self.bounds, rows, out)
        return out

    def violation(self, k: int, value: float) -> Violation:
        """Of measure k with a value in SI units."""
        q = QUANTITIES[k]
        low, high = float(self.low[k]), float(self.high[k])
        limit = low if value < low else high
        kind = q.kind if math.isfinite(value) else "number"
        return Violation(kind, q.device, q.axis, q.scale * value, q.scale * limit, q.unit)

    def _spans(self, ranges: Mapping[str, MotionRange]) -> tuple[Array, Array]:
        """Lower and upper limits (61,) of the measures, in SI units."""
        low, high = np.full(step.COUNT, -np.inf), np.full(step.COUNT, np.inf)
        geometry = self.kinematics.geometry
        low[: step.AXES], high[: step.AXES] = geometry.lower, geometry.upper
        rates = np.concatenate([self.axes.speed, self.axes.acceleration])
        low[step.SPEED : step.TOOL], high[step.SPEED : step.TOOL] = -rates, rates
        for i, robot in enumerate(_ROBOTS):
            reach, at = ranges[robot], step.TOOL + 6 * i
            spans = [getattr(reach, component) for component in COMPONENTS]
            low[at : at + 6], high[at : at + 6] = np.array(spans).T
            high[step.TOOL_SPEED + i], high[step.TOOL_TURNING + i] = reach.speed, reach.angular_speed
            near = step.SINGULAR + 3 * i
            low[near : near + 3] = NEAR_ANGLE, NEAR_DISTANCE, NEAR_ANGLE
        return low, high

    def _winding(self, robot: int) -> tuple[float, float]:
        """Roll [rad] with A4 = A6 = 0, and its sense with A4 + A6: those turn about -z of the plate."""
        straight = np.zeros(order.COUNT)
        straight[order.ROBOTS[robot]] = np.radians([0.0, -90.0, 90.0, 0.0, 0.0, 0.0])
        R_GU = self.kinematics.tool_poses(straight)[robot].R
        R_TU = self.kinematics.nominal.R_TU[robot]
        sense = -math.copysign(1.0, R_TU[2, 0]) if abs(R_TU[2, 0]) >= ALONG else 0.0
        return float(euler_angles(matrix(R_GU))[2]), sense
