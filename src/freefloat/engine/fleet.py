"""The worlds of a mission, brought to the same instants by one compiled call."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from freefloat.engine.graph import Vector
from freefloat.engine.plant import Plant
from freefloat.kernels.entry import ADVANCE, compiled
from freefloat.kernels.integrate import DONE, EVENT
from freefloat.kernels.worlds import COLUMNS, HEAD, WORLD

STEPS_PER_CALL = 5000  # compiled steps before Python looks up (progress, Ctrl-C, log)
ROWS_PER_STRETCH = 1000  # recorded in one go where several worlds are watched, which cannot pause in between
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
        periods = [g.period_ns for plant in plants for g in plant.groups]
        # several watched worlds: what one ran past another's event is taken back, so rows must stay until all are there
        self._stretch = ROWS_PER_STRETCH * min(periods, default=1) if sum(watched) > 1 else 0

    def advance(self, end_ns: int, wanted: int = ALL) -> int:
        """Bring the wanted worlds to an instant, or to the first event; returns a status of `kernels.integrate`.

        A status PAUSED asks to be called again.
        """
        if wanted != self._wanted:
            self._wanted = wanted
            for p in range(len(self.plants)):
                self._table[p + 1, WORLD.wanted] = wanted >> p & 1
        budget = STEPS_PER_CALL
        target = end_ns
        if self._stretch:
            budget = 1 << 62
            now = max(plant.now_ns for plant in self.plants)
            target = min(end_ns, (now // self._stretch + 1) * self._stretch)
        status = self._call(self._address, ADVANCE, target, budget, self.ahead)
        for p, plant in enumerate(self.plants):
            if wanted >> p & 1:
                plant.moved(status == DONE)
        return status

    @property
    def in_stretches(self) -> bool:
        """Whether `advance` stops on its way, with rows that must be drained."""
        return self._stretch > 0

    def stopped(self) -> list[Plant]:
        """The plants that a status EVENT is about."""
        return [plant for p, plant in enumerate(self.plants) if self._table[p + 1, WORLD.status] == EVENT]

    def culprit(self) -> Plant:
        """The plant that a failure is about."""
        return self.plants[int(self._table[0, HEAD.culprit])]

    def reset(self) -> None:
        """Forget an event that waits for the others, after the state was set from outside."""
        self._table[0, HEAD.waiting] = DONE
