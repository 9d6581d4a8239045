"""The audit of a run: momentum against external impulses, energy against work and heat, mass, networks.

Impulse, work and heat are integrated with the plant, so the errors below have the integrator's order. Each drift is the
largest error over time divided by the largest amount that the system held or exchanged (in its centre-of-mass frame).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from freefloat.engine.graph import Vector
from freefloat.engine.summary import audit_html, audit_text
from freefloat.errors import AuditError, InputError
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
    history: Mapping[str, Vector] = field(repr=False)  # "t" and relative errors over time
    worlds: Mapping[str, Audit] = field(default_factory=dict[str, "Audit"])  # each one's, where several

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

    def __str__(self) -> str:
        return audit_text(self, LIMITS)

    def _repr_html_(self) -> str:
        """For notebooks."""
        return audit_html(self, LIMITS)

    def metrics(self) -> dict[str, float]:
        """Flat names and numbers: `audit.*` (`passed` is 1 or 0), and `audit.WORLD.*` of each of several worlds."""
        own = {f"audit.{n}": v for n, v in {"passed": float(self.passed), **self.drifts, **self.amounts}.items()}
        for world, of in self.worlds.items():
            own |= {f"audit.{world}.{n}": v for n, v in {**of.drifts, **of.amounts}.items()}
        return own


class Ledger:
    """The audit of one world while its rows come: what it needs of them is kept, the rows are not."""

    def __init__(self) -> None:
        self._first: Vector | None = None
        self._last: Vector | None = None
        self._errors: dict[str, float] = {}  # largest so far
        self._amounts: dict[str, float] = {}

    def add(self, rows: Vector) -> None:
        """Take further rows [t, columns...] into account."""
        if not len(rows):
            return
        first = self._first if self._first is not None else rows[0].copy()
        for kept, found in (
            (self._errors, {n: np.max(e, initial=0.0) for n, e in _errors(rows, first).items()}),
            (self._amounts, _amounts(rows, first)),
        ):
            for name, value in found.items():
                kept[name] = float(np.maximum(value, kept.get(name, 0.0)))  # keeps what is not a number
        self._first, self._last = first, rows[-1].copy()

    def audit(
        self, floating: bool, balances: Mapping[str, float] | None = None, rows: Callable[[], Vector] | None = None
    ) -> Audit:
        """The audit so far; `floating`: no body is fixed to the ground. `rows` gives all rows again, for the history.

        `balances` are further drifts, by the names of `LIMITS`, that upkeeps have kept themselves.
        """
        if self._first is None or self._last is None:
            raise InputError("a run without records cannot be audited")
        scales = _scales(self._amounts)
        judged = [n for n in scales if floating or n not in ("linear_momentum_drift", "angular_momentum_drift")]
        drifts = {n: self._errors[n] / scales[n] if scales[n] > 0.0 else self._errors[n] for n in judged}
        gained = {n: float(_held(self._last, n) - _held(self._first, n)) for n in ("work_supplied", "heat")}
        first = self._first

        def history() -> dict[str, Vector]:
            all_rows = rows() if rows is not None else np.zeros((0, len(first)))
            errors = _errors(all_rows, first)
            relative = {n: errors[n] / scales[n] if scales[n] > 0.0 else errors[n] for n in judged}
            return {"t": all_rows[:, 0], **relative}

        amounts = {f"{n}_J": v for n, v in gained.items()}
        return Audit(drifts | dict(balances or {}), amounts, Later(history))


class Later(Mapping[str, Vector]):
    """A mapping that is made when it is first looked at."""

    def __init__(self, make: Callable[[], dict[str, Vector]]) -> None:
        self._make = make
        self._made: dict[str, Vector] | None = None

    def _now(self) -> dict[str, Vector]:
        if self._made is None:
            self._made = self._make()
        return self._made

    def __getitem__(self, name: str) -> Vector:
        return self._now()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._now())

    def __len__(self) -> int:
        return len(self._now())

    def __reduce__(self) -> tuple[type[dict[str, Vector]], tuple[dict[str, Vector]]]:
        """Copied and saved as what it holds."""
        return dict, (self._now(),)


def audit(rows: Vector, floating: bool, balances: Mapping[str, float] | None = None) -> Audit:
    """Audit the rows [t, columns...] of a whole run."""
    ledger = Ledger()
    ledger.add(rows)
    return ledger.audit(floating, balances, lambda: rows)


def _errors(rows: Vector, first: Vector) -> dict[str, Vector]:
    """By how much each law is missed at each row, counted from the first row of the run."""

    def gained(name: str) -> Vector:
        return _held(rows, name) - _held(first, name)

    balance = gained("work_supplied") - gained("energy_stored") - gained("heat") + gained("constraint_work")
    return {
        "linear_momentum_drift": _norm(gained("momentum") + gained("kept") - gained("impulse")),
        "angular_momentum_drift": _norm(gained("angular_momentum") + gained("spin") - gained("angular_impulse")),
        "energy_drift": np.abs(gained("kinetic_energy") - balance),
        "mass_drift": np.abs(gained("mass") - gained("mass_taken_in")),
    }


def _amounts(rows: Vector, first: Vector) -> dict[str, float]:
    """The largest of what the system held and exchanged."""
    named = {n: _held(rows, n) for n in ("momentum_held", "angular_momentum_held", "mass", "kinetic_energy")}
    inner = _held(rows, "internal_kinetic_energy")
    named |= {"internal_kinetic_energy": inner, "inner_momentum_squared": 2.0 * named["mass"] * inner}
    named |= {"momentum": _norm(_held(rows, "momentum"))}
    for name in ("impulse", "angular_impulse", "spin"):
        named[name] = _norm(_held(rows, name) - _held(first, name))
    for name in ("work_supplied", "energy_stored", "heat", "constraint_work"):
        named[name] = _held(rows, name) - _held(first, name)
    return {name: _largest(values) for name, values in named.items()}


def _scales(most: Mapping[str, float]) -> dict[str, float]:
    """What each error is judged against."""
    inside = float(np.sqrt(most["inner_momentum_squared"]))
    floor = max(ROUNDING_P * most["momentum"], SPIN * inside)
    turned = max(most["angular_momentum_held"], most["angular_impulse"], most["spin"])
    exchanges = (most[n] for n in ("work_supplied", "energy_stored", "heat", "constraint_work"))
    rest = max(ROUNDING_T * most["kinetic_energy"], REST)
    return {
        "linear_momentum_drift": max(most["momentum_held"], most["impulse"], floor),
        "angular_momentum_drift": max(turned, ROUNDING_P * max(most["momentum"], most["impulse"])),
        "energy_drift": max(most["internal_kinetic_energy"], *exchanges, rest),
        "mass_drift": most["mass"],
    }


def worst(audits: Mapping[str, Audit]) -> Audit:
    """Of several worlds: the largest drift of each kind, amounts together, and each world's own beside them."""
    drifts: dict[str, float] = {}
    amounts: dict[str, float] = {}
    for of in audits.values():
        for name, drift in of.drifts.items():
            drifts[name] = float(np.maximum(drift, drifts.get(name, 0.0)))  # keeps what is not a number
        for name, amount in of.amounts.items():
            amounts[name] = amounts.get(name, 0.0) + amount

    def history() -> dict[str, Vector]:
        rows = min(len(of.history["t"]) for of in audits.values())  # an interrupted run may end with one world ahead
        found = {"t": next(iter(audits.values())).history["t"][:rows]}
        for world, of in audits.items():
            found |= {f"{world}.{name}": v[:rows] for name, v in of.history.items() if name != "t"}
        return found

    return Audit(drifts, amounts, Later(history), dict(audits))


def _held(rows: Vector, name: str) -> Vector:
    """A column of audit rows [t, columns...], or of one of them, by its name."""
    first, size = 1 + getattr(AUDIT, name), _SIZES[name]
    return rows[..., first] if size == 1 else rows[..., first : first + size]


def _norm(rows: Vector) -> Vector:
    return np.sqrt(np.sum(rows * rows, axis=1))


def _largest(values: Vector) -> float:
    return float(np.max(np.abs(values), initial=0.0))
