"""What happens at which instant, in integer nanoseconds: one-shot and periodic jobs, in a declared order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

NEVER = 1 << 62
LONGEST = 1e9  # [s] the clock is a 64-bit count of nanoseconds

# order at one instant: upkeep of the plant, time events, delayed commands taking effect, sensors, tasks as declared
UPKEEP, EVENTS, ARRIVALS, SENSORS, TASKS = range(5)


@dataclass
class Clock:
    """A job at `next_ns` and then every `period_ns` (NEVER: once)."""

    rank: int
    job: Callable[[int], None]
    next_ns: int
    period_ns: int = NEVER
    worlds: int = -1  # set of worlds, one bit each, that must stand at its instants; -1: all

    def fire(self, now_ns: int) -> None:
        """Do the job that is due and set the next instant."""
        self.next_ns = NEVER if self.period_ns == NEVER else self.next_ns + self.period_ns
        self.job(now_ns)


@dataclass
class Schedule:
    """All clocks of a session, kept in the order in which they run at one instant."""

    clocks: list[Clock] = field(default_factory=list[Clock])

    def add(self, clock: Clock) -> None:
        """Add a clock behind those of the same rank."""
        self.clocks.append(clock)
        self.clocks.sort(key=lambda c: c.rank)

    def next_ns(self) -> int:
        """The next instant at which something is due."""
        soonest = NEVER
        for clock in self.clocks:
            if clock.next_ns < soonest:
                soonest = clock.next_ns
        return soonest

    def worlds(self, now_ns: int) -> int:
        """The set of worlds that what is due needs."""
        wanted = 0
        for clock in self.clocks:
            if clock.next_ns <= now_ns:
                wanted |= clock.worlds
        return wanted

    def run(self, now_ns: int) -> None:
        """Run everything that is due."""
        for clock in self.clocks:
            if clock.next_ns <= now_ns:
                clock.fire(now_ns)


def nanoseconds(seconds: float) -> int:
    """Whole nanoseconds."""
    return round(seconds * 1e9)
