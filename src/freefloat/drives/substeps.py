"""How finely a drive has to be followed inside a step of the plant."""

from __future__ import annotations

import math

from freefloat.amounts import Measure, positive
from freefloat.drives.gear import Gear
from freefloat.drives.joint_drive import JointDrive
from freefloat.kernels.drive_row import FEWEST, LARGEST_PHASE, LARGEST_SHARE


def needed_substeps(drive: JointDrive, inertia: Measure, step: Measure) -> int:
    """Fewest substeps of a step [s] of the plant for a load of this inertia [kg m^2] about the joint; with a winding at
    least 4."""
    step = positive("s").number(step, f"{drive.place}: step")
    fewest = 1 if drive.motor.kind == "ideal" else FEWEST
    return max(fewest, math.ceil(step / longest_substep(drive, inertia) - 1e-9))


def longest_substep(drive: JointDrive, inertia: Measure) -> float:
    """[s] d with w d <= 0.4 for w^2 = k (1 / I + 1 / (J N^2)), and d <= 1.25 L / (R + kp) with a winding.

    k is the gear's stiffness at the stall torque, which is k1 where there is no cubic part. Where a drive has no number
    of substeps, the plant finds it by the same rule from k1 and the inertia of now.
    """
    inertia = positive("kg m^2").number(inertia, f"{drive.place}: inertia")
    motor, driver, gear = drive.motor, drive.driver, drive.gear
    stall = gear.ratio * motor.torque_constant * driver.max_current
    fastest = math.sqrt(_stiffness_at(gear, stall) * (1.0 / inertia + 1.0 / (motor.inertia * gear.ratio**2)))
    spring = LARGEST_PHASE / fastest
    if motor.kind == "ideal":
        return spring
    kp = driver.kp if driver.kind == "current" else 0.0
    return min(spring, LARGEST_SHARE * motor.inductance / (motor.resistance + kp))


def _stiffness_at(gear: Gear, torque: float) -> float:
    """Slope of k1 d + k3 d^3 where it is the torque, by the real root of the cubic."""
    if gear.cubic == 0.0:
        return gear.stiffness
    p, q = gear.stiffness / gear.cubic, torque / gear.cubic
    d = 2.0 * math.sqrt(p / 3.0) * math.sinh(math.asinh(1.5 * q / p * math.sqrt(3.0 / p)) / 3.0)
    return gear.stiffness + 3.0 * gear.cubic * d**2
