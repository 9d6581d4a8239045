"""A program in the facility's loop: it answers every state with a record, whose motion begins after Confirm."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from freefloat.facility.axes import CYCLE
from freefloat.facility.record import Record, is_alive
from freefloat.frames import Array


class Course(Protocol):
    """What is to be commanded."""

    def command(self, t: float) -> Record:
        """At t [s] since Confirm; at 0, where the facility is to start."""
        ...


class Application:
    """A controller for a task of the facility's cycle that reads `state` (24,) and returns `record` (24,), both [cycle,
    mode, 22 values].

    It echoes the cycle, holds the first command until bit 14 of the mode says that the facility executes what it is
    told, and goes on by one cycle with each state after that.
    """

    def __init__(self, course: Course) -> None:
        self.course, self.cycles = course, 0

    def update(self, t: float, meas: Mapping[str, Array]) -> dict[str, Array]:
        """The answer to a state."""
        state = meas["state"]
        self.cycles = self.cycles + 1 if is_alive(float(state[1])) else 0
        return {"record": self.course.command(self.cycles * CYCLE).row(int(state[0]))}
