"""Keeps what a run records: blocks of rows per group, in memory for the result and in the log file as they come."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from freefloat.engine.graph import Vector
from freefloat.engine.signals import Signal
from freefloat.kernels.audit_layout import COLUMNS

if TYPE_CHECKING:
    from freefloat.engine.event import Fired
    from freefloat.engine.log.writer import LogWriter
    from freefloat.engine.plant import Plant

DRAIN_PERIOD = 0.25  # [s] wall time between drains; the log flushes every half second


def audit_signals(world: str) -> list[Signal]:
    """The audit's columns as signals: `audit.heat`, or `audit.WORLD.heat` where worlds have names."""
    name = f"audit.{world}" if world else "audit"
    return [Signal(f"{name}.{c.name}", c.unit, (c.size,) if c.size > 1 else (), c.frame, c.meaning) for c in COLUMNS]


class Recorder:
    """Blocks of rows [t, columns...] by group. Groups of the plants come first, then those of tasks."""

    def __init__(self, plants: Sequence[Plant], tasks: Mapping[str, Sequence[Signal]]) -> None:
        self.groups: dict[str, tuple[Signal, ...]] = {}
        self._sources: list[tuple[str, Plant, int]] = []
        for plant in plants:
            for g, group in enumerate(plant.groups):
                own = audit_signals(plant.name) if group.audit else [plant.blueprint.signal(n) for n in group.signals]
                self.groups[group.name] = tuple(own)
                self._sources.append((group.name, plant, g))
        self.pending: dict[str, list[Vector]] = {g: [] for g in tasks}
        self.groups |= {g: tuple(s) for g, s in tasks.items()}
        self.blocks: dict[str, list[Vector]] = {g: [] for g in self.groups}
        self.log: LogWriter | None = None
        self._drained = time.monotonic()

    def append(self, group: str, row: Vector) -> None:
        """Add one row of a task's group."""
        self.pending[group].append(row)

    def due(self) -> bool:
        """Whether the log should get what has been recorded."""
        return time.monotonic() - self._drained > DRAIN_PERIOD

    def drain(self, until_ns: int | None = None) -> None:
        """Move recorded rows from the plants' buffers and from the tasks into blocks, and into the log.

        Where an instant is named, rows of the plants leave only up to there: what is later may still be redone.
        """
        for group, plant, g in self._sources:
            self._store(group, plant.drain(g, until_ns))
        for group, rows in self.pending.items():
            if rows:
                self._store(group, np.array(rows))
                rows.clear()
        self._drained = time.monotonic()

    def _store(self, group: str, rows: Vector) -> None:
        if rows.shape[0]:
            self.blocks[group].append(rows)
            if self.log is not None:
                self.log.write(group, rows[:, 0], rows[:, 1:])

    def event(self, fired: Fired) -> None:
        """Put an event into the log."""
        if self.log is not None:
            self.log.event(fired.t, fired.name, fired.result)

    def rows(self, group: str) -> Vector:
        """All rows of a group so far."""
        blocks = self.blocks[group]
        width = 1 + sum(s.size for s in self.groups[group])
        return np.concatenate(blocks) if blocks else np.zeros((0, width))
