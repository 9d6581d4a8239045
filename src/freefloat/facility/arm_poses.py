"""Poses of a robot's tool as its own controller has them: in the robot's base, mm and deg, Euler angles A, B, C."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from freefloat.facility.euler import euler_angles, euler_matrix
from freefloat.facility.geometry import LabGeometry
from freefloat.frames import Pose
from freefloat.gnc.planning.arm.six_axis import SixAxis


class ArmPoses:
    """Kinematics of robot 1 or 2 with tool U, axes in deg; base and world are the robot's own root B."""

    def __init__(self, geometry: LabGeometry, number: int, X_TU: Pose | None = None) -> None:
        X_FU = geometry.X_FT if X_TU is None else geometry.X_FT @ X_TU
        self.arm = SixAxis(geometry.arm(number), Pose.identity(), X_FU, geometry.endless[number - 1])

    def pose(self, axes: Sequence[float]) -> tuple[float, ...]:
        """X, Y, Z [mm], A, B, C [deg] of X_BU at axes A1 to A6 [deg]."""
        X_BU = self.arm.forward(np.radians(axes))
        x, y, z = (1e3 * X_BU.p).tolist()
        a, b, c = euler_angles(X_BU.R)  # pyright: ignore[reportArgumentType]
        return x, y, z, math.degrees(a), math.degrees(b), math.degrees(c)

    def corrected(self, axes: Sequence[float], correction: Sequence[float], near: Sequence[float]) -> tuple[float, ...]:
        """Axes [deg], of the branch near others, at which the tool is moved by X, Y, Z [mm] along, and turned in place
        by A, B, C [deg] about, the axes of B. Raises `InputError` where it is not reached."""
        X_BU = self.arm.forward(np.radians(axes))
        R = np.array(euler_matrix(*(math.radians(x) for x in correction[3:6])))
        moved = Pose._trusted(R @ X_BU.R, X_BU.p + np.array(correction[:3]) / 1e3)
        return tuple(np.degrees(self.arm.nearest(moved, np.radians(near))).tolist())
