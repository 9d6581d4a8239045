"""What is taken from a plant: groups that are recorded, guards that events watch, readings that tasks make."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Reading:
    """Signals of one plant that somebody reads together, and the ops that fetch them."""

    names: tuple[str, ...]
    columns: tuple[int, ...]  # first column of each
    first: int = 0
    last: int = 0
    fresh: bool = False  # whether the reader's buffer holds the values of now


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
