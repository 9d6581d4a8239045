"""What one cycle asks of the facility, as numbers to compare with limits, compiled.

A row of measures holds, in SI units: positions of the 13 axes, their speeds and accelerations (first and second
differences over the cycle), x, y, z, roll, pitch and yaw of both user tools in the lab, their speeds and angular
speeds (chords over the cycle), and how far either robot is from singular: wrist [rad], shoulder [m], elbow [rad].
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from freefloat.compiled import inner, onboard
from freefloat.facility.euler import euler_angles
from freefloat.facility.frames_step import Nominal, tool_pose
from freefloat.frames import Array
from freefloat.gnc.planning.arm.six_axis_step import A1, A2, FOREARM, OFFSET
from freefloat.gnc.rotations import matrix

AXES = 13
POSITION, SPEED, ACCELERATION, TOOL = 0, AXES, 2 * AXES, 3 * AXES  # places in a row of measures
TOOL_SPEED = TOOL + 12
TOOL_TURNING = TOOL_SPEED + 2
SINGULAR = TOOL_TURNING + 2
COUNT = SINGULAR + 6
TURN = 2.0 * math.pi


class Bounds(NamedTuple):
    """What the measures are compared with."""

    nominal: Nominal
    low: Array  # (61,) slack included
    high: Array  # (61,)
    winding: Array  # (2, 2) roll [rad] where A4 = A6 = 0, and how it goes with A4 + A6: 1, -1, or 0 for a tool aside
    cycle: float  # [s]


@inner
def _turned(R: Array, S: Array) -> float:
    """Angle [rad] between two attitudes, from the chord of the rotation: exact for small ones too."""
    square = 0.0
    for i in range(3):
        for j in range(3):
            square += (R[i, j] - S[i, j]) ** 2
    return 2.0 * math.asin(min(math.sqrt(square / 8.0), 1.0))


@inner
def _singular(nominal: Nominal, robot: int, axes: Array, out: Array, at: int) -> None:
    """As `gnc.planning.arm.six_axis.SixAxis.singularity`."""
    size, first = nominal.size[robot], 1 + 6 * robot
    q2, q3, q5 = axes[first + 1], axes[first + 2], axes[first + 4]
    s = q2 + q3
    reach = size[A1] + size[A2] * math.cos(q2) + size[FOREARM] * math.cos(s) + size[OFFSET] * math.sin(s)
    wrist = abs(q5 - TURN * math.floor(q5 / TURN + 0.5))
    bend = q3 - math.atan2(size[OFFSET], size[FOREARM])
    bend = abs(bend - TURN * math.floor(bend / TURN + 0.5))
    out[at], out[at + 1], out[at + 2] = min(wrist, math.pi - wrist), abs(reach), min(bend, math.pi - bend)


@inner
def _tools(bounds: Bounds, axes: Array, last: Array, out: Array) -> None:
    p, R, p_last, R_last = np.empty(3), np.empty((3, 3)), np.empty(3), np.empty((3, 3))
    for robot in range(2):
        tool_pose(bounds.nominal, robot, axes, R, p)
        tool_pose(bounds.nominal, robot, last, R_last, p_last)
        yaw, pitch, roll = euler_angles(matrix(R))
        wound = axes[4 + 6 * robot] + axes[6 + 6 * robot]
        sense = bounds.winding[robot, 1]
        if sense != 0.0:
            near = bounds.winding[robot, 0] + sense * wound
            roll += TURN * math.floor((near - roll) / TURN + 0.5)
        at, square = TOOL + 6 * robot, 0.0
        for i in range(3):
            out[at + i] = p[i]
            square += (p[i] - p_last[i]) ** 2
        out[at + 3], out[at + 4], out[at + 5] = roll, pitch, yaw
        out[TOOL_SPEED + robot] = math.sqrt(square) / bounds.cycle
        out[TOOL_TURNING + robot] = _turned(R, R_last) / bounds.cycle
        _singular(bounds.nominal, robot, axes, out, SINGULAR + 3 * robot)


@onboard
def measure(bounds: Bounds, axes: Array, last: Array, before: Array, out: Array) -> int:
    """Measures (61,) of axes (13,) after those of the last two cycles; the first that is beyond a bound, or -1.

    Nearness to a singularity is no reason to refuse and is not looked at; nan is beyond every bound.
    """
    T = bounds.cycle
    for j in range(AXES):
        out[POSITION + j] = axes[j]
        out[SPEED + j] = (axes[j] - last[j]) / T
        out[ACCELERATION + j] = (axes[j] - 2.0 * last[j] + before[j]) / (T * T)
    _tools(bounds, axes, last, out)
    for k in range(SINGULAR):
        if not bounds.low[k] <= out[k] <= bounds.high[k]:
            return k
    return -1


@onboard
def measure_rows(bounds: Bounds, axes: Array, out: Array) -> None:
    """Measures (n, 61) of rows 2 and on of axes (n + 2, 13)."""
    for i in range(out.shape[0]):
        measure(bounds, axes[i + 2], axes[i + 1], axes[i], out[i])
