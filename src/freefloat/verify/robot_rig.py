"""An industrial robot that is pushed, and one that follows a satellite in another world; for the case `six-axis`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from freefloat.engine.blueprint import Builder, Motion
from freefloat.engine.integrator import Dopri5
from freefloat.engine.mission import Mission, WorldSetup
from freefloat.engine.rows import body_wrench, uniform_gravity
from freefloat.engine.sensing import Sensor
from freefloat.engine.session import Session
from freefloat.engine.task import Task
from freefloat.frames import Array, Pose, quat_to_matrix
from freefloat.gnc.control.follower import Follower, lead_of
from freefloat.gnc.planning.arm.six_axis import SixAxis
from freefloat.robots.industrial import IndustrialRobot, Joints, Mockup
from freefloat.structure import RigidBody

WEIGHT = (0.0, 0.0, -9.81)  # [m/s^2]
STAND = Pose.from_rpy((0.0, 0.0, 0.4), (0.3, -0.2, 0.1))
INERTIA = ((0.2, 0.01, 0.0), (0.01, 0.25, -0.02), (0.0, -0.02, 0.3))  # [kg m^2]
TOOL = Mockup(8.0, (0.01, -0.02, 0.12), INERTIA, Pose.from_rpy((0.1, 0.2, 0.3), (0.0, 0.02, 0.3)))
Q = np.radians([10.0, -80.0, 95.0, 20.0, 40.0, -30.0])
KNOWN = SixAxis.of("kr16-2", STAND, TOOL.X_FT)
SATELLITE = np.array([10.0, 12.0, 15.0])  # [kg m^2]
SPIN, DRIFT = np.array([0.02, -0.03, 0.04]), np.array([0.05, 0.01, -0.02])  # [rad/s] in the body, [m/s]


@dataclass(frozen=True)
class Push:
    """The command `push.wrench` [torque; force] on a robot's mock-up, in W at its tool frame."""

    name: str = "push"

    def build(self, b: Builder) -> None:
        """One row."""
        command = b.command("wrench", (6,), "N m, N")
        b.add(body_wrench("robot.mockup", command, TOOL.X_FT, "world"))


def pushed(joints: Joints, step: float) -> tuple[IndustrialRobot, Session]:
    """A robot in the laboratory whose mock-up can be pushed."""
    robot = IndustrialRobot("robot", "kr16-2", STAND, tuple(Q), TOOL, joints)
    mission = Mission([robot, Push()], rows=[uniform_gravity(WEIGHT)], integrator=Dopri5(step), record_rate=1.0)
    return robot, mission.session()


class _Sender:
    """The motion of a torque-free satellite as a set-point."""

    def update(self, t: float, meas: Mapping[str, Array]) -> dict[str, Array]:
        R, w = quat_to_matrix(meas["q"]), meas["w"]
        alpha = -np.cross(w, SATELLITE * w) / SATELLITE
        parts = [meas["p"], meas["q"], meas["v"], R @ w, np.zeros(3), R @ alpha]
        return {"setpoint": np.concatenate(parts)}


def following(cycle: float, delay: float) -> Mission:
    """A robot that carries out the motion of a free satellite, `delay` [s] later; recorded at 1 kHz."""
    X = KNOWN.forward(Q)
    satellite = RigidBody("satellite", 100.0, tuple(SATELLITE), motion=Motion(X, tuple(SPIN), tuple(DRIFT)))
    robot = IndustrialRobot("robot", "kr16-2", STAND, tuple(Q), TOOL)
    follower = Follower(KNOWN, robot.motor_start(), cycle, lead=lead_of(cycle, delay))
    names = {"p": "satellite.p_WB", "q": "satellite.q_WB", "v": "satellite.v_WB", "w": "satellite.w_WB_B"}
    tasks = [
        Task(_Sender(), cycle, reads=names, writes={"setpoint": "robot.setpoint"}, name="sender"),
        Task(
            follower,
            cycle,
            reads={"setpoint": "robot.setpoint"},
            sensors={"setpoint": Sensor(delay=delay)},
            writes={"course": "robot.course"},
        ),
    ]
    lab = WorldSetup("lab", [robot], rows=[uniform_gravity(WEIGHT)], integrator=Dopri5(1e-3))
    space = WorldSetup("space", [satellite], integrator=Dopri5(1e-3))
    return Mission(worlds=[space, lab], tasks=tasks, record_rate=1000.0)
