"""Papadopoulos and Dubowsky's planar two-link robot on a free-floating base."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import ClassVar

import mujoco
import numpy as np

from freefloat.drives.joint_drive import JointDrive
from freefloat.engine.blueprint import Motion, draw
from freefloat.engine.mission import Mission
from freefloat.engine.result import Result
from freefloat.frames import quat_log, quat_rotate
from freefloat.gnc.control.free_floating import dynamic_singularity, zero_momentum_base_twist
from freefloat.gnc.planning.arm.joint_path import QuinticPath
from freefloat.missions.arm.control import (
    ComputedTorqueSettings,
    JointSensors,
    PDSettings,
    joint_tasks,
    onboard_model,
)
from freefloat.missions.drive_settings import DrivenSettings, drive_metrics
from freefloat.robots import asset, load_urdf
from freefloat.robots.arm import Arm
from freefloat.scenario.base import IntegratorSettings, Scenario
from freefloat.scenario.fields import choice, quantity, setting
from freefloat.scenario.registry import register

BASE, LAST_LINK = "robot.base", "robot.link2"


@register
class PlanarTwoLink(Scenario):
    """The benchmark of dynamic singularities: base 40 kg, links 4 and 3 kg (Papadopoulos and Dubowsky 1993)."""

    kind: ClassVar[str] = "planar-two-link"
    title: ClassVar[str] = "A planar two-link robot on a free base passes near a dynamic singularity"

    duration: float = quantity(12.0, "s", "simulated time", gt=0, le=1e9)
    start: tuple[float, float] = quantity((-1.6, 0.9), "rad", "joint positions at the start")
    goal: tuple[float, float] = quantity((-0.6, -0.9), "rad", "joint positions to move to")
    move_time: float = quantity(10.0, "s", "time for the motion", gt=0)
    robot: DrivenSettings = setting(DrivenSettings(drive="spider-wrist"), "the robot's drives")
    control: ComputedTorqueSettings | PDSettings = choice(ComputedTorqueSettings(), "the joint controller")
    sensors: JointSensors = setting(JointSensors(), "joint sensors")

    integrator: IntegratorSettings = setting(
        IntegratorSettings(method="auto", step="auto"), "how the plant is integrated; both follow the drives"
    )

    def build(self) -> Mission:
        """The robot floating from rest, and the joint controller as a task."""
        drives = self.robot.joint_drives(2, "robot")
        graph, servo = load_urdf(asset("planar_two_link")), "position" if drives else ""
        robot = Arm("robot", graph, q=self.start, motion=Motion(), drives=drives, servo=servo)
        blueprint = draw([robot])
        tree = onboard_model(blueprint)
        path = QuinticPath(np.array(self.start), np.array(self.goal), self.move_time)
        return Mission(
            blueprint,
            tasks=joint_tasks(blueprint, tree, "robot", BASE, path, self.control, self.sensors, drives),
            integrator=self.integrator.make(driven=drives is not None),
            record_rate=self.record_rate,
            judge=partial(self._judge, model=tree.model, drives=drives),
            plots=("robot.q", "robot.error", "robot.tau_applied", f"{BASE}.w_WB_B", "robot.tool.p_WF"),
        )

    def _judge(self, result: Result, model: mujoco.MjModel, drives: Sequence[JointDrive] | None) -> dict[str, float]:
        """Tracking, the base's rotation, and the generalised Jacobian along the way."""
        nearest, mismatch = _along_the_way(result, model)
        turn = np.array([quat_log(q)[2] for q in result[f"{BASE}.q_WB"]])
        return {
            "goal_error_rad": float(np.abs(result["robot.q"][-1] - np.array(self.goal)).max()),
            "tracking_error_rms_rad": float(np.sqrt(np.mean(result["robot.error"] ** 2))),
            "base_rotation_deg": float(np.rad2deg(np.abs(turn).max())),
            "smallest_singular_value": nearest,
            "zero_momentum_mismatch_rad_s": mismatch,
            **drive_metrics(result, "robot", drives),
        }


def _along_the_way(result: Result, model: mujoco.MjModel) -> tuple[float, float]:
    """Smallest singular value of the planar generalised Jacobian, and the largest difference between the base rate
    that zero momentum predicts and the simulated one."""
    data = mujoco.MjData(model)
    nearest, mismatch = np.inf, 0.0
    motion = zip(result["robot.q"], result["robot.qd"], result[f"{BASE}.q_WB"], result[f"{BASE}.w_WB_B"], strict=True)
    for q, qd, q_WB, w_WB_B in motion:
        data.qpos[3:7], data.qpos[7:9] = q_WB, q
        predicted = zero_momentum_base_twist(model, data, qd)
        mismatch = max(mismatch, float(np.abs(predicted[:3] - quat_rotate(q_WB, w_WB_B)).max()))
        nearest = min(nearest, dynamic_singularity(model, data, LAST_LINK, rows=(3, 4)).smallest_singular_value)
    return nearest, mismatch
