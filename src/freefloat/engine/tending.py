"""The upkeeps of a session: when each is tended, what wakes it, and which crossings it is told."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from freefloat.engine.directory import Directory
from freefloat.engine.event import Event
from freefloat.engine.fleet import Fleet
from freefloat.engine.ground import Ground
from freefloat.engine.runtime import TaskRuntime
from freefloat.engine.schedule import LONGEST, UPKEEP, WOKEN, Clock, Schedule, nanoseconds
from freefloat.engine.upkeep import Balanced, Upkeep, Watching, Woken
from freefloat.engine.world import World
from freefloat.errors import InputError
from freefloat.kernels.agenda import NEVER


def watch_events(grounds: Mapping[str, Ground]) -> list[tuple[int, Event]]:
    """Guards for what upkeeps watch: the number of the upkeep in a session, and an event without an action."""
    upkeeps = [upkeep for ground in grounds.values() for upkeep in ground.upkeeps]
    return [
        (n, Event(f"{upkeep.name} watches {signal}", _nothing, signal, level=1.0, direction="rising"))
        for n, upkeep in enumerate(upkeeps)
        if isinstance(upkeep, Watching)
        for signal in upkeep.watches
    ]


def _nothing(session: object) -> None:
    """What is to be done is the upkeep's."""


class Tending:
    """Upkeeps in their order, each with its world and its clocks."""

    def __init__(self, fleet: Fleet, schedule: Schedule) -> None:
        self.upkeeps: list[Upkeep] = []
        self._fleet, self._schedule = fleet, schedule
        self._worlds: list[World] = []
        self._clocks: list[Clock] = []
        self._woken: dict[int, Clock] = {}

    def add(self, upkeep: Upkeep, world: World, bit: int) -> None:
        """Tend an upkeep from t = 0; `bit` is its world's."""
        if not 1e-9 <= upkeep.period <= LONGEST:
            where = f"upkeep {upkeep.name!r}"
            raise InputError(f"{where}: period {upkeep.period!r} s must be between 1 ns and {LONGEST:g} s")
        n = len(self.upkeeps)
        self.upkeeps.append(upkeep)
        self._worlds.append(world)
        job: Callable[[int], None] = partial(self._tend, n)
        period = NEVER if isinstance(upkeep, Woken) else nanoseconds(upkeep.period)
        self._clocks.append(self._schedule.add(Clock(UPKEEP, job, 0, period, bit)))
        if isinstance(upkeep, Woken):
            self._woken[n] = self._schedule.add(Clock(WOKEN, job, NEVER, NEVER, bit))
        upkeep.restored(world)

    def follow(self, directory: Directory, tasks: Sequence[TaskRuntime]) -> None:
        """Let commands wake their upkeeps, whoever changes them; the fleet has the clocks."""
        for n, clock in self._woken.items():
            upkeep = self.upkeeps[n]
            assert isinstance(upkeep, Woken)
            for command in upkeep.wakes:
                directory.command(command).wakes.append(partial(self._fleet.wake, clock))
                for task in tasks:
                    task.wake(command, self._fleet.row_of(clock))

    def _tend(self, n: int, now_ns: int) -> None:
        self.upkeeps[n].tend(self._worlds[n], now_ns)
        self._set_due(n, now_ns)

    def _set_due(self, n: int, now_ns: int) -> None:
        upkeep = self.upkeeps[n]
        if isinstance(upkeep, Woken):
            self._fleet.set_next(self._clocks[n], max(upkeep.due(now_ns), now_ns + 1))

    def crossed(self, n: int, signal: str) -> None:
        """A signal that an upkeep watches has risen through 1."""
        upkeep, world = self.upkeeps[n], self._worlds[n]
        assert isinstance(upkeep, Watching)
        upkeep.crossed(world, signal)
        self._set_due(n, world.now_ns)

    def restore(self, upkeeps: list[Upkeep]) -> None:
        """Take over the upkeeps of a snapshot."""
        self.upkeeps = upkeeps
        for upkeep, world in zip(self.upkeeps, self._worlds, strict=True):
            upkeep.restored(world)

    def balances(self, world: str) -> dict[str, float]:
        """Drifts that the upkeeps of a world have kept themselves."""
        own = [u for u, of in zip(self.upkeeps, self._worlds, strict=True) if of.name == world]
        return {n: drift for u in own if isinstance(u, Balanced) for n, drift in u.balances().items()}
