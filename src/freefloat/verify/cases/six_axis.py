"""Industrial robots: kinematics of three types, what a wrist's sensor tells, gears that give way, following."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from freefloat.frames import Pose
from freefloat.gnc.estimation.wrist import WristCompensation
from freefloat.gnc.planning.arm.six_axis import OutOfReachError, SixAxis
from freefloat.gnc.planning.arm.six_axis_statics import Statics
from freefloat.verify.case import Comparison, at_least, at_most, case, within
from freefloat.verify.drawing import errors_over_time
from freefloat.verify.robot_rig import KNOWN, TOOL, Q, following, pushed

POSES = 10_000  # of each type
FOUND = 1e-8  # [rad] of the axes from those that made the pose
FLANGES = {"kr16-2": (1.088, 0.0, 1.320), "kr240-2": (1.680, 0.0, 1.945), "kr100-ha": (1.580, 0.0, 1.945)}  # [m]
REACHES = {"kr240-2": 2.70, "kr100-ha": 2.60}  # [m] of the wrist from A1, level
UPRIGHT = np.radians([0.0, -90.0, 90.0, 0.0, 0.0, 0.0])
FORCE = np.array([30.0, -20.0, 10.0])  # [N]
TORQUE = np.array([1.0, -2.0, 0.5])  # [N m]


@case(
    "six-axis",
    source="lengths of the makers' data sheets (KUKA KR 16-2 as in ROS-Industrial's kuka_experimental; KR 240-2 and "
    "KR 100 HA: reach in the EPOS publications); closed forms",
)
def six_axis() -> Iterator[Comparison]:
    """Every pose is reached by the branch that made it; sensors, gears and followers obey their closed forms."""
    for name, flange in FLANGES.items():
        yield from _kinematics(name, flange)
    yield from _reach()
    yield from _singularities()
    yield from _wrist()
    yield from _gears()
    yield from _following()


def _kinematics(name: str, flange: tuple[float, float, float]) -> Iterator[Comparison]:
    robot = SixAxis.of(name)
    off = float(np.abs(robot.flange(UPRIGHT).p - flange).max())
    yield at_most(f"{name}: flange at (0, -90, 90, 0, 0, 0) deg, error", "m", ours=off, tolerance=1e-6)
    missed, error = pose_errors(robot, POSES)
    yield at_most(f"{name}: random poses whose branch was not found, of {POSES}", "-", ours=missed, tolerance=0.0)
    yield at_most(f"{name}: pose of every branch, largest error", "m and -", ours=error, tolerance=1e-10)


def pose_errors(robot: SixAxis, count: int) -> tuple[int, float]:
    """Random poses whose generating axes are in no solution, and the largest error of any branch's pose."""
    missed, worst = 0, 0.0
    for q in np.random.default_rng(16).uniform(robot.lower, robot.upper, (count, 6)):
        X = robot.forward(q)
        found = robot.inverse(X)
        missed += not any(np.abs(s.q - q).max() < FOUND for s in found)
        for s in {s.branch: s for s in found}.values():
            Y = robot.forward(s.q)
            worst = max(worst, float(np.abs(Y.p - X.p).max()), float(np.abs(Y.R - X.R).max()))
    return missed, worst


def _reach() -> Iterator[Comparison]:
    for name, published in REACHES.items():
        arm = SixAxis.of(name).arm
        reach = arm.a1 + arm.a2 + math.hypot(arm.forearm, arm.o)
        yield within(f"{name}: reach of the wrist", "m", published=published, ours=reach, tolerance=5e-3)
    robot, out = SixAxis.of("kr16-2"), Pose.from_rpy((0.0, 0.5 * np.pi, 0.0), (3.0, 0.0, 0.675))
    arm, told = robot.arm, math.nan
    expected = 3.0 - (arm.a1 + arm.a2 + math.hypot(arm.forearm, arm.o) + arm.flange)
    try:
        robot.nearest(out, UPRIGHT)
    except OutOfReachError as e:
        told = e.distance
    about = "kr16-2: distance told of a pose out of reach"
    yield within(about, "m", published=expected, ours=told, tolerance=1e-12)


def _singularities() -> Iterator[Comparison]:
    """Where a posture is told to be singular, the Jacobian has lost a direction; 0.01 rad away it has not."""
    robot = SixAxis.of("kr16-2")
    bend = math.atan2(robot.arm.o, robot.arm.forearm)
    elbow, upper, lower = 1.1, robot.arm.a2, math.hypot(robot.arm.forearm, robot.arm.o)
    far = math.sqrt(upper**2 + lower**2 + 2.0 * upper * lower * math.cos(elbow))
    lead = math.atan2(lower * math.sin(elbow), upper + lower * math.cos(elbow))
    over = -math.acos(-robot.arm.a1 / far) - lead  # with the wrist above A1
    postures = {
        "wrist": ([0.3, -1.2, 1.4, 0.5, 0.0, 0.2], 4),
        "elbow": ([0.3, -1.2, bend, 0.5, 0.7, 0.2], 2),
        "shoulder": ([0.3, over, elbow + bend, 0.5, 0.7, 0.2], 1),
    }
    for name, (q, axis) in postures.items():
        least = float(np.linalg.svd(robot.jacobian(q))[1][-1])
        told = getattr(robot.singularity(q), name)
        about = f"{name} singular: distance told, and least singular value of the Jacobian"
        yield at_most(about, "rad or m, -", ours=max(told, least), tolerance=1e-12)
        if name != "shoulder":
            q[axis] += 0.01
            near = getattr(robot.singularity(q), name)
            yield within(f"{name}: 0.01 rad away, told", "rad", published=0.01, ours=near, tolerance=1e-12)


def _wrist() -> Iterator[Comparison]:
    """A robot in fast motion, pushed by a known wrench."""
    _, session = pushed("rigid", 1e-3)
    course = np.zeros((6, 7))
    course[:, 1], course[:, 3], course[:, 4] = Q, [0.5, -0.8, 1.0, 3.0, -2.0, 4.0], [1.0, 2.0, -3.0, -5.0, 4.0, 8.0]
    session.write("robot.course", course)
    session.write("push.wrench", [*TORQUE, *FORCE])
    session.step(0.2)
    q, qd, qdd = (session.read(f"robot.motor_{x}") for x in ("q", "qd", "qdd"))
    known, wrist = WristCompensation(KNOWN, TOOL.mass, TOOL.p_FFcm, TOOL.inertia), session.read("robot.wrist")
    truth = np.concatenate([FORCE, TORQUE])
    off = np.abs(known.contact(q, qd, qdd, wrist) - truth).max()
    yield at_most("wrist: a known push while the robot moves, error", "N, N m", ours=float(off), tolerance=1e-6)
    bare = np.linalg.norm((known.contact(q, np.zeros(6), np.zeros(6), wrist) - truth)[:3])
    yield at_least("the same with the weight alone taken out", "N", published=5.0, ours=float(bare), tolerance=0.0)


def _gears() -> Iterator[Comparison]:
    """The tool under a force, once it rests: rigid not at all, elastic by J K^-1 J^T f."""
    for joints in ("rigid", "elastic"):
        robot, session = pushed(joints, 5e-4)
        session.write("push.wrench", [0.0, 0.0, 0.0, *FORCE])
        session.step(3.0)
        moved = session.read("robot.tool.p_WF") - KNOWN.forward(Q).p
        if joints == "rigid":
            off = float(np.linalg.norm(moved))
            yield at_most("rigid tool under 37 N: way", "m", ours=off, tolerance=1e-12)
            continue
        weights = [(0.0, np.zeros(3))] * 6
        C = Statics(KNOWN, weights, stiffness=robot.stiffness or ()).compliance(Q)
        expected = float(np.linalg.norm(C @ FORCE))
        off = float(np.linalg.norm(moved - C @ FORCE))
        yield within(
            "elastic tool under 37 N: way, by J K^-1 J^T f",
            "m",
            published=expected,
            ours=float(np.linalg.norm(moved)),
            tolerance=2e-3 * expected,
        )
        yield at_most("its error, all directions, relative", "-", ours=off / expected, tolerance=2e-3)


def _following() -> Iterator[Comparison]:
    """A tumbling satellite carried out by a robot: after a start from rest the lag is the delay, exactly."""
    for cycle, delay in ((0.004, 0.012), (0.012, 0.020)):
        result = following(cycle, delay).run(1.5)
        late = round(1e3 * delay)
        space, lab = result["satellite.p_WB"], result["robot.tool.p_WF"]
        off = np.linalg.norm(lab[late:] - space[: len(space) - late], axis=1)
        times = result.time("robot.tool.p_WF")[late:]
        about = f"follower, {1e3 * cycle:g} ms cycle, {1e3 * delay:g} ms delay: place less that of the satellite then"
        plot = errors_over_time(times, {"distance [m]": off}, 1e-9, about)
        yield at_most(about, "m", ours=float(off[times > 1.0].max()), tolerance=1e-9, plot=plot)
