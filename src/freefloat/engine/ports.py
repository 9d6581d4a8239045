"""How Python reads signals and writes commands, several at once for the price of one, in whatever world they are."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from freefloat.engine.directory import CommandPlace, Directory
from freefloat.engine.graph import Vector
from freefloat.engine.plant import Plant
from freefloat.engine.taps import Reading


class Reader:
    """Some signals, read together into one buffer by one compiled call per world."""

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
        self.readings: list[tuple[Plant, Reading]] = []
        for plant in directory.plants:
            own = [p.signal.name for p in places if p.plant is plant]
            if own:
                self.readings.append((plant, plant.reading(own, [columns[n] for n in own])))

    def read(self) -> dict[str, Vector]:
        """The present values: views into the reader's buffer, overwritten by the next read."""
        for plant, reading in self.readings:
            if not reading.fresh:
                plant.take(reading, self.buffer)
        return self.values


class Writer:
    """Some commands, held together: the checks of `CommandPlace.write` at the price of one."""

    def __init__(self, directory: Directory, commands: Mapping[str, str]) -> None:
        self.places: dict[str, CommandPlace] = {local: directory.command(name) for local, name in commands.items()}
        self.worlds = 0  # as a set
        for place in self.places.values():
            self.worlds |= place.bit
        self._steps = [(local, p, p.plant.u, p.at, (p.at.stop - p.at.start,)) for local, p in self.places.items()]
        self._plants = tuple({id(p.plant): p.plant for p in self.places.values()}.values())

    def write(self, values: Mapping[str, Any]) -> None:
        """Hold the commands from now on; `values` by the local names."""
        for local, place, u, at, shape in self._steps:
            value = values[local]
            if type(value) is not np.ndarray or value.shape != shape:
                value = place.checked(value)
            u[at] = value
        for plant in self._plants:
            if not math.isfinite(plant.u.dot(plant.u)):  # quicker than to look at each
                for local, place, u, at, _ in self._steps:
                    if place.plant is plant:
                        u[at] = 0.0
                        u[at] = place.checked(values[local])
            plant.touch_forces()
