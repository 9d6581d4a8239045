"""A satellite in orbit holds its attitude with reaction wheels while its arm swings."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar, Literal

import numpy as np

from freefloat.actuators import ReactionWheels
from freefloat.engine.blueprint import Motion
from freefloat.engine.mission import Mission
from freefloat.engine.result import Result
from freefloat.engine.signals import Signal
from freefloat.engine.task import Task
from freefloat.errors import InputError
from freefloat.frames import Array, Pose, quat_conj, quat_log, quat_mul, rpy_to_matrix
from freefloat.gnc.control.allocation import WheelAllocation, pyramid_axes
from freefloat.gnc.control.arm_feedforward import ArmFeedforward
from freefloat.gnc.control.attitude import AttitudeController, AttitudeGains
from freefloat.gnc.control.attitude_system import AttitudeSystem
from freefloat.gnc.control.free_floating import momentum_map
from freefloat.gnc.control.pointing import InertialPointing
from freefloat.gnc.planning.arm.joint_path import QuinticPath
from freefloat.missions.arm.control import ComputedTorqueSettings, JointSensors, PDSettings, joint_task, onboard_model
from freefloat.missions.arm.free_floating_arm import ArmSettings, BusSettings
from freefloat.missions.orbit_settings import OrbitSettings
from freefloat.orbit.lvlh import lvlh_axes
from freefloat.robots import load_robot
from freefloat.robots.arm import Arm
from freefloat.scenario.base import Scenario
from freefloat.scenario.fields import Rotation, Settings, choice, quantity, rotation, setting
from freefloat.scenario.registry import register
from freefloat.structure import RigidBody

QUARTER = float(np.pi / 4.0)  # [rad]


class WheelSettings(Settings):
    """Four equal wheels in a pyramid about the bus's z axis, with the same capacity along x, y and z."""

    inertia: float = quantity(0.02, "kg m^2", "rotor inertia about its axis", gt=0)
    max_torque: float = quantity(0.4, "N m", "largest motor torque", gt=0)
    max_speed: float = quantity(420.0, "rad/s", "largest rotor speed", gt=0)
    viscous: float = quantity(0.0, "N m s/rad", "viscous friction of the bearing", ge=0)
    dry: float = quantity(0.0, "N m", "dry friction of the bearing", ge=0)


class AttitudeSettings(Settings):
    """Quaternion feedback; the gains are those of feedback alone and of feedback with feedforward."""

    rate: float = quantity(10.0, "Hz", "update rate", gt=0, le=1e4)
    bandwidth: float = quantity(0.2, "rad/s", "natural frequency of the attitude error", gt=0)
    damping: float = quantity(0.7, "-", "damping ratio of the attitude error", gt=0)
    integral: float = quantity(0.0, "1/s", "pole of the integral action; 0: none", ge=0)


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

    def build(self) -> Mission:
        """Orbit, bus, arm and wheels; the joint controller and the attitude controller as tasks."""
        frame = self.orbit.frame(self.duration)
        R_IL = lvlh_axes(frame.reference.position(0.0), frame.reference.velocity(0.0))
        X_WB = Pose(R_IL @ rpy_to_matrix(*self.attitude_start), np.zeros(3))
        mount = Pose.from_rpy(self.bus.mount_attitude, self.bus.mount_position)
        bus = RigidBody("bus", self.bus.mass, size=self.bus.size, frames={"mount": mount}, motion=Motion(X_WB))
        path = QuinticPath(np.array(self.arm.start), np.array(self.arm.goal), self.arm.move_time)
        parts = [frame, bus, self._arm(), self._wheels()]
        mission = Mission(parts, integrator=self.integrator.make(), record_rate=self.record_rate)
        mission.tasks = (joint_task(mission, "arm", "bus", path, self.control, self.sensors),)
        if self.attitude != "off":
            mission.tasks += (self._attitude_task(mission, path, X_WB.q),)
        return mission

    def _arm(self) -> Arm:
        robot = load_robot(self.arm.robot)
        n = sum(j.kind != "fixed" for j in robot.joints)
        for name in ("start", "goal"):
            if len(getattr(self.arm, name)) != n:
                raise InputError(f"arm.{name}: {len(getattr(self.arm, name))} numbers for the {n} joints of the robot")
        return Arm("arm", robot, on="bus.mount", q=self.arm.start)

    def _wheels(self) -> ReactionWheels:
        w = self.wheels
        return ReactionWheels(
            "wheels", "bus", pyramid_axes(), w.inertia, w.max_torque, w.max_speed, viscous=w.viscous, dry=w.dry
        )

    def _attitude_task(self, mission: Mission, path: QuinticPath, q_WR: Array) -> Task:
        """The chain of feedforward, feedback and allocation."""
        c, w = self.attitude_control, self.wheels
        tree = onboard_model(mission)
        joints = [j for j in mission.blueprint.joints if j.startswith("arm.") and j in tree.rate]
        dofs = np.array([tree.rate[j] for j in joints])
        tree.data.qpos[[tree.coordinate[j] for j in joints]] = path.q0
        inertia = momentum_map(tree.model, tree.data, dofs)[:3, :3]
        period = 1.0 / c.rate
        forward = ArmFeedforward(tree.model, dofs, path, 0.5 * period, 1.0 + self.onboard_mass_error)
        system = AttitudeSystem(
            AttitudeController(inertia, InertialPointing(q_WR), AttitudeGains(c.bandwidth, c.damping, c.integral)),
            WheelAllocation(pyramid_axes(), w.inertia, w.max_torque, w.max_speed, horizon=period),
            feedforward=forward if self.attitude == "feedforward" else None,
        )
        return Task(
            system,
            period,
            reads={"q_WB": "bus.q_WB", "w_WB_B": "bus.w_WB_B", "speed": "wheels.speed"},
            writes={"tau_wheel": "wheels.tau"},
            records={
                "error": Signal("attitude.error", "rad", (3,), "B", "attitude error"),
                "tau": Signal("attitude.tau", "N m", (3,), "B", "torque wanted on the bus"),
            },
            name="attitude",
        )

    def metrics(self, result: Result) -> dict[str, float]:
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
        }

    def write(self, result: Result, out: Path) -> None:
        """The flown orbit as a CCSDS ephemeris."""
        self.orbit.write(result, ["bus"], out)

    def plots(self) -> tuple[str, ...]:
        """Attitude, wheels and arm."""
        return ("bus.q_WB", "bus.w_WB_B", "wheels.h", "wheels.tau_applied", "arm.q", "arm.error")
