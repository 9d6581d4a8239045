"""The process that only cycles: every 4 ms the operation, the robots' controllers and the plant; rows go to the desk.

In real time it never waits for anybody, and cycles that are lost are skipped: simulated time stays behind the clock. In
lockstep it goes as fast as the application answers, and while there is none it keeps to the clock as well.
"""

from __future__ import annotations

import gc
import os
import pickle
import time
from typing import Any

import numpy as np

from freefloat.engine.graph import Vector
from freefloat.engine.session import Session
from freefloat.facility.axes import CYCLE
from freefloat.facility.modes import MOTION
from freefloat.geometry.shape import Shapes
from freefloat.serve.outside import Served
from freefloat.serve.pipe import Kind, Pipe, put_json, put_rows
from freefloat.terminal import DONE, FAILED, say

CYCLE_NS = round(CYCLE * 1e9)
BLOCK = 5  # cycles whose rows go to the desk together
ROWS = 64  # of each group that leave their buffers in a cycle
FULL = 1 << 20  # [bytes] on their way to the desk, above which lockstep waits for it
STUCK = 1 << 26  # [bytes] above which the desk is given up
PATIENCE = 10.0  # [s] that the desk has to take something in lockstep, and at the end
PRIORITY = 50  # of SCHED_FIFO
BINS = 1000  # of the histogram of a cycle's CPU time, each 1 % of a cycle


class ToDesk:
    """The session's log: what it gets goes to the desk."""

    def __init__(self, desk: Pipe, groups: dict[str, Any]) -> None:
        self._desk, self._numbers = desk, {name: n for n, name in enumerate(groups)}

    def write(self, group: str, t: Vector, rows: Vector) -> None:
        """Rows of a group, whose times stand in front of them."""
        put_rows(self._desk, self._numbers[group], np.column_stack([t, rows]))

    def event(self, t: float, name: str, text: str = "") -> None:
        """An event."""
        put_json(self._desk, Kind.EVENT, [t, name, text])

    def scene(self, t: float, shapes: Shapes) -> None:
        """Shapes, where they have changed."""
        self._desk.put(Kind.SCENE, pickle.dumps((t, shapes)))


class CycleProcess:
    """Runs a session until it is told to end; robots at rest by then."""

    def __init__(self, session: Session, served: Served, desk: Pipe, realtime: bool) -> None:
        self.session, self.served, self.desk, self.realtime = session, served, desk, realtime
        self.cycles, self.late = 0, 0
        self._loads = np.zeros(BINS + 1, np.int64)  # cycles by their CPU time
        self._stopped = False
        self._failure = ""

    def end(self) -> None:
        """Begin to end, from wherever this is called."""
        self.served.ending = True

    def run(self) -> int:
        """Cycle; the exit code."""
        session = self.session
        session.recorder.only_log()
        session.recorder.ledgers.clear()  # the audit's rows are logged, and nobody asks for its verdict here
        session.open_log(ToDesk(self.desk, session.recorder.groups))
        if self.realtime:
            _take_priority()
        gc.collect()
        gc.freeze()
        gc.disable()
        self.work()  # which takes longer the first time, so the clock starts after it
        due = time.monotonic()
        while not self._at_its_end():
            due = self.wait(due)
            self.work()
        session.finish()
        put_json(self.desk, Kind.END, self.timing())
        self.desk.flush(PATIENCE)
        return FAILED if self._failure else DONE

    def work(self) -> None:
        """One cycle."""
        begun, session = time.thread_time(), self.session
        session.advance_to(session.now_ns + CYCLE_NS)
        if self.cycles % BLOCK == 0:
            session.recorder.drain(most=ROWS)
        self.desk.pump()
        self._loads[min(int((time.thread_time() - begun) / CYCLE * 100.0), BINS)] += 1
        self.cycles += 1

    def wait(self, due: float) -> float:
        """For the next cycle; when that one is due [s]."""
        if self.served.in_step:
            if self.desk.backlog > FULL and not self.desk.flush(PATIENCE) and not self.desk.closed:
                self._fail("the desk takes nothing")
            return time.monotonic()
        ahead = due + CYCLE - time.monotonic()
        if ahead > 0.0:
            time.sleep(ahead)
            return due + CYCLE
        lost = int(-ahead / CYCLE)
        self.late += lost > 0
        self.served.late += lost
        return due + (1 + lost) * CYCLE

    def _at_its_end(self) -> bool:
        """Whether it may end; where it is to, the robots are stopped first."""
        if self.desk.closed:
            self._fail("the desk has ended")
        elif self.desk.backlog > STUCK:
            self._fail("the desk takes nothing")
        if not (self.served.ending or self._failure):
            return False
        operation = self.served.operation
        self.served.ending = True
        if operation is None:
            return True
        if not self._stopped:
            operation.do("stop")
            self._stopped = True
        return operation.state not in MOTION

    def _fail(self, why: str) -> None:
        if not self._failure:
            say(f"error: {why}; Safe Stop at t = {self.session.time:.3f} s")
        self._failure = why

    def timing(self) -> dict[str, Any]:
        """Of the cycles so far."""
        share = np.cumsum(self._loads) / max(1, self._loads.sum())
        loads = {f"cycle_load_p{p}": (int(np.searchsorted(share, p / 100.0)) + 1) / 100.0 for p in (50, 99)}
        return {"cycles": self.cycles, "late_cycles": self.late, "skipped_cycles": self.served.late, **loads}


def _take_priority() -> None:
    """Before everything else on this machine, where that is permitted."""
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(PRIORITY))
    except (AttributeError, OSError) as error:
        why = getattr(error, "strerror", None) or "this system has none"
        say(f"note: no real-time priority ({why}); other programs may make cycles late")
