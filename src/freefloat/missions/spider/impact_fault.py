"""SPIDER hits an obstacle at full speed while its control fails: all motors at their largest current."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

import mujoco
import numpy as np

from freefloat.contact.contact import Contact
from freefloat.contact.laws import SpringDamper
from freefloat.contact.surfaces import Ball, Plane
from freefloat.drives.faults import FULL_CURRENT, FULL_CURRENT_BACK
from freefloat.drives.joint_drive import JointDrive
from freefloat.engine.advice import Longest
from freefloat.engine.event import Event
from freefloat.engine.mission import Mission
from freefloat.engine.result import Result
from freefloat.engine.session import Session
from freefloat.engine.taps import Record
from freefloat.engine.world import World
from freefloat.errors import FieldError, InputError
from freefloat.frames import Array, Pose
from freefloat.gnc.control.operational_model import ArmModel
from freefloat.gnc.control.operations import Operation
from freefloat.missions.drive_settings import drive_metrics
from freefloat.missions.spider.arm import GRIP, Spider, mount_of
from freefloat.missions.spider.command_settings import placed_in
from freefloat.missions.spider.settings import SpiderSettings
from freefloat.scenario.base import IntegratorSettings, Scenario
from freefloat.scenario.fields import Settings, Vector3, quantity, setting
from freefloat.scenario.registry import register

GROUP, RATE = "impact_energy", 1000.0  # [Hz] record of what the energy is reckoned from
BEYOND = 0.06  # [m] way that would be left behind the obstacle
NO_SHARE = 0.01  # [-] of the largest share in the tip's acceleration: noise of the posture, not a direction


class ObstacleSettings(Settings):
    """A plate on the station across the way of the tip, elastic and without loss."""

    stiffness: float = quantity(1e5, "N/m", "K, of the contact", gt=0, le=1e8)
    distance: float = quantity(0.12, "m", "from the tip at the start", gt=0, le=0.5)
    direction: Vector3 = quantity((0.0, 0.0, 1.0), "-", "in which the tip goes, in axes of the tool T", ge=-1, le=1)

    def along(self) -> Array:
        """The unit vector of the direction."""
        length = float(np.linalg.norm(self.direction))
        if length < 1e-6:
            raise FieldError("obstacle.direction", f"{self.direction}; allowed: not zero")
        return np.asarray(self.direction) / length


@dataclass(frozen=True)
class FaultAdvice:
    """An impact on elastic gears asks for short steps: at 1 ms energy drifts by 2.5e-6, at 0.1 ms by less than 1e-7."""

    name: str = "fault"

    def longest_step(self, world: World) -> Longest:
        """0.1 ms."""
        return Longest(1e-4, "an impact on elastic gears")


@register
class SpiderImpactFault(Scenario):
    """The tip meets an obstacle; at the first touch all motors get their largest current towards it.

    Ferretti and others 2004, sec. V-B and Fig. 9: force and energy over the obstacle's stiffness K and the supply V.
    """

    kind: ClassVar[str] = "spider-impact-fault"
    title: ClassVar[str] = "SPIDER hits an obstacle at 0.1 m/s with all motors at their largest current"

    duration: float = quantity(1.8, "s", "simulated time", gt=0, le=1e9)
    record_rate: float = quantity(1000.0, "Hz", "rate at which signals are recorded", gt=0, le=1e6)
    arm: SpiderSettings = setting(SpiderSettings(), "the arm")
    obstacle: ObstacleSettings = setting(ObstacleSettings(), "what it hits")
    fault: bool = setting(True, "all motors at their largest current from the first touch on")
    supply: float = quantity(48.0, "V", "of all drives", gt=0, le=1000)
    speed: float = quantity(0.1, "m/s", "of the tip; at most the arm's limit", gt=0)
    acceleration: float = quantity(0.2, "m/s^2", "of the tip on its way", gt=0, le=10)
    integrator: IntegratorSettings = setting(
        IntegratorSettings(method="auto", step="auto"), "how the plant is integrated; follows drives and contact"
    )

    def build(self) -> Mission:
        """As in `spider-motion`, with a plate in the way."""
        settings = self.arm
        X_AT = settings.make().arm.chain.pose(settings.start)
        normal = X_AT.R @ self.obstacle.along()
        X_BS = mount_of(settings.base) @ Pose(facing(-normal), X_AT.p + self.obstacle.distance * normal)
        law = SpringDamper(self.obstacle.stiffness)
        ball = Ball((0.0, 0.0, GRIP))
        touch = Contact("impact", settings.base, "jaws.palm", law, surfaces=[Plane(X_BS)], balls=[ball])
        spider = settings.make(None, [touch], drives=[self._supplied(d) for d in settings.all_drives()])
        spider.operations.site = replace(spider.operations.site, acceleration=self.acceleration)
        spider.blueprint.advices.append(FaultAdvice())
        end = Pose(X_AT.R, X_AT.p + (self.obstacle.distance + BEYOND) * normal)
        try:
            spider.operations.begin([Operation("move", to=end, speed=self.speed)])
        except InputError as e:
            raise placed_in("obstacle", e) from None
        signals = ("arm.q", "arm.qd", "arm.motor_qd", "arm.drive_energy", "impact.force")
        return Mission(
            spider.blueprint,
            tasks=spider.tasks,
            events=[*spider.events, *self._faults(spider, normal)],
            integrator=self.integrator.make(driven=True),
            record_rate=self.record_rate,
            records=[Record(GROUP, signals, RATE)],
            judge=partial(self._judge, spider=spider, normal=normal),
            plots=("impact.force", "impact.gap", "arm.torque_gear", "arm.motor_qd"),
        )

    def _supplied(self, drive: JointDrive) -> JointDrive:
        return replace(drive, driver=replace(drive.driver, supply=self.supply))

    def _faults(self, spider: Spider, normal: Array) -> list[Event]:
        action = partial(_fail, spider=spider, normal=normal)
        return [Event("control fails", action, "impact.gap", direction="falling", times=1)] if self.fault else []

    def _judge(self, result: Result, spider: Spider, normal: Array) -> dict[str, float]:
        """Force and energy of the first contact, beside what theory says of its beginning."""
        found = drive_metrics(result, "arm", spider.drives)
        if not result.touches:
            return found
        first, K, record = result.touches[0], self.obstacle.stiffness, result.of(GROUP)
        hardest = max(result.touches, key=lambda touch: touch.peak_force)
        before = int(np.searchsorted(record.t, first.t, side="right")) - 1
        q, qd, motor = record["arm.q"][before], record["arm.qd"][before], record["arm.motor_qd"][before]
        mass = effective_mass(spider.arm, q, normal)
        within = (record.t >= hardest.t) & (record.t <= hardest.t + hardest.duration)
        peak = int(np.argmax(np.where(within, record["impact.force"][:, 0], 0.0))) + 1
        taken = record["arm.drive_energy"][[before, min(max(peak, before + 1), len(within) - 1)]]
        return found | {
            "impact_speed_m_s": first.speed,
            "effective_mass_kg": mass,
            "first_peak_N": first.peak_force,
            "first_peak_expected_N": first.speed * math.sqrt(K * mass),
            "impact_energy_J": hardest.peak_force**2 / (2.0 * K),
            "kinetic_energy_J": kinetic_energy(spider, q, qd, motor),
            "electric_energy_J": float(np.sum(taken[1] - taken[0])),
        }


def facing(z: Array) -> Array:
    """Axes whose third is the unit vector z."""
    x = np.cross([0.0, 1.0, 0.0] if abs(z[1]) < 0.9 else [1.0, 0.0, 0.0], z)
    x = x / np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


def _fail(session: Session, spider: Spider, normal: Array) -> str:
    """Largest currents, each in the direction that drives the tip against the obstacle."""
    ways = driving_directions(spider, session.read("arm.q"), normal)
    session.write("arm.fault", [float(FULL_CURRENT if way > 0.0 else FULL_CURRENT_BACK) for way in ways])
    return "full current in all motors"


def driving_directions(spider: Spider, q: Array, normal: Array) -> Array:
    """(7,) of 1 and -1: the way in which each motor's largest current accelerates the tip along n (in A).

    A torque tau_i accelerates the tip by (n J M^-1)_i tau_i, M of links and geared rotors, the base left to react. The
    sign of the lever (n J)_i alone tells where a tip would go whose other joints are held: the wrist's pitch has none
    along the tool, yet throws the palm back or forth. Motors of less than `NO_SHARE` of the largest turn forward.
    """
    row = normal @ spider.arm.chain.pose_and_jacobian(q)[1][3:]
    rotors = [d.gear.ratio**2 * d.motor.inertia for d in spider.drives]
    most = [d.gear.ratio * d.motor.torque_constant * d.driver.max_current for d in spider.drives]
    share = np.linalg.solve(spider.arm.inertia(q) + np.diag(rotors), row) * most
    return np.where(share < -NO_SHARE * np.abs(share).max(), -1.0, 1.0)


def effective_mass(arm: ArmModel, q: Array, normal: Array) -> float:
    """[kg] 1 / (n J M^-1 J^T n) of the tip along n (in A): links alone, all joints and the base free.

    Rotors and gears do not count: along the tool a contact at 1e7 N/m is over before they matter (0.5 % of the peak;
    across it 1.6 %, docs/reference/metrics-and-audit.md). Geared rigidly, rotors would add N^2 J to each joint.
    """
    model, data = arm.model, mujoco.MjData(arm.model)
    for name, value in zip(arm.joints, q, strict=True):
        data.joint(name).qpos = value
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    mujoco.mj_makeM(model, data)
    J, M = np.zeros((3, model.nv)), np.zeros((model.nv, model.nv))
    mujoco.mj_jacSite(model, data, J, None, model.site(arm.tip).id)
    mujoco.mj_fullM(model, data, M)
    row = data.body(arm.base).xmat.reshape(3, 3) @ normal @ J
    return 1.0 / float(row @ np.linalg.solve(M, row))


def kinetic_energy(spider: Spider, q: Array, qd: Array, motor_qd: Array) -> float:
    """[J] of links and rotors, seen from the base, which is left to react."""
    M, rotors = spider.arm.inertia(q), np.array([d.motor.inertia for d in spider.drives])
    return float(0.5 * qd @ M @ qd + 0.5 * np.sum(rotors * motor_qd**2))
