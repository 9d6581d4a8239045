"""Upkeep: Python that looks after the plant itself on its own period, such as extending a table or updating a mass.

A task sees signals and writes commands; an upkeep sees its world. It runs first at its instants, before sensors and
tasks, is copied into every session, and is part of every snapshot.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, runtime_checkable

from freefloat.engine.world import World


class Upkeep(Protocol):
    """`tend` is called at t = 0 and then every `period` [s]."""

    @property
    def name(self) -> str: ...

    @property
    def period(self) -> float: ...

    def tend(self, world: World, now_ns: int) -> None:
        """Do what is due."""
        ...

    def restored(self, world: World) -> None:
        """At the start, and after this object was taken from a snapshot: put its tables into the world."""
        ...


@runtime_checkable
class Woken(Protocol):
    """An upkeep that says itself when it is due next, whatever its period, and that commands wake.

    Where one of the commands `wakes` (full names) changes, it is tended at that very instant, behind all tasks.
    """

    @property
    def wakes(self) -> Sequence[str]: ...

    def due(self, now_ns: int) -> int:
        """The next instant [ns] at which to be tended; asked after it was."""
        ...


@runtime_checkable
class Watching(Protocol):
    """An upkeep that is told where signals rise through 1, at the located instant."""

    @property
    def watches(self) -> Sequence[str]:
        """Signals (full names) whose first entry is watched."""
        ...

    def crossed(self, world: World, signal: str) -> None:
        """One of them has just risen to 1 or more."""
        ...


@runtime_checkable
class Balanced(Protocol):
    """An upkeep that keeps accounts of its own for the audit."""

    def balances(self) -> Mapping[str, float]:
        """Drifts by the names of `engine.audit.LIMITS`."""
        ...
