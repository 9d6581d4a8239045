"""The audit of a run: momentum against external impulses, energy against work and heat, mass.

Impulse, work and heat are integrated with the plant, so the errors below have the integrator's order. Each drift is the
largest error over time divided by the largest amount that the system held or exchanged (in its centre-of-mass frame).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from freefloat.engine.graph import Vector

# columns of an audit row after the time (kernels.sample)
_P, _L, _T, _MASS = slice(1, 4), slice(4, 7), 7, 8
_SUM_P, _SUM_L, _T_CM = 12, 13, 14
_IMPULSE, _TWIST, _SUPPLIED, _STORED, _HEAT, _CONSTRAINT = slice(15, 18), slice(18, 21), 21, 22, 23, 24

LIMITS = {  # largest believable drift
    "linear_momentum_drift": 1e-8,
    "angular_momentum_drift": 1e-8,
    "energy_drift": 1e-6,
    "mass_drift": 1e-12,
}


@dataclass(frozen=True)
class Audit:
    """Drifts of one run and their history. The momentum of a world that is fixed to the ground is not audited."""

    drifts: dict[str, float]
    amounts: dict[str, float]  # what the drifts are relative to, and the work [J]
    history: dict[str, Vector] = field(repr=False)  # "t" and relative errors over time

    @property
    def failures(self) -> list[str]:
        """Names of the drifts beyond their limit."""
        return [n for n, v in self.drifts.items() if not v <= LIMITS[n]]

    @property
    def passed(self) -> bool:
        """Whether every law holds within its limit."""
        return not self.failures

    def metrics(self) -> dict[str, float]:
        """Flat names and numbers."""
        return {f"audit.{n}": v for n, v in {**self.drifts, **self.amounts}.items()}


def audit(rows: Vector, floating: bool) -> Audit:
    """Audit the rows [t, columns...] of a run; `floating`: no body is fixed to the ground."""
    drifts: dict[str, float] = {}
    amounts: dict[str, float] = {}
    history: dict[str, Vector] = {"t": rows[:, 0]}

    def judge(name: str, error: Vector, scale: float) -> None:
        relative = error / scale if scale > 0.0 else error
        drifts[name] = float(np.max(relative, initial=0.0))
        history[name] = relative

    if floating:
        momentum = _norm(rows[:, _P] - rows[0, _P] - (rows[:, _IMPULSE] - rows[0, _IMPULSE]))
        scale = max(_largest(rows[:, _SUM_P]), _largest(_norm(rows[:, _IMPULSE] - rows[0, _IMPULSE])))
        judge("linear_momentum_drift", momentum, scale or _largest(_norm(rows[:, _P])))
        angular = _norm(rows[:, _L] - rows[0, _L] - (rows[:, _TWIST] - rows[0, _TWIST]))
        judge("angular_momentum_drift", angular, max(_largest(rows[:, _SUM_L]), _largest(_norm(rows[:, _TWIST]))))
    gained = {c: rows[:, i] - rows[0, i] for c, i in _ENERGY.items()}
    balance = gained["supplied"] - gained["stored"] - gained["heat"] + gained["constraint"]
    energy = np.abs(rows[:, _T] - rows[0, _T] - balance)
    judge("energy_drift", energy, max(_largest(rows[:, _T_CM]), *(_largest(g) for g in gained.values())))
    judge("mass_drift", np.abs(rows[:, _MASS] - rows[0, _MASS]), _largest(rows[:, _MASS]))
    amounts["work_supplied_J"] = float(gained["supplied"][-1])
    amounts["heat_J"] = float(gained["heat"][-1])
    return Audit(drifts, amounts, history)


_ENERGY = {"supplied": _SUPPLIED, "stored": _STORED, "heat": _HEAT, "constraint": _CONSTRAINT}


def _norm(rows: Vector) -> Vector:
    return np.sqrt(np.sum(rows * rows, axis=1))


def _largest(values: Vector) -> float:
    return float(np.max(np.abs(values), initial=0.0))
