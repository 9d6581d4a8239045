"""What missions with an arm share where its joints have drives: settings, the servo, what it all took."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from freefloat.drives.joint_drive import JointDrive, Level
from freefloat.drives.levels import drives_at
from freefloat.engine.result import Result
from freefloat.engine.signals import Signal
from freefloat.engine.task import Task
from freefloat.errors import FieldError
from freefloat.frames import Array
from freefloat.gnc.control.joint_servo import JointServo
from freefloat.gnc.control.servo_gains import ServoDrive
from freefloat.scenario.fields import Settings, file, setting

SERVO_PERIOD = 1e-3  # [s]
DRIVES = "drives of the joints, one level for all or a list: none (ideal), rotor and gear (elastic), everything (full)"
DRIVE = "which drive, one for all joints or a list: a name from `freefloat drives`, FILE or FILE:NAME; not where ideal"
SPIDER = (*("spider-shoulder",) * 4, *("spider-wrist",) * 3)


class DrivenSettings(Settings):
    """A group with drives; `drives` and `drive` are fields of it."""

    drives: Level | tuple[Level, ...] = setting("ideal", DRIVES)
    drive: str | tuple[str, ...] = file(SPIDER, DRIVE)

    def joint_drives(self, n: int, where: str) -> list[JointDrive] | None:
        """Drives of n joints; None where all are ideal."""
        found = drives_at(self.drives, self.drive, n, where)
        driven = [drive for drive in found if drive is not None]
        if not driven:
            return None
        if len(driven) < n:
            raise FieldError(
                f"{where}.drives",
                f"{', '.join(self.drives)}: the servo of this mission needs a drive at every joint; "
                "allowed: ideal for all, or elastic and full in any order",
            )
        return driven


def servo_task(
    joints: Signal,
    drives: Sequence[JointDrive],
    effort: ArrayLike,
    link_least: Array,
    link_largest: Array,
    presliding: bool = False,
) -> Task:
    """The joint servo of an arm with drives: references in the commands `arm.servo_*`, efforts to `arm.tau`.

    `joints` is the signal of its joint positions, `arm.q`. With `presliding`, the friction that is fed forward stays
    while a joint rests, as that of bristles does.
    """
    arm = joints.part
    known = ServoDrive(
        np.array([d.gear.ratio for d in drives]),
        np.array([d.motor.inertia for d in drives]),
        np.array([d.gear.stiffness for d in drives]),
        np.array([d.gear.damping for d in drives]),
        np.minimum(effort, [d.gear.ratio * d.motor.torque_constant * d.driver.max_current for d in drives]),
        link_least,
        link_largest,
    )
    friction = np.array([[d.friction.coulomb, d.friction.viscous] for d in drives])
    rubs = [presliding and d.friction.coulomb > 0.0 for d in drives]
    bent = [
        d.friction.coulomb / d.friction.bristle_stiffness if on else 0.0 for d, on in zip(drives, rubs, strict=True)
    ]
    servo = JointServo.tuned(known, SERVO_PERIOD, coulomb=friction[:, 0], viscous=friction[:, 1], presliding=bent)
    reads = {"q_ref": "servo_q", "qd_ref": "servo_qd", "tau_ref": "servo_tau", "mode": "servo_mode"}
    reads |= {"motor_q": "motor_resolver", "motor_qd": "motor_qd", "q": "load_resolver", "torque": "torque_sensor"}
    meaning = "torque wanted less that of the sensor"
    return Task(
        servo,
        SERVO_PERIOD,
        {name: f"{arm}.{signal}" for name, signal in reads.items()},
        {"tau": f"{arm}.tau"},
        records={"torque_error": Signal(f"{arm}.torque_error", "N m", joints.shape, "", meaning, joints.labels)},
        name=f"{arm}-servo",
    )


def drive_metrics(result: Result, arm: str, drives: Sequence[JointDrive] | None) -> dict[str, float]:
    """What the drives took from their supply and where it went; nothing where they are ideal."""
    if drives is None:
        return {}
    time = result.time(f"{arm}.drive_energy")
    span, standby = float(time[-1] - time[0]), sum(d.driver.standby for d in drives)
    energy, copper, friction = (
        float(np.sum(result[f"{arm}.{name}"][-1] - result[f"{arm}.{name}"][0]))
        for name in ("drive_energy", "copper_heat", "friction_heat")
    )
    power = np.sum(result[f"{arm}.drive_power"], axis=1)
    return {
        "energy_electric_J": energy + standby * span,
        "heat_copper_J": copper,
        "heat_friction_J": friction,
        "power_mean_W": energy / span + standby,
        "power_peak_W": float(power.max()) + standby,
    }
