"""One driven joint by a stiff solver: a link on a stator that stands still, its command held between samples.

    q'' = (tau + load) / I,   and the equations of `drive_equations` with a . w = 0

States [q, q', theta, h, i_A, i_B, x_A, x_B, z, tau_h, T_w], and the integrals of electric power and heat beside them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from freefloat.frames import Array
from freefloat.verify.oracles.drive_equations import evaluator, scalar_evaluator
from freefloat.verify.oracles.drive_symbols import INPUTS, STATES, parameters
from freefloat.verify.oracles.stiff import RTOL, Method, solve

Command = Callable[[int, float, Array], float]  # tau_c [N m] of sample number, time and state

NAMES = ("q", "qd", *(quantity.name for quantity in STATES))
ATOL = {  # where |x| is below these, errors relative to it do not matter
    "q": 1e-12,
    "qd": 1e-12,
    "th": 1e-10,
    "h": 1e-14,
    "iA": 1e-10,
    "iB": 1e-10,
    "xA": 1e-9,
    "xB": 1e-9,
    "z": 1e-14,
    "tau_h": 1e-10,
    "Tw": 1e-8,
    "energy": 1e-10,
}
_RATES = (*(f"{quantity.name}_t" for quantity in STATES), "tau", "P_e", "P_h")


@dataclass(frozen=True)
class OneJoint:
    """A drive on a link. `drive` is any object with the fields of a joint drive."""

    drive: Any
    inertia: float = 10.0  # [kg m^2] of the link about the axis
    effort: float = np.inf  # [N m] limit of the command
    load: float = 0.0  # [N m] on the link from outside


@dataclass(frozen=True)
class JointRun:
    """Sampled states by name (`x["q"]`), and energies [J]."""

    t: Array
    x: dict[str, Array]
    tau: Array  # [N m] of the gear on the link
    kinetic: Array  # [J] of link and rotor
    stored: Array  # [J] in coils, cogging, springs and bristles
    supplied: Array  # [J] electric, since the start
    heat: Array  # [J] since the start
    load_work: Array  # [J] of the load, since the start

    @property
    def residual(self) -> Array:
        """What the energy balance is off by [J]."""
        held = self.kinetic + self.stored
        return held - held[0] + self.heat - self.supplied - self.load_work


def run(
    joint: OneJoint,
    command: Command,
    times: ArrayLike,
    *,
    period: float | None = None,
    start: dict[str, float] | None = None,
    rtol: float = RTOL,
    method: Method = "Adams",
) -> JointRun:
    """Sample the joint at `times`. The command is taken at the start, and anew every `period` [s] if there is one.

    `start` has states by name; without it the joint rests unwound with a winding at ambient temperature.
    """
    x0 = np.array([*start_of(joint.drive, start or {}), 0.0, 0.0])
    params, rates_of = parameters(joint.drive, joint.effort).tolist(), _rates()
    inputs = [0.0] * len(INPUTS)

    def hold(k: int, t: float, x: Array) -> None:
        inputs[0] = float(command(k, t, x))

    def rates(t: float, x: Array) -> Array:
        values = x.tolist()
        inputs[1], inputs[2] = values[0], values[1]
        *drive, tau, supplied, heat = rates_of(values[2:11], inputs, params)
        return np.array([values[1], (tau + joint.load) / joint.inertia, *drive, supplied, heat])

    atol = np.array([*(ATOL[name] for name in NAMES), ATOL["energy"], ATOL["energy"]]) * min(1.0, rtol / RTOL)
    t = np.asarray(times, dtype=np.float64)
    rows = solve(rates, x0, t, atol=atol, rtol=rtol, method=method, period=period, hold=hold).T
    return _run(joint, t, rows)


def start_of(drive: Any, given: dict[str, float]) -> list[float]:
    """The states NAMES of a drive at rest or moving at q', unwound, at ambient temperature, but for those given."""
    q, qd = given.get("q", 0.0), given.get("qd", 0.0)
    unwound = {"th": unwound_angle(drive, q), "h": drive.motor.inertia * drive.gear.ratio * qd}
    values = {"q": q, "qd": qd, **unwound, "Tw": drive.motor.ambient, **given}
    return [values.get(name, 0.0) for name in NAMES]


def unwound_angle(drive: Any, q: float) -> float:
    """Motor angle [rad] at which the gear is not wound up: th / N + A_k sin(2 th + phi_k) = q, by iteration."""
    gear = drive.gear
    th = gear.ratio * q
    for _ in range(100):
        th = gear.ratio * (q - gear.kinematic_error * np.sin(2.0 * th + gear.kinematic_phase))
    return float(th)


def _run(joint: OneJoint, t: Array, rows: Array) -> JointRun:
    x = dict(zip(NAMES, rows, strict=False))
    inputs = np.zeros((len(INPUTS), t.size))
    inputs[1:3] = rows[:2]
    with np.errstate(divide="ignore", invalid="ignore"):
        tau, rotor, stored = _outputs()(rows[2:11], inputs, parameters(joint.drive, joint.effort)[:, None])
    kinetic = 0.5 * joint.inertia * x["qd"] ** 2 + rotor
    return JointRun(t, x, tau, kinetic, stored, rows[11], rows[12], joint.load * (x["q"] - x["q"][0]))


@cache
def _rates() -> Any:
    return scalar_evaluator(_RATES)


@cache
def _outputs() -> Any:
    return evaluator(("tau", "E_r", "U"))
