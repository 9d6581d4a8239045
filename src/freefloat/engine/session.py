"""The one door to a running mission: step, read, write, snapshot, restore."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from numpy.typing import ArrayLike

from freefloat.amounts import Amount, Measure
from freefloat.engine.advice import heed
from freefloat.engine.directory import Directory, Kind, port_of
from freefloat.engine.event import Event, Fired
from freefloat.engine.fleet import Fleet
from freefloat.engine.graph import Hold, Vector
from freefloat.engine.ground import Ground, build_plants, tell_cuts
from freefloat.engine.integrator import Dopri54
from freefloat.engine.mailbox import Taken
from freefloat.engine.notes import Note
from freefloat.engine.recorder import Log, Recorder
from freefloat.engine.rehearsal import Rehearsed, close, no_room, reopen
from freefloat.engine.runtime import TaskRuntime
from freefloat.engine.scene import Looks, Scene, ShapeHistory
from freefloat.engine.schedule import EVENTS, LONGEST, Clock, Schedule, nanoseconds
from freefloat.engine.signals import Port
from freefloat.engine.snapshot import Snapshot, WorldState
from freefloat.engine.taps import Record
from freefloat.engine.task import Task
from freefloat.engine.tending import Tending, watch_events
from freefloat.engine.touches import Touch, touches_of
from freefloat.engine.upkeep import Upkeep
from freefloat.engine.wiring import check_wiring, own_copies
from freefloat.engine.world import World
from freefloat.errors import FreefloatError, InputError, SimulationError, placed
from freefloat.frames import Pose
from freefloat.kernels import integrate
from freefloat.kernels.modes import LARGEST_BURST
from freefloat.kernels.tasks import CALL, PREPARE


class Session:
    """A mission under way."""

    def __init__(
        self,
        grounds: Mapping[str, Ground],
        tasks: Sequence[Task],
        events: Sequence[Event],
        record_rate: float,  # [Hz]
        seed: int,
        records: Sequence[Record] = (),
    ) -> None:
        self.seed = seed
        self.events = tuple(events)
        self.fired, self.notes = list[Fired](), list[Note]()
        watches = watch_events(grounds)
        guarded = (*events, *(event for _, event in watches))
        self._plants, self._watching = build_plants(grounds, guarded, nanoseconds(1.0 / record_rate), records)
        self._watched = [(n, str(event.signal)) for n, event in watches]  # upkeep and signal, behind the events
        self._counts = [0] * len(events)
        self._fleet = Fleet(self._plants)
        self._directory = Directory(self._plants)
        self.worlds = {plant.name: World(plant, self._directory, self._log_event) for plant in self._plants}
        declared = zip(self._plants, [ground.rehearsed for ground in grounds.values()], strict=True)
        self._rehearsed = {plant.name: Rehearsed(plant, how) for plant, how in declared if how is not None}
        check_wiring(tuple(tasks), self._directory, self._rehearsed)
        self.recorder = Recorder(self._plants, {t.name: list(t.records.values()) for t in tasks if t.records})
        self.schedule = Schedule()
        own = own_copies(tasks)
        wired = (self._directory, self.recorder, seed, self._rehearsed)
        self.tasks = [TaskRuntime(t, c, *wired) for t, c in zip(tasks, own, strict=True)]
        self._tending = Tending(self._fleet, self.schedule)
        for n, (name, ground) in enumerate(grounds.items()):
            for upkeep in ground.upkeeps:
                self._tending.add(copy.deepcopy(upkeep), self.worlds[name], 1 << n)
            for row in ground.blueprint.rows.values():
                if row.bank.table and row.name not in self._plants[n].tables:
                    raise InputError(f"bank row {row.name!r} has no table: its part must bring an upkeep that sets one")
        for plant in self._plants:
            heed(plant, self.worlds[plant.name])
            tell_cuts(plant, records)
        for event in events:
            if event.at is not None:
                self.schedule.add(Clock(EVENTS, self._timed(event), nanoseconds(event.at)))
        for runtime in self.tasks:
            runtime.schedule(self.schedule)
        for runtime in self.tasks:
            runtime.find_arrival(self.schedule)
            runtime.tell = self._log_event
        self._fleet.follow(self.schedule)
        self._tending.follow(self._directory, self.tasks)
        self._history = ShapeHistory(self._plants)
        self._burst, self._acting = list[float](), False  # _acting: inside the action of an event
        self.on_pause: Callable[[], None] | None = None

    @property
    def upkeeps(self) -> list[Upkeep]:
        """Those of all worlds, in order."""
        return self._tending.upkeeps

    @property
    def world(self) -> World:
        """The world of a mission that has one."""
        if len(self.worlds) > 1:
            raise InputError(f"this mission has the worlds {', '.join(self.worlds)}; take one of `session.worlds`")
        return next(iter(self.worlds.values()))

    @property
    def time(self) -> float:
        """Seconds since the start."""
        return max(plant.time for plant in self._plants)

    @property
    def now_ns(self) -> int:
        """Whole nanoseconds since the start."""
        return max(plant.now_ns for plant in self._plants)

    def read(self, name: str) -> Vector:
        """A copy of a signal's present value."""
        return self._home_of_signal(name).read(name)

    def _home_of_signal(self, name: str) -> World:
        return self.worlds[self._directory.signal(name).plant.name]

    def write(self, name: str, value: ArrayLike) -> None:
        """Hold a command from now on; refused when a task writes it."""
        for runtime in self.tasks:
            if name in runtime.writes.values():
                raise InputError(f"command {name!r} is written by task {runtime.task.name!r}; one writer per command")
        place = self._directory.command(name)
        if place.written_by_upkeep:
            raise InputError(f"{name!r} is written by its upkeep only")
        place.write(value)

    def signals(self) -> list[Port]:
        """Everything that can be read."""
        return [port_of(place) for place in self._directory.signals.values()]

    def commands(self) -> list[Port]:
        """Everything that can be commanded, with its limits and who writes it."""
        writers = {c: f"task {r.task.name}" for r in self.tasks for c in r.writes.values()}
        return [
            replace(
                port_of(place),
                limits=place.plant.blueprint.limits.get(name),
                writer="upkeep" if place.written_by_upkeep else writers.get(name, ""),
            )
            for name, place in self._directory.commands.items()
        ]

    def step(self, dt: float | str) -> None:
        """Advance by dt [s]. At each instant: events, sensors, tasks. What is due at the end waits for the next."""
        self.advance_to(self.now_ns + nanoseconds(Amount("s", ge=0.0, le=LONGEST).number(dt, "step of")))

    def advance_to(self, end_ns: int) -> None:
        """Advance to an instant."""
        self._refuse_inside_an_action("step")
        while self._fleet.instant_ns < end_ns:
            if self._history.stale:
                self._look_at_shapes()
            status = self._fleet.advance(end_ns)
            if status == CALL:
                self._fleet.call()
            elif status == PREPARE:
                self._fleet.prepare()
            elif status == integrate.EVENT:
                self._handle_crossing()
            elif status not in (integrate.DONE, integrate.PAUSED, integrate.BUFFER_FULL):
                raise self._fleet.failure(status)
            if self._fleet.stuck:
                raise no_room(self._rehearsed)
            if status == integrate.BUFFER_FULL or (self.recorder.due() and not self._fleet.between):
                self.pause()

    def finish(self) -> None:
        """Record the last instant, on the recorder's grid or not, and hand everything to the recorder."""
        close(self._rehearsed.values())
        self._look_at_shapes()
        self._take_notes()
        self.recorder.drain()
        for plant in self._plants:
            plant.record_off_grid()
        self.recorder.drain()
        reopen(self._rehearsed.values())

    def pause(self) -> None:
        """Drain the recorder; a long run does this several times a second."""
        self._take_notes()
        self.recorder.drain()
        if self.on_pause is not None:
            self.on_pause()

    def _take_notes(self) -> None:
        """Keep what banks have noted, and tell it in the event log."""
        takers = [self._rehearsed.get(plant.name, plant) for plant in self._plants]
        notes = sorted((note for taker in takers for note in taker.take_notes()), key=lambda note: note.t)
        self.notes += notes
        for note in notes:
            if note.text is not None:
                self._tell(Fired(note.t, note.row, note.text))

    def _look_at_shapes(self) -> None:
        """Take note of shapes that have changed, dated now."""
        self.recorder.scene(self.time, self._history.look(self.time))

    def _timed(self, event: Event) -> Callable[[int], None]:
        return lambda now_ns: self._act(event)

    def _handle_crossing(self) -> None:
        self._fleet.take()
        fired = [(plant, g) for plant in self._fleet.stopped() for g in plant.fired()]
        for plant in self._plants:
            plant.disturbed = False
        for plant, g in fired:
            number = self._watching[plant.name][g]
            if number >= len(self.events):
                self._tending.crossed(*self._watched[number - len(self.events)])
                continue
            event = self.events[number]
            self._counts[number] += 1
            self._act(event)
            if event.times is not None and self._counts[number] >= event.times:
                plant.enable_guard(g, on=False)
        for plant in self._plants:
            plant.settle_guards()
        self._burst = [t for t in self._burst if t > self.time - 1e-3] + [self.time] * len(fired)
        if len(self._burst) > LARGEST_BURST:
            names = [*(e.name for e in self.events), *(signal for _, signal in self._watched)]
            name = min(names[self._watching[plant.name][g]] for plant, g in fired)
            raise SimulationError(f"event {name!r} fires without end at t = {self.time:.9f} s (chattering)")

    def _refuse_inside_an_action(self, what: str) -> None:
        if self._acting:
            raise InputError(f"{what} inside the action of an event: let the run reach its next stop first")

    def _refuse_with_a_live_link(self, what: str) -> None:
        for runtime in self.tasks:
            if runtime.task.live or any(mail.live for mail in runtime.task.mail.values()):
                raise InputError(
                    f"{what}: task {runtime.task.name!r} has a live link, and the outside does not go back; "
                    "repeat a run with what it took (`Session.mail`, `Replay`)"
                )

    def mail(self) -> dict[str, dict[str, list[Taken]]]:
        """By task and name: what was taken from the mail, and when; only changes. `Replay` repeats it."""
        return {r.task.name: {local: list(t) for local, t in r.taken.items()} for r in self.tasks if r.taken}

    def _act(self, event: Event) -> None:
        self._acting = True
        try:
            result = event.action(self)
        except FreefloatError as e:
            raise placed(e, f"event {event.name!r} at t = {self.time:.9f} s") from None
        except Exception as e:  # a user's action may fail in any way; the run ends with its reason and its log
            reason = f"{type(e).__name__}: {' '.join(str(e).split())}"
            raise SimulationError(f"event {event.name!r} at t = {self.time:.9f} s: {reason}") from e
        finally:
            self._acting = False
        self._log_event(event.name, "" if result is None else str(result))

    def _log_event(self, name: str, result: str) -> None:
        self._take_notes()
        self._tell(Fired(self.time, name, result))

    def _tell(self, fired: Fired) -> None:
        self.fired.append(fired)
        self.recorder.event(fired)

    def touches(self) -> tuple[Touch, ...]:
        """Every contact so far."""
        self._take_notes()
        return touches_of(self._plants, self.notes)

    def _home(self, kind: Kind, name: str) -> World:
        return self.worlds[self._directory.home(kind, name).name]

    def attach(
        self, connection: str, X_AB: Pose | None = None, hold: Hold | None = None, eta: float | None = None
    ) -> float:
        """Close a connection, as it stands or drawn to X_AB by a constraint; returns the kinetic energy lost [J]."""
        return self._home("connection", connection).attach(connection, X_AB, hold, eta)

    def hold(self, connection: str, hold: Hold, eta: float | None = None) -> float:
        """Hold a closed connection another way from now on; returns the kinetic energy lost [J]."""
        return self._home("connection", connection).hold(connection, hold, eta)

    def detach(self, connection: str) -> None:
        """Open a connection."""
        self._home("connection", connection).detach(connection)

    def reroot(self, link: str) -> None:
        """Make a link the root of its tree."""
        self._home("link", link).reroot(link)

    def pose(self, frame: str) -> Pose:
        """X_WF of a named frame or link now."""
        return self._home("frame", frame).pose(frame)

    def motion(self, link: str) -> tuple[Pose, Vector, Vector]:
        """X_WL, w_WL_L and v_WL of any link now."""
        return self._home("link", link).motion(link)

    def set_motion(self, root: str, X_WL: Pose, w_WL_L: ArrayLike, v_WL: ArrayLike) -> None:
        """Set pose and velocity of a free root; the audit books it as an exchange with the outside."""
        self._home("link", root).set_motion(root, X_WL, w_WL_L, v_WL)

    def set_velocity(self, root: str, w_WL_L: ArrayLike, v_WL: ArrayLike) -> None:
        """Set the velocity of a free root; the audit books it as an exchange with the outside."""
        self._home("link", root).set_velocity(root, w_WL_L, v_WL)

    def set_joint(self, joint: str, q: Measure, qd: Measure) -> None:
        """Set a joint's position and rate; the audit books it as an exchange with the outside."""
        self._home("joint", joint).set_joint(joint, q, qd)

    def scene(self) -> Scene:
        """Which shapes are where now, in all worlds."""
        return self._directory.scene()

    def looks(self) -> Looks:
        """The shapes of all links from the start on, and at each change."""
        self._history.look(self.time)
        return list(self._history.looks)

    def floating(self) -> dict[str, bool]:
        """Of each world, whether no body is fixed to the ground."""
        return {plant.name: plant.tree.floating for plant in self._plants}

    def balances(self, world: str) -> dict[str, float]:
        """Drifts that the upkeeps of a world have kept themselves."""
        return self._tending.balances(world)

    def rows_in(self, span_ns: int) -> int:
        """Rows that the fastest group records in a span of time [ns], at most."""
        return max((span_ns // g.period_ns + 1 for plant in self._plants for g in plant.groups), default=0)

    def fixed_steps(self) -> list[float]:
        """Steps [s] of the worlds that have fixed ones."""
        return [plant.step for plant in self._plants if not isinstance(plant.integrator, Dopri54)]

    def open_log(self, log: Log) -> None:
        """Write everything recorded from now on into a log."""
        self.recorder.log = log
        self._look_at_shapes()

    def snapshot(self) -> Snapshot:
        """Everything that the rest of the run depends on; saves, restores and forks it exactly."""
        self._refuse_inside_an_action("snapshot")
        self._refuse_with_a_live_link("snapshot")
        self._take_notes()
        self.recorder.drain()
        return Snapshot(
            worlds=[WorldState.of(plant) for plant in self._plants],
            fleet=self._fleet.state(),
            tasks=copy.deepcopy([r.state() for r in self.tasks]),
            counts=list(self._counts),
            fired=list(self.fired),
            notes=list(self.notes),
            records=self.recorder.state(),
            groups=self.recorder.layout(),
            upkeeps=copy.deepcopy(self.upkeeps),
            looks=self.looks(),
            rehearsed={name: r.state() for name, r in self._rehearsed.items()},
        )

    def restore(self, s: Snapshot) -> None:
        """Go back (or forth) to a snapshot of this mission."""
        self._refuse_inside_an_action("restore")
        self._refuse_with_a_live_link("restore")
        same = len(s.tasks) == len(self.tasks) and s.rehearsed.keys() == self._rehearsed.keys()
        if not same or not self._fleet.fits(s.fleet) or len(s.counts) != len(self._counts):
            raise InputError("the snapshot belongs to another mission: its tasks, events or rehearsals are not these")
        s.check(self._plants, self.recorder.layout())
        tasks = copy.deepcopy(s.tasks)
        for runtime, state in zip(self.tasks, tasks, strict=True):
            runtime.check(state)
        self._take_notes()
        self.recorder.drain()
        for state, plant in zip(s.worlds, self._plants, strict=True):
            state.put(plant)
        for name, state in s.rehearsed.items():
            self._rehearsed[name].set_state(state)
        self._fleet.set_state(s.fleet)
        self._tending.restore(copy.deepcopy(s.upkeeps))
        for runtime, state in zip(self.tasks, tasks, strict=True):
            runtime.set_state(state)
        self._counts = list(s.counts)
        self.fired, self.notes = list(s.fired), list(s.notes)
        self.recorder.set_state(s.records)
        self._history.looks = list(s.looks)
        self._look_at_shapes()
        self._burst = []
