"""How a run keeps time: as fast as it can, with the clock on the wall, or in step with somebody who answers."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from freefloat.amounts import Amount, Measure, take
from freefloat.engine.schedule import nanoseconds
from freefloat.errors import SimulationError

if TYPE_CHECKING:
    from freefloat.engine.session import Session

CYCLE = Amount("s", ge=1e-6, le=1e3)
ROWS_PER_CYCLE = 64  # of each group that leave their buffers in a cycle; 62 rows of 210 columns take 1.5 ms to log


class Pacer(Protocol):
    """Brings a session to an instant in its own way; returns how many cycles were late."""

    def advance(self, session: Session, end_ns: int) -> int: ...


@dataclass(frozen=True)
class Free:
    """As fast as it can."""

    def advance(self, session: Session, end_ns: int) -> int:
        """Without a look at any clock."""
        session.advance_to(end_ns)
        return 0


@dataclass(frozen=True)
class RealTime:
    """No faster than the clock, in cycles of whole steps. A cycle that is late is counted; whole cycles that are lost
    are skipped and never replayed: simulated time then stays behind the clock.
    """

    cycle: Measure = 0.004  # [s] about

    def __post_init__(self) -> None:
        take(self, "real-time pace", cycle=CYCLE)

    def advance(self, session: Session, end_ns: int) -> int:
        """Cycle by cycle, asleep in between."""
        stretch = whole_steps(session, nanoseconds(self.cycle))
        late, due = 0, time.perf_counter()
        while session.now_ns < end_ns:
            begun = session.now_ns
            session.advance_to(min(end_ns, (begun // stretch + 1) * stretch))
            session.recorder.drain(most=max(ROWS_PER_CYCLE, 2 * session.rows_in(session.now_ns - begun)))
            due += (session.now_ns - begun) / 1e9
            ahead = due - time.perf_counter()
            if ahead > 0.0:
                time.sleep(ahead)
            else:
                late += 1
                due += -ahead // (stretch / 1e9) * (stretch / 1e9)
        return late


@dataclass(frozen=True)
class Lockstep:
    """A cycle at a time; after each, `answer(t, timeout)` is asked and must return True within `timeout` [s]."""

    cycle: Measure  # [s] about
    answer: Callable[[float, float], bool]
    timeout: Measure = 1.0  # [s]

    def __post_init__(self) -> None:
        take(self, "lockstep", cycle=CYCLE, timeout=Amount("s", gt=0.0))

    def advance(self, session: Session, end_ns: int) -> int:
        """Cycle by cycle, each answered."""
        stretch = whole_steps(session, nanoseconds(self.cycle))
        while session.now_ns < end_ns:
            session.advance_to(min(end_ns, (session.now_ns // stretch + 1) * stretch))
            session.recorder.drain()
            asked = time.perf_counter()
            if not self.answer(session.time, self.timeout) or time.perf_counter() - asked > self.timeout:
                raise SimulationError(f"lockstep: no answer within {self.timeout:g} s at t = {session.time:.6f} s")
        return 0


def whole_steps(session: Session, cycle_ns: int) -> int:
    """A cycle [ns] near the wanted one that is made of whole steps of every world, so that pacing changes no result.

    Where the steps have no short common multiple, the cycle itself: steps are cut then, as those of an adaptive pair
    always are.
    """
    steps = [max(1, nanoseconds(h)) for h in session.fixed_steps()]
    whole = math.lcm(*steps)
    stretch = max(1, cycle_ns // whole) * whole
    return cycle_ns if stretch > 10 * max(cycle_ns, *steps, 0) else stretch
