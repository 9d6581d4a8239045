"""What is measured of a run of the facility, from its data pool and from where its links truly were."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.interpolate import CubicSpline

from freefloat.engine.result import Result
from freefloat.facility.application import Course
from freefloat.facility.axes import COUNT, CYCLE
from freefloat.facility.kinematics import Kinematics
from freefloat.facility.modes import State
from freefloat.facility.part import START
from freefloat.facility.record import POV, ROB1, ROB2, Frame
from freefloat.facility.trajectory import Trajectory
from freefloat.frames import Array, Pose, quat_to_matrix, rpy_to_matrix

RUNNING = float(list(State).index(State.RUNNING))


@dataclass(frozen=True, eq=False)
class Poses:
    """Of a tool over time, in G."""

    t: Array  # [s] (n,)
    p: Array  # [m] (n, 3)
    R: Array  # (n, 3, 3)

    def between(self, first: float, last: float) -> Poses:
        """Those in an interval of time."""
        kept = (self.t >= first - 1e-9) & (self.t <= last + 1e-9)
        return Poses(self.t[kept], self.p[kept], self.R[kept])


def running(result: Result) -> np.ndarray:
    """Cycles (n,) in which commands acted."""
    return result["fmc.state"].reshape(-1) == RUNNING


def axes_of(result: Result, which: str) -> Array:
    """(n, 13) [m, rad] of the pool: `cmd` or `act`."""
    rail = result[f"rail.{which}"].reshape(-1, 1)
    return np.hstack([rail, result[f"rob1.{which}.axes"], result[f"rob2.{which}.axes"]])


def commanded(result: Result, kinematics: Kinematics) -> tuple[Poses, Poses]:
    """Of both tools by the ideal set-points, from the first cycle on in which commands act."""
    first = int(np.argmax(running(result)))
    return _poses(result.time("fmc.state")[first:], axes_of(result, "cmd")[first:], kinematics)


def encoded(result: Result, kinematics: Kinematics) -> tuple[Poses, Poses]:
    """Of both tools by the encoders."""
    return _poses(result.time("fmc.state"), axes_of(result, "act"), kinematics)


def executed(result: Result, facility: str = "epos") -> tuple[Poses, Poses]:
    """Of both tools by their links, at the world's record rate."""
    found: list[Poses] = []
    for robot in ("rob1", "rob2"):
        name = f"{facility}.{robot}.user"
        R = np.array([quat_to_matrix(q) for q in result[f"{name}.q_WF"]])
        found.append(Poses(result.time(f"{name}.p_WF"), result[f"{name}.p_WF"], R))
    return found[0], found[1]


def errors(ought: Poses, was: Poses, delay: float) -> tuple[Array, Array]:
    """Distances [m] and angles [rad] between what was and what ought to have been a delay before.

    Commands in between are on cubic splines; instants whose command is not known are left out.
    """
    seen = was.between(ought.t[0] + delay, ought.t[-1] + delay)
    place = CubicSpline(ought.t, ought.p)(seen.t - delay)
    axes = CubicSpline(ought.t, ought.R.reshape(-1, 9))(seen.t - delay).reshape(-1, 3, 3)
    cross = 0.5 * np.cross(axes, seen.R, axisa=1, axisb=1, axisc=1).sum(axis=2)  # sin(angle) about the axis
    return np.linalg.norm(seen.p - place, axis=1), np.arcsin(np.clip(np.linalg.norm(cross, axis=1), 0.0, 1.0))


def trajectory_poses(rows: Trajectory, kinematics: Kinematics, start: float) -> tuple[Poses, Poses]:
    """Of both tools by the rows of a file, whose first acts at `start` [s]; what a frame of tools tells is taken as it
    is, axes and plates go through the kinematics."""
    t = start + CYCLE * np.arange(len(rows), dtype=np.float64)
    if (rows.frames == int(Frame.GLC)).all():
        found = []
        for robot in (0, 7):
            angles = np.radians(rows.values[:, robot + 3 : robot + 6])
            R = np.array([rpy_to_matrix(c, b, a) for a, b, c in angles])
            found.append(Poses(t, rows.values[:, robot : robot + 3], R))
        return found[0], found[1]
    axes, now = np.empty((len(rows), COUNT)), np.array(START)
    for k in range(len(rows)):
        axes[k] = now = kinematics.to_axes(rows.record(k), now)
    return _poses(t, axes, kinematics)


def course_poses(course: Course, t: Array) -> tuple[Poses, Poses]:
    """Of both tools by the CLW records of a course, whose first acts in the first cycle of `t` [s]."""
    found: list[tuple[Pose, Pose]] = []
    for k in range(len(t)):
        values = course.command(k * CYCLE).values
        X_GP, X_P1, X_P2 = (_pose(values[part]) for part in (POV, ROB1, ROB2))
        found.append((X_GP @ X_P1, X_GP @ X_P2))
    return _split(t, found)


def _pose(seven: Array) -> Pose:
    """Of a record's numbers: its quaternion has the scalar last."""
    return Pose.from_quat(np.array([seven[6], *seven[3:6]]), seven[:3])


def steps_of(result: Result) -> Array:
    """Largest change (13,) [m, rad] of each axis in a cycle."""
    return np.abs(np.diff(axes_of(result, "act"), axis=0)).max(axis=0)


def _poses(t: Array, axes: Array, kinematics: Kinematics) -> tuple[Poses, Poses]:
    return _split(t, [kinematics.tool_poses(row) for row in axes])


def _split(t: Array, pairs: Sequence[tuple[Pose, Pose]]) -> tuple[Poses, Poses]:
    first, second = ([pair[k] for pair in pairs] for k in (0, 1))
    return _stacked(t, first), _stacked(t, second)


def _stacked(t: Array, poses: Sequence[Pose]) -> Poses:
    return Poses(t, np.array([X.p for X in poses]), np.array([X.R for X in poses]))
