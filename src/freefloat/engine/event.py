"""Events: a located state crossing or an instant, with a Python action that is applied once and logged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from freefloat.amounts import Amount, Measure, take
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
    level: Measure = 0.0  # in the unit of the signal
    direction: Literal["rising", "falling", "both"] = "both"
    at: Measure | None = None  # [s]
    times: int | None = None

    def __post_init__(self) -> None:
        if (self.signal is None) == (self.at is None):
            raise InputError(f"event {self.name!r}: give either a signal to watch or a time `at`")
        if self.direction not in DIRECTIONS:
            raise InputError(f"event {self.name!r}: direction {self.direction!r}; allowed: {', '.join(DIRECTIONS)}")
        if self.at is not None:
            take(self, f"event {self.name!r}", at=Amount("s", ge=0.0, le=LONGEST))
        if not isinstance(self.level, str):  # a text is read where the signal's unit is known
            take(self, f"event {self.name!r}", level=Amount("-"))
        if self.times is not None and self.times < 1:
            raise InputError(f"event {self.name!r}: times {self.times!r} must be at least 1, or None")

    def level_in(self, unit: str) -> float:
        """The level as a number in the unit of the signal."""
        return (
            Amount(unit).number(self.level, f"event {self.name!r}: level")
            if isinstance(self.level, str)
            else self.level
        )


@dataclass(frozen=True)
class Fired:
    """An event that happened."""

    t: float  # [s]
    name: str
    result: str
