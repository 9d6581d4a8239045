"""The audit of a run: momentum against external impulses, energy against work and heat, mass, networks.

Impulse, work and heat are integrated with the plant, so the errors below have the integrator's order. Each drift is the
largest error over time divided by the largest amount that the system held or exchanged (in its centre-of-mass frame).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np

from freefloat.engine.graph import Vector
from freefloat.errors import AuditError
from freefloat.kernels.audit_layout import AUDIT, COLUMNS

_SIZES = {c.name: c.size for c in COLUMNS}

LIMITS = {  # largest believable drift
    "linear_momentum_drift": 1e-8,
    "angular_momentum_drift": 1e-8,
    "energy_drift": 1e-6,
    "mass_drift": 1e-12,
    "heat_balance_drift": 1e-8,  # this and the next are kept by upkeeps that look after such a network
    "power_balance_drift": 1e-8,
}

# A drift is judged against at least these amounts, so that rounding is not taken for a broken law: where a system moves
# as one, its inner momentum and energy can be smaller than the rounding of the whole.
ROUNDING_P = 1e-5  # of the total momentum; of the total momentum at an arm of 1 m
ROUNDING_T = 1e-7  # of the total kinetic energy
REST = 1e-18  # [J] of energy: where all is at rest
SPIN = 1e-2  # of the momentum sqrt(2 m T) that the inner energy could carry: a spinning body has no sum of |p_b|


@dataclass(frozen=True)
class Audit:
    """Drifts of one run and their history. The momentum of a world that is fixed to the ground is not audited."""

    drifts: dict[str, float]
    amounts: dict[str, float]  # what the drifts are relative to, and the work [J]
    history: dict[str, Vector] = field(repr=False)  # "t" and relative errors over time
    worlds: Mapping[str, Audit] = field(default_factory=lambda: MappingProxyType({}))  # each one's, where several

    @property
    def failures(self) -> list[str]:
        """Names of the drifts beyond their limit."""
        return [n for n, v in self.drifts.items() if not v <= LIMITS[n]]

    @property
    def passed(self) -> bool:
        """Whether every law holds within its limit."""
        return not self.failures

    @property
    def verdict(self) -> str:
        """One sentence."""
        if self.passed:
            return "the audit passed"
        failed = ", ".join(f"{n} {self.drifts[n]:.3g} > {LIMITS[n]:.3g}" for n in self.failures)
        return f"the audit failed: {failed}; do not believe this run"

    def demand(self) -> None:
        """Raise an `AuditError` unless every law holds."""
        if not self.passed:
            raise AuditError(self.verdict)

    def metrics(self) -> dict[str, float]:
        """Flat names and numbers: `audit.*`, and `audit.WORLD.*` of each of several worlds."""
        own = {f"audit.{n}": v for n, v in {**self.drifts, **self.amounts}.items()}
        for world, of in self.worlds.items():
            own |= {f"audit.{world}.{n}": v for n, v in {**of.drifts, **of.amounts}.items()}
        return own


def audit(rows: Vector, floating: bool, balances: Mapping[str, float] | None = None) -> Audit:
    """Audit the rows [t, columns...] of a run; `floating`: no body is fixed to the ground.

    `balances` are further drifts, by the names of `LIMITS`, that upkeeps have kept themselves.
    """
    drifts: dict[str, float] = {}
    amounts: dict[str, float] = {}
    history: dict[str, Vector] = {"t": rows[:, 0]}

    def judge(name: str, error: Vector, scale: float) -> None:
        relative = error / scale if scale > 0.0 else error
        drifts[name] = float(np.max(relative, initial=0.0))
        history[name] = relative

    P, mass, kinetic = _held(rows, "momentum"), _held(rows, "mass"), _held(rows, "kinetic_energy")
    inner = _held(rows, "internal_kinetic_energy")
    if floating:
        impulse, kept = _gained(rows, "impulse"), _gained(rows, "kept")
        momentum = _norm(P - P[0] + kept - impulse)
        exchanged = _largest(_norm(impulse))
        total = _largest(_norm(P))
        inside = float(np.sqrt(np.max(2.0 * mass * inner, initial=0.0)))
        floor = max(ROUNDING_P * total, SPIN * inside)
        scale = max(_largest(_held(rows, "momentum_held")), exchanged, floor)
        judge("linear_momentum_drift", momentum, scale)
        spun, twisted = _gained(rows, "spin"), _gained(rows, "angular_impulse")
        angular = _norm(_gained(rows, "angular_momentum") + spun - twisted)
        scale = max(_largest(_held(rows, "angular_momentum_held")), _largest(_norm(twisted)), _largest(_norm(spun)))
        judge("angular_momentum_drift", angular, max(scale, ROUNDING_P * max(total, exchanged)))
    supplied, stored = _gained(rows, "work_supplied"), _gained(rows, "energy_stored")
    heat, constraint = _gained(rows, "heat"), _gained(rows, "constraint_work")
    balance = supplied - stored - heat + constraint
    energy = np.abs(kinetic - kinetic[0] - balance)
    floor = max(ROUNDING_T * _largest(kinetic), REST)
    exchanges = (_largest(g) for g in (supplied, stored, heat, constraint))
    judge("energy_drift", energy, max(_largest(inner), *exchanges, floor))
    judge("mass_drift", np.abs(_gained(rows, "mass") - _gained(rows, "mass_taken_in")), _largest(mass))
    amounts["work_supplied_J"] = float(supplied[-1])
    amounts["heat_J"] = float(heat[-1])
    drifts |= dict(balances or {})
    return Audit(drifts, amounts, history)


def worst(audits: Mapping[str, Audit]) -> Audit:
    """Of several worlds: the largest drift of each kind, amounts together, and each world's own beside them."""
    drifts: dict[str, float] = {}
    amounts: dict[str, float] = {}
    history: dict[str, Vector] = {}
    rows = min(len(of.history["t"]) for of in audits.values())  # an interrupted run may end with one world ahead
    for world, of in audits.items():
        for name, drift in of.drifts.items():
            drifts[name] = float(np.maximum(drift, drifts.get(name, 0.0)))  # keeps what is not a number
        for name, amount in of.amounts.items():
            amounts[name] = amounts.get(name, 0.0) + amount
        history |= {name if name == "t" else f"{world}.{name}": v[:rows] for name, v in of.history.items()}
    return Audit(drifts, amounts, history, dict(audits))


def _held(rows: Vector, name: str) -> Vector:
    """A column of audit rows [t, columns...] by its name."""
    first, size = 1 + getattr(AUDIT, name), _SIZES[name]
    return rows[:, first] if size == 1 else rows[:, first : first + size]


def _gained(rows: Vector, name: str) -> Vector:
    """A column less its first value."""
    column = _held(rows, name)
    return column - column[0]


def _norm(rows: Vector) -> Vector:
    return np.sqrt(np.sum(rows * rows, axis=1))


def _largest(values: Vector) -> float:
    return float(np.max(np.abs(values), initial=0.0))
