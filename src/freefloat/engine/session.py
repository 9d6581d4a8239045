"""The one door to a running mission: step, read, write, snapshot, restore."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from freefloat.engine import restructure
from freefloat.engine.blueprint import Blueprint
from freefloat.engine.event import DIRECTIONS, Event, Fired
from freefloat.engine.graph import Vector
from freefloat.engine.integrator import Integrator
from freefloat.engine.recorder import AUDIT_SIGNALS, Recorder
from freefloat.engine.runtime import TaskRuntime, check_wiring, own_copies
from freefloat.engine.schedule import EVENTS, LONGEST, UPKEEP, Clock, Schedule, nanoseconds
from freefloat.engine.snapshot import Snapshot, WorldState
from freefloat.engine.task import Task
from freefloat.engine.upkeep import Upkeep
from freefloat.engine.world import Group, Guard, World
from freefloat.errors import FreefloatError, InputError, SimulationError
from freefloat.frames import Pose
from freefloat.kernels import integrate

if TYPE_CHECKING:
    from freefloat.engine.log.writer import LogWriter

STEPS_PER_CALL = 5000  # compiled steps before Python looks up (progress, Ctrl-C, log)
LARGEST_BURST = 1000  # events within a millisecond that mean chattering without end


class Session:
    """A mission under way."""

    def __init__(
        self,
        blueprint: Blueprint,
        tasks: Sequence[Task],
        events: Sequence[Event],
        integrator: Integrator,
        record_rate: float,
        seed: int,
        upkeeps: Sequence[Upkeep] = (),
    ) -> None:
        self.seed = seed
        self.events = tuple(events)
        self.fired: list[Fired] = []
        self._state_events = [e for e in events if e.signal is not None]
        self._counts = [0] * len(self._state_events)
        if not 1.0 / LONGEST <= record_rate <= 1e9:
            raise InputError(f"record rate {record_rate!r} Hz: must be between {1.0 / LONGEST:g} and 1e9 Hz")
        period = nanoseconds(1.0 / record_rate)
        groups = (Group("plant", period, tuple(blueprint.recorded)), Group("audit", period, (), audit=True))
        guards = [_guard(e, blueprint) for e in self._state_events]
        self.world = World(blueprint, integrator, groups, guards)
        check_wiring(tuple(tasks), self.world)
        signals = {"plant": [blueprint.signal(n) for n in blueprint.recorded], "audit": list(AUDIT_SIGNALS)}
        for task in tasks:
            if task.records:
                signals[task.name] = list(task.records.values())
        self.recorder = Recorder(signals, world_groups=2)
        self.schedule = Schedule()
        own = own_copies(tasks)
        self.tasks = [TaskRuntime(t, c, self.world, self.recorder, seed) for t, c in zip(tasks, own, strict=True)]
        self._clocks: list[Clock] = []
        self.upkeeps = [copy.deepcopy(u) for u in upkeeps]
        for n in range(len(upkeeps)):
            if not 1e-9 <= upkeeps[n].period <= LONGEST:
                where = f"upkeep {upkeeps[n].name!r}"
                raise InputError(f"{where}: period {upkeeps[n].period!r} s must be between 1 ns and {LONGEST:g} s")
            self._clocks.append(Clock(UPKEEP, self._tending(n), 0, nanoseconds(upkeeps[n].period)))
            self.schedule.add(self._clocks[-1])
            self.upkeeps[n].restored(self.world)
        for row in blueprint.rows.values():
            if row.bank.table and row.name not in self.world.tables:
                raise InputError(f"bank row {row.name!r} has no table: give its part to the mission's `upkeeps` too")
        for event in events:
            if event.at is not None:
                clock = Clock(EVENTS, self._timed(event), nanoseconds(event.at))
                self.schedule.add(clock)
                self._clocks.append(clock)
        for runtime in self.tasks:
            self._clocks += runtime.schedule(self.schedule)
        self._burst: list[float] = []
        self._acting = False  # inside the action of an event
        self.on_pause: Callable[[], None] | None = None

    @property
    def time(self) -> float:
        """Seconds since the start."""
        return self.world.time

    def read(self, name: str) -> Vector:
        """A copy of a signal's present value."""
        return self.world.read(name)

    def write(self, name: str, value: ArrayLike) -> None:
        """Hold a command from now on; refused when a task writes it."""
        for runtime in self.tasks:
            if name in runtime.writes.values():
                raise InputError(f"command {name!r} is written by task {runtime.task.name!r}; one writer per command")
        if name in self.world.blueprint.outputs:
            raise InputError(f"{name!r} is written by its upkeep only")
        self.world.write(name, value)

    def step(self, dt: float) -> None:
        """Advance by dt [s]. At each instant: events, sensors, tasks. What is due at the end waits for the next."""
        if not 0.0 <= dt <= LONGEST:
            raise InputError(f"step of {dt!r} s: must be between 0 and {LONGEST:g} s")
        self.advance_to(self.world.now_ns + nanoseconds(dt))

    def advance_to(self, end_ns: int) -> None:
        """Advance to an instant."""
        self._refuse_inside_an_action("step")
        world, schedule = self.world, self.schedule
        now = world.now_ns
        while now < end_ns:
            schedule.run(now)
            now = min(end_ns, schedule.next_ns())
            self._integrate(now)
            if self.recorder.due():
                self.pause()

    def finish(self) -> None:
        """Record the last instant, on the recorder's grid or not, and hand everything to the recorder."""
        world = self.world
        self.recorder.drain(world)
        next_ns = world.group_table[:, 1]
        off_grid = next_ns > world.now_ns
        later = next_ns[off_grid]
        next_ns[off_grid] = world.now_ns
        world.record_now()
        next_ns[off_grid] = later
        self.recorder.drain(world)

    def pause(self) -> None:
        """Drain the recorder; a long run does this several times a second."""
        self.recorder.drain(self.world)
        if self.on_pause is not None:
            self.on_pause()

    def _integrate(self, target_ns: int) -> None:
        world = self.world
        while True:
            status = world.advance(target_ns, STEPS_PER_CALL)
            if status == integrate.DONE:
                return
            if status == integrate.EVENT:
                self._handle_crossing()
            elif status == integrate.BUFFER_FULL or (status == integrate.PAUSED and self.recorder.due()):
                self.pause()
            elif status == integrate.DIVERGED:
                raise SimulationError(
                    f"the state is no longer finite after t = {world.time:.6f} s; use a smaller step, "
                    "or look for a force that grows without bound"
                )
            elif status == integrate.STEP_TOO_SMALL:
                raise SimulationError(
                    f"the step size fell below 1e-12 s at t = {world.time:.9f} s; loosen the tolerances"
                )
            elif status in (integrate.CHATTERING, integrate.RAISED):
                what = "changes its modes without end (chattering)" if status == integrate.CHATTERING else "raised"
                raise SimulationError(f"effect {world.culprit(status)!r} {what} at t = {world.time:.9f} s")

    def _tending(self, n: int) -> Callable[[int], None]:
        def tend(now_ns: int) -> None:
            self.upkeeps[n].tend(self.world, now_ns)
            for name, text in self.world.reports:
                self._log_event(name, text)
            self.world.reports.clear()

        return tend

    def _timed(self, event: Event) -> Callable[[int], None]:
        return lambda now_ns: self._act(event)

    def _handle_crossing(self) -> None:
        fired = self.world.fired()
        for g in fired:
            event = self._state_events[g]
            self._counts[g] += 1
            self._act(event)
            if event.times is not None and self._counts[g] >= event.times:
                self.world.enable_guard(g, on=False)
        self.world.touch_guards()
        self._burst = [t for t in self._burst if t > self.time - 1e-3] + [self.time] * len(fired)
        if len(self._burst) > LARGEST_BURST:
            names = sorted({self._state_events[g].name for g in fired})
            raise SimulationError(f"event {names[0]!r} fires without end at t = {self.time:.9f} s (chattering)")

    def _refuse_inside_an_action(self, what: str) -> None:
        if self._acting:
            raise InputError(f"{what} inside the action of an event: let the run reach its next stop first")

    def _act(self, event: Event) -> None:
        self._acting = True
        try:
            result = event.action(self)
        except FreefloatError:
            raise
        except Exception as e:  # a user's action may fail in any way; the run ends with its reason and its log
            reason = f"{type(e).__name__}: {' '.join(str(e).split())}"
            raise SimulationError(f"event {event.name!r} at t = {self.time:.9f} s: {reason}") from e
        finally:
            self._acting = False
        self._log_event(event.name, "" if result is None else str(result))

    def _log_event(self, name: str, result: str) -> None:
        fired = Fired(self.time, name, result)
        self.fired.append(fired)
        self.recorder.event(fired)

    def attach(
        self, connection: str, X_AB: Pose | None = None, hold: restructure.Hold | None = None, eta: float | None = None
    ) -> float:
        """Close a connection, as it stands or drawn to X_AB by a constraint; returns the kinetic energy lost [J]."""
        return restructure.attach(self.world, connection, X_AB, hold, eta)

    def hold(self, connection: str, hold: restructure.Hold, eta: float | None = None) -> float:
        """Hold a closed connection another way from now on; returns the kinetic energy lost [J]."""
        return restructure.hold(self.world, connection, hold, eta)

    def detach(self, connection: str) -> None:
        """Open a connection."""
        restructure.detach(self.world, connection)

    def reroot(self, link: str) -> None:
        """Make a link the root of its tree."""
        restructure.reroot(self.world, link)

    def set_motion(self, root: str, X_WL: Pose, w_WL_L: ArrayLike, v_WL: ArrayLike) -> None:
        """Set pose and velocity of a free root; the audit books it as an exchange with the outside."""
        with self.world.booked():
            self.world.set_motion(root, X_WL, np.asarray(w_WL_L, np.float64), np.asarray(v_WL, np.float64))

    def set_velocity(self, root: str, w_WL_L: ArrayLike, v_WL: ArrayLike) -> None:
        """Set the velocity of a free root; the audit books it as an exchange with the outside."""
        self.set_motion(root, self.world.motion(root)[0], w_WL_L, v_WL)

    def set_joint(self, joint: str, q: float, qd: float) -> None:
        """Set a joint's position and rate; the audit books it as an exchange with the outside."""
        with self.world.booked():
            self.world.set_joint(joint, q, qd)

    def open_log(self, log: LogWriter) -> None:
        """Write everything recorded from now on into a log."""
        self.recorder.log = log

    def snapshot(self) -> Snapshot:
        """Everything that the rest of the run depends on; saves, restores and forks it exactly."""
        self._refuse_inside_an_action("snapshot")
        self.recorder.drain(self.world)
        return Snapshot(
            world=WorldState.of(self.world),
            tasks=copy.deepcopy([r.state() for r in self.tasks]),
            clocks=[c.next_ns for c in self._clocks],
            counts=list(self._counts),
            fired=list(self.fired),
            blocks={g: list(b) for g, b in self.recorder.blocks.items()},
            upkeeps=copy.deepcopy(self.upkeeps),
        )

    def restore(self, s: Snapshot) -> None:
        """Go back (or forth) to a snapshot of this mission."""
        self._refuse_inside_an_action("restore")
        if (
            len(s.tasks) != len(self.tasks)
            or len(s.clocks) != len(self._clocks)
            or s.blocks.keys() != self.recorder.groups.keys()
        ):
            raise InputError("the snapshot belongs to another mission: its tasks or events are not these")
        self.recorder.drain(self.world)
        s.world.put(self.world)
        self.upkeeps = copy.deepcopy(s.upkeeps)
        for upkeep in self.upkeeps:
            upkeep.restored(self.world)
        for runtime, state in zip(self.tasks, copy.deepcopy(s.tasks), strict=True):
            runtime.set_state(state)
        for clock, next_ns in zip(self._clocks, s.clocks, strict=True):
            clock.next_ns = next_ns
        self._counts = list(s.counts)
        self.fired = list(s.fired)
        self.recorder.blocks = {g: list(b) for g, b in s.blocks.items()}
        self._burst = []


def _guard(event: Event, blueprint: Blueprint) -> Guard:
    assert event.signal is not None
    blueprint.signal(event.signal)
    return Guard(event.signal, event.component, event.level, DIRECTIONS[event.direction])
