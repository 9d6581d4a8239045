"""The worlds of a mission, brought to the same instants by one compiled call."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from freefloat.engine.graph import Vector
from freefloat.engine.plant import Plant
from freefloat.engine.schedule import Clock, Schedule, nanoseconds
from freefloat.errors import InputError, SimulationError
from freefloat.kernels import handle as H
from freefloat.kernels import integrate
from freefloat.kernels.agenda import CLOCK, NEVER
from freefloat.kernels.by_address import raised
from freefloat.kernels.entry import ADVANCE, compiled
from freefloat.kernels.integrate import EVENT
from freefloat.kernels.tasks import NOT_FINITE, TICK_RAISED
from freefloat.kernels.worlds import COLUMNS, HEAD, WORLD

STEPS_PER_CALL = 200  # at first, before Python looks up (progress, Ctrl-C, log)
FEWEST_STEPS, MOST_STEPS = 10, 100_000
MOST_WORLDS = 62  # a set of worlds is a whole number
CALL_TIME = 0.05  # [s] that a call shall last: its steps follow from how long the last one took
STEPS_PER_STRETCH = 100  # in one go where several worlds are watched: what one ran past an event is done again


class Fleet:
    """Plants in their order; the first is bit 0 of a set of worlds."""

    def __init__(self, plants: Sequence[Plant]) -> None:
        if len(plants) > MOST_WORLDS:
            raise InputError(f"a mission of {len(plants)} worlds; allowed: at most {MOST_WORLDS}")
        self.plants = tuple(plants)
        self._call = compiled()
        self._table: NDArray[np.int64] = np.zeros((len(plants) + 1, COLUMNS), dtype=np.int64)
        self._part: Vector = np.zeros(1)
        self._nothing: Vector = np.zeros(1)
        self._address = int(self._table.ctypes.data)
        self._head = self._table[0]
        watched = [bool(p.guards) for p in plants]
        for p, plant in enumerate(plants):
            self._table[p + 1, [WORLD.wanted, WORLD.guarded]] = (1, watched[p])
            plant.at(self._table[p + 1, WORLD.handle : WORLD.handle + 1])
        self._head[[HEAD.worlds, HEAD.part]] = len(plants), self._part.ctypes.data
        self._head[[HEAD.takes_back, HEAD.together]] = sum(watched) > 1, len(plants) == 1 or any(watched)
        self._steps = STEPS_PER_CALL
        self.stuck, self._full_at = False, -1  # whether buffers were full twice at one step, of which the first

    def follow(self, schedule: Schedule) -> None:
        """Let compiled code run through these clocks.

        Watched worlds go in stretches on a fixed grid: what is taken back is short and its rows find room, and the
        others do not stay behind.
        """
        plants, stretch = self.plants, 0
        if any(plant.guards for plant in plants) and len(plants) > 1:
            stretch = nanoseconds(STEPS_PER_STRETCH * min(plant.step for plant in plants))
            fastest = min((g.period_ns for plant in plants for g in plant.groups), default=NEVER)
            stretch = max(1, min(stretch, fastest * (min(plant.rows for plant in plants) // 2)))
        self._head[HEAD.stretch] = stretch
        self._clocks = tuple(schedule.clocks)
        self._agenda = schedule.table()
        self._head[[HEAD.agenda, HEAD.clocks]] = self._agenda.ctypes.data, len(self._clocks)

    def row_of(self, clock: Clock) -> int:
        """Where a clock is in the agenda."""
        return self._clocks.index(clock)

    def set_next(self, clock: Clock, next_ns: int) -> None:
        """Let a clock be due at an instant."""
        self._agenda[self.row_of(clock), CLOCK.next] = next_ns

    def wake(self, clock: Clock) -> None:
        """Let a clock be due now, to the nanosecond above."""
        begun = [plant.now_ns + (plant.memory[H.FRACTION][0] > 0.0) for plant in self.plants]
        self.set_next(clock, max(self.instant_ns, *begun))

    def advance(self, end_ns: int) -> int:
        """Go to an instant through all that is due before, or to where Python is needed; returns a status.

        PAUSED asks to be called again: a call lasts about `CALL_TIME`.
        """
        began = time.perf_counter()
        status = self._call(self._address, ADVANCE, end_ns, self._steps, self._nothing)
        steps = sum(plant.steps for plant in self.plants) if status == integrate.BUFFER_FULL else -1
        self.stuck, self._full_at = steps >= 0 and steps == self._full_at, steps
        if status == integrate.PAUSED:
            share = CALL_TIME / max(time.perf_counter() - began, 1e-6)
            self._steps = int(min(max(self._steps * min(share, 2.0), FEWEST_STEPS), MOST_STEPS))
        return status

    @property
    def instant_ns(self) -> int:
        """The instant that all worlds have reached, whose clocks run."""
        return int(self._head[HEAD.instant])

    @property
    def between(self) -> bool:
        """Whether a task is between the halves of its update."""
        return bool(self._head[HEAD.goes_on])

    def _due(self) -> Clock:
        """The clock that a status CALL, PREPARE or a task's failure is about."""
        return self._clocks[int(self._head[HEAD.clock])]

    def take(self) -> None:
        """Python has a status CALL or EVENT in hand; until then it is returned again and again."""
        self._head[HEAD.pending] = integrate.DONE

    def call(self) -> None:
        """Do Python's part of what is due."""
        clock = self._due()
        try:
            self.take()
            clock.job(self.instant_ns)
        except BaseException:  # Ctrl-C too
            self._head[HEAD.goes_on] = 0
            if clock.task is not None:
                clock.task.give_up()
            raise

    def prepare(self) -> None:
        """Give a task what it has run out of."""
        task = self._due().task
        assert task is not None
        task.prepare()

    def stopped(self) -> list[Plant]:
        """The plants that a status EVENT is about."""
        return [plant for p, plant in enumerate(self.plants) if self._table[p + 1, WORLD.status] == EVENT]

    def failure(self, status: int) -> SimulationError:
        """Why a plant or a task cannot go on."""
        if status in (TICK_RAISED, NOT_FINITE):
            task = self._due().task
            assert task is not None
            return task.failure(status, self.instant_ns / 1e9)
        plant = self.plants[int(self._table[0, HEAD.culprit])]
        t = f"t = {plant.time:.9f} s" + (f" in world {plant.name!r}" if plant.name else "")
        if status == integrate.DIVERGED:
            return SimulationError(
                f"the state is no longer finite after {t}; use a smaller step, "
                "or look for a force that grows without bound"
            )
        if status == integrate.STEP_TOO_SMALL:
            return SimulationError(f"the step size fell below 1e-12 s at {t}; loosen the tolerances")
        what = "changes its modes without end (chattering)"
        if status == integrate.RAISED:
            what = f"raised {raised(int(plant.memory[H.PHASE][H.TOLD]))}"
        return SimulationError(f"effect {plant.culprit(status)!r} {what} at {t}")

    def state(self) -> FleetState:
        """An event that waits for other worlds to reach its instant, where a run was interrupted on the way; clocks."""
        return FleetState(
            self._head[_KEPT].copy(), self._table[1:, WORLD.status].copy(), float(self._part[0]), self._agenda.copy()
        )

    def fits(self, state: FleetState) -> bool:
        """Whether a state is one of a fleet with these clocks."""
        lasting = [CLOCK.period, CLOCK.worlds, CLOCK.kind]
        return state.agenda.shape == self._agenda.shape and bool(
            np.array_equal(state.agenda[:, lasting], self._agenda[:, lasting])
        )

    def set_state(self, state: FleetState) -> None:
        """Take over a state that fits."""
        self._head[_KEPT] = state.head
        self._table[1:, WORLD.status] = state.statuses
        self._part[0] = state.part
        self._agenda[:, CLOCK.next] = state.agenda[:, CLOCK.next]


_KEPT = [HEAD.waiting, HEAD.now, HEAD.instant, HEAD.position, HEAD.clock, HEAD.goes_on, HEAD.pending]


@dataclass(frozen=True)
class FleetState:
    """What the rest of a run depends on, of a fleet."""

    head: NDArray[np.int64]
    statuses: NDArray[np.int64]
    part: float
    agenda: NDArray[np.int64]
