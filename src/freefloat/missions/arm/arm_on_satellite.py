"""A satellite in orbit holds its attitude with reaction wheels while its arm swings."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import ClassVar, Literal

import mujoco
import numpy as np

from freefloat.drives.joint_drive import JointDrive
from freefloat.engine.blueprint import Motion, draw
from freefloat.engine.mission import Mission
from freefloat.engine.result import Result
from freefloat.engine.task import Task
from freefloat.engine.tree import Tree
from freefloat.frames import Array, Pose, quat_conj, quat_log, quat_mul, rpy_to_matrix
from freefloat.gnc.control.arm_feedforward import ArmFeedforward
from freefloat.gnc.control.free_floating import momentum_map
from freefloat.gnc.planning.arm.joint_path import QuinticPath
from freefloat.missions.arm.control import (
    ComputedTorqueSettings,
    JointSensors,
    PDSettings,
    joint_tasks,
    joints_of,
    onboard_model,
)
from freefloat.missions.arm.free_floating_arm import ArmSettings, BusSettings
from freefloat.missions.attitude_settings import AttitudeSettings, WheelSettings
from freefloat.missions.drive_settings import drive_metrics
from freefloat.missions.orbit_settings import OrbitSettings
from freefloat.orbit.lvlh import lvlh_axes
from freefloat.scenario.base import IntegratorSettings, Scenario
from freefloat.scenario.fields import Rotation, choice, quantity, rotation, setting
from freefloat.scenario.registry import register
from freefloat.structure import RigidBody

QUARTER = float(np.pi / 4.0)  # [rad]


@register
class ArmOnSatellite(Scenario):
    """The bus of `free-floating-arm` with its arm in orbit; the bus shall keep the attitude of the start."""

    kind: ClassVar[str] = "arm-on-satellite"
    title: ClassVar[str] = "An arm swings on a satellite in orbit while reaction wheels hold the bus"

    duration: float = quantity(80.0, "s", "simulated time", gt=0, le=1e9)
    attitude: Literal["off", "feedback", "feedforward"] = setting(
        "feedforward", "attitude control: none, quaternion feedback, or the same with feedforward of the arm's motion"
    )
    onboard_mass_error: float = quantity(
        0.0, "-", "relative error of the arm's mass and inertia in the feedforward's model", gt=-1, le=10
    )
    orbit: OrbitSettings = setting(OrbitSettings(), "the orbit")
    bus: BusSettings = setting(BusSettings(), "the satellite bus")
    attitude_start: Rotation = rotation((0.0, 0.0, 0.0), "attitude of the bus in the orbital frame LVLH at the start")
    arm: ArmSettings = setting(
        ArmSettings(
            start=(0.0, -QUARTER, 0.0, 0.6, 0.0, 0.4, 0.0),
            goal=(0.0, QUARTER, 0.0, 0.6, 0.0, 0.4, 0.0),
            move_time=60.0,
        ),
        "the arm and its motion",
    )
    control: ComputedTorqueSettings | PDSettings = choice(ComputedTorqueSettings(), "the joint controller")
    sensors: JointSensors = setting(JointSensors(), "joint sensors")
    wheels: WheelSettings = setting(WheelSettings(), "the reaction wheels")
    attitude_control: AttitudeSettings = setting(AttitudeSettings(), "the attitude controller")

    integrator: IntegratorSettings = setting(
        IntegratorSettings(method="auto", step="auto"), "how the plant is integrated; both follow the drives"
    )

    def build(self) -> Mission:
        """Orbit, bus, arm and wheels; the joint controller and the attitude controller as tasks."""
        frame = self.orbit.frame(self.duration)
        R_IL = lvlh_axes(frame.reference.position(0.0), frame.reference.velocity(0.0))
        X_WB = Pose(R_IL @ rpy_to_matrix(*self.attitude_start), np.zeros(3))
        mount = Pose.from_rpy(self.bus.mount_attitude, self.bus.mount_position)
        bus = RigidBody("bus", self.bus.mass, size=self.bus.size, frames={"mount": mount}, motion=Motion(X_WB))
        arm, drives = self.arm.part("arm", "bus.mount")
        blueprint = draw([frame, bus, arm, self.wheels.part("wheels", "bus")])
        tree, path = onboard_model(blueprint), self.arm.path()
        tasks = joint_tasks(blueprint, tree, "arm", "bus", path, self.control, self.sensors, drives)
        if self.attitude != "off":
            tasks.append(self._attitude_task(tree, joints_of("arm", blueprint, tree), path, X_WB.q))
        return Mission(
            blueprint,
            tasks=tasks,
            integrator=self.integrator.make(driven=drives is not None),
            record_rate=self.record_rate,
            judge=partial(self._judge, drives=drives),
            plots=("bus.q_WB", "bus.w_WB_B", "wheels.h", "wheels.tau_applied", "arm.q", "arm.error"),
            writers=[self.orbit.writer("bus")],
        )

    def _attitude_task(self, tree: Tree, joints: list[str], path: QuinticPath, q_WR: Array) -> Task:
        """The chain of feedforward, feedback and allocation, for the inertia at the start."""
        dofs = np.array([tree.rate[j] for j in joints])
        data = mujoco.MjData(tree.model)
        data.qpos[[tree.coordinate[j] for j in joints]] = path.q0
        inertia = momentum_map(tree.model, data, dofs)[:3, :3]
        lead = 0.5 / self.attitude_control.rate
        forward = ArmFeedforward(tree.model, dofs, path, lead, 1.0 + self.onboard_mass_error)
        chosen = forward if self.attitude == "feedforward" else None
        return self.attitude_control.task("bus", q_WR, inertia, self.wheels, chosen)

    def _judge(self, result: Result, drives: Sequence[JointDrive] | None) -> dict[str, float]:
        """How still the bus stays, what that asks of the wheels, and how well the arm follows."""
        q = result["bus.q_WB"]
        turn = np.array([np.linalg.norm(quat_log(quat_mul(quat_conj(q[0]), qi))) for qi in q])
        error = result["arm.q"][-1] - np.array(self.arm.goal)
        return {
            "pointing_error_rms_deg": float(np.rad2deg(np.sqrt(np.mean(turn**2)))),
            "pointing_error_max_deg": float(np.rad2deg(turn.max())),
            "bus_rate_max_rad_s": float(np.linalg.norm(result["bus.w_WB_B"], axis=1).max()),
            "wheel_momentum_max_N_m_s": float(np.abs(result["wheels.h"]).max()),
            "wheel_torque_max_N_m": float(np.abs(result["wheels.tau_applied"]).max()),
            "tracking_error_rms_rad": float(np.sqrt(np.mean(result["arm.error"] ** 2))),
            "goal_error_rad": float(np.abs(error).max()),
            **drive_metrics(result, "arm", drives),
        }
