"""What a mission sees in its finished run: further metrics, and events at the instants where they show."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from freefloat.engine.event import Fired

if TYPE_CHECKING:
    from freefloat.engine.result import Result


@dataclass(frozen=True)
class Review:
    """Metrics by name, and events that go into the log and the result beside those of the run itself."""

    metrics: Mapping[str, float]
    events: Sequence[Fired] = ()


Reviewer = Callable[["Result"], Review]
