"""Seven joints with drives on a free bus of 1000 kg: the plant, and the same with rotors as bodies by CVODE."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np

from freefloat.drives.catalogue import load_drive
from freefloat.drives.joint_drive import JointDrive
from freefloat.engine.blueprint import Part, draw
from freefloat.engine.graph import LinkGraph
from freefloat.engine.integrator import Integrator
from freefloat.engine.mission import Mission
from freefloat.engine.session import Session
from freefloat.errors import StepWarning
from freefloat.frames import Array, Pose
from freefloat.robots import load_robot
from freefloat.robots.arm import Arm
from freefloat.structure import RigidBody
from freefloat.verify.motor_control import PERIOD, MotorPD
from freefloat.verify.oracles.newton_euler import TreeState
from freefloat.verify.oracles.rotor_tree import RotorTree, TreeRun

START = (0.3, -0.5, 0.2, 1.0, 0.1, 0.4, 0.0)  # [rad]
RATES = (0.25, -0.3, 0.25, 0.3, -0.3, 0.25, -0.3)  # [rad/s] largest of the way there; the arm's limit is 0.35 rad/s
W = 60.0  # [rad/s] of the controller: stiff enough that a joint that sticks is soon torn loose
RECORDS = 100.0  # [Hz]


def arm_drives() -> list[JointDrive]:
    """Four large joints and three of the wrist."""
    return [load_drive("spider-shoulder")] * 4 + [load_drive("spider-wrist")] * 3


def driven_parts(drives: Sequence[JointDrive | None] | None) -> list[Part]:
    """The bus `bus` and the arm `arm` on it."""
    bus = RigidBody("bus", frames={"mount": Pose.from_rpy((0.0, 0.0, 0.0), (0.0, 0.0, 1.0))})
    return [bus, Arm("arm", load_robot("arm7"), on="bus.mount", q=START, drives=drives)]


def motor_law(drives: Sequence[JointDrive], duration: float) -> MotorPD:
    """Start, stop and reversal of all joints within `duration` [s]."""
    return MotorPD(drives, START, RATES, duration, W)


def driven_mission(drives: Sequence[JointDrive], law: MotorPD, integrator: Integrator) -> Mission:
    """The plant under the law."""
    return Mission(driven_parts(drives), [law.task()], integrator=integrator, record_rate=RECORDS)


def quiet_session(mission: Mission) -> Session:
    """A session whose step is longer than its parts advise, on purpose: without their warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", StepWarning)
        return mission.session()


def reference(drives: Sequence[JointDrive], law: MotorPD, duration: float) -> TreeRun:
    """The same by CVODE, which starts anew at every sample of the law, at the plant's records up to `duration` [s]."""
    drawn = draw(driven_parts(drives))
    graph = LinkGraph(tuple(drawn.links.values()), tuple(drawn.joints.values()), "bus")
    names = [j.name for j in graph.joints if j.kind != "fixed"]
    tree = RotorTree(graph, dict(zip(names, drives, strict=True)))
    start = tree.start(TreeState(q=dict(zip(names, START, strict=True))))

    def command(k: int, t: float, q: Array, qd: Array, theta: Array, speed: Array) -> Array:
        return law.law(t, theta, speed)

    times = np.linspace(0.0, duration, round(duration * RECORDS) + 1)
    return tree.run(start, command, times, period=PERIOD)
