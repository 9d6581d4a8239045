"""Events: a located state crossing or an instant, with a Python action that is applied once and logged."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from freefloat.engine.schedule import LONGEST
from freefloat.errors import InputError

if TYPE_CHECKING:
    from freefloat.engine.session import Session

DIRECTIONS = {"rising": 1, "falling": -1, "both": 0}


@dataclass(frozen=True)
class Event:
    """Fires when `signal[component]` crosses `level` in the given direction, or at the time `at` [s].

    `action(session)` may change anything; what it returns is put into the event log. `times` limits how often it
    fires (None: without end).
    """

    name: str
    action: Callable[[Session], object]
    signal: str | None = None
    component: int = 0
    level: float = 0.0
    direction: Literal["rising", "falling", "both"] = "both"
    at: float | None = None  # [s]
    times: int | None = None

    def __post_init__(self) -> None:
        if (self.signal is None) == (self.at is None):
            raise InputError(f"event {self.name!r}: give either a signal to watch or a time `at`")
        if self.direction not in DIRECTIONS:
            raise InputError(f"event {self.name!r}: direction {self.direction!r}; allowed: {', '.join(DIRECTIONS)}")
        if self.at is not None and not 0.0 <= self.at <= LONGEST:
            raise InputError(f"event {self.name!r}: time {self.at!r} s must be between 0 and {LONGEST:g} s")
        if not math.isfinite(self.level):
            raise InputError(f"event {self.name!r}: level {self.level!r} must be finite")
        if self.times is not None and self.times < 1:
            raise InputError(f"event {self.name!r}: times {self.times!r} must be at least 1, or None")


@dataclass(frozen=True)
class Fired:
    """An event that happened."""

    t: float  # [s]
    name: str
    result: str
