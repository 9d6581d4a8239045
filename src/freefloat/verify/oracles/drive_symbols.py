"""Symbols of a joint's drive: what they mean, their units, and the field of the drive that a parameter comes from."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from freefloat.frames import Array


class Quantity(NamedTuple):
    """A symbol. `field` is the path in a drive from which a parameter is read."""

    name: str
    latex: str
    unit: str
    meaning: str
    field: str = ""


STATES = (
    Quantity("th", r"\theta", "rad", "motor angle against the stator, at the motor's side"),
    Quantity("h", "h", "N m s", "angular momentum of the rotor about its axis"),
    Quantity("iA", "i_A", "A", "current of phase A"),
    Quantity("iB", "i_B", "A", "current of phase B"),
    Quantity("xA", "x_A", "V", "integrator of the current loop, phase A"),
    Quantity("xB", "x_B", "V", "integrator of the current loop, phase B"),
    Quantity("z", "z", "rad", "bristle deflection, output side"),
    Quantity("tau_h", r"\tau_h", "N m", "hysteresis torque of the gear, output side"),
    Quantity("Tw", "T_w", "K", "temperature of the winding"),
)

INPUTS = (
    Quantity("tau_c", r"\tau_c", "N m", "commanded joint effort, output side"),
    Quantity("q", "q", "rad", "link angle"),
    Quantity("qd", r"\dot q", "rad/s", "link rate"),
    Quantity("aw", "w_a", "rad/s", "turn rate of the stator's link about the joint's axis, a . w"),
    Quantity("T_b", "T_b", "N m", "torque of the brake against the rotor"),
)

PARAMETERS = (
    Quantity("K", "K", "N m/A", "torque constant of a phase", "motor.torque_constant"),
    Quantity("R0", "R_0", "ohm", "resistance of a phase at T0", "motor.resistance"),
    Quantity("L", "L", "H", "inductance of a phase", "motor.inductance"),
    Quantity("J", "J", "kg m^2", "rotor inertia", "motor.inertia"),
    Quantity("p", "p", "-", "pole pairs; 0 for a DC motor", "motor.pole_pairs"),
    Quantity("bm", "b_m", "N m s/rad", "viscous loss of the motor", "motor.viscous"),
    Quantity("Tc", "T_c", "N m", "amplitude of the cogging torque", "motor.cogging"),
    Quantity("nc", "n_c", "-", "cogging periods per turn", "motor.cogging_count"),
    Quantity("u", "u", "-", "unbalance of the phases", "motor.unbalance"),
    Quantity("a3", "a_3", "-", "third harmonic of the back-EMF", "motor.third_harmonic"),
    Quantity("Rth", r"R_{th}", "K/W", "thermal resistance, winding to ambient", "motor.thermal_resistance"),
    Quantity("Cw", "C_w", "J/K", "heat capacity of the winding", "motor.thermal_capacity"),
    Quantity("Ta", r"T_{amb}", "K", "ambient temperature", "motor.ambient"),
    Quantity("kp", "k_p", "V/A", "gain of the current loop", "driver.kp"),
    Quantity("ki", "k_i", "V/(A s)", "integral gain of the current loop", "driver.ki"),
    Quantity("Vs", "V_s", "V", "supply voltage", "driver.supply"),
    Quantity("Imax", r"I_{max}", "A", "largest current", "driver.max_current"),
    Quantity("oA", "o_A", "A", "offset of the current sensor, phase A", "driver.offset.0"),
    Quantity("oB", "o_B", "A", "offset of the current sensor, phase B", "driver.offset.1"),
    Quantity("gA", r"\gamma_A", "-", "gain error of the current sensor, phase A", "driver.gain.0"),
    Quantity("gB", r"\gamma_B", "-", "gain error of the current sensor, phase B", "driver.gain.1"),
    Quantity("N", "N", "-", "gear ratio", "gear.ratio"),
    Quantity("k1", "k_1", "N m/rad", "stiffness", "gear.stiffness"),
    Quantity("k3", "k_3", "N m/rad^3", "cubic stiffness", "gear.cubic"),
    Quantity("b", "b", "N m s/rad", "damping", "gear.damping"),
    Quantity("gap", r"\delta", "rad", "backlash, the whole gap at the output", "gear.backlash"),
    Quantity("Fh", "F_h", "N m", "hysteresis torque at the most; 0: none", "gear.hysteresis"),
    Quantity("sh", r"\sigma_h", "N m/rad", "stiffness of the hysteresis", "gear.hysteresis_stiffness"),
    Quantity("Ak", "A_k", "rad", "amplitude of the kinematic error, twice per turn", "gear.kinematic_error"),
    Quantity("phk", r"\varphi_k", "rad", "phase of the kinematic error", "gear.kinematic_phase"),
    Quantity("mu", r"\mu_t", "-", "torque-proportional loss", "gear.torque_loss"),
    Quantity("Fc", "F_c", "N m", "Coulomb friction; 0: no LuGre friction", "friction.coulomb"),
    Quantity("Fs", "F_s", "N m", "stiction", "friction.stiction"),
    Quantity("vs", "v_s", "rad/s", "Stribeck speed", "friction.stribeck"),
    Quantity("nu", r"\nu", "-", "exponent of the Stribeck curve", "friction.exponent"),
    Quantity("s2", r"\sigma_2", "N m s/rad", "viscous friction", "friction.viscous"),
    Quantity("s0", r"\sigma_0", "N m/rad", "bristle stiffness", "friction.bristle_stiffness"),
    Quantity("s1", r"\sigma_1", "N m s/rad", "bristle damping", "friction.bristle_damping"),
    Quantity("eps", r"\varepsilon", "rad", "error of the motor's resolver, twice per turn", "motor_resolver.error"),
)

SWITCHES = (
    Quantity("effort", r"\tau_{max}", "N m", "largest joint effort"),
    Quantity("wound", "wound", "-", "1 with a winding, 0 for a torque source"),
    Quantity("loop", "loop", "-", "1 with a current loop, 0 with a voltage amplifier"),
)

CONSTANTS = (
    Quantity("alpha", r"\alpha", "1/K", "temperature coefficient of copper, 0.00393"),
    Quantity("T0", "T_0", "K", "temperature at which the resistance is given, 293.15"),
)
COPPER = {"alpha": 0.00393, "T0": 293.15}

SET = PARAMETERS + SWITCHES + CONSTANTS  # what `parameters` gives, in its order


def parameters(drive: Any, effort: float = np.inf) -> Array:
    """Values (len(SET),) of a drive, any object with the fields named above; `effort` [N m] limits the command.

    A DC motor has no phase B: p = u = a3 = 0 and no offset there. Without Coulomb friction there are no bristles.
    """
    p = {quantity.name: float(_at(drive, quantity.field)) for quantity in PARAMETERS}
    if drive.motor.kind == "dc" or p["p"] == 0.0:
        p |= dict.fromkeys(("p", "u", "a3", "oB", "gB"), 0.0)
    if p["Fc"] == 0.0:
        p |= {"s0": 0.0, "s1": 0.0, "vs": 1.0}  # a drive without friction may have no Stribeck speed either
    p |= COPPER | {
        "effort": effort,
        "wound": float(drive.motor.kind != "ideal"),
        "loop": float(drive.driver.kind == "current"),
    }
    return np.array([p[quantity.name] for quantity in SET])


def _at(drive: Any, path: str) -> Any:
    for name in path.split("."):
        drive = drive[int(name)] if name.isdigit() else getattr(drive, name)
    return drive
