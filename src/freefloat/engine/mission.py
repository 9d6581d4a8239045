"""A mission: parts, tasks, events and settings, ready to run as often as wanted."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import version
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from freefloat.amounts import Amount, Measure
from freefloat.engine.audit import Audit, worst
from freefloat.engine.blueprint import Blueprint, Part, draw
from freefloat.engine.connection import Connection, parting
from freefloat.engine.event import Event
from freefloat.engine.graph import Vector
from freefloat.engine.ground import Ground
from freefloat.engine.integrator import RK4, Integrator
from freefloat.engine.pace import Free, Pacer
from freefloat.engine.rehearsal import Rehearsal
from freefloat.engine.result import Result
from freefloat.engine.review import Review, Reviewer
from freefloat.engine.schedule import LONGEST, nanoseconds
from freefloat.engine.session import Session
from freefloat.engine.taps import Record
from freefloat.engine.task import Task
from freefloat.engine.touches import figures_of
from freefloat.engine.upkeep import Upkeep
from freefloat.errors import AuditWarning, InputError
from freefloat.kernels.bank import Row
from freefloat.kernels.contact import CONTACT
from freefloat.progress import Progress, shown

if TYPE_CHECKING:
    from freefloat.engine.log.writer import LogWriter

Judge = Callable[[Result], Mapping[str, float]]  # figures of merit of a finished run; a name with a unit ends in it
Writer = Callable[[Result, Path], object]  # writes files of a finished run, such as pictures, into the run's folder
FREE = Free()
DURATION = Amount("s", ge=0.0, le=LONGEST)
RECORD_RATE = Amount("Hz", ge=1.0 / LONGEST, le=1e9)


@dataclass(frozen=True)
class WorldSetup:
    """One of several worlds of a mission: its name, what is in it and how it is integrated. Names of parts, rows and
    connections are unique over all worlds, so that a signal needs no world beside it.

    A `rehearsed` world is the facility's own simulation: tasks may read it `Ahead`, and the one that commands it may do
    a stretch again, by returning the key "since" [s] beside its commands.
    """

    name: str
    parts: Sequence[Part] | Blueprint
    connections: Sequence[Connection] = ()
    rows: Sequence[Row] = ()
    upkeeps: Sequence[Upkeep] = ()
    integrator: Integrator = field(default_factory=RK4)
    rehearsed: Rehearsal | None = None


class Mission:
    """Worlds and tasks to be run. `rows` are bank rows that belong to no part (gravity, a user's own effects).

    A mission has one world of `parts`, or several `worlds`, each with its own integrator, gravity and structure; tasks
    read and write in all of them, and all stand at the same instants.

    Where tasks need to know the structure (a controller's own model of it), draw the parts first: `parts` may be the
    blueprint that `draw(parts, connections, rows)` returns.

    What becomes of a finished run goes with the mission: its `judge`, the names of the signals in its `plots`, and
    `writers` of pictures and other files. `freefloat.run` calls them. A `review` sees the run before its log is closed,
    and what it returns goes into the log's events and the result.
    """

    def __init__(
        self,
        parts: Sequence[Part] | Blueprint = (),
        tasks: Sequence[Task] = (),
        events: Sequence[Event] = (),
        connections: Sequence[Connection] = (),
        rows: Sequence[Row] = (),
        upkeeps: Sequence[Upkeep] = (),
        integrator: Integrator | None = None,
        record_rate: Measure = 100.0,  # [Hz]
        worlds: Sequence[WorldSetup] = (),
        records: Sequence[Record] = (),
        judge: Judge | None = None,
        plots: Sequence[str] = (),
        writers: Sequence[Writer] = (),
        review: Reviewer | None = None,
        duration: Measure | None = None,  # [s] how long it takes, where that follows from what was built
    ) -> None:
        if worlds and (parts or connections or rows or upkeeps or integrator is not None):
            raise InputError(
                "a mission has `worlds`, or parts of its own; parts, rows and upkeeps go into a WorldSetup"
            )
        setups = worlds or [WorldSetup("", parts, connections, rows, upkeeps, integrator or RK4())]
        self.grounds = {s.name: _ground(s) for s in setups}
        _check_names(worlds, self.grounds)
        self.tasks = tuple(tasks)
        self.events = tuple(events)
        self.record_rate: float = RECORD_RATE.number(record_rate, "mission: record rate")
        self.records = tuple(records)
        _check_afterwards(judge, plots, writers)
        self.judge: Judge = judge or _no_figures
        self.plots = tuple(plots)
        self.writers = tuple(writers)
        self.review = review
        self.duration = None if duration is None else DURATION.number(duration, "mission: duration")
        self.about: dict[str, str] = {}  # what a log should say of where it comes from
        self.fields: list[dict[str, str]] = []  # of the scenario, with value, unit and meaning, for the log

    @property
    def blueprint(self) -> Blueprint:
        """What the one world of a mission is built from."""
        if len(self.grounds) > 1:
            raise InputError(f"this mission has the worlds {', '.join(self.grounds)}; take one of `mission.grounds`")
        return next(iter(self.grounds.values())).blueprint

    def session(self, seed: int = 0) -> Session:
        """Start: build the worlds and stand at t = 0."""
        brought = [task for ground in self.grounds.values() for task in ground.blueprint.tasks]
        events = (
            *self.events,
            *(
                parting(c)
                for ground in self.grounds.values()
                for c in ground.blueprint.connections.values()
                if c.pushes
            ),
        )
        return Session(self.grounds, (*self.tasks, *brought), events, self.record_rate, seed, self.records)

    def run(
        self,
        duration: float | str,  # [s]
        seed: int = 0,
        log: str | PathLike[str] | None = None,
        progress: Progress | bool | None = None,
        pace: Pacer = FREE,
        strict: bool = False,
        keep: bool = True,
        overwrite: bool = False,
    ) -> Result:
        """Run from the start for `duration`; with `log`, everything recorded also goes into that MCAP file, which must
        be new unless `overwrite`.

        A run that takes long shows its progress in terminals and notebooks; `progress=False` switches that off, True
        shows it at once, and a function is called with time and duration [s].
        With `keep` off, rows go into the log only and the result reads them from there: the run may be of any length.
        Ctrl-C ends the run early; the log is closed and readable, and KeyboardInterrupt goes on to the caller.
        """
        return self.complete(self.session(seed), duration, log, progress, pace, strict, keep, overwrite)

    def complete(
        self,
        session: Session,
        duration: float | str,
        log: str | PathLike[str] | None = None,
        progress: Progress | bool | None = None,
        pace: Pacer = FREE,
        strict: bool = False,
        keep: bool = True,
        overwrite: bool = False,
    ) -> Result:
        """Take a session from where it stands to `duration` [s] and make the result."""
        if log is None and not keep:
            raise InputError("a run that keeps no rows needs a log; give its path")
        duration = DURATION.number(duration, "mission: duration")
        end = nanoseconds(duration)
        if not session.recorder.keeps:
            raise InputError("this session has run with keep=False, and its rows are in that log; start a new session")
        writer = None if log is None else self.open_log(session, log, overwrite)
        if not keep:
            session.recorder.only_log()
        late, seen, ended = 0, Review({}), False
        start = time.perf_counter()
        with shown(progress) as tell:
            tell(session.time, duration)
            session.on_pause = _pausing(session, lambda: tell(session.time, duration))
            try:
                late = pace.advance(session, end)
                ended = True
            finally:
                session.on_pause = None
                wall = time.perf_counter() - start
                try:
                    session.finish()
                    seen = self._seen(session, writer) if ended else seen
                finally:
                    if writer is not None:
                        writer.close()
                        session.recorder.log = None
            tell(session.time, duration)
        logged = Path(log) if log is not None else None
        only = None if session.recorder.keeps else logged
        result = self.result(session, wall, only)
        result.log, result.late_cycles, result.review = logged, late, seen
        result.metrics = {**result.metrics, **seen.metrics}
        result.events = tuple(sorted([*result.events, *seen.events], key=lambda e: e.t))
        if strict:
            result.audit.demand()
        elif not result.audit.passed:
            warnings.warn(result.audit.verdict, AuditWarning, stacklevel=3)
        return result

    def _seen(self, session: Session, writer: LogWriter | None) -> Review:
        """What the review says of a run whose last row is recorded and whose log is still open."""
        if self.review is None:
            return Review({})
        if writer is not None:
            writer.flush()  # rows that are in the log only are read from there
        only = None if session.recorder.keeps or writer is None else writer.path
        seen = self.review(self.result(session, 0.0, only))
        for event in seen.events:
            session.recorder.event(event)
        return seen

    def _names(self) -> list[str]:
        return [part for ground in self.grounds.values() for part in ground.blueprint.parts]

    @property
    def notes(self) -> tuple[str, ...]:
        """What parts tell of the files that they are from."""
        return tuple(note for ground in self.grounds.values() for note in ground.blueprint.notes)

    def _may_touch(self) -> bool:
        rows = [row for ground in self.grounds.values() for row in ground.blueprint.rows.values()]
        return any(row.bank is CONTACT for row in rows)

    def open_log(self, session: Session, log: str | PathLike[str], overwrite: bool = False) -> LogWriter:
        """A log of what a session records from now on; who opens it closes it."""
        from freefloat.engine.log.writer import LogWriter, WorldView

        drawn = {name: ground.blueprint for name, ground in self.grounds.items()}
        views = {name: WorldView(bp.frames, bp.seen, bp.roots) for name, bp in drawn.items()}
        writer = LogWriter(log, session.recorder.groups, session.looks()[-1][1], views, session.time, overwrite)
        steps = " ".join(f"{step:g}" for step in session.fixed_steps())
        about = {"version": version("freefloat"), "seed": str(session.seed), "step": steps, **self.about}
        about |= {"notes": "\n".join(self.notes)} if self.notes else {}
        writer.metadata("freefloat", {**about, "plots": " ".join(self.plots)})
        if self.fields:
            writer.scenario(self.fields)
        session.open_log(writer)
        return writer

    def result(self, session: Session, wall_time: float, log: Path | None = None) -> Result:
        """The result of what a session has recorded so far; with a `log`, its rows are read from there when needed."""
        recorder = session.recorder
        rows: Mapping[str, Vector] = {g: recorder.rows(g) for g in recorder.groups} if log is None else _logged(log)
        places: dict[str, tuple[str, int]] = {}
        for group, signals in recorder.groups.items():
            column = 1
            for signal in signals:
                places.setdefault(signal.name, (group, column))
                column += signal.size
        reports: dict[str, Audit] = {}
        for name, floating in session.floating().items():
            group = f"{name}.audit" if name else "audit"
            ledger = recorder.ledgers[group]
            reports[name] = ledger.audit(floating, session.balances(name), partial(rows.__getitem__, group))
        report = reports[""] if "" in reports else worst(reports)
        touches = session.touches()
        metrics = {
            **report.metrics(),
            "duration_s": session.time,
            "steps": float(sum(world.steps for world in session.worlds.values())),
            "events": float(len(session.fired)),
            **(figures_of(touches) if self._may_touch() else {}),
        }
        return Result(
            metrics=metrics,
            audit=report,
            signals={s.name: s for signals in recorder.groups.values() for s in signals},
            events=tuple(session.fired),
            duration=session.time,
            wall_time=wall_time,
            step=min(session.fixed_steps(), default=math.nan),
            looks=session.looks(),
            notes=self.notes,
            touches=touches,
            title=self.about.get("kind") or "a mission of " + ", ".join(self._names()),
            controllers={r.task.name: r.controller for r in session.tasks},
            groups=recorder.groups,
            _rows=rows,
            _places=places,
        )


def _pausing(session: Session, tell: Callable[[], None]) -> Callable[[], None]:
    """Tell how far it is, and do what the session's owner wants done."""
    own = session.on_pause

    def pause() -> None:
        tell()
        if own is not None:
            own()

    return pause


def _logged(path: Path) -> Mapping[str, Vector]:
    from freefloat.engine.log.reader import LoggedRows  # heavy, and only needed here

    return LoggedRows(path)


def _no_figures(result: Result) -> dict[str, float]:
    return {}


def _check_afterwards(judge: Any, plots: Any, writers: Any) -> None:
    """Refuse before a run what would fail after it."""
    if judge is not None and not callable(judge):
        raise InputError(f"judge {judge!r}; allowed: a function of the result that returns metrics by name")
    if not isinstance(plots, (list, tuple)) or not all(isinstance(name, str) for name in cast("list[Any]", plots)):
        raise InputError(f"plots {plots!r}; allowed: a list of names of signals")
    if not isinstance(writers, (list, tuple)) or not all(callable(write) for write in cast("list[Any]", writers)):
        raise InputError(f"writers {writers!r}; allowed: a list of functions of the result and the run's folder")


def _ground(setup: WorldSetup) -> Ground:
    """What a world is built from; upkeeps that parts bring come first."""
    if not isinstance(setup.parts, Blueprint):
        bp = draw(setup.parts, setup.connections, setup.rows)
    elif setup.connections or setup.rows:
        raise InputError("this world has a blueprint; its connections and rows are those with which it was drawn")
    else:
        bp = setup.parts
    if not bp.links:
        raise InputError("the mission has no part with a body; add at least one")
    for upkeep in setup.upkeeps:
        if any(upkeep is other for other in bp.upkeeps):
            raise InputError(f"upkeep {upkeep.name!r} is a part that brings itself; list it among the parts only")
    return Ground(bp, setup.integrator, (*bp.upkeeps, *setup.upkeeps), setup.rehearsed)


def _check_names(worlds: Sequence[WorldSetup], grounds: Mapping[str, Ground]) -> None:
    """Refuse worlds without a name of their own, and names that are in two of them."""
    if len(grounds) < len(worlds):
        names = [s.name for s in worlds]
        twice = next(n for n in names if names.count(n) > 1)
        raise InputError(f"two worlds are named {twice!r}; names must differ")
    for setup in worlds:
        if not setup.name or any(c.isspace() or c in "./" for c in setup.name):
            raise InputError(f"world name {setup.name!r}: a name has no space, dot or slash, and is not empty")
    links = {link for ground in grounds.values() for link in ground.blueprint.links}
    for setup in worlds:
        if setup.name in ("W", "world", *links):
            raise InputError(f"world name {setup.name!r} is that of a frame in the log; choose another name")
    homes: dict[str, str] = {}
    for setup in worlds:
        bp = grounds[setup.name].blueprint
        for name in (*bp.parts, *bp.connections, *bp.rows):
            if homes.setdefault(name, setup.name) != setup.name:
                raise InputError(
                    f"{name!r} is in the worlds {homes[name]!r} and {setup.name!r}; allowed: each name in one world"
                )
