"""The directory of names: where every signal, command, link, frame, joint and connection of a mission is.

Tasks, sensors, events, recorder and readers ask here. A mission sees to it that a name is in one world only, so that it
needs no world beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from freefloat.engine.graph import Vector
from freefloat.engine.plant import Plant
from freefloat.engine.scene import Scene, scene_of
from freefloat.engine.signals import Port, Signal
from freefloat.engine.tree import coordinates_of
from freefloat.errors import InputError, SimulationError, unknown_name
from freefloat.kernels.bank import Command, Row

Kind = Literal["link", "frame", "joint", "connection"]


@dataclass(frozen=True)
class Place:
    """Where a signal is: its plant, the plant's bit in a set of worlds, and what it is (unit, shape, frame)."""

    plant: Plant
    bit: int
    signal: Signal


@dataclass(frozen=True)
class CommandPlace(Place):
    """Where a command is: its entries of the plant's `u`."""

    at: slice
    written_by_upkeep: bool
    felt: bool  # whether a bank or an imposed motion reads it
    settles: bool  # whether banks settle when it changes: it puts a surface elsewhere
    wakes: list[Callable[[], None]] = field(default_factory=list)  # called when something from outside has changed it

    def checked(self, value: ArrayLike) -> Vector:
        """A value as a flat array; refused when it does not fit."""
        name, size = self.signal.name, self.at.stop - self.at.start
        new = np.asarray(value, dtype=np.float64).reshape(-1)
        if new.shape[0] != size:
            raise InputError(f"command {name!r}: {new.shape[0]} numbers given, {size} needed")
        if not np.isfinite(new).all():
            raise SimulationError(f"command {name!r}: value {new.tolist()} is not finite")
        return new

    def write(self, value: ArrayLike) -> None:
        """Hold the command from now on; nothing is evaluated again where it is held so already."""
        new, held = self.checked(value), self.plant.u[self.at]
        if not np.array_equal(new, held):
            held[:] = new
            self.plant.disturbed = True
            if self.settles:
                self.plant.touch()
            elif self.felt:
                self.plant.touch_forces()
            for wake in self.wakes:
                wake()


class Directory:
    """All names of some plants."""

    def __init__(self, plants: Sequence[Plant]) -> None:
        self.plants = tuple(plants)
        self.signals: dict[str, Place] = {}
        self.commands: dict[str, CommandPlace] = {}
        self._homes: dict[str, dict[str, Plant]] = {}
        for number, plant in enumerate(plants):
            bp = plant.blueprint
            joints = [name for joint in bp.joints.values() for name in coordinates_of(joint)]
            for kind, names in (
                ("link", bp.links),
                ("frame", bp.frames),
                ("joint", joints),
                ("connection", bp.connections),
            ):
                self._homes.setdefault(kind, {}).update(dict.fromkeys(names, plant))
            self.signals |= {n: Place(plant, 1 << number, signal) for n, (signal, _) in bp.sources.items()}
            felt = {ref.name for row in bp.rows.values() for ref in row.i if isinstance(ref, Command)}
            felt |= {imposed.command for imposed in bp.imposed.values()}
            moving = {name for row in bp.rows.values() for name in _settling(row)}
            for name, at in plant.command_at.items():
                signal = bp.commands[name]
                uses = (name in bp.outputs, name in felt, name in moving)
                place = CommandPlace(plant, 1 << number, signal, at, *uses)
                self.commands[name] = place

    def signal(self, name: str) -> Place:
        """Where a signal is."""
        if name not in self.signals:
            raise unknown_name("signal", name, self.signals)
        return self.signals[name]

    def command(self, name: str, what: str = "command") -> CommandPlace:
        """Where a command is; `what` is said of a name that is none."""
        if name not in self.commands:
            raise unknown_name(what, name, self.commands)
        return self.commands[name]

    def scene(self) -> Scene:
        """Which shapes are where now, in all worlds."""
        return scene_of(self.plants)

    def home(self, kind: Kind, name: str) -> Plant:
        """The plant that has a link, frame, joint or connection of this name."""
        if name not in self._homes[kind]:
            raise unknown_name(kind, name, self._homes[kind])
        return self._homes[kind][name]


def _settling(row: Row) -> list[str]:
    """Commands of a row that let banks settle where they change."""
    commands = zip(row.bank.commands, row.i[len(row.bank.references) :], strict=False)
    return [ref.name for name, ref in commands if name in row.bank.settling and isinstance(ref, Command)]


def port_of(place: Place) -> Port:
    """How a place is told to users."""
    s = place.signal
    return Port(s.name, s.unit, s.shape, s.frame, s.meaning, place.plant.name, labels=s.labels)
