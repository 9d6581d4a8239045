"""Records to axes and back on the nominal lab, with errors that say what is not reached."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from freefloat.errors import InputError
from freefloat.facility import axes as order
from freefloat.facility import frames_step as step
from freefloat.facility.geometry import ROBOTS, LabGeometry
from freefloat.facility.record import LABELS, UNITS, Frame, Record
from freefloat.facility.user_tool import FIG24, UserTools
from freefloat.frames import Array, Pose, array_of
from freefloat.six_axis_arms import AXES

LAB_VIEW = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0])  # the point of view that is the lab frame itself
LAB_VIEW.flags.writeable = False
_QUATERNIONS = ("rob1", "rob2", "pov")


class UnreachableError(InputError):
    """A command that the nominal robots do not reach: by `value` [m] out of reach, or by an axis beyond a limit."""

    def __init__(self, message: str, device: str, axis: str | None, value: float, limit: float, unit: str) -> None:
        self.device = device  # rail, rob1 or rob2
        self.axis = axis  # such as A5 or E1; None where lengths do not reach
        self.value = value  # of the axis, or the distance that is missing
        self.limit = limit  # of the axis, or 0
        self.unit = unit  # m or rad
        super().__init__(message)


class Kinematics:
    """Both robots and the rail, with user tools."""

    def __init__(self, geometry: LabGeometry | None = None, tools: UserTools = FIG24) -> None:
        self.geometry = LabGeometry() if geometry is None else geometry
        self.tools = tools
        self.nominal = _nominal(self.geometry, tools)

    def to_axes(self, record: Record, axes_now: ArrayLike) -> Array:
        """Axes (13,) [m, rad] of a command: the branch that is continuous with those of now, endless axes likewise.

        On a path, give twice the last axes less those before as `axes_now`: where an elbow passes its stretched
        posture, only where it was going tells the way on from the way back.
        Raises `UnreachableError`, or `InputError` for numbers that are no pose.
        """
        out = np.empty(order.COUNT)
        status = step.to_axes(self.nominal, int(record.frame), np.array(record.values), _axes(axes_now), out)
        if status != step.OK:
            raise self.refusal(status, record, out)
        return out

    def from_axes(self, frame: Frame, axes: ArrayLike, pov: ArrayLike = LAB_VIEW) -> Record:
        """The record of axes. `pov` (7,) is a CLW record's point of view: place [m] and quaternion, scalar last."""
        out = np.empty(len(LABELS[frame]))
        view = array_of(pov, (7,), "point of view")
        if step.from_axes(self.nominal, int(frame), _axes(axes), np.ascontiguousarray(view), out) != step.OK:
            raise _not_unit("pov", view[3:])
        return Record(frame, out)

    def tool_poses(self, axes: ArrayLike) -> tuple[Pose, Pose]:
        """X_GU of both robots."""
        given = _axes(axes)
        R, p = np.empty((2, 3, 3)), np.empty((2, 3))
        for robot in range(2):
            step.tool_pose(self.nominal, robot, given, R[robot], p[robot])
        return Pose(R[0], p[0]), Pose(R[1], p[1])

    def turns(self, axes: ArrayLike) -> tuple[int, int]:
        """Whole turns of A4 and A6 of robot 2: what is left of the angles is within half a turn."""
        q = _axes(axes)[order.ROBOT2]
        return tuple(math.floor(q[j] / (2.0 * math.pi) + 0.5) for j in (3, 5))  # pyright: ignore[reportReturnType]

    def refusal(self, status: int, record: Record, refused: Array) -> InputError:
        """The error of a status of `frames_step.to_axes`, which left `refused` (13,) in its `out`."""
        kind, index = divmod(status, step.KIND)
        if kind == step.NOT_FINITE:
            what = f"{LABELS[record.frame][index]} {float(record.values[index])!r} {UNITS[record.frame][index]}"
            return InputError(f"{record.frame.name} record: {what}; allowed: a finite number")
        if kind == step.QUATERNION:
            return _not_unit(_QUATERNIONS[index], record.values[7 * index + 3 : 7 * index + 7])
        if kind == step.AXIS:
            return self._beyond(index, float(refused[index]))
        return self._out_of_reach(index, record)

    def _beyond(self, index: int, value: float) -> UnreachableError:
        low, high = self.nominal.lower[index], self.nominal.upper[index]
        limit = float(low if value < low else high)
        if index == order.RAIL:
            text = f"rail: E1 {value:.6g} m; allowed: {low:g} to {high:g} m"
            return UnreachableError(text, "rail", "E1", value, limit, "m")
        robot, axis = divmod(index - 1, 6)
        low, high = math.degrees(low), math.degrees(high)
        text = f"rob{robot + 1}: {AXES[axis]} {math.degrees(value):.6g} deg; allowed: {low:g} to {high:g} deg"
        return UnreachableError(text, f"rob{robot + 1}", AXES[axis], value, limit, "rad")

    def _out_of_reach(self, robot: int, record: Record) -> UnreachableError:
        device = f"rob{robot + 1}"
        arm = self.geometry.arm(robot + 1)
        values, R_BT, p_BT = np.array(record.values), np.empty((3, 3)), np.empty(3)
        step.plate_in_base(self.nominal, int(record.frame), values, robot, R_BT, p_BT, np.empty(order.COUNT))
        by = self.geometry.robot(robot + 1).branches(self.geometry.base(robot + 1) @ Pose(R_BT, p_BT))[2]
        missing = float(by.min())
        where = f"plate at ({', '.join(f'{x:.6g}' for x in p_BT)}) m in its base"
        text = f"{device} ({arm.name}): {where}: its wrist would be {missing:.4g} m too far; allowed: in reach"
        return UnreachableError(text, device, None, missing, 0.0, "m")


def _nominal(geometry: LabGeometry, tools: UserTools) -> step.Nominal:
    X_TU = (tools.rob1, tools.rob2)
    bases = [geometry.base(n) for n in ROBOTS]
    endless = [False, *(axis in geometry.endless[i] for i in range(2) for axis in AXES)]
    return step.Nominal(
        np.array([geometry.robot(n).size for n in ROBOTS]),
        np.array([X.R for X in bases]),
        np.array([X.p for X in bases]),
        np.array(geometry.X_FT.R),
        np.array([X.R for X in X_TU]),
        np.array([X.p for X in X_TU]),
        geometry.lower,
        geometry.upper,
        geometry.speed,
        np.array(endless),
    )


def _axes(axes: ArrayLike) -> Array:
    a = np.ascontiguousarray(axes, dtype=np.float64)
    if a.shape != (order.COUNT,) or not np.isfinite(a).all():
        raise InputError(f"axes of the facility {np.asarray(axes).tolist()}; allowed: {order.COUNT} finite numbers")
    return a


def _not_unit(device: str, q: Array) -> InputError:
    length = math.hypot(*q.tolist())
    shown = f"({', '.join(f'{x:.6g}' for x in q)}) of length {length:.6g}"
    return InputError(f"CLW record: {device} quaternion {shown}; allowed: length 1 within {step.UNIT:g}")
