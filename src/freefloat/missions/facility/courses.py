"""Motions of two spacecraft as records: an approach along the rail, and a target that tumbles."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from freefloat.facility.axes import CYCLE
from freefloat.facility.record import LIN, POV, ROB1, ROB2, VALUES, Frame, Record
from freefloat.facility.trajectory import Trajectory
from freefloat.frames import Array, Pose, quat_mul
from freefloat.missions.facility.glide import glide, glide_time, ramped

MEETING = (1.9, 0.0, 0.0)  # [m] of the target's tool in G: on the rail's line, within easy reach of robot 2
DATA_LIN = 1.5  # [m] robot 1's plate before its base


@dataclass(frozen=True)
class Approach:
    """Robot 1 carries the chaser along x to the target, which robot 2 rolls about x; records in GLC."""

    far: float = 20.0  # [m] between the user tools at the start
    near: float = 1.0  # [m] at the end
    speed: float = 0.5  # [m/s] at most
    beside: float = 0.3  # [m] to the side and up at the start, closed on the way
    roll_rate: float = math.radians(3.0)  # [rad/s] of the target

    @property
    def duration(self) -> float:
        """[s]"""
        return glide_time(self.far - self.near, self.speed)

    def command(self, t: float) -> Record:
        """The chaser comes, the target rolls."""
        s, values = glide(t, self.duration), np.zeros(VALUES)
        left = (1.0 - s) * self.beside
        distance = self.far + s * (self.near - self.far)
        values[:3] = np.add(MEETING, (distance, left, 0.5 * left))
        values[7:10] = MEETING
        turned = ramped(t, self.roll_rate, min(5.0, 0.4 * self.duration), self.duration)
        values[12] = math.degrees(turned)
        values[LIN] = DATA_LIN
        return Record(Frame.GLC, values)

    def trajectory(self) -> Trajectory:
        """All rows, a cycle apart."""
        count = math.ceil(self.duration / CYCLE - 1e-9) + 1
        return Trajectory.of(self.command(n * CYCLE) for n in range(count))


@dataclass(frozen=True)
class Tumble:
    """The target turns about x of the point of view with its own axis on a cone; the chaser keeps its place in CLW.

    R = Rx(phi) Ry(cone): after `turns` turns the target rests where it began.
    """

    turns: float = 20.0
    rate: float = math.radians(60.0)  # [rad/s] at most
    cone: float = math.radians(10.0)  # [rad] half angle
    distance: float = 3.0  # [m] of the chaser
    sway: float = 0.1  # [m] of the chaser to both sides, once in a turn of ten
    ramp: float = 5.0  # [s] from rest to the rate

    @property
    def duration(self) -> float:
        """[s]"""
        return 2.0 * math.pi * self.turns / self.rate + self.ramp

    def angle(self, t: float) -> float:
        """phi [rad]."""
        return ramped(t, self.rate, self.ramp, self.duration)

    def command(self, t: float) -> Record:
        """Both craft in the point of view, which is at the meeting."""
        phi, values = self.angle(t), np.zeros(VALUES)
        values[ROB1] = _pose((self.distance, self.sway * math.sin(0.1 * phi), 0.0), np.array([1.0, 0.0, 0.0, 0.0]))
        turned = quat_mul(_about(0, phi), _about(1, self.cone))
        values[ROB2] = _pose((0.0, 0.0, 0.0), turned)
        values[POV] = _pose(MEETING, np.array([1.0, 0.0, 0.0, 0.0]))
        values[LIN] = DATA_LIN
        return Record(Frame.CLW, values)


def _about(axis: int, angle: float) -> Array:
    q = np.zeros(4)
    q[0], q[1 + axis] = math.cos(0.5 * angle), math.sin(0.5 * angle)
    return q


def _pose(p: tuple[float, float, float], q: Array) -> Array:
    """Seven numbers of a record: place, quaternion with its scalar last."""
    return np.array([*p, *q[1:], q[0]])


def relative(X_GU1: Pose, X_GU2: Pose) -> Pose:
    """The chaser's tool as the target's sees it."""
    return X_GU2.inverse() @ X_GU1
