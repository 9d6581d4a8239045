"""From records to axes and back on plain numbers, compiled (records: `freefloat.facility.record`).

Axes (13,) are those of `freefloat.facility.axes` [m, rad] on the nominal lab. Of robot i, base B, flange F, plate T and
user tool U:

    X_GU = X_GB X_BF X_FT X_TU,   robot 1: p_GB = base1 + (E1, 0, 0),   data lin = x of p_BT

so that E1 = x of p_GT + data lin, where base1 is at x = 0.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from freefloat.compiled import inner, onboard
from freefloat.facility.euler import euler_angles, euler_matrix
from freefloat.frames import Array
from freefloat.gnc.planning.arm import six_axis_step as arm
from freefloat.gnc.rotations import Matrix, Vector, dot, matrix, matrix_of, quat_of_axes, times, transposed, vector

CLW, GLC, IJT, IDC = 1, 2, 3, 4  # record.Frame, which compiled code cannot hold
LIN, POV, PER_ROBOT = 21, 14, 7  # places in a record
# what to_axes tells: OK, or a kind times KIND plus an index
OK, KIND = 0, 100
FRAME = 1  # the frame is none of the four
NOT_FINITE = 2  # index of the value (0 to 21)
QUATERNION = 3  # not of length 1: index 0 robot 1, 1 robot 2, 2 point of view
TOO_FAR = 4  # index of the robot (0, 1); too near is none: the arm reaches backwards then
AXIS = 5  # beyond its limits: index of the axis (0 to 12)
UNIT = 1e-3  # [-] by which the length of a quaternion may miss 1
SLACK = 1e-9  # [rad, m] by which rounding may take an axis over its limit
CONTINUES = 0.1  # [s] of motion at full speed within which a command goes on from the axes of now


class Nominal(NamedTuple):
    """The lab without errors, as arrays."""

    size: Array  # [m] (2, 6) of the arms
    R_GB: Array  # (2, 3, 3)
    p_GB: Array  # [m] (2, 3), robot 1's where E1 = 0
    R_FT: Array  # (3, 3) of either plate; its origin is the flange's
    R_TU: Array  # (2, 3, 3)
    p_TU: Array  # [m] (2, 3)
    lower: Array  # [m, rad] (13,)
    upper: Array  # [m, rad] (13,)
    speed: Array  # [m/s, rad/s] (13,)
    endless: NDArray[np.bool_]  # (13,)


@inner
def _product(A: Matrix, B: Matrix) -> Matrix:
    """A B."""
    C = transposed(B)
    return times(C, A[0]), times(C, A[1]), times(C, A[2])


@inner
def _plus(a: Vector, b: Vector) -> Vector:
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@inner
def _minus(a: Vector, b: Vector) -> Vector:
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@inner
def _quaternion_matrix(values: Array, first: int) -> tuple[bool, Matrix]:
    """Whether four numbers (scalar last) are a rotation, and it."""
    x, y, z, w = values[first], values[first + 1], values[first + 2], values[first + 3]
    length = math.sqrt(x * x + y * y + z * z + w * w)
    fine = abs(length - 1.0) <= UNIT
    scale = 1.0 / length if fine else 0.0
    return fine, matrix_of((w * scale, x * scale, y * scale, z * scale))


@inner
def _euler_matrix(values: Array, first: int) -> Matrix:
    """Of angles A, B, C [deg]."""
    return euler_matrix(math.radians(values[first]), math.radians(values[first + 1]), math.radians(values[first + 2]))


@inner
def _used(frame: int, i: int) -> bool:
    """Whether number i of a record means something in a frame."""
    return i == LIN or frame == CLW or (i < POV and i != 6 and i != 13)


@inner
def _checked(frame: int, values: Array) -> int:
    if frame < CLW or frame > IDC:
        return FRAME * KIND
    for i in range(LIN + 1):
        if _used(frame, i) and not math.isfinite(values[i]):
            return NOT_FINITE * KIND + i
    return OK


@inner
def _within(nominal: Nominal, axes: Array, first: int, count: int) -> int:
    """Status of axes against their limits."""
    for j in range(first, first + count):
        if not nominal.lower[j] - SLACK <= axes[j] <= nominal.upper[j] + SLACK:
            return AXIS * KIND + j
    return OK


@inner
def _nearest_turn(value: float, now: float) -> float:
    """An angle by whole turns nearest to that of now; as it is where none is needed."""
    turns = math.floor((now - value) / (2.0 * math.pi) + 0.5)
    return value + 2.0 * math.pi * turns if turns != 0.0 else value


@inner
def _plate_of_tool(nominal: Nominal, robot: int, R_GU: Matrix, p_GU: Vector) -> tuple[Matrix, Vector]:
    """R_GT and p_GT."""
    R_GT = _product(R_GU, transposed(matrix(nominal.R_TU[robot])))
    return R_GT, _minus(p_GU, times(R_GT, vector(nominal.p_TU[robot], 0)))


@inner
def _commanded_tool(frame: int, values: Array, robot: int) -> tuple[int, Matrix, Vector]:
    """Status, R_GU and p_GU of a CLW or GLC record."""
    first = PER_ROBOT * robot
    p = vector(values, first)
    if frame == GLC:
        return OK, _euler_matrix(values, first + 3), p
    fine, R_PU = _quaternion_matrix(values, first + 3)
    if not fine:
        return QUATERNION * KIND + robot, R_PU, p
    fine, R_GP = _quaternion_matrix(values, POV + 3)
    if not fine:
        return QUATERNION * KIND + 2, R_PU, p
    return OK, _product(R_GP, R_PU), _plus(times(R_GP, p), vector(values, POV))


@inner
def _commanded_plate(nominal: Nominal, frame: int, values: Array, robot: int, out: Array) -> tuple[int, Matrix, Vector]:
    """Status, R_BT and p_BT of a record that is not one of axes; with robot 1, E1 into out[0]."""
    first = PER_ROBOT * robot
    if frame == IDC:
        if robot == 0:
            out[0] = values[LIN] / 1000.0
        p = (values[first] / 1000.0, values[first + 1] / 1000.0, values[first + 2] / 1000.0)
        return OK, _euler_matrix(values, first + 3), p
    status, R_GU, p_GU = _commanded_tool(frame, values, robot)
    if status != OK:
        return status, R_GU, p_GU
    R_GT, p_GT = _plate_of_tool(nominal, robot, R_GU, p_GU)
    R_BG = transposed(matrix(nominal.R_GB[robot]))
    p_BT = times(R_BG, _minus(p_GT, vector(nominal.p_GB[robot], 0)))
    if robot == 0:
        out[0] = values[LIN] - p_BT[0]
        p_BT = (values[LIN], p_BT[1], p_BT[2])
    return OK, _product(R_BG, R_GT), p_BT


@inner
def _write_pose(R: Matrix, p: Vector, R_out: Array, p_out: Array) -> None:
    for i in range(3):
        p_out[i] = p[i]
        for k in range(3):
            R_out[i, k] = R[i][k]


@onboard
def plate_in_base(nominal: Nominal, frame: int, values: Array, robot: int, R_BT: Array, p_BT: Array, out: Array) -> int:
    """The plate's pose that a CLW, GLC or IDC record asks of a robot (0, 1); a status. E1 into out[0] with robot 0."""
    status, R, p = _commanded_plate(nominal, frame, values, robot, out)
    _write_pose(R, p, R_BT, p_BT)
    return status


@inner
def _time(nominal: Nominal, first: int, q: Array, now: Array) -> float:
    """Of the slowest axis between two postures of a robot, at full speed [s]."""
    longest = 0.0
    for j in range(6):
        longest = max(longest, abs(q[j] - now[j]) / nominal.speed[first + j])
    return longest


@onboard
def reach(nominal: Nominal, robot: int, R_BT: Array, p_BT: Array, axes_now: Array, out: Array) -> int:
    """Axes of a robot (0, 1) that bring its plate to a pose in its base, into its places in `out`; a status.

    The branch and the turns that are nearest to the axes of now, by the time that the slowest axis needs. Where those
    leave the limits, what is nearest within them is taken; but a command that goes on from now, within CONTINUES, must
    not jump to what is further away: it is refused. `out` then holds what was refused, or nan out of reach.
    """
    first = 1 + 6 * robot
    now, free, lower, upper = np.empty(6), np.ones(6, np.bool_), np.empty(6), np.empty(6)
    speed, endless = np.empty(6), np.empty(6, np.bool_)
    for j in range(6):
        now[j], speed[j], endless[j] = axes_now[first + j], nominal.speed[first + j], nominal.endless[first + j]
        lower[j], upper[j] = nominal.lower[first + j], nominal.upper[first + j]
        out[first + j] = np.nan
    R_BF = np.empty((3, 3))
    for i in range(3):
        for k in range(3):
            R_BF[i, k] = dot((R_BT[i, 0], R_BT[i, 1], R_BT[i, 2]), vector(nominal.R_FT[k], 0))
    q, told, by = np.empty((8, 6)), np.empty(8, np.int64), np.empty(8)
    arm.inverse(nominal.size[robot], p_BT, R_BF, now, q, told, by)
    arm.nearest_copies(q, now, lower, upper, free, SLACK)
    best = arm.choose(q, now, speed)
    if best < 0:
        return TOO_FAR * KIND + robot
    for j in range(6):
        out[first + j] = q[best, j]
    status = _within(nominal, out, first, 6)
    if status == OK:
        return OK
    goes_on = _time(nominal, first, q[best], now) <= CONTINUES
    arm.nearest_copies(q, now, lower, upper, endless, SLACK)
    best = arm.choose(q, now, speed)
    if best < 0 or (goes_on and _time(nominal, first, q[best], now) > CONTINUES):
        return status
    for j in range(6):
        out[first + j] = q[best, j]
    return OK


@inner
def _joints(nominal: Nominal, values: Array, axes_now: Array, out: Array) -> int:
    """Of an IJT record; an endless axis goes to the nearest turn."""
    out[0] = values[LIN] / 1000.0
    for robot in range(2):
        for j in range(6):
            axis = 1 + 6 * robot + j
            value = math.radians(values[PER_ROBOT * robot + j])
            out[axis] = _nearest_turn(value, axes_now[axis]) if nominal.endless[axis] else value
    return _within(nominal, out, 0, 13)


@onboard
def to_axes(nominal: Nominal, frame: int, values: Array, axes_now: Array, out: Array) -> int:
    """Axes (13,) of a record's numbers (22,) into `out`, continuous with those of now; a status.

    Where it is not OK, `out` is not to be executed: it holds what was refused, as far as it is known.
    """
    for j in range(13):
        out[j] = np.nan
    status = _checked(frame, values)
    if status != OK:
        return status
    if frame == IJT:
        return _joints(nominal, values, axes_now, out)
    R_BT, p_BT = np.empty((3, 3)), np.empty(3)
    for robot in range(2):
        status = plate_in_base(nominal, frame, values, robot, R_BT, p_BT, out)
        if status == OK and robot == 0:
            status = _within(nominal, out, 0, 1)
        if status == OK:
            status = reach(nominal, robot, R_BT, p_BT, axes_now, out)
        if status != OK:
            return status
    return OK


@inner
def _plate(nominal: Nominal, robot: int, axes: Array) -> tuple[Matrix, Vector]:
    """R_BT and p_BT."""
    q, p, R = np.empty(6), np.empty(3), np.empty((3, 3))
    for j in range(6):
        q[j] = axes[1 + 6 * robot + j]
    arm.forward(nominal.size[robot], q, p, R)
    return _product(matrix(R), matrix(nominal.R_FT)), (p[0], p[1], p[2])


@inner
def _tool(nominal: Nominal, robot: int, axes: Array, R_BT: Matrix, p_BT: Vector) -> tuple[Matrix, Vector]:
    """R_GU and p_GU."""
    R_BU = _product(R_BT, matrix(nominal.R_TU[robot]))
    p_BU = _plus(p_BT, times(R_BT, vector(nominal.p_TU[robot], 0)))
    R_GB = matrix(nominal.R_GB[robot])
    p = _plus(times(R_GB, p_BU), vector(nominal.p_GB[robot], 0))
    return _product(R_GB, R_BU), (p[0] + axes[0], p[1], p[2]) if robot == 0 else p


@onboard
def tool_pose(nominal: Nominal, robot: int, axes: Array, R_GU: Array, p_GU: Array) -> None:
    """Pose of the user tool of a robot (0, 1) in G, into `R_GU` (3, 3) and `p_GU` (3,)."""
    R_BT, p_BT = _plate(nominal, robot, axes)
    R, p = _tool(nominal, robot, axes, R_BT, p_BT)
    _write_pose(R, p, R_GU, p_GU)


@inner
def _write_euler(R: Matrix, p: Vector, scale: float, first: int, out: Array) -> None:
    angles = euler_angles(R)
    for i in range(3):
        out[first + i], out[first + 3 + i] = p[i] * scale, math.degrees(angles[i])


@inner
def _write_quaternion(R: Matrix, p: Vector, first: int, out: Array) -> None:
    C = transposed(R)
    w, x, y, z = quat_of_axes(C[0], C[1], C[2])
    for i in range(3):
        out[first + i] = p[i]
    out[first + 3], out[first + 4], out[first + 5], out[first + 6] = x, y, z, w


@onboard
def from_axes(nominal: Nominal, frame: int, axes: Array, pov: Array, out: Array) -> int:
    """The record's numbers (22,) of axes (13,) in a frame into `out`, 0 where not used; a status.

    `pov` (7,) is the point of view of a CLW record: place [m] and quaternion, scalar last.
    """
    for i in range(LIN + 1):
        out[i] = 0.0
    if frame < CLW or frame > IDC:
        return FRAME * KIND
    out[LIN] = 1000.0 * axes[0]
    fine, R_GP = _quaternion_matrix(pov, 3)
    if frame == CLW and not fine:
        return QUATERNION * KIND + 2
    for robot in range(2):
        first = PER_ROBOT * robot
        if frame == IJT:
            for j in range(6):
                out[first + j] = math.degrees(axes[1 + 6 * robot + j])
            continue
        R_BT, p_BT = _plate(nominal, robot, axes)
        if frame == IDC:
            _write_euler(R_BT, p_BT, 1000.0, first, out)
            continue
        if robot == 0:
            out[LIN] = p_BT[0]
        R_GU, p_GU = _tool(nominal, robot, axes, R_BT, p_BT)
        if frame == GLC:
            _write_euler(R_GU, p_GU, 1.0, first, out)
        else:
            R_PG = transposed(R_GP)
            _write_quaternion(_product(R_PG, R_GU), times(R_PG, _minus(p_GU, vector(pov, 0))), first, out)
    if frame == CLW:
        for i in range(PER_ROBOT):
            out[POV + i] = pov[i]
    return OK
