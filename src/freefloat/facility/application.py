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
    told, and goes on with the cycles' numbers after that, for states may be lost on their way.
    """

    def __init__(self, course: Course) -> None:
        self.course = course
        self._held = 0  # the last cycle whose state did not say so

    def update(self, t: float, meas: Mapping[str, Array]) -> dict[str, Array]:
        """The answer to a state."""
        cycle, mode = int(meas["state"][0]), float(meas["state"][1])
        if not is_alive(mode):
            self._held = cycle
        return {"record": self.course.command((cycle - self._held) * CYCLE).row(cycle)}
