"""What a mission sees in its finished run: further metrics, and events at the instants where they show."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from freefloat.engine.event import Fired
from freefloat.engine.graph import Vector

if TYPE_CHECKING:
    from freefloat.engine.result import Result


@dataclass(frozen=True, eq=False)
class Review:
    """Metrics by name, events that go into the log and the result beside those of the run itself, and courses: times
    [s] and values by name.
    """

    metrics: Mapping[str, float]
    events: Sequence[Fired] = ()
    courses: Mapping[str, tuple[Vector, Vector]] = field(default_factory=dict[str, "tuple[Vector, Vector]"])


Reviewer = Callable[["Result"], Review]
