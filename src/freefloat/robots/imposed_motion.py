"""Joints that are moved by a machine strong enough: test benches, industrial robots, facilities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from freefloat.amounts import Measure, Measures, has_text, in_numbers, not_negative, take
from freefloat.engine.blueprint import Builder
from freefloat.engine.imposed import COURSE, course_labels, course_unit, unit_of
from freefloat.errors import InputError


@dataclass(frozen=True)
class ImposedMotion:
    """A joint of another part, or several, whose coordinates follow courses, whatever efforts that takes.

    q(t) = sum of c_k (t - t0)^k, k from 0 to 5, with t the world's time. Command: `name.course`, [t0, c0 .. c5], or one
    such row per joint, which a task may replace piece by piece. Signals: `name.effort` [N m or N], whose work the audit
    books as supplied, and `name.error`, the coordinates less their courses. The part stands behind that of the joints.
    """

    name: str
    joint: str | Sequence[str]  # full names; of a planar joint, its coordinates'
    course: Measures | None = None
    # [rad or m, per s^k] c0, c1 ... (one row per joint, where several) from t = 0 on; None: held where they start
    eta: Measure = 50.0  # [1/s] Baumgarte rate

    def __post_init__(self) -> None:
        take(self, f"imposed motion {self.name!r}", eta=not_negative("1/s"))

    def build(self, b: Builder) -> None:
        """Declare the command and impose it."""
        one = isinstance(self.joint, str)
        joints = [self.joint] if isinstance(self.joint, str) else list(self.joint)
        units = [unit_of(b.blueprint.joints, joint) for joint in joints]
        shape = (COURSE,) if one else (len(joints), COURSE)
        unit, labels = ", ".join(course_unit(unit) for unit in units), course_labels([""] if one else b.short(joints))
        meaning = "course [t0, c0 .. c5]: sum of c_k (t - t0)^k"
        start = [v for row in self._rows([b.blueprint.joint_start[joint] for joint in joints], units, one) for v in row]
        b.impose(joints, b.command("course", shape, unit, meaning, start=start, labels=labels), self.eta)

    def _rows(self, states: Sequence[tuple[float, float]], units: Sequence[str], one: bool) -> list[list[float]]:
        """[t0, c0 .. c5] of each joint at the start."""
        given = self.course if self.course is not None else states[0] if one else states
        try:
            texts = [given] if one else given
            rows = [np.asarray(self._coefficients(*row), dtype=np.float64) for row in zip(texts, units, strict=True)]
        except (TypeError, ValueError):
            rows = list[np.ndarray]()
        fit = [row.ndim == 1 and 1 <= row.size < COURSE and bool(np.isfinite(row).all()) for row in rows]
        if len(rows) != len(states) or not all(fit):
            allowed = f"1 to {COURSE - 1} numbers c0, c1 ..." + ("" if one else f" for each of {len(states)} joints")
            raise InputError(f"imposed motion {self.name!r}: course {given!r}; allowed: {allowed}")
        return [[0.0, *row.tolist(), *[0.0] * (COURSE - 1 - row.size)] for row in rows]

    def _coefficients(self, row: Measures, unit: str) -> Measures:
        """Those of a row with its texts as numbers."""
        if not has_text(row) or isinstance(row, str):
            return row
        what, units = f"imposed motion {self.name!r}: course", (unit, *(f"{unit}/s^{k}" for k in range(1, len(row))))
        return [in_numbers(c, u, f"{what}[{k}]") for k, (c, u) in enumerate(zip(row, units, strict=True))]
