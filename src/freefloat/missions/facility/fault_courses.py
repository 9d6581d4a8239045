"""Motions of a rehearsal of faults: what an application commands until, and while, it goes wrong."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from freefloat.facility.application import Course
from freefloat.facility.axes import COUNT, RAIL, ROBOT2
from freefloat.facility.axis_limits import RAIL as RAIL_LIMITS
from freefloat.facility.geometry import LabGeometry
from freefloat.facility.kinematics import Kinematics
from freefloat.facility.record import Frame, Record
from freefloat.frames import Array, Pose
from freefloat.gnc.planning.arm.six_axis_step import A1, A2, D1, FLANGE, FOREARM, OFFSET
from freefloat.missions.facility.glide import ramped

SHARE = 0.9  # of the rail's acceleration that a start takes
ROLL = math.radians(20.0)  # [rad/s] of robot 2's A6 beside the rail
SPEEDING = (10, -3.0, 30.0)  # A4 of robot 2: [rad/s^2], [rad/s^3]
LOWERING = (2, 0.3, 0.4)  # A2 of robot 1: [rad/s] reached within [s]
NEARING = (8, 0.15, 0.4)  # A2 of robot 2
STRETCHING = (1.0, 0.5)  # [rad/s] of robot 2's elbow, reached within [s]
ROBOT = 2  # that stretches


def settling(speed: float) -> float:
    """[s] until the rail moves steadily at a speed [m/s]: its acceleration is 1.5 speed / time at most."""
    return max(0.4, 1.5 * speed / (SHARE * RAIL_LIMITS[1]))


def course_of(kind: str, after: float, speed: float, kinematics: Kinematics, start: Array) -> Course:
    """What a round commands, from axes (13,) at rest."""
    if kind == "reach":
        return Stretching(kinematics, start, after)
    if kind == "speed":
        return Along(kinematics, start, after, SPEEDING)
    if kind in ("range", "clearance"):
        return Along(kinematics, start, after, LOWERING if kind == "range" else NEARING)
    return Rolling(kinematics, start, speed)


@dataclass(frozen=True, eq=False)
class Rolling:
    """The rail moves away from robot 2, which rolls; records in IJT."""

    kinematics: Kinematics
    start: Array  # (13,)
    speed: float  # [m/s]

    def command(self, t: float) -> Record:
        """Steady after `settling`."""
        share = ramped(t, 1.0, settling(self.speed), math.inf)
        axes = self.start.copy()
        axes[RAIL] += self.speed * share
        axes[ROBOT2.stop - 1] += ROLL * share
        return self.kinematics.from_axes(Frame.IJT, axes)


@dataclass(frozen=True, eq=False)
class Along:
    """One axis moves from an instant on, at a steady rate or, for `SPEEDING`, with a steady acceleration; in IJT."""

    kinematics: Kinematics
    start: Array  # (13,)
    after: float  # [s]
    moves: tuple[int, float, float]  # number of the axis, its rate and the time to it, or acceleration and jerk

    def command(self, t: float) -> Record:
        """Nothing moves before `after`."""
        axes, (axis, one, two) = self.start.copy(), self.moves
        since = max(t - self.after, 0.0)
        axes[axis] += speeding(since, one, two) if self.moves is SPEEDING else ramped(since, one, two, math.inf)
        return self.kinematics.from_axes(Frame.IJT, axes)


def speeding(t: float, acceleration: float, jerk: float) -> float:
    """Way from rest with an acceleration that grows by a jerk (> 0) until it is steady."""
    sense, a = math.copysign(1.0, acceleration), abs(acceleration)
    grown = min(t, a / jerk)
    v, rest = 0.5 * jerk * grown**2, t - grown
    return sense * (jerk * grown**3 / 6.0 + v * rest + 0.5 * a * rest**2)


class Stretching:
    """The tool of robot 2 goes straight away from the arm's shoulder with its attitude kept, as fast as the elbow
    stretches at a steady rate, until the arm is straight; then on, in the way that it has come. Records in GLC.

    With lengths l1, l2 and a bend b of the elbow the wrist is r(b) = sqrt(l1^2 + l2^2 + 2 l1 l2 cos b) from the
    shoulder. The rate of r is zero at b = 0, so that no axis is in haste; beyond, the command is 2 r(0) - r(b).
    """

    def __init__(self, kinematics: Kinematics, start: Array, after: float) -> None:
        self.after, self.arm = after, StretchedArm(kinematics)
        self.record = kinematics.from_axes(Frame.GLC, start)
        X_GU = kinematics.tool_poses(start)[ROBOT - 1]
        self.p_GU, way = X_GU.p.copy(), self.arm.wrist(X_GU) - self.arm.shoulder(start)
        self.r = float(np.linalg.norm(way))
        self.outwards = way / self.r
        self.bend = self.arm.bend(self.r)

    def command(self, t: float) -> Record:
        """Nothing moves before `after`."""
        b = self.bend - ramped(max(t - self.after, 0.0), *STRETCHING, math.inf)
        r = self.arm.length(b)
        values = np.array(self.record.values)
        values[7:10] = self.p_GU + ((r if b > 0.0 else 2.0 * self.arm.reach - r) - self.r) * self.outwards
        return Record(Frame.GLC, values)


class StretchedArm:
    """Shoulder, elbow and wrist of robot 2, by plain geometry."""

    def __init__(self, kinematics: Kinematics) -> None:
        lab: LabGeometry = kinematics.geometry
        self.size, self.base = lab.robot(ROBOT).size, lab.base(ROBOT)
        self.X_UT = (kinematics.tools.rob1, kinematics.tools.rob2)[ROBOT - 1].inverse()
        self.lengths = float(self.size[A2]), math.hypot(self.size[FOREARM], self.size[OFFSET])

    @property
    def reach(self) -> float:
        """[m] of the wrist from the shoulder, at most."""
        return sum(self.lengths)

    def wrist(self, X_GU: Pose) -> Array:
        """Its centre in G, where the user tool is."""
        X_GT = X_GU @ self.X_UT
        return X_GT.p - self.size[FLANGE] * X_GT.R[:, 2]

    def shoulder(self, axes: Array) -> Array:
        """The axis A2 in G, where axes (13,) are; A1 turns about -z."""
        turn, size = float(axes[ROBOT2][0]), self.size
        side = (size[A1] * math.cos(turn), -size[A1] * math.sin(turn), size[D1])
        return self.base.p + self.base.R @ np.array(side)

    def shoulder_towards(self, wrist: Array) -> Array:
        """The same where the arm looks at a wrist."""
        axes, (x, y, _) = np.zeros(COUNT), self.base.R.T @ (wrist - self.base.p)
        axes[ROBOT2.start] = -math.atan2(y, x)
        return self.shoulder(axes)

    def length(self, bend: float) -> float:
        """[m] from shoulder to wrist."""
        l1, l2 = self.lengths
        return math.sqrt(l1**2 + l2**2 + 2.0 * l1 * l2 * math.cos(bend))

    def bend(self, length: float) -> float:
        """[rad] of the elbow, 0 where it is straight."""
        l1, l2 = self.lengths
        return math.acos((length**2 - l1**2 - l2**2) / (2.0 * l1 * l2))
