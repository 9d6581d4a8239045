"""How Python reads signals and writes commands of a world, several at once for the price of one."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from freefloat.engine.graph import Vector
from freefloat.kernels.entry import READ

if TYPE_CHECKING:
    from freefloat.engine.world import World


class Reader:
    """Some signals, read together into one buffer by one compiled call."""

    def __init__(self, world: World, names: Sequence[str]) -> None:
        self.names = tuple(names)
        self.first = self.last = 0
        signals = [world.blueprint.signal(n) for n in names]
        self.buffer = np.zeros(max(1, sum(s.size for s in signals)))
        self.values: dict[str, Vector] = {}
        start = 0
        for s in signals:
            self.values[s.name] = self.buffer[start : start + s.size].reshape(s.shape)
            start += s.size
        self._world = world

    def read(self) -> dict[str, Vector]:
        """The present values: views into the reader's buffer, overwritten by the next read."""
        w = self._world
        if w.read_already is self:
            return self.values
        w.call(w.memory.h, READ, self.first, self.last, self.buffer)
        return self.values


class Writer:
    """Some commands, held together: the checks of `World.write` at the price of one."""

    def __init__(self, world: World, commands: Mapping[str, str]) -> None:
        self._world = world
        self._places = [
            (local, name, world.command_at[name], (world.command_at[name].stop - world.command_at[name].start,))
            for local, name in commands.items()
        ]

    def write(self, values: Mapping[str, Any]) -> None:
        """Hold the commands from now on; `values` by the local names."""
        world = self._world
        u = world.u
        for local, name, at, shape in self._places:
            value = values[local]
            if type(value) is not np.ndarray or value.shape != shape:
                value = world.checked(name, value)
            u[at] = value
        if not math.isfinite(u.dot(u)):
            for local, name, at, _ in self._places:
                u[at] = 0.0
                u[at] = world.checked(name, values[local])
        world.touch_forces()
