"""Drives, and friction of joints without one, as rows of the plant's banks."""

from __future__ import annotations

import math
from collections.abc import Sequence

from numpy.typing import ArrayLike

from freefloat.drives.friction import Friction
from freefloat.drives.gear import Gear
from freefloat.drives.joint_drive import JointDrive
from freefloat.engine.blueprint import Builder
from freefloat.engine.signals import Signal
from freefloat.engine.sources import RowOutput, RowState
from freefloat.kernels.bank import NO_COMMAND, Row
from freefloat.kernels.drive import DRIVE
from freefloat.kernels.drive_row import AMPLIFIER, CURRENT_LOOPS, IDEAL
from freefloat.kernels.joint_friction import JOINT_FRICTION

CommandEntry = tuple[str, int]


def drive_row(
    name: str,
    drive: JointDrive,
    joint: str,
    stator: str,
    axis: ArrayLike,  # unit vector of the joint in the stator's link
    q: float,  # [rad] of the joint at the start
    command: CommandEntry,
    brake: CommandEntry | None = None,
    fault: CommandEntry | None = None,
    course: CommandEntry | None = None,  # the first of seven numbers: the rotor's angle is imposed
    effort: float = float("inf"),  # [N m] limit of the command
    speed: float = 0.0,  # [rad/s] of the rotor at the start, where the stator stands still
) -> Row:
    """A row of the drive bank that starts with the gear unwound and the winding at the temperature around it."""
    motor, driver, gear, friction = drive.motor, drive.driver, drive.gear, drive.friction
    angle = _unwound(gear, q)
    kind = IDEAL if motor.kind == "ideal" else CURRENT_LOOPS if driver.kind == "current" else AMPLIFIER
    return DRIVE.row(
        name,
        {"momentum": motor.inertia * speed, "angle": angle, "lock": angle, "temperature": motor.ambient},
        stator=stator,
        position=joint,
        rate=joint,
        command=command,
        brake_command=NO_COMMAND if brake is None else brake,
        fault=NO_COMMAND if fault is None else fault,
        course=NO_COMMAND if course is None else course,
        axis=axis,
        effort=effort,
        kind=kind,
        substeps=drive.substeps,
        torque_constant=motor.torque_constant,
        resistance=motor.resistance,
        inductance=motor.inductance,
        inertia=motor.inertia,
        pole_pairs=motor.pole_pairs,
        viscous_motor=motor.viscous,
        cogging=motor.cogging,
        cogging_count=motor.cogging_count,
        unbalance=motor.unbalance,
        third_harmonic=motor.third_harmonic,
        thermal_resistance=motor.thermal_resistance,
        thermal_capacity=motor.thermal_capacity,
        ambient=motor.ambient,
        kp=driver.kp,
        ki=driver.ki,
        supply=driver.supply,
        max_current=driver.max_current,
        offset=driver.offset,
        gain=driver.gain,
        ratio=gear.ratio,
        stiffness=gear.stiffness,
        cubic=gear.cubic,
        damping=gear.damping,
        gap=0.5 * gear.backlash,
        hysteresis=gear.hysteresis,
        hysteresis_stiffness=gear.hysteresis_stiffness,
        kinematic_error=gear.kinematic_error,
        kinematic_phase=gear.kinematic_phase,
        torque_loss=gear.torque_loss,
        coulomb=friction.coulomb,
        stiction=friction.stiction,
        stribeck=friction.stribeck,
        exponent=friction.exponent,
        viscous=friction.viscous,
        bristle_stiffness=friction.bristle_stiffness,
        bristle_damping=friction.bristle_damping,
        brake=drive.brake.torque,
        motor_error=drive.motor_resolver.error,
        motor_quantum=drive.motor_resolver.quantum,
        load_error=drive.load_resolver.error,
        load_quantum=drive.load_resolver.quantum,
        torque_quantum=drive.torque_quantum,
    )


def friction_row(joint: str, friction: Friction, substeps: int = 10) -> Row:
    """LuGre friction on a joint's own rate, the bristles unbent; its output is the effort on the joint."""
    return JOINT_FRICTION.row(
        f"{joint}.friction",
        rate=joint,
        coulomb=friction.coulomb,
        stiction=friction.stiction,
        stribeck=friction.stribeck,
        exponent=friction.exponent,
        viscous=friction.viscous,
        bristle_stiffness=friction.bristle_stiffness,
        bristle_damping=friction.bristle_damping,
        substeps=substeps,
    )


def _unwound(gear: Gear, q: float) -> float:
    """Angle [rad] of the rotor at which the gear is not wound up, by Newton's method; d rises with it everywhere."""
    angle = gear.ratio * q
    for _ in range(20):
        phase = 2.0 * angle + gear.kinematic_phase
        d = angle / gear.ratio + gear.kinematic_error * math.sin(phase) - q
        angle -= d / (1.0 / gear.ratio + 2.0 * gear.kinematic_error * math.cos(phase))
    return angle


def drive_signals(b: Builder, rows: Sequence[Row], joints: Sequence[str] = ("",)) -> None:
    """What the drives of a part tell, one entry for each row, called after its joint."""
    labels = tuple(joints) if all(joints) else ()
    for name, quantity, recorded in (
        ("motor_q", "angle", True),
        ("motor_qd", "speed", True),
        ("torque_motor", "torque_motor", True),
        ("torque_gear", "torque_gear", True),
        ("winding_temperature", "temperature", True),
        ("motor_resolver", "motor_resolver", False),
        ("load_resolver", "load_resolver", False),
        ("torque_sensor", "torque_sensor", False),
        ("drive_power", "power", True),
        ("drive_energy", "energy", True),
        ("copper_heat", "copper_heat", True),
        ("friction_heat", "friction_heat", True),
        ("rotor_momentum", "momentum", False),
    ):
        b.signal_of(name, rows, quantity, recorded=recorded, labels=labels)
    pair, phases = (len(rows), 2), tuple(f"{joint} {x}".strip() for joint in joints for x in "AB")
    b.signal(
        Signal(b.full("current"), "A", pair, meaning="of the phases A and B", labels=phases),
        [RowState(row.name, f"current_{x}") for row in rows for x in "ab"],
    )
    b.signal(
        Signal(b.full("voltage"), "V", pair, meaning="on the phases A and B", labels=phases),
        [RowOutput(row.name, f"voltage_{x}") for row in rows for x in "ab"],
    )
