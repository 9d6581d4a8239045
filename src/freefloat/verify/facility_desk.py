"""A desk at the facility: operator, application and robots that are where they are told to be, for cases and tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from freefloat.facility.axes import CYCLE
from freefloat.facility.clearance import Clearance
from freefloat.facility.exchange import Inputs, Outputs, Settings
from freefloat.facility.kinematics import Kinematics
from freefloat.facility.limits import Limits
from freefloat.facility.modes import State
from freefloat.facility.operation import Operation
from freefloat.facility.record import Frame
from freefloat.frames import Array
from freefloat.verify.facility_rig import HOME

KINEMATICS = Kinematics()
LIMITS, CLEARANCE = Limits(KINEMATICS), Clearance()
Law = Callable[[float], ArrayLike]  # axes (13,) over time [s]


class Desk:
    """An operation with its cycle counter; `rows` keeps the set-points of all cycles."""

    def __init__(self, settings: Settings | None = None, axes: ArrayLike = HOME) -> None:
        self.op = Operation(KINEMATICS, LIMITS, CLEARANCE, settings, axes)
        self.n, self.rows = -1, [self.op.motion[0]]
        self.out: Outputs = self.cycle()

    def cycle(self, application: Array | None = None, **inputs: Any) -> Outputs:
        """One cycle; the robots are where the set-points were."""
        self.n += 1
        given = {"encoders": self.op.model.to_motor(self.rows[-1]), **inputs}
        self.out = self.op.cycle(Inputs(self.n, self.n * CYCLE, application=application, **given))
        self.rows.append(self.out.axes)
        return self.out

    def answer(self, axes: ArrayLike, frame: Frame = Frame.IJT) -> Array:
        """An application's record of axes, which answers the last state."""
        return KINEMATICS.from_axes(frame, np.array(axes, np.float64)).row(self.n)

    def up(self, mode: str) -> None:
        """Power on, in a mode."""
        self.op.do("mode", mode=mode)
        self.op.do("power")

    def until(self, *states: str, axes: ArrayLike | None = None, most: int = 20_000) -> Outputs:
        """Cycle until one of these states; an application holds axes."""
        for _ in range(most):
            if self.op.state in states:
                return self.out
            self.cycle(None if axes is None else self.answer(axes))
        raise AssertionError(f"state {self.op.state} ({self.op.reason.text}) after {most} cycles; wanted: {states}")

    def running(self, axes: ArrayLike = HOME) -> None:
        """An application that is confirmed at its start."""
        self.up("sync")
        self.op.do("start")
        self.until("ready", axes=axes)
        self.op.do("confirm")

    def follow(self, law: Law, seconds: float, frame: Frame = Frame.IJT) -> Outputs:
        """An application that commands axes over its own time, until it is stopped."""
        for k in range(round(seconds / CYCLE)):
            self.cycle(self.answer(law(k * CYCLE), frame))
            if self.op.state is not State.RUNNING:
                break
        return self.out

    @property
    def set_points(self) -> Array:
        """(n, 13) of all cycles."""
        return np.array(self.rows)
