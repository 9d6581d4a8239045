"""Snapshots: everything that the rest of a run depends on, as plain data."""

from __future__ import annotations

import pickle
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from freefloat.engine.audit import Ledger
from freefloat.engine.event import Fired
from freefloat.engine.fleet import FleetState
from freefloat.engine.graph import Closed, Link, Vector
from freefloat.engine.notes import Note
from freefloat.engine.scene import Looks
from freefloat.errors import InputError
from freefloat.kernels import handle as H

if TYPE_CHECKING:
    from freefloat.engine.plant import Plant

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class WorldState:
    """Time, structure, state, commands and recorder position of a plant."""

    names: tuple[str, ...]  # of everything in the blueprint
    closed: dict[str, Closed]
    links: dict[str, Link]  # with the masses of then
    roots: list[str]
    x: Vector
    kept: Vector  # of banks
    u: Vector
    clock: Integers
    fraction: float
    stepper: Vector
    next_records: Integers  # [ns]
    guards: Integers  # enabled
    fired: Integers
    guard_values: Vector
    rows: list[Vector]  # and notes that a rehearsed world holds back
    noted: Vector

    @classmethod
    def of(cls, plant: Plant) -> WorldState:
        """Copy it from a plant whose buffers are drained."""
        m = plant.memory
        return cls(
            _names(plant),
            dict(plant.closed),
            dict(plant.links),
            list(plant.roots),
            m[H.X].copy(),
            m[H.KEPT].copy(),
            plant.u.copy(),
            m[H.CLOCK].copy(),
            float(m[H.FRACTION][0]),
            m[H.STEPPER].copy(),
            plant.group_table[:, 1].copy(),
            plant.guard_enabled.copy(),
            m[H.GUARDS][:, 6].copy(),
            m[H.GUARD_VALUE].copy(),
            [buffer[:held].copy() for buffer, held in zip(plant.group_buffers, plant.group_table[:, 7], strict=False)],
            m[H.NOTES][: m[H.PHASE][H.NOTED]].copy(),
        )

    def check(self, plant: Plant) -> None:
        """Refuse a plant of another blueprint."""
        if self.names != _names(plant):
            raise InputError("the snapshot belongs to another mission: its parts are not these")
        sizes = (self.u.shape, self.guards.shape, self.next_records.shape, self.guard_values.shape)
        if sizes != (plant.u.shape, plant.guard_enabled.shape, (len(plant.group_table),), plant.guard_shape):
            raise InputError("the snapshot belongs to another mission: its commands, events or records are not these")

    def put(self, plant: Plant) -> None:
        """Give it to a plant that `check` accepts."""
        same = plant.roots == self.roots and list(plant.closed) == list(self.closed)
        same = same and all(plant.links[n] is link for n, link in self.links.items())
        if not (same and all(plant.closed[c] is held for c, held in self.closed.items())):
            plant.links = dict(self.links)
            plant.closed, plant.roots = dict(self.closed), list(self.roots)
            plant.compile()
        m = plant.memory
        if m[H.X].shape != self.x.shape or m[H.KEPT].shape != self.kept.shape:
            raise InputError("the snapshot belongs to another mission: its state has another size")
        plant.touch()
        m[H.X][:] = self.x
        m[H.KEPT][:] = self.kept
        m[H.BUSY][:] = 1
        plant.u[:] = self.u
        m[H.CLOCK][:] = self.clock
        m[H.CLOCK][H.VALID] = H.NOTHING
        m[H.FRACTION][0] = self.fraction
        m[H.STEPPER][:] = self.stepper
        m[H.GUARD_VALUE][:] = self.guard_values
        m[H.PHASE][:] = 0
        plant.group_table[:, 1] = self.next_records
        plant.group_table[:, 7] = 0
        for g, rows in enumerate(self.rows):
            plant.group_buffers[g][: len(rows)] = rows
            plant.group_table[g, 7] = len(rows)
        m[H.NOTES][: len(self.noted)] = self.noted
        m[H.PHASE][H.NOTED] = len(self.noted)
        for g, on in enumerate(self.guards):
            plant.enable_guard(g, bool(on))
        m[H.GUARDS][:, 6] = self.fired


def _names(plant: Plant) -> tuple[str, ...]:
    bp = plant.blueprint
    return (*bp.links, *bp.joints, *bp.connections, *bp.rows, *bp.commands)


@dataclass(frozen=True)
class Snapshot:
    """A run at one instant: worlds, tasks with their random streams, schedule, events, and the rows recorded so far."""

    worlds: list[WorldState]
    fleet: FleetState
    tasks: list[Any]
    counts: list[int]
    fired: list[Fired]
    notes: list[Note]  # of banks
    records: tuple[dict[str, list[Vector]] | None, dict[str, Ledger]]  # rows kept so far, and the audit's ledgers
    groups: dict[str, tuple[int, tuple[str, ...]]]  # what is recorded, and how often
    upkeeps: list[Any]
    looks: Looks  # shapes so far
    rehearsed: dict[str, Any]  # worlds -> moments kept

    def check(self, plants: Sequence[Plant], layout: Mapping[str, tuple[int, tuple[str, ...]]]) -> None:
        """Refuse plants of other blueprints, and a recorder with another layout."""
        if len(self.worlds) != len(plants):
            raise InputError("the snapshot belongs to another mission: its worlds are not these")
        for group in {**self.groups, **layout}:
            if self.groups.get(group) != layout.get(group):
                raise InputError(f"the snapshot belongs to another mission: it does not record {group!r} as this one")
        for state, plant in zip(self.worlds, plants, strict=True):
            state.check(plant)

    def save(self, path: str | PathLike[str]) -> Path:
        """Write it to a file (pickle: only load files that you trust)."""
        path = Path(path)
        try:
            data = pickle.dumps(self)
        except Exception as e:  # a user's controller may refuse in any way
            raise InputError(f"snapshot {path}: a task's controller cannot be saved ({e})") from e
        path.write_bytes(data)
        return path

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Snapshot:
        """Read a file written by `save`."""
        try:
            loaded = pickle.loads(Path(path).read_bytes())
        except Exception as e:  # broken bytes can raise anything
            raise InputError(f"snapshot {path}: cannot be read ({e})") from e
        if not isinstance(loaded, cls):
            raise InputError(f"snapshot {path}: holds a {type(loaded).__name__}, not a snapshot")
        return loaded
