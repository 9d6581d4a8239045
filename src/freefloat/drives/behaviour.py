"""What follows from a drive's parameters: speeds, torques, time constants, resonances, limits, the step that it needs.

Symbols are those of the parts: K, R, L, J of the motor, V_s and I_max of the driver, N, k1, b of the gear, Fc, Fs, s1
and s2 of the friction; I is the inertia of the load about the joint's axis.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields, replace
from typing import Any, NamedTuple

from freefloat.amounts import Measure, positive
from freefloat.drives.gear import Gear
from freefloat.drives.joint_drive import JointDrive
from freefloat.drives.motor import COPPER
from freefloat.drives.substeps import longest_substep, needed_substeps

STEP = 1e-3  # [s] of the plant, for which substeps are advised
MOST = 40  # [-] substeps that are advised


class Finding(NamedTuple):
    """A number that follows."""

    name: str
    value: float
    unit: str
    meaning: str


def _found(unit: str, meaning: str) -> Any:
    return field(metadata={"unit": unit, "meaning": meaning})


@dataclass(frozen=True)
class Behaviour:
    """Numbers that follow from a drive and the inertia of its load; `remarks` has what a user should know."""

    load_inertia: float = _found("kg m^2", "I, of the load about the joint's axis")
    rotor_inertia: float = _found("kg m^2", "of the rotor, seen from the joint: J N^2")
    motor_speed: float = _found("rad/s", "of the rotor without load, where the back-EMF is the largest voltage: V / K")
    joint_speed: float = _found("rad/s", "the same at the joint: V / (K N)")
    torque_by_current: float = _found("N m", "at the joint at rest, without friction: N K I_max")
    torque_by_supply: float = _found("N m", "the same with the largest voltage at a phase: N K V / R")
    stall_torque: float = _found("N m", "the smaller of both")
    breakaway_torque: float = _found(
        "N m", "of it on the load as the joint begins to move: (stall - Fs - N Tc) / (1 + mu_t)"
    )
    electrical_time: float = _found("s", "time constant of the winding: L / R")
    mechanical_time: float = _found("s", "time constant of the rotor alone at a fixed voltage: J R / K^2")
    loaded_time: float = _found("s", "the same with the load: (J + I / N^2) R / K^2")
    thermal_time: float = _found("s", "time constant of the winding's temperature: Rth Cw")
    thermal_rise: float = _found("K", "of the winding above its surroundings, at rest for ever at the largest current")
    current_bandwidth: float = _found("Hz", "of the current loop, -3 dB, rotor held, no voltage clipped")
    locked_resonance: float = _found("Hz", "of the load with the rotor held: sqrt(k1 / I)")
    free_resonance: float = _found("Hz", "of load and rotor against each other: sqrt(k1 (1 / I + 1 / (J N^2)))")
    damping_ratio: float = _found("-", "of the load with the rotor held, by the gear's damper: b / (2 sqrt(k1 I))")
    position_gain_limit: float = _found("1/s", "of a position loop from the load to an ideal speed loop: b / I")
    passivity_margin: float = _found("N m s/rad", "s2 - s1 (Fs - Fc) / Fc; at 0 or above the friction is passive")
    driving_efficiency: float = _found("-", "beyond Coulomb and viscous friction: 1 / (1 + mu_t)")
    backdriving_efficiency: float = _found("-", "the same from the load to the rotor: 1 - mu_t")
    backdriving_torque: float = _found("N m", "at the load, to move the unpowered joint: (Fs + N Tc) / (1 - mu_t)")
    holding_torque: float = _found("N m", "the same with the brake on: (Fs + N (Tc + Tb)) / (1 - mu_t)")
    longest_substep: float = _found("s", "0.4 / fastest oscillation, or 1.25 of L / (R + kp) where it is shorter")
    advised_step: float = _found("s", "1 ms, or less where that needs more than 40 substeps")
    advised_substeps: int = _found("-", "of the step advised")
    remarks: tuple[str, ...] = ()

    def findings(self) -> list[Finding]:
        """One row for each number."""
        rows = [f for f in fields(self) if f.metadata]
        return [Finding(f.name, getattr(self, f.name), f.metadata["unit"], f.metadata["meaning"]) for f in rows]


def behaviour_of(drive: JointDrive, inertia: Measure | None = None) -> Behaviour:
    """What follows for a load of this inertia [kg m^2]; without one it is that of the rotor, J N^2."""
    motor, driver, gear, friction, brake = drive.motor, drive.driver, drive.gear, drive.friction, drive.brake
    K, R, J, N = motor.torque_constant, motor.resistance, motor.inertia, gear.ratio
    rotor = J * N**2
    load = positive("kg m^2").number(rotor if inertia is None else inertia, f"{drive.place}: inertia")
    voltage = largest_voltage(drive)
    by_current, by_supply = N * K * driver.max_current, N * K * voltage / R
    stall = min(by_current, by_supply)
    loss = gear.torque_loss if friction.coulomb > 0.0 else 0.0  # part of LuGre friction
    detent = friction.stiction + N * motor.cogging
    back = 1.0 - loss
    longest = longest_substep(drive, load)
    needed = needed_substeps(drive, load, STEP)
    found = Behaviour(
        load_inertia=load,
        rotor_inertia=rotor,
        motor_speed=voltage / K,
        joint_speed=voltage / (K * N),
        torque_by_current=by_current,
        torque_by_supply=by_supply,
        stall_torque=stall,
        breakaway_torque=max(0.0, (stall - detent) / (1.0 + loss)),
        electrical_time=0.0 if motor.kind == "ideal" else motor.inductance / R,
        mechanical_time=math.inf if motor.kind == "ideal" else J * R / K**2,
        loaded_time=math.inf if motor.kind == "ideal" else (J + load / N**2) * R / K**2,
        thermal_time=motor.thermal_resistance * motor.thermal_capacity,
        thermal_rise=thermal_rise(drive),
        current_bandwidth=current_bandwidth(drive),
        locked_resonance=math.sqrt(gear.stiffness / load) / (2.0 * math.pi),
        free_resonance=math.sqrt(gear.stiffness * (1.0 / load + 1.0 / rotor)) / (2.0 * math.pi),
        damping_ratio=gear.damping / (2.0 * math.sqrt(gear.stiffness * load)),
        position_gain_limit=position_gain_limit(gear, load),
        passivity_margin=passivity_margin(drive),
        driving_efficiency=1.0 / (1.0 + loss),
        backdriving_efficiency=max(0.0, back),
        backdriving_torque=detent / back if back > 0.0 else math.inf,
        holding_torque=(detent + N * brake.torque) / back if back > 0.0 else math.inf,
        longest_substep=longest,
        advised_step=STEP if needed <= MOST else MOST * longest,
        advised_substeps=min(needed, MOST),
    )
    return replace(found, remarks=_remarks(drive, found))


def largest_voltage(drive: JointDrive) -> float:
    """[V] of a phase: the supply's, of a voltage amplifier at most R0 I_max; an ideal motor has no limit."""
    motor, driver = drive.motor, drive.driver
    if motor.kind == "ideal":
        return math.inf
    return driver.supply if driver.kind == "current" else min(driver.supply, motor.resistance * driver.max_current)


def current_bandwidth(drive: JointDrive) -> float:
    """[Hz] at which |H| = 1 / sqrt(2), H = (kp s + ki) / (L s^2 + (R + kp) s + ki); R / (L s + R) without a loop.

    With x = w^2: L^2 x^2 + ((R + kp)^2 - 2 ki L - 2 kp^2) x - ki^2 = 0. Without an integral part, where H(0) is below
    1, the bandwidth is that of the same share of H(0).
    """
    motor, driver = drive.motor, drive.driver
    L, R, kp, ki = motor.inductance, motor.resistance, driver.kp, driver.ki
    if motor.kind == "ideal":
        return math.inf
    if driver.kind == "voltage":
        return R / L / (2.0 * math.pi)
    if ki == 0.0:
        return (R + kp) / L / (2.0 * math.pi)
    half = 0.5 * ((R + kp) ** 2 - 2.0 * ki * L - 2.0 * kp**2)
    root = math.hypot(half, L * ki)
    square = ki**2 / (root + half) if half > 0.0 else (root - half) / L**2  # without a difference of like numbers
    return math.sqrt(square) / (2.0 * math.pi)


def position_gain_limit(gear: Gear, inertia: float) -> float:
    """[1/s] b / I: gains kp of th' / N = kp (q_ref - q) below it are stable.

    With w^2 = k1 / I and 2 zeta w = b / I, the damper on the load's rate: s^3 + 2 zeta w s^2 + w^2 s + kp w^2, by
    Routh stable for kp < 2 zeta w. The damper between rotor and load adds 2 zeta w kp s, and the limit grows to
    b / I / (1 - 4 zeta^2), none for zeta >= 1/2.
    """
    return gear.damping / inertia


def passivity_margin(drive: JointDrive) -> float:
    """[N m s/rad] s2 - s1 (Fs - Fc) / Fc; not negative: the friction never gives energy (Barabanov and Ortega 2000)."""
    f = drive.friction
    return f.viscous - (f.bristle_damping * (f.stiction - f.coulomb) / f.coulomb if f.coulomb > 0.0 else 0.0)


def thermal_rise(drive: JointDrive) -> float:
    """[K] dT = Rth R(Tamb + dT) I^2 with I the largest current at rest; infinite where the copper runs away."""
    motor = drive.motor
    if motor.kind == "ideal":
        return 0.0
    current = min(drive.driver.max_current, largest_voltage(drive) / motor.resistance)
    heating = motor.thermal_resistance * current**2
    left = 1.0 - heating * motor.resistance * COPPER
    return heating * motor.resistance_at(motor.ambient) / left if left > 0.0 else math.inf


def _remarks(drive: JointDrive, found: Behaviour) -> tuple[str, ...]:
    told: list[str] = []
    who = drive.place
    if found.passivity_margin < -1e-9 * drive.friction.viscous:
        needed = drive.friction.viscous - found.passivity_margin
        told.append(
            f"{who}: the friction may give energy; passive with viscous {drive.friction.viscous:g} N m s/rad raised to "
            f"{needed:g}, or bristle_damping {drive.friction.bristle_damping:g} N m s/rad lowered"
        )
    if found.torque_by_supply < found.torque_by_current:
        told.append(f"{who}: the voltage limits the torque, not max_current {drive.driver.max_current:g} A")
    if found.backdriving_efficiency == 0.0:
        told.append(f"{who}: no torque at the load turns the rotor (torque_loss {drive.gear.torque_loss:g})")
    if math.isinf(found.thermal_rise):
        told.append(f"{who}: held at its largest current, the winding heats without end")
    needed = needed_substeps(drive, found.load_inertia, STEP)
    if needed > MOST:
        told.append(f"{who}: a step of 1 ms needs {needed} substeps; {MOST} do at {found.advised_step:.3g} s")
    elif 0 < drive.substeps < needed:
        told.append(f"{who}: {drive.substeps} substeps; a step of 1 ms needs {needed}")
    return tuple(told)
