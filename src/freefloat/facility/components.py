"""One component of a frame that moves while the others stay: an axis, a coordinate of a tool, or a turn of it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from freefloat.errors import InputError, unknown_name
from freefloat.facility.axes import COUNT, RAIL
from freefloat.facility.exchange import Kinematics
from freefloat.facility.profile import Motion
from freefloat.facility.record import LIN, UNITS, Frame, Record
from freefloat.frames import Array, so3_log
from freefloat.six_axis_arms import AXES

STEP = 1e-3  # [m, rad] of differences along a component
HELD = (0.65, 1.1)  # [m] of what robots 1 and 2 hold by default from the user tools of Fig. 24, at most; assumed
PLACES, EULER, TURNS = ("x", "y", "z"), ("A", "B", "C"), ("rx", "ry", "rz")
NAMES: dict[Frame, tuple[str, ...]] = {  # of each robot; TURNS are about the axes of the point of view
    Frame.CLW: (*PLACES, *TURNS),
    Frame.GLC: (*PLACES, *EULER),
    Frame.IJT: AXES,
    Frame.IDC: (*PLACES, *EULER),
}
SLIDES: dict[Frame, str] = {Frame.CLW: "lin", Frame.GLC: "lin", Frame.IJT: "E1", Frame.IDC: "E1"}  # number 21


@dataclass(frozen=True)
class Component:
    """What moves; found by `component`."""

    frame: Frame
    robot: int  # 1 or 2; 0 for E1 and data lin
    name: str

    @property
    def index(self) -> int:
        """Its number in a record; for turns that of the first of the quaternion."""
        if self.robot == 0:
            return LIN
        return 7 * (self.robot - 1) + (3 if self.turns else NAMES[self.frame].index(self.name))

    @property
    def axis(self) -> int | None:
        """Its place among the 13 axes, where it is one of them alone."""
        if self.frame is not Frame.IJT:
            return None
        return RAIL if self.robot == 0 else 6 * self.robot - 5 + AXES.index(self.name)

    @property
    def turns(self) -> bool:
        """Whether it turns a tool about an axis of the point of view."""
        return self.name in TURNS

    @property
    def unit(self) -> str:
        """m or rad, of what a motion along it is measured in."""
        return "rad" if self.turns or UNITS[self.frame][self.index] == "deg" else "m"

    def __str__(self) -> str:
        return f"{self.frame.name} {f'rob{self.robot} ' if self.robot else ''}{self.name}"


def component(frame: str | Frame, name: str, robot: int = 0) -> Component:
    """The component of a frame and, but for E1 and data lin, of a robot."""
    told = frame.name if isinstance(frame, Frame) else str(frame).upper()
    if told not in Frame.__members__:
        raise unknown_name("frame", told, Frame.__members__)
    of = Frame[told]
    if name == SLIDES[of]:
        return Component(of, 0, name)
    if name not in NAMES[of]:
        raise unknown_name(f"component of {told}", str(name), (*NAMES[of], SLIDES[of]))
    if robot not in (1, 2):
        raise InputError(f"robot {robot!r} of component {told} {name}; allowed: 1, 2")
    return Component(of, int(robot), name)


class ComponentPath:
    """Axes over the way s [m or rad] of one component, from axes at s = 0; the other numbers of the record stay."""

    def __init__(self, kinematics: Kinematics, moves: Component, axes: Array, pov: Array) -> None:
        self.kinematics, self.moves, self._axes = kinematics, moves, axes.copy()
        self._values = kinematics.from_axes(moves.frame, axes, pov).values
        self._near = axes.copy()

    def at(self, s: float) -> Array:
        """Axes (13,) there, on the branch of the last ones asked for by `along`."""
        axis = self.moves.axis
        if axis is not None:
            q = self._axes.copy()
            q[axis] += s
            return q
        return self.kinematics.to_axes(Record(self.moves.frame, self._moved(s)), self._near)

    def slopes(self, s: float) -> Motion:
        """Axes there with their first and second derivatives by s, by differences of the fourth order."""
        axis = self.moves.axis
        if axis is not None:
            unit = np.zeros(COUNT)
            unit[axis] = 1.0
            return self.at(s), unit, np.zeros(COUNT)
        q = self.at(s)
        a, b, c, d = (self.at(s + k * STEP) for k in (-2.0, -1.0, 1.0, 2.0))
        first = (a - 8.0 * b + 8.0 * c - d) / (12.0 * STEP)
        return q, first, (-a + 16.0 * b - 30.0 * q + 16.0 * c - d) / (12.0 * STEP**2)

    def along(self, s: float, rate: float, second: float) -> Motion:
        """Motion of the axes where s moves so."""
        q, first, bend = self.slopes(s)
        self._near = q
        return q, first * rate, bend * rate**2 + first * second

    def swiftness(self) -> float:
        """Speed [m/s] that nothing exceeds which turns with a user tool, nor the carriage, per unit of s, at s = 0.

        |v| + |w| r, with r the farthest point of what a robot holds from its user tool.
        """
        here = (self.at(-STEP), self.at(STEP))
        poses = [self.kinematics.tool_poses(q) for q in here]
        moved = zip(HELD, *poses, strict=True)
        tools = max(float(np.linalg.norm(b.p - a.p)) + r * rotation_angle(a.R, b.R) for r, a, b in moved)
        return max(tools, abs(float(here[1][RAIL] - here[0][RAIL]))) / (2.0 * STEP)

    def _moved(self, s: float) -> Array:
        values = self._values.copy()
        i, moves = self.moves.index, self.moves
        if moves.turns:
            values[i : i + 4] = _turned(values[i : i + 4], TURNS.index(moves.name), s)
        else:
            values[i] += {"m": s, "mm": 1e3 * s, "deg": math.degrees(s)}[UNITS[moves.frame][i]]
        return values


def rotation_angle(R_a: Array, R_b: Array) -> float:
    """[rad] between two attitudes that are near."""
    return float(np.linalg.norm(so3_log(R_a.T @ R_b)))


def _turned(q: Array, axis: int, angle: float) -> Array:
    """A quaternion (scalar last) turned about an axis of the frame that it is in."""
    u = np.zeros(3)
    u[axis] = math.sin(0.5 * angle)
    w, v, c = float(q[3]), q[:3], math.cos(0.5 * angle)
    return np.array([*(c * v + w * u + np.cross(u, v)), c * w - float(u @ v)])
