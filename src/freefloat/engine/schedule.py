"""What happens at which instant, in integer nanoseconds: one-shot and periodic jobs, in a declared order.

The clocks are a table that compiled code runs through (`kernels.agenda`); it calls Python where a job is Python's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from freefloat.errors import SimulationError
from freefloat.kernels.agenda import CALLBACK, CLOCK, CLOCK_COLUMNS, NEVER

LONGEST = 1e9  # [s] the clock is a 64-bit count of nanoseconds

# order at one instant: upkeep of the plant, time events, delayed commands taking effect, sensors, tasks as declared,
# upkeeps that a command has woken
UPKEEP, EVENTS, ARRIVALS, SENSORS, TASKS, WOKEN = range(6)


class Attended(Protocol):
    """A task, as compiled code needs it."""

    def prepare(self) -> None:
        """Draw noise and make room, where compiled code has run out of it."""
        ...

    def give_up(self) -> None:
        """Use nothing of an update that failed."""
        ...

    def failure(self, status: int, t: float) -> SimulationError:
        """What a status at t [s] means."""
        ...


def nothing(now_ns: int) -> None:
    """The job of a clock that compiled code does alone."""


@dataclass
class Clock:
    """A job at `start_ns` and then every `period_ns` (NEVER: once); `kernels.agenda` explains the other numbers."""

    rank: int
    job: Callable[[int], None]  # Python's part
    start_ns: int
    period_ns: int = NEVER
    worlds: int = -1  # set of worlds, one bit each, that must stand at its instants; -1: all
    kind: int = CALLBACK
    source: int = 0
    row: int = 0
    task: Attended | None = None  # whose clock it is, where compiled code does most of it


@dataclass
class Schedule:
    """All clocks of a session, kept in the order in which they run at one instant."""

    clocks: list[Clock] = field(default_factory=list[Clock])

    def add(self, clock: Clock) -> Clock:
        """Add a clock behind those of the same rank."""
        self.clocks.append(clock)
        self.clocks.sort(key=lambda c: c.rank)
        return clock

    def table(self) -> NDArray[np.int64]:
        """The clocks as compiled code runs them; the session keeps it, and the next instants are in it from now on."""
        table = np.zeros((max(1, len(self.clocks)), CLOCK_COLUMNS), dtype=np.int64)
        table[:, CLOCK.next] = NEVER
        for row, c in zip(table, self.clocks, strict=False):
            row[:] = c.start_ns, c.period_ns, c.worlds, c.kind, c.source, c.row
        return table


def nanoseconds(seconds: float) -> int:
    """Whole nanoseconds."""
    return round(seconds * 1e9)
