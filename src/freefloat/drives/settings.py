"""The fields of a drives file, with their units and bounds; defaults are those of the parts themselves."""

from __future__ import annotations

from typing import Literal

from freefloat.drives.brake import Brake
from freefloat.drives.driver import Driver
from freefloat.drives.friction import Friction
from freefloat.drives.gear import Gear
from freefloat.drives.joint_drive import JointDrive
from freefloat.drives.motor import Motor
from freefloat.drives.resolver import Resolver
from freefloat.scenario.fields import Settings, quantity, setting


class MotorSettings(Settings):
    """A motor."""

    kind: Literal["brushless", "dc", "ideal"] = setting(Motor.kind, "two phases with commutation, one, or none")
    torque_constant: float = quantity(Motor.torque_constant, "N m/A", "K, of torque and back-EMF", gt=0)
    resistance: float = quantity(Motor.resistance, "ohm", "R0, of a phase at 293.15 K", gt=0)
    inductance: float = quantity(Motor.inductance, "H", "L, of a phase", gt=0)
    inertia: float = quantity(Motor.inertia, "kg m^2", "J, of the rotor", gt=0)
    pole_pairs: int = quantity(Motor.pole_pairs, "-", "p, of a brushless motor; others have 0", ge=0)
    viscous: float = quantity(Motor.viscous, "N m s/rad", "bm, viscous friction of the rotor", ge=0)
    cogging: float = quantity(Motor.cogging, "N m", "Tc, amplitude of cogging", ge=0)
    cogging_count: int = quantity(Motor.cogging_count, "-", "nc, periods of cogging per turn", ge=1)
    unbalance: float = quantity(Motor.unbalance, "-", "u, phase A stronger than B by this share", gt=-1, lt=1)
    third_harmonic: float = quantity(Motor.third_harmonic, "-", "a3, of the back-EMF", gt=-1, lt=1)
    thermal_resistance: float = quantity(Motor.thermal_resistance, "K/W", "Rth, winding to surroundings", gt=0)
    thermal_capacity: float = quantity(Motor.thermal_capacity, "J/K", "Cw, of the winding", gt=0)
    ambient: float = quantity(Motor.ambient, "K", "Tamb, temperature of the surroundings", gt=0)


class DriverSettings(Settings):
    """An amplifier."""

    kind: Literal["current", "voltage"] = setting(Driver.kind, "with a current loop, or without")
    kp: float = quantity(Driver.kp, "V/A", "proportional gain of the current loop", gt=0)
    ki: float = quantity(Driver.ki, "V/(A s)", "integral gain of the current loop", ge=0)
    supply: float = quantity(Driver.supply, "V", "V_s, largest voltage of a phase", gt=0)
    max_current: float = quantity(Driver.max_current, "A", "I_max, largest current commanded", gt=0)
    offset: tuple[float, float] = quantity(Driver.offset, "A", "offsets of the current sensors A, B")
    gain: tuple[float, float] = quantity(Driver.gain, "-", "gain errors of the current sensors A, B", gt=-1)
    standby: float = quantity(Driver.standby, "W", "drawn besides the motor's power", ge=0)


class GearSettings(Settings):
    """A gear; torques and angles at the output side."""

    ratio: float = quantity(Gear.ratio, "-", "N, turns of the rotor per turn of the output", gt=0)
    stiffness: float = quantity(Gear.stiffness, "N m/rad", "k1, torsion spring", gt=0)
    cubic: float = quantity(Gear.cubic, "N m/rad^3", "k3, torsion spring, cubic part", ge=0)
    damping: float = quantity(Gear.damping, "N m s/rad", "b, beside the spring", ge=0)
    backlash: float = quantity(Gear.backlash, "rad", "the whole gap, 2 beta", ge=0)
    hysteresis: float = quantity(Gear.hysteresis, "N m", "Fh, torque of the hysteresis", ge=0)
    hysteresis_stiffness: float = quantity(Gear.hysteresis_stiffness, "N m/rad", "sh, its slope after a reversal", gt=0)
    kinematic_error: float = quantity(Gear.kinematic_error, "rad", "Ak, amplitude, twice per turn of the rotor", ge=0)
    kinematic_phase: float = quantity(Gear.kinematic_phase, "rad", "phk, its phase")
    torque_loss: float = quantity(Gear.torque_loss, "-", "mu_t, friction as a share of the torque", ge=0)


class FrictionSettings(Settings):
    """Friction at the output side; without Coulomb friction only its viscous part."""

    coulomb: float = quantity(Friction.coulomb, "N m", "Fc, Coulomb friction", ge=0)
    stiction: float = quantity(Friction.stiction, "N m", "Fs, friction at rest", ge=0)
    stribeck: float = quantity(Friction.stribeck, "rad/s", "vs, speed at which stiction has gone", gt=0)
    exponent: float = quantity(Friction.exponent, "-", "a, of the Stribeck curve", gt=0)
    viscous: float = quantity(Friction.viscous, "N m s/rad", "s2, viscous friction", ge=0)
    bristle_stiffness: float = quantity(Friction.bristle_stiffness, "N m/rad", "s0, before it slips", ge=0)
    bristle_damping: float = quantity(Friction.bristle_damping, "N m s/rad", "s1, before it slips", ge=0)


class BrakeSettings(Settings):
    """A brake at the rotor."""

    torque: float = quantity(Brake.torque, "N m", "Tb, at the rotor; 0: no brake", ge=0)


class ResolverSettings(Settings):
    """An angle sensor."""

    error: float = quantity(Resolver.error, "rad", "eps, amplitude, twice per turn", ge=0)
    bits: int = quantity(Resolver.bits, "-", "of a turn; 0: not rounded", ge=0, le=32)


class DriveSettings(Settings):
    """A joint's drive."""

    about: str = setting("", "one line on this drive")
    source: str = setting("", "where its numbers come from")
    sources: dict[str, str] = setting({}, "where single numbers come from: {motor.pole_pairs: ...}")
    motor: MotorSettings = setting(MotorSettings(), "motor")
    driver: DriverSettings = setting(DriverSettings(), "amplifier")
    gear: GearSettings = setting(GearSettings(), "gear")
    friction: FrictionSettings = setting(FrictionSettings(), "friction")
    brake: BrakeSettings = setting(BrakeSettings(), "brake")
    motor_resolver: ResolverSettings = setting(ResolverSettings(), "angle of the rotor")
    load_resolver: ResolverSettings = setting(ResolverSettings(), "angle of the joint")
    substeps: int = quantity(JointDrive.substeps, "-", "of a step of the plant; 0: as many as needed", ge=0)
    torque_quantum: float = quantity(JointDrive.torque_quantum, "N m", "of the torque sensor; 0: not rounded", ge=0)


class DrivesSettings(Settings):
    """The whole file."""

    about: str = setting("", "one line on this file")
    drives: dict[str, DriveSettings] = setting(..., "drives by name")
