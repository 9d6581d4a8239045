"""Whether the facility executes a trajectory: reach, ranges, speeds, accelerations, singularities, clearance, and where
a stop would end."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from freefloat.facility import limits_step as step
from freefloat.facility.axes import COUNT, CYCLE
from freefloat.facility.check_step import rows_to_axes
from freefloat.facility.clearance import Clearance, Nearest
from freefloat.facility.frames_step import OK
from freefloat.facility.guard import KEPT, SLACK
from freefloat.facility.kinematics import UnreachableError
from freefloat.facility.limits import QUANTITIES, Limits, Violation
from freefloat.facility.stop_step import stop_ends
from freefloat.facility.trajectory import Trajectory
from freefloat.frames import Array, array_of

BLOCK = 2000  # rows that are looked at together
Progress = Callable[[int, int], None]  # rows done, rows in all


@dataclass
class Finding:
    """One limit and where a trajectory breaks it. Lines count from 1."""

    line: int  # the first
    first: Violation
    lines: int  # how many
    last_line: int
    worst_line: int
    worst: Violation

    def __str__(self) -> str:
        if self.lines == 1:
            return str(self.first)
        worst = f", worst in line {self.worst_line}: {self.worst.value:.6g} {self.worst.unit}"
        if self.worst.kind == "clearance":
            worst += f" between {self.worst.device} and {self.worst.axis}"
        return f"{self.first} ({self.lines} lines up to {self.last_line}{worst})"

    def data(self) -> dict[str, object]:
        """As plain values."""
        v, worst = self.first, self.worst
        place = {"line": self.line, "lines": self.lines, "last_line": self.last_line, "worst_line": self.worst_line}
        what = {"kind": v.kind, "device": v.device, "axis": v.axis, "limit": v.limit, "unit": v.unit}
        return {**place, **what, "value": v.value, "worst": worst.value, "text": str(self)}


@dataclass(frozen=True)
class Extreme:
    """The range of a measure over a trajectory."""

    name: str
    kind: str  # of the quantity
    least: float
    most: float
    unit: str


@dataclass(frozen=True)
class CheckReport:
    """What a trajectory breaks, what is worth a look, and what it asks at most."""

    rows: int
    duration: float  # [s]
    findings: tuple[Finding, ...]  # by line
    warnings: tuple[Finding, ...]  # near singular axes, motion in the last line
    extremes: tuple[Extreme, ...]  # of axes, speeds, accelerations and tools
    nearest: Nearest | None  # the smallest clearance, None where no row is reached
    nearest_line: int = 0

    @property
    def ok(self) -> bool:
        """Whether it is executed as it is."""
        return not self.findings


@dataclass
class _Ledger:
    """Findings by what they are about."""

    found: dict[tuple[str, str, str], Finding] = field(default_factory=dict)

    def add(self, line: int, lines: int, last: int, worst_line: int, first: Violation, worst: Violation) -> None:
        """Lines of one block."""
        key = (first.kind, "", "") if first.kind.endswith("clearance") else (first.kind, first.device, first.axis)
        old = self.found.get(key)
        if old is None:
            self.found[key] = Finding(line, first, lines, last, worst_line, worst)
            return
        old.lines, old.last_line = old.lines + lines, last
        if _excess(worst) > _excess(old.worst):
            old.worst_line, old.worst = worst_line, worst

    def sorted(self) -> tuple[Finding, ...]:
        """By their first lines."""
        return tuple(sorted(self.found.values(), key=lambda f: f.line))


def _excess(v: Violation) -> float:
    """How far beyond a limit. Either limit of an axis counts alike."""
    return v.value if v.kind == "reach" else abs(v.value - v.limit)


class _Check:
    """One pass over a trajectory, block by block."""

    def __init__(self, limits: Limits, clearance: Clearance, start: Array) -> None:
        self.limits, self.clearance = limits, clearance
        self.now = start.copy()
        self.before = np.full((2, COUNT), np.nan)  # the last two rows
        self.findings, self.warnings = _Ledger(), _Ledger()
        self.low, self.high = np.full(step.COUNT, np.inf), np.full(step.COUNT, -np.inf)
        self.nearest: tuple[float, int, int] = (math.inf, -1, 0)  # distance, between, line
        self.last: Array | None = None  # measures of the last row

    def block(self, trajectory: Trajectory, first: int, last: int) -> None:
        """Rows from `first` to before `last`."""
        axes, told = np.empty((last - first, COUNT)), np.empty(last - first, np.int64)
        frames = trajectory.frames[first:last].astype(np.int64)
        values = np.array(trajectory.values[first:last])
        rows_to_axes(self.limits.kinematics.nominal, frames, values, self.now, axes, told)
        self._refused(trajectory, first, axes, told)
        axes[told != OK] = np.nan
        if first == 0:
            self.before[:] = axes[0]  # the facility stands at the start
        rows = np.vstack([self.before, axes])
        table = self.limits.measures(rows)
        self._beyond(table, first)
        distance, between = self.clearance.along(axes)
        self._near(distance, between, first)
        self._stops(rows, table, distance, first)
        self.before, self.last = rows[-2:].copy(), table[-1]

    def _refused(self, trajectory: Trajectory, first: int, axes: Array, told: np.ndarray) -> None:
        for i in np.flatnonzero(told != OK).tolist():
            error = self.limits.kinematics.refusal(int(told[i]), trajectory.record(first + i), axes[i])
            if not isinstance(error, UnreachableError):
                raise type(error)(f"line {first + i + 1}: {error}")
            found, line = Violation.unreachable(error), first + i + 1
            self.findings.add(line, 1, line, line, found, found)

    def _beyond(self, table: Array, first: int) -> None:
        bounds = self.limits.bounds
        known = np.isfinite(table)
        excess = np.where(known, np.maximum(table - bounds.high, bounds.low - table), -np.inf)
        for k in np.flatnonzero((excess > 0.0).any(axis=0)).tolist():
            rows = np.flatnonzero(excess[:, k] > 0.0)
            worst = int(np.argmax(excess[:, k]))
            ledger = self.warnings if QUANTITIES[k].kind == "singularity" else self.findings
            ledger.add(
                first + int(rows[0]) + 1,
                len(rows),
                first + int(rows[-1]) + 1,
                first + worst + 1,
                self.limits.violation(k, float(table[rows[0], k])),
                self.limits.violation(k, float(table[worst, k])),
            )
        self.low = np.minimum(self.low, np.where(known, table, np.inf).min(axis=0))
        self.high = np.maximum(self.high, np.where(known, table, -np.inf).max(axis=0))

    def _near(self, distance: Array, between: np.ndarray, first: int) -> None:
        margin, known = self.clearance.margin, np.where(np.isfinite(distance), distance, np.inf)
        worst = int(np.argmin(known))
        near = np.flatnonzero(known < margin)
        if near.size:
            told = [
                Violation.too_near(Nearest(float(distance[i]), *self.clearance.between(int(between[i]))), margin)
                for i in (int(near[0]), worst)
            ]
            self.findings.add(first + int(near[0]) + 1, near.size, first + int(near[-1]) + 1, first + worst + 1, *told)
        if known[worst] < self.nearest[0]:
            self.nearest = float(known[worst]), int(between[worst]), first + worst + 1

    def _stops(self, rows: Array, table: Array, distance: Array, first: int) -> None:
        """Where a Safe Stop would end: within ranges, with half the margin left, or better than the row itself.

        Rows that are too fast tell nothing more by where they would stop.
        """
        limits, axes, ends = self.limits, rows[2:], np.empty((len(rows) - 2, COUNT))
        rates, bounds = slice(step.SPEED, step.TOOL), limits.bounds
        over = np.logical_or(table > bounds.high, table < bounds.low)[:, rates]
        fast = np.asarray(np.count_nonzero(over, axis=1)) > 0
        stop_ends(rows, CYCLE, np.array(limits.axes.acceleration), np.array(limits.axes.jerk), ends)
        over = np.maximum(ends - limits.upper, limits.lower - ends)
        worse = (over > SLACK) & (over > np.maximum(axes - limits.upper, limits.lower - axes)) & ~fast[:, None]
        for j in np.flatnonzero(worse.any(axis=0)).tolist():
            self._add_stops(first, np.flatnonzero(worse[:, j]), over[:, j], partial(self._range, ends, j))
        kept = KEPT * self.clearance.margin
        left, between = self.clearance.along(ends, kept)
        near = np.flatnonzero((between >= 0) & ~fast & (left < np.where(np.isfinite(distance), distance, np.inf)))
        if near.size:
            self._add_stops(first, near, kept - left, partial(self._left, left, between, kept))

    def _add_stops(self, first: int, rows: np.ndarray, excess: Array, told: Callable[[int], Violation]) -> None:
        worst = int(rows[np.argmax(excess[rows])])
        lines = first + int(rows[0]) + 1, len(rows), first + int(rows[-1]) + 1, first + worst + 1
        self.findings.add(*lines, told(int(rows[0])), told(worst))

    def _range(self, ends: Array, j: int, row: int) -> Violation:
        return replace(self.limits.violation(j, float(ends[row, j])), kind="stop range")

    def _left(self, left: Array, between: np.ndarray, kept: float, row: int) -> Violation:
        nearest = Nearest(float(left[row]), *self.clearance.between(int(between[row])))
        return replace(Violation.too_near(nearest, kept), kind="stop clearance")

    def ending(self, line: int) -> None:
        """A trajectory whose last line still moves ends in a Safe Stop."""
        if self.last is None:
            return
        braking = self.limits.axes.acceleration * CYCLE  # [m/s, rad/s] that one cycle takes away
        for j in range(COUNT):
            speed = float(self.last[step.SPEED + j])
            if abs(speed) > braking[j]:
                q = QUANTITIES[step.SPEED + j]
                found = Violation("end", q.device, q.axis, q.scale * speed, q.scale * float(braking[j]), q.unit)
                self.warnings.add(line, 1, line, line, found, found)

    def report(self, rows: int) -> CheckReport:
        """After the last block."""
        distance, between, line = self.nearest
        nearest = Nearest(distance, *self.clearance.between(between)) if line else None
        extremes = tuple(
            Extreme(q.name, q.kind, q.scale * float(low), q.scale * float(high), q.unit)
            for q, low, high in zip(QUANTITIES, self.low, self.high, strict=True)
            if low <= high
        )
        return CheckReport(
            rows, (rows - 1) * CYCLE, self.findings.sorted(), self.warnings.sorted(), extremes, nearest, line
        )


def check_trajectory(
    trajectory: Trajectory,
    limits: Limits,
    clearance: Clearance,
    start: ArrayLike,
    progress: Progress | None = None,
) -> CheckReport:
    """Look at every row of a trajectory that begins at rest in its first.

    `start` (13,) are axes [m, rad] from which the facility moves to the first row: they choose its branch.
    """
    work, n = _Check(limits, clearance, array_of(start, (COUNT,), "start axes of the facility")), len(trajectory)
    for first in range(0, n, BLOCK):
        last = min(first + BLOCK, n)
        work.block(trajectory, first, last)
        if progress is not None:
            progress(last, n)
    work.ending(n)
    return work.report(n)
