"""How signals are read: several at once for the price of one, in whatever world they are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from freefloat.engine.cells import Cells
from freefloat.engine.directory import Directory
from freefloat.engine.graph import Vector
from freefloat.engine.plant import Plant
from freefloat.engine.taps import Reading
from freefloat.kernels.tasks import N_SOURCE, READING_COLUMNS, SOURCE


class Reader:
    """Some signals, read together into one buffer: by compiled code through `source`, or with `read`."""

    def __init__(self, directory: Directory, names: Sequence[str]) -> None:
        self.names = tuple(dict.fromkeys(names))
        places = [directory.signal(n) for n in self.names]
        self.worlds = 0  # as a set
        columns: dict[str, int] = {}
        start = 0
        for place in places:
            columns[place.signal.name] = start
            start += place.signal.size
            self.worlds |= place.bit
        self.buffer: Vector = np.zeros(max(1, start))
        self.values: dict[str, Vector] = {}
        for place in places:
            s = place.signal
            self.values[s.name] = self.buffer[columns[s.name] : columns[s.name] + s.size].reshape(s.shape)
        plants = [(w, plant) for w, plant in enumerate(directory.plants) if self.worlds >> w & 1]
        readings = np.zeros((max(1, len(plants)), READING_COLUMNS), dtype=np.int64)
        self._readings: list[tuple[Plant, Reading]] = []
        for cells, (w, plant) in zip(readings, plants, strict=False):
            own = [p.signal.name for p in places if p.plant is plant]
            cells[0] = w
            self._readings.append((plant, plant.reading(own, [columns[n] for n in own], cells)))
        self.source = Cells(SOURCE, np.zeros(N_SOURCE, dtype=np.int64))
        self.source.set(worlds=len(plants), width=len(self.buffer))
        self.source.hold(readings=readings, buffer=self.buffer)

    def read(self) -> dict[str, Vector]:
        """The present values: views into the reader's buffer, overwritten by the next read."""
        for plant, reading in self._readings:
            plant.take(reading, self.buffer)
        return self.values
