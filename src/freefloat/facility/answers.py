"""What an application answers: whether a record is one, and how its commands move."""

from __future__ import annotations

import math

import numpy as np

from freefloat.errors import InputError
from freefloat.facility.axes import CYCLE
from freefloat.facility.profile import Motion
from freefloat.facility.record import ROW, Record, frame_of
from freefloat.frames import Array


class Answers:
    """Takes an application's records one by one: an answer echoes the cycle of the state that it has seen."""

    def __init__(self) -> None:
        self.record: Record | None = None  # the valid answer of this cycle
        self.problem = ""  # what is wrong with the one that came; empty where none came
        self._echo = math.nan  # of the last one that was looked at

    def take(self, given: Array | None, seen: int) -> None:
        """Look at what came, where the last state sent was that of cycle `seen`; an old answer is none."""
        self.record, self.problem = None, ""
        if given is None:
            return
        row = np.asarray(given, np.float64)
        if row.shape != (ROW,):
            self.problem = f"record of {row.size} numbers; allowed: {ROW}"
            return
        echo, mode = float(row[0]), float(row[1])
        if mode == 0.0 or echo == self._echo:  # nothing sent yet, or nothing since
            return
        self._echo = echo
        if not np.isfinite(row).all():
            place = int(np.argmin(np.isfinite(row)))
            self.problem = f"number {place} of the record is {float(row[place])!r}; allowed: finite"
        elif echo != seen:
            self.problem = f"record answers cycle {echo:.0f}; allowed: {seen}, the last one sent"
        else:
            try:
                self.record = Record(frame_of(mode), row[2:])
            except InputError as error:
                self.problem = str(error)

    @property
    def late(self) -> bool:
        """Whether what is wrong is only that it answers another cycle."""
        return self.problem.startswith("record answers cycle")


class Course:
    """The last three commands with their cycles; velocity and acceleration of the parabola through them."""

    def __init__(self, cycle: int, axes: Array) -> None:
        self._cycles = [cycle - 2, cycle - 1, cycle]
        self._axes = [axes, axes, axes]

    def add(self, cycle: int, axes: Array) -> None:
        """A command of a later cycle."""
        self._cycles = [*self._cycles[1:], cycle]
        self._axes = [*self._axes[1:], axes]

    @property
    def motion(self) -> Motion:
        """At the last command: by divided differences, exact for a parabola, wherever cycles are missing."""
        (c1, c2, c3), (q1, q2, q3) = self._cycles, self._axes
        older, newer = (c2 - c1) * CYCLE, (c3 - c2) * CYCLE
        rate = (q3 - q2) / newer
        second = 2.0 * (rate - (q2 - q1) / older) / (older + newer)
        return q3, rate + 0.5 * newer * second, second

    def off(self, cycle: int, axes: Array) -> Array:
        """How far a command of a later cycle is from where the last two were heading, per cycle squared."""
        (_, c2, c3), (_, q2, q3) = self._cycles, self._axes
        later = cycle - c3
        return np.abs(axes - q3 - (q3 - q2) * (later / (c3 - c2))) / later**2
