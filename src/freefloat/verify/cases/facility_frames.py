"""The docking facility's frames: commands to axes and back."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from freefloat.facility import axes as order
from freefloat.facility import frames_step as step
from freefloat.facility.geometry import ROBOTS, LabGeometry
from freefloat.facility.kinematics import Kinematics
from freefloat.facility.record import LIN, Frame
from freefloat.facility.user_tool import FIG24
from freefloat.frames import Array
from freefloat.verify.case import Comparison, at_most, case, within
from freefloat.verify.facility_rig import CHECK, HOME, SOURCE, apart, glc, quaternion_matrices, turns_about

COMMANDS = 10_000  # of each frame
NEAR = 0.05  # [rad, m] from a singular posture, where axes follow from a pose with less than all digits
SINGULAR = (
    2.16,
    1.5,
    0.445,
)  # [m] of U2, where robot 2 is at (0, -90, 90, 0, 0, 0) deg: a1 + l + f + 480 mm, d1 + a2 + o
LAB, TOOLS = LabGeometry(), (FIG24.rob1, FIG24.rob2)


@case("facility-frames", source=SOURCE)
def facility_frames() -> Iterator[Comparison]:
    """Commands of all four frames reach the axes and come back; the tools of Fig. 24 face each other."""
    yield from _check_values()
    drawn = draw(COMMANDS)
    for frame in Frame:
        place, angle, axes = there_and_back(frame, drawn)
        about = f"{frame.name}: {COMMANDS} random commands to axes and back, largest error"
        yield at_most(f"{about} of a place or the rail", "m", ours=place, tolerance=1e-9)
        yield at_most(f"{about} of an attitude", "rad", ours=angle, tolerance=1e-9)
        about = f"{frame.name}: axes from those that made the command, {NEAR:g} rad or m and more from singular"
        yield at_most(about, "m, rad", ours=axes, tolerance=1e-9)
    off, kink = through_the_wrist_singularity()
    yield at_most("robot 2 straight through A5 = 0: A4 and A6, from zero", "rad", ours=off, tolerance=1e-9)
    yield at_most("third difference of A5 on the way, rows 1 mm apart", "rad", ours=kink, tolerance=1e-7)


def _check_values() -> Iterator[Comparison]:
    kinematics = Kinematics()
    axes = kinematics.to_axes(glc(), HOME + 0.1)
    yield within("E1 with U1 at x = 5 m, data lin 1.5 m", "m", published=6.55, ours=axes[0], tolerance=1e-12)
    for device, angles in CHECK.items():
        off = np.abs(np.degrees(axes[order.DEVICES[device]]) - angles).max()
        yield at_most(f"{device}: axes of the check pose, error", "deg", ours=float(off), tolerance=1e-4)
    plates = [LAB.robot(n, axes[0]).forward(axes[robot]).R for n, robot in zip(ROBOTS, order.ROBOTS, strict=True)]
    out1, out2 = (R[:, 2] for R in plates)
    facing = float(max(np.abs(out1 + out2).max(), np.abs(out2 - [1.0, 0.0, 0.0]).max()))
    yield at_most("Fig. 24's tools unturned: plates face each other, error", "-", ours=facing, tolerance=1e-12)
    off = float(max(np.abs(R @ X.R - np.eye(3)).max() for R, X in zip(plates, TOOLS, strict=True)))
    yield at_most("their tools' axes, against the lab's", "-", ours=off, tolerance=1e-12)
    straight = kinematics.to_axes(glc(p2=SINGULAR), HOME)[order.ROBOT2]
    off = float(np.abs(np.degrees(straight) - [0.0, -90.0, 90.0, 0.0, 0.0, 0.0]).max())
    yield at_most("rob2: U2 at (2.16, 1.5, 0.445) m is the singular posture, error", "deg", ours=off, tolerance=1e-9)


@dataclass(frozen=True)
class Drawn:
    """Random axes, and what commands are made of."""

    axes: Array  # [m, rad] (n, 13)
    now: Array  # others within 1e-3 of them, and the limits
    views: Array  # (n, 7) points of view: [m], quaternion scalar last
    well: list[bool]  # (n,) not near a singular posture


def draw(count: int) -> Drawn:
    """Axes all over their ranges, endless ones over 40 turns."""
    rng = np.random.default_rng(18)
    bound = np.where(np.isfinite(LAB.upper), LAB.upper, 40.0 * math.pi)
    axes = rng.uniform(np.maximum(LAB.lower, -bound), bound, (count, order.COUNT))
    now = np.clip(axes + rng.uniform(-1e-3, 1e-3, axes.shape), LAB.lower, LAB.upper)
    views = np.concatenate([rng.uniform(-10.0, 10.0, (count, 3)), rng.normal(size=(count, 4))], axis=1)
    views[:, 3:] /= np.linalg.norm(views[:, 3:], axis=1)[:, None]
    robots = [(LAB.robot(n), s) for n, s in zip(ROBOTS, order.ROBOTS, strict=True)]
    well = [not any(robot.singularity(q[s]).near(NEAR, NEAR) for robot, s in robots) for q in axes]
    return Drawn(axes, now, views, well)


def there_and_back(frame: Frame, drawn: Drawn) -> tuple[float, float, float]:
    """Largest errors of places [m] and attitudes [rad] of commands, and of axes that are not near singular.

    Commands are made of axes, so that all are in reach. What they ask is computed here, apart from the code that is
    judged; what is reached, by `SixAxis`.
    """
    nominal, number = Kinematics().nominal, int(frame)
    commands, found = np.empty((len(drawn.axes), 22)), np.empty(drawn.axes.shape)
    missed = 0
    for i, axes in enumerate(drawn.axes):
        step.from_axes(nominal, number, axes, drawn.views[i], commands[i])
        missed += step.to_axes(nominal, number, commands[i], drawn.now[i], found[i]) != step.OK
    if missed:
        return math.inf, math.inf, math.inf
    place, angle = _joint_errors(commands, found) if frame is Frame.IJT else _pose_errors(frame, commands, found)
    return place, angle, float(np.abs(found - drawn.axes)[drawn.well].max())


def _joint_errors(commands: Array, axes: Array) -> tuple[float, float]:
    asked = np.radians(np.concatenate([commands[:, :6], commands[:, 7:13]], axis=1))
    return float(np.abs(axes[:, 0] - commands[:, LIN] / 1e3).max()), float(np.abs(axes[:, 1:] - asked).max())


def _pose_errors(frame: Frame, commands: Array, axes: Array) -> tuple[float, float]:
    """Largest errors [m, rad] of what axes reach against what commands ask."""
    places, angles = [], []
    for n, robot, X_TU in zip(ROBOTS, order.ROBOTS, TOOLS, strict=True):
        arm, base = LAB.robot(n), LAB.base(n)
        poses = [arm.forward(q) for q in axes[:, robot]]
        p, R = np.array([X.p for X in poses]), np.array([X.R for X in poses])  # of T in G where E1 = 0
        if n == 1:
            lin = base.p[0] - p[:, 0]
            told = axes[:, 0] if frame is Frame.IDC else lin
            places.append(told - commands[:, LIN] / (1e3 if frame is Frame.IDC else 1.0))
        if frame is Frame.IDC:
            p, R = (p - base.p) @ base.R, base.R.T @ R
        else:
            p, R = p + R @ X_TU.p, R @ X_TU.R
            p[:, 0] += axes[:, 0] if n == 1 else 0.0
        p_asked, R_asked = _asked(frame, commands, n)
        places.append(np.linalg.norm(p - p_asked, axis=1))
        angles.append(apart(R, R_asked))
    return float(np.abs(places).max()), float(np.max(angles))


def _asked(frame: Frame, commands: Array, robot: int) -> tuple[Array, Array]:
    """Places [m] (n, 3) and attitudes (n, 3, 3) that commands ask: tool in the lab, or plate in its base."""
    c = commands[:, 7 * (robot - 1) : 7 * robot]
    if frame is Frame.CLW:
        R_GP = quaternion_matrices(commands[:, 17:21])
        return np.einsum("nij,nj->ni", R_GP, c[:, :3]) + commands[:, 14:17], R_GP @ quaternion_matrices(c[:, 3:])
    yaw, pitch, roll = np.radians(c[:, 3:6]).T
    R = turns_about(yaw, 2) @ turns_about(pitch, 1) @ turns_about(roll, 0)
    return c[:, :3] / (1e3 if frame is Frame.IDC else 1.0), R


def through_the_wrist_singularity() -> tuple[float, float]:
    """Largest angle of A4 or A6 [rad] of robot 2 that climbs unturned through A5 = 0, and third difference of A5 [rad].

    One row is the singular posture itself.
    """
    kinematics, now, rows = Kinematics(), HOME, []
    x, y, z = SINGULAR
    for height in z + 1e-3 * np.arange(-50, 51):
        now = kinematics.to_axes(glc(p2=(x, y, float(height))), now)
        rows.append(now)
    q = np.array(rows)
    return float(np.abs(q[:, [10, 12]]).max()), float(np.abs(np.diff(q[:, 11], n=3)).max())
