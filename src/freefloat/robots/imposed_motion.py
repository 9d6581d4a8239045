"""Joints that are moved by a machine strong enough: test benches, industrial robots, facilities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from freefloat.engine.blueprint import Builder
from freefloat.engine.imposed import COURSE, unit_of
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
    course: Sequence[float] | Sequence[Sequence[float]] | None = None
    # [rad or m, per s^k] c0, c1 ... (one row per joint, where several) from t = 0 on; None: held where they start
    eta: float = 50.0  # [1/s] Baumgarte rate

    def build(self, b: Builder) -> None:
        """Declare the command and impose it."""
        one = isinstance(self.joint, str)
        joints = [self.joint] if isinstance(self.joint, str) else list(self.joint)
        units = {unit_of(b.blueprint.joints, joint) for joint in joints}
        shape = (COURSE,) if one else (len(joints), COURSE)
        unit = f"s, {'/'.join(sorted(units))}, per s^k"
        meaning = "course [t0, c0 .. c5]: sum of c_k (t - t0)^k"
        start = self._start([b.blueprint.joint_start[joint] for joint in joints], one)
        b.impose(joints, b.command("course", shape, unit, meaning, start=start.ravel().tolist()), self.eta)

    def _start(self, states: Sequence[tuple[float, float]], one: bool) -> np.ndarray:
        """Courses (n, 7) at the start."""
        given = self.course if self.course is not None else states[0] if one else states
        try:
            c = np.atleast_2d(np.asarray(given, dtype=np.float64))
        except (TypeError, ValueError):
            c = np.empty((0, 0))
        if c.shape[0] != len(states) or not 1 <= c.shape[1] < COURSE or not np.isfinite(c).all():
            rows = "" if one else f", in {len(states)} rows"
            raise InputError(
                f"imposed motion {self.name!r}: course {given!r}; allowed: 1 to 6 numbers c0, c1 ...{rows}"
            )
        return np.pad(c, ((0, 0), (1, COURSE - 1 - c.shape[1])))
