"""What is taken from a plant: groups that are recorded, guards that events watch, readings that tasks make."""

from __future__ import annotations

from dataclasses import dataclass

from freefloat.amounts import Amount, Measure, take
from freefloat.engine.cells import Integers
from freefloat.errors import InputError


@dataclass(frozen=True)
class Record:
    """Signals that are recorded at a rate of their own, besides the record of everything: a group of this name.

    `result.of(name)` has its samples (`result.of("WORLD.name")` where there are several worlds), the log its topics.
    Steps end at every record: a rate that is not that of whole steps cuts them, and the session says so.
    """

    name: str
    signals: tuple[str, ...]
    rate: Measure  # [Hz]

    def __post_init__(self) -> None:
        if isinstance(self.signals, str):
            raise InputError(f"record {self.name!r}: signals {self.signals!r}; allowed: a list of names")
        object.__setattr__(self, "signals", tuple(dict.fromkeys(self.signals)))
        take(self, f"record {self.name!r}", rate=Amount("Hz", ge=1e-9, le=1e9))
        if not self.signals:
            raise InputError(f"record {self.name!r}: no signals; name at least one")
        if not self.name or any(c.isspace() or c in "./" for c in self.name):
            raise InputError(f"record name {self.name!r}: a name has no space, dot or slash, and is not empty")


@dataclass
class Reading:
    """Signals of one plant that somebody reads together; `cells` is [world, first op, last op]."""

    names: tuple[str, ...]
    columns: tuple[int, ...]  # first column of each
    cells: Integers


@dataclass(frozen=True)
class Group:
    """Signals recorded together at one rate."""

    name: str
    period_ns: int
    signals: tuple[str, ...]
    audit: bool = False  # the audit's columns instead of signals


@dataclass(frozen=True)
class Guard:
    """What an event watches: component of a signal minus level, with direction +1 rising, -1 falling, 0 both."""

    signal: str
    component: int
    level: float
    direction: int
