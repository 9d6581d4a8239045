"""A joint that is moved by a machine strong enough: test benches, industrial robots, facilities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from freefloat.engine.blueprint import Builder
from freefloat.engine.imposed import COURSE, unit_of
from freefloat.errors import InputError


@dataclass(frozen=True)
class ImposedMotion:
    """A joint of another part whose coordinate follows a course, whatever effort that takes.

    q(t) = sum of c_k (t - t0)^k, k from 0 to 5, with t the world's time. Command: `name.course` (7,), [t0, c0 .. c5],
    which a task may replace piece by piece. Signals: `name.effort` [N m or N], whose work the audit books as supplied,
    and `name.error`, the coordinate less its course. The part stands behind the one that has the joint.
    """

    name: str
    joint: str  # full name, or the coordinate of a planar joint
    course: Sequence[float] | None = None  # [rad or m, per s^k] c0, c1, ... from t = 0 on; None: held at the start
    eta: float = 50.0  # [1/s] Baumgarte rate

    def build(self, b: Builder) -> None:
        """Declare the command and impose it."""
        unit = unit_of(b.blueprint.joints, self.joint)
        given = self.course if self.course is not None else b.blueprint.joint_start[self.joint]
        c = np.asarray(given, dtype=np.float64)
        if c.ndim != 1 or not 1 <= len(c) < COURSE or not np.isfinite(c).all():
            raise InputError(f"imposed motion {self.name!r}: course {given!r}; allowed: 1 to 6 finite numbers c0, c1, ...")
        start = np.zeros(COURSE)
        start[1 : 1 + len(c)] = c
        meaning = "course [t0, c0 .. c5]: sum of c_k (t - t0)^k"
        course = b.command("course", (COURSE,), f"s, {unit}/s^k", meaning, start=start.tolist())
        b.imposed_signals([b.impose(self.joint, course, eta=self.eta)])
