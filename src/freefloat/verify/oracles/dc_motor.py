"""A DC motor on a voltage step: inductance, cogging, LuGre friction and a warming winding, without gear or load.

The reference is CVODE on the equations of `drive_equations` with p = 0, a gear ratio of 1, a slack gear (tau = 0) and a
voltage amplifier. Beside it stands MuJoCo's actuator `dcmotor` with the same parameters at a fixed step. Its equations
are the same with two differences of definition: cogging adds A sin(n theta + phase), here with the phase pi, and its
electrical time constant stays L / R0 while the winding warms, so that its inductance is L R(T_w) / R0.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from types import SimpleNamespace
from typing import Any

import mujoco
import numpy as np
from numpy.typing import ArrayLike

from freefloat.frames import Array
from freefloat.verify.oracles.drive_equations import scalar_evaluator
from freefloat.verify.oracles.drive_symbols import COPPER, INPUTS, STATES, parameters
from freefloat.verify.oracles.stiff import RTOL, solve

_ZERO_CELSIUS = 273.15  # [K]
_FREE = ("th", "h", "iA", "z", "Tw")  # states that move
_ATOL = (1e-10, 1e-13, 1e-10, 1e-13, 1e-8)


@dataclass(frozen=True)
class DcMotor:
    """A small motor; all numbers assumed."""

    torque_constant: float = 0.05  # [N m/A]
    resistance: float = 1.0  # [ohm] at 293.15 K
    inductance: float = 1e-3  # [H]
    inertia: float = 1e-4  # [kg m^2]
    viscous: float = 1e-4  # [N m s/rad] friction's s2
    cogging: float = 5e-3  # [N m]
    cogging_count: int = 12  # per turn
    coulomb: float = 0.02  # [N m]
    stiction: float = 0.03  # [N m]
    stribeck: float = 1.0  # [rad/s]
    bristle_stiffness: float = 10.0  # [N m/rad]
    bristle_damping: float = 1e-3  # [N m s/rad]
    thermal_resistance: float = 2.0  # [K/W]
    thermal_capacity: float = 5.0  # [J/K]
    ambient: float = 293.15  # [K]


@dataclass(frozen=True)
class VoltageStep:
    """Traces at the times t [s]."""

    t: Array
    speed: Array  # [rad/s]
    current: Array  # [A]
    temperature: Array  # [K]


def reference(motor: DcMotor, voltage: float, times: ArrayLike, rtol: float = RTOL) -> VoltageStep:
    """The step by CVODE from rest, at `times` [s] that start with 0."""
    params = parameters(_as_drive(motor)).tolist()
    inputs = [0.0] * len(INPUTS)
    inputs[0] = voltage * motor.torque_constant / motor.resistance  # the amplifier gives R0 I, I = tau_c / (N K)
    rates_of, x = _rates(), [0.0] * len(STATES)
    places = [[quantity.name for quantity in STATES].index(name) for name in _FREE]

    def rates(t: float, y: Array) -> Array:
        for place, value in zip(places, y.tolist(), strict=True):
            x[place] = value
        return np.array(rates_of(x, inputs, params))

    t = np.asarray(times, dtype=np.float64)
    y = solve(rates, [0.0, 0.0, 0.0, 0.0, motor.ambient], t, atol=_ATOL, rtol=rtol).T
    return VoltageStep(t, y[1] / motor.inertia, y[2], y[4])


def by_mujoco(motor: DcMotor, voltage: float, end: float, step: float) -> VoltageStep:
    """The same step by MuJoCo's `dcmotor` with its default integrator and this step [s], at every step."""
    model = _model(motor, step)
    data = mujoco.MjData(model)
    data.ctrl[0] = voltage
    count = round(end / step)
    rows = np.empty((count + 1, 4))
    for i in range(count + 1):
        warmer, _, current = data.act  # temperature above ambient, bristle, current
        rows[i] = data.time, data.qvel[0], current, motor.ambient + warmer
        mujoco.mj_step(model, data)
    return VoltageStep(*rows.T)


def speed_error(ours: VoltageStep, truth: VoltageStep) -> float:
    """Largest difference of speed over the largest speed [-], at the instants of `truth` that `ours` has too."""
    speed = np.interp(truth.t, ours.t, ours.speed)
    return float(np.max(np.abs(speed - truth.speed)) / np.max(np.abs(truth.speed)))


def _model(motor: DcMotor, step: float) -> mujoco.MjModel:
    spec = mujoco.MjSpec()
    spec.option.timestep, spec.option.gravity = step, [0.0, 0.0, 0.0]
    J = motor.inertia
    rotor = spec.worldbody.add_body(name="rotor", mass=1.0, inertia=[J, J, J], explicitinertial=True)
    rotor.add_joint(name="shaft", type=mujoco.mjtJoint.mjJNT_HINGE, axis=[0, 0, 1], damping=[motor.viscous, 0.0, 0.0])
    actuator = spec.add_actuator(name="motor", target="shaft", trntype=mujoco.mjtTrn.mjTRN_JOINT)
    actuator.set_to_dcmotor(
        motorconst=[motor.torque_constant, motor.torque_constant],
        resistance=motor.resistance,
        inductance=[motor.inductance, 0.0],
        cogging=[motor.cogging, motor.cogging_count, np.pi],
        lugre=[motor.bristle_stiffness, motor.bristle_damping, motor.coulomb, motor.stiction, motor.stribeck],
        thermal=[
            motor.thermal_resistance,
            motor.thermal_capacity,
            0.0,
            COPPER["alpha"],
            COPPER["T0"] - _ZERO_CELSIUS,
            motor.ambient - _ZERO_CELSIUS,
        ],
    )
    return spec.compile()


def _as_drive(motor: DcMotor) -> Any:
    """The motor as a drive with nothing behind it."""
    m = motor
    none = dict.fromkeys(("stiffness", "cubic", "damping", "backlash", "hysteresis", "hysteresis_stiffness"), 0.0)
    none |= dict.fromkeys(("kinematic_error", "kinematic_phase", "torque_loss"), 0.0)
    return SimpleNamespace(
        motor=SimpleNamespace(
            kind="dc",
            torque_constant=m.torque_constant,
            resistance=m.resistance,
            inductance=m.inductance,
            inertia=m.inertia,
            pole_pairs=0,
            viscous=0.0,
            cogging=m.cogging,
            cogging_count=m.cogging_count,
            unbalance=0.0,
            third_harmonic=0.0,
            thermal_resistance=m.thermal_resistance,
            thermal_capacity=m.thermal_capacity,
            ambient=m.ambient,
        ),
        driver=SimpleNamespace(
            kind="voltage", kp=1.0, ki=0.0, supply=np.inf, max_current=np.inf, offset=(0.0, 0.0), gain=(0.0, 0.0)
        ),
        gear=SimpleNamespace(ratio=1.0, **none),
        friction=SimpleNamespace(
            coulomb=m.coulomb,
            stiction=m.stiction,
            stribeck=m.stribeck,
            exponent=2.0,
            viscous=m.viscous,
            bristle_stiffness=m.bristle_stiffness,
            bristle_damping=m.bristle_damping,
        ),
        motor_resolver=SimpleNamespace(error=0.0),
    )


@cache
def _rates() -> Any:
    return scalar_evaluator([f"{name}_t" for name in _FREE])
