"""Upkeep: Python that looks after the plant itself on its own period, such as extending a table or updating a mass.

A task sees signals and writes commands; an upkeep sees its world. It runs first at its instants, before sensors and
tasks, is copied into every session, and is part of every snapshot.
"""

from __future__ import annotations

from collections.abc import Mapping
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
class Balanced(Protocol):
    """An upkeep that keeps accounts of its own for the audit."""

    def balances(self) -> Mapping[str, float]:
        """Drifts by the names of `engine.audit.LIMITS`."""
        ...
