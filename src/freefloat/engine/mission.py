"""A mission: parts, tasks, events and settings, ready to run as often as wanted."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from importlib.metadata import version
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from freefloat.engine.audit import audit
from freefloat.engine.blueprint import Connection, Part, draw
from freefloat.engine.event import Event
from freefloat.engine.integrator import RK4, Integrator
from freefloat.engine.result import Result
from freefloat.engine.rows import Row
from freefloat.engine.schedule import LONGEST, nanoseconds
from freefloat.engine.session import Session
from freefloat.engine.task import Task
from freefloat.engine.upkeep import Balanced, Upkeep
from freefloat.errors import AuditWarning, InputError

if TYPE_CHECKING:
    from freefloat.engine.log.writer import LogWriter

Progress = Callable[[float, float], None]  # (simulated time, duration) [s]
REALTIME_SLICE = 4_000_000  # [ns] stretch between two looks at the wall clock


class Mission:
    """Worlds and tasks to be run. `rows` are bank rows that belong to no part (gravity, a user's own effects)."""

    def __init__(
        self,
        parts: Sequence[Part],
        tasks: Sequence[Task] = (),
        events: Sequence[Event] = (),
        connections: Sequence[Connection] = (),
        rows: Sequence[Row] = (),
        upkeeps: Sequence[Upkeep] = (),
        integrator: Integrator | None = None,
        record_rate: float = 100.0,  # [Hz]
    ) -> None:
        self.blueprint = draw(parts, connections, rows)
        self.tasks = tuple(tasks)
        self.events = tuple(events)
        self.upkeeps = tuple(upkeeps)
        self.integrator = integrator if integrator is not None else RK4()
        self.record_rate = record_rate
        self.about: dict[str, str] = {}  # what a log should say of where it comes from

    def session(self, seed: int = 0) -> Session:
        """Start: build the world and stand at t = 0."""
        return Session(self.blueprint, self.tasks, self.events, self.integrator, self.record_rate, seed, self.upkeeps)

    def run(
        self,
        duration: float,  # [s]
        seed: int = 0,
        log: str | PathLike[str] | None = None,
        progress: Progress | None = None,
        realtime: bool = False,
        strict: bool = False,
    ) -> Result:
        """Run from the start for `duration`; with `log`, everything recorded also goes into that MCAP file.

        Ctrl-C ends the run early; the log is closed and readable, and KeyboardInterrupt goes on to the caller.
        """
        return self.complete(self.session(seed), duration, log, progress, realtime, strict)

    def complete(
        self,
        session: Session,
        duration: float,
        log: str | PathLike[str] | None = None,
        progress: Progress | None = None,
        realtime: bool = False,
        strict: bool = False,
    ) -> Result:
        """Take a session from where it stands to `duration` [s] and make the result."""
        if not 0.0 <= duration <= LONGEST:
            raise InputError(f"duration {duration!r} s: must be between 0 and {LONGEST:g} s")
        end = nanoseconds(duration)
        writer = self._open_log(session, log)
        if progress is not None:
            progress(session.time, duration)
            session.on_pause = lambda: progress(session.time, duration)
        late = 0
        start = time.perf_counter()
        try:
            if realtime:
                late = _paced(session, end, start)
            else:
                session.advance_to(end)
        finally:
            session.on_pause = None
            try:
                session.finish()
            finally:
                if writer is not None:
                    writer.close()
                    session.recorder.log = None
        if progress is not None:
            progress(session.time, duration)
        result = self.result(session, time.perf_counter() - start)
        result.log, result.late_cycles = Path(log) if log is not None else None, late
        if strict:
            result.audit.demand()
        elif not result.audit.passed:
            warnings.warn(result.audit.verdict, AuditWarning, stacklevel=3)
        return result

    def _open_log(self, session: Session, log: str | PathLike[str] | None) -> LogWriter | None:
        if log is None:
            return None
        from freefloat.engine.log.writer import LogWriter

        scene = {name: link.shapes for name, link in self.blueprint.links.items()}
        writer = LogWriter(log, session.recorder.groups, scene)
        writer.metadata("freefloat", {"version": version("freefloat"), "seed": str(session.seed), **self.about})
        session.open_log(writer)
        return writer

    def result(self, session: Session, wall_time: float) -> Result:
        """The result of what a session has recorded so far."""
        recorder = session.recorder
        rows = {g: recorder.rows(g) for g in recorder.groups}
        places: dict[str, tuple[str, int]] = {}
        for group, signals in recorder.groups.items():
            column = 1
            for signal in signals:
                places[signal.name] = (group, column)
                column += signal.size
        balances = [u.balances() for u in session.upkeeps if isinstance(u, Balanced)]
        kept = {name: drift for of in balances for name, drift in of.items()}
        report = audit(rows["audit"], session.world.tree.floating, kept)
        metrics = {
            **report.metrics(),
            "duration_s": session.time,
            "steps": float(session.world.steps),
            "events": float(len(session.fired)),
        }
        return Result(
            metrics=metrics,
            audit=report,
            signals={s.name: s for signals in recorder.groups.values() for s in signals},
            events=tuple(session.fired),
            duration=session.time,
            wall_time=wall_time,
            scene={name: link.shapes for name, link in self.blueprint.links.items()},
            controllers={r.task.name: r.controller for r in session.tasks},
            _rows=rows,
            _places=places,
        )


def _paced(session: Session, end: int, start: float) -> int:
    """Advance no faster than the wall clock; returns how many instants were reached late."""
    late, origin = 0, session.world.now_ns
    step = max(1, nanoseconds(session.world.integrator.step))
    stretch = max(1, REALTIME_SLICE // step) * step  # whole steps, so that pacing changes no result
    while session.world.now_ns < end:
        session.advance_to(min(end, (session.world.now_ns // stretch + 1) * stretch))
        ahead = (session.world.now_ns - origin) / 1e9 - (time.perf_counter() - start)
        if ahead > 0.0:
            time.sleep(ahead)
        else:
            late += 1
    return late
