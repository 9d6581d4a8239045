"""The worlds of a mission, brought to the same instants by one compiled call."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from freefloat.engine.graph import Vector
from freefloat.engine.plant import Plant
from freefloat.engine.schedule import NEVER, nanoseconds
from freefloat.errors import SimulationError
from freefloat.kernels import integrate
from freefloat.kernels.entry import ADVANCE, compiled
from freefloat.kernels.integrate import BUFFER_FULL, DONE, EVENT
from freefloat.kernels.worlds import COLUMNS, HEAD, WORLD

STEPS_PER_CALL = 5000  # compiled steps before Python looks up (progress, Ctrl-C, log)
STEPS_PER_STRETCH = 100  # in one go where several worlds are watched: what one ran past an event is done again
ALL = -1  # as a set of worlds, one bit each


class Fleet:
    """Plants in their order; the first is bit 0 of a set of worlds."""

    def __init__(self, plants: Sequence[Plant]) -> None:
        self.plants = tuple(plants)
        self._call = compiled()
        self._table: NDArray[np.int64] = np.zeros((len(plants) + 1, COLUMNS), dtype=np.int64)
        self._part: Vector = np.zeros(1)
        self._address = int(self._table.ctypes.data)
        self._table[0, [HEAD.worlds, HEAD.part]] = (len(plants), self._part.ctypes.data)
        self._nowhere: Vector = np.zeros(1)
        self.ahead: Vector = self._nowhere  # the buffer of the reader that is filled when an advance is done
        self._wanted = ALL
        watched = [bool(p.guards) for p in plants]
        self.watched = any(watched)
        for p, plant in enumerate(plants):
            self._table[p + 1, [WORLD.wanted, WORLD.guarded]] = (1, watched[p])
            plant.at(self._table[p + 1, WORLD.handle : WORLD.handle + 1])
        # watched worlds go in stretches on a fixed grid: what is taken back is short and its rows find room, and the
        # others do not stay behind
        self._takes_back = sum(watched) > 1
        self._stretch = 0
        if self.watched and len(plants) > 1:
            self._stretch = nanoseconds(STEPS_PER_STRETCH * min(plant.integrator.step for plant in plants))
            fastest = min((g.period_ns for plant in plants for g in plant.groups), default=NEVER)
            self._stretch = max(1, min(self._stretch, fastest * (min(plant.rows for plant in plants) // 2)))

    def advance(self, end_ns: int, wanted: int = ALL) -> int:
        """Bring the wanted worlds to an instant, or to the first event; returns a status of `kernels.integrate`.

        A status PAUSED or BUFFER_FULL asks to be called again, and so does DONE in stretches.
        """
        if wanted != self._wanted:
            self._wanted = wanted
            for p in range(len(self.plants)):
                self._table[p + 1, WORLD.wanted] = wanted >> p & 1
        budget = STEPS_PER_CALL
        target = end_ns
        if self._stretch:
            now = max(plant.now_ns for plant in self.plants)
            target = min(end_ns, (now // self._stretch + 1) * self._stretch)
            if self._takes_back:
                if not all(plant.has_room(target - now) for plant in self.plants):
                    return BUFFER_FULL
                budget = 1 << 62
        status = self._call(self._address, ADVANCE, target, budget, self.ahead)
        for p, plant in enumerate(self.plants):
            if wanted >> p & 1:
                plant.moved(status == DONE)
        return status

    @property
    def in_stretches(self) -> bool:
        """Whether `advance` stops on its way."""
        return self._stretch > 0

    def stopped(self) -> list[Plant]:
        """The plants that a status EVENT is about."""
        return [plant for p, plant in enumerate(self.plants) if self._table[p + 1, WORLD.status] == EVENT]

    def failure(self, status: int) -> SimulationError:
        """Why a plant cannot go on."""
        plant = self.plants[int(self._table[0, HEAD.culprit])]
        t = f"t = {plant.time:.9f} s" + (f" in world {plant.name!r}" if plant.name else "")
        if status == integrate.DIVERGED:
            return SimulationError(
                f"the state is no longer finite after {t}; use a smaller step, "
                "or look for a force that grows without bound"
            )
        if status == integrate.STEP_TOO_SMALL:
            return SimulationError(f"the step size fell below 1e-12 s at {t}; loosen the tolerances")
        what = "changes its modes without end (chattering)" if status == integrate.CHATTERING else "raised"
        return SimulationError(f"effect {plant.culprit(status)!r} {what} at {t}")

    def state(self) -> tuple[NDArray[np.int64], float]:
        """An event that waits for other worlds to reach its instant, where a run was interrupted on the way."""
        return self._table[:, [HEAD.waiting, HEAD.now, WORLD.status]].copy(), float(self._part[0])

    def set_state(self, state: tuple[NDArray[np.int64], float]) -> None:
        """Take over a state made by `state`."""
        self._table[0, [HEAD.waiting, HEAD.now]] = state[0][0, :2]
        self._table[1:, WORLD.status] = state[0][1:, 2]
        self._part[0] = state[1]
