"""A satellite with a seven-joint arm, both floating: the arm follows a joint path and the base reacts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import ClassVar

import numpy as np

from freefloat.drives.joint_drive import JointDrive
from freefloat.engine.blueprint import draw
from freefloat.engine.mission import Mission
from freefloat.engine.result import Result
from freefloat.errors import FieldError
from freefloat.frames import Pose, quat_conj, quat_log, quat_mul
from freefloat.gnc.planning.arm.joint_path import QuinticPath
from freefloat.missions.arm.control import ComputedTorqueSettings, JointSensors, PDSettings, joint_tasks, onboard_model
from freefloat.missions.drive_settings import DrivenSettings, drive_metrics
from freefloat.robots import load_robot
from freefloat.robots.arm import Arm
from freefloat.robots.reading import Unsupported
from freefloat.scenario.base import IntegratorSettings, Scenario
from freefloat.scenario.fields import Rotation, Settings, Vector3, choice, file, quantity, rotation, setting
from freefloat.scenario.registry import register
from freefloat.structure import RigidBody


class BusSettings(Settings):
    """The satellite bus: a rigid box."""

    mass: float = quantity(1000.0, "kg", "mass of the bus", gt=0)
    size: Vector3 = quantity((1.6, 1.6, 2.0), "m", "edges of the box; a solid box gives the inertia", gt=0)
    mount_position: Vector3 = quantity((0.0, 0.0, 1.0), "m", "where the arm stands, in the bus frame B")
    mount_attitude: Rotation = rotation((0.0, 0.0, 0.0), "attitude of the arm's base in B")


class ArmSettings(DrivenSettings):
    """The arm, its drives and its motion."""

    robot: str = file(
        "arm7",
        "a robot that comes with Freefloat, or the path of a URDF (.urdf) or MJCF (.xml) file; its frame `tool`, or "
        "else its last link, is the tip",
    )
    unsupported: Unsupported = setting("refuse", "what of its file cannot be modelled: refused, or left out by name")
    balance: bool = setting(False, "inertias that miss the triangle inequality by less than 5 % are balanced")
    search: tuple[str, ...] = file((), "folders such as ./packages in which package://NAME/ of its file is looked for")
    start: tuple[float, ...] = quantity((0.0, -0.9, 0.0, 1.6, 0.0, 0.7, 0.0), "rad", "joint positions at the start")
    goal: tuple[float, ...] = quantity((1.2, 0.6, -0.5, 0.9, 0.8, -0.6, 1.0), "rad", "joint positions to move to")
    move_time: float = quantity(15.0, "s", "time for the motion", gt=0)

    def part(self, name: str, on: str) -> tuple[Arm, list[JointDrive] | None]:
        """The arm on a frame of another part, at the start of its motion; and its drives, None where they are ideal."""
        robot = load_robot(self.robot, self.unsupported, self.balance, self.search)
        n = sum(j.kind != "fixed" for j in robot.joints)
        for end in ("start", "goal"):
            if len(getattr(self, end)) != n:
                raise FieldError(f"arm.{end}", f"{len(getattr(self, end))} numbers for the {n} joints of the robot")
        drives = self.joint_drives(n, "arm")
        return Arm(name, robot, on=on, q=self.start, drives=drives, servo="position" if drives else ""), drives

    def path(self) -> QuinticPath:
        """The motion of its joints."""
        return QuinticPath(np.array(self.start), np.array(self.goal), self.move_time)


@register
class FreeFloatingArm(Scenario):
    """A bus with an arm in free flight, no attitude control."""

    kind: ClassVar[str] = "free-floating-arm"
    title: ClassVar[str] = "A seven-joint arm moves on a free-floating satellite; the base reacts"

    bus: BusSettings = setting(BusSettings(), "the satellite bus")
    arm: ArmSettings = setting(ArmSettings(), "the arm and its motion")
    control: ComputedTorqueSettings | PDSettings = choice(ComputedTorqueSettings(), "the joint controller")
    sensors: JointSensors = setting(JointSensors(), "joint sensors")

    integrator: IntegratorSettings = setting(
        IntegratorSettings(method="auto", step="auto"), "how the plant is integrated; both follow the drives"
    )

    def build(self) -> Mission:
        """Bus, arm on its mount, and the joint controller as a task."""
        mount = Pose.from_rpy(self.bus.mount_attitude, self.bus.mount_position)
        bus = RigidBody("bus", self.bus.mass, size=self.bus.size, frames={"mount": mount})
        arm, drives = self.arm.part("arm", "bus.mount")
        blueprint = draw([bus, arm])
        tree = onboard_model(blueprint)
        return Mission(
            blueprint,
            tasks=joint_tasks(blueprint, tree, "arm", "bus", self.arm.path(), self.control, self.sensors, drives),
            integrator=self.integrator.make(driven=drives is not None),
            record_rate=self.record_rate,
            judge=partial(self._judge, last=arm.graph.links[-1].name, drives=drives),
            plots=("arm.q", "arm.error", "arm.tau_applied", "bus.q_WB", "bus.w_WB_B", "bus.p_WB"),
        )

    def _judge(self, result: Result, last: str, drives: Sequence[JointDrive] | None) -> dict[str, float]:
        """How well the arm follows and how far the base turns and drifts; `last` is the arm's last link."""
        error = result["arm.q"][-1] - np.array(self.arm.goal)
        tip = "arm.tool.p_WF" if "arm.tool.p_WF" in result else f"arm.{last}.p_WB"
        q, p, tool = result["bus.q_WB"], result["bus.p_WB"], result[tip]
        turn = np.array([np.linalg.norm(quat_log(quat_mul(quat_conj(q[0]), qi))) for qi in q])
        return {
            "tracking_error_rms_rad": float(np.sqrt(np.mean(result["arm.error"] ** 2))),
            "goal_error_rad": float(np.abs(error).max()),
            "base_rotation_deg": float(np.rad2deg(turn.max())),
            "base_displacement_m": float(np.linalg.norm(p - p[0], axis=1).max()),
            "tool_travel_m": float(np.linalg.norm(np.diff(tool, axis=0), axis=1).sum()),
            "largest_torque_N_m": float(np.abs(result["arm.tau_applied"]).max()),
            **drive_metrics(result, "arm", drives),
        }
