"""What became of one run."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from freefloat.errors import BuildError, FreefloatError, InputError

Status = Literal["ok", "refused", "failed", "raised", "died", "time-limit", "memory-limit"]

STATUSES: dict[Status, str] = {
    "ok": "the run ended and was judged",
    "refused": "its values are no valid scenario, or no mission can be built of them",
    "failed": "the simulation could not go on",
    "raised": "code of the scenario raised an exception",
    "died": "its process ended",
    "time-limit": "it took too long and was ended",
    "memory-limit": "it took too much memory and was ended",
}


@dataclass(frozen=True)
class Cost:
    """What a run took."""

    cpu: float = 0.0  # [s]
    wall: float = 0.0  # [s]
    idle: float = 0.0  # [s] of wall time that the worker waited for it
    host: str = ""
    processor: str = ""


@dataclass(frozen=True)
class Outcome:
    """How a run ended; `value` is what the job returned, None unless `ok`."""

    status: Status
    reason: str = ""
    value: Any = None
    cost: Cost = field(default_factory=Cost)


def outcome_of(error: BaseException) -> tuple[Status, str]:
    """Status and reason of a run that raised."""
    short = next((cause for cause in _causes(error) if isinstance(cause, MemoryError)), None)
    if short is not None:
        return "memory-limit", f"no more memory: {_line(short)}" if str(short) else "no more memory"
    if isinstance(error, BuildError) and error.__cause__ is not None:
        error = error.__cause__
    text = _line(error)
    if isinstance(error, InputError):
        return "refused", "; ".join(str(error).splitlines())
    if isinstance(error, FreefloatError):
        return "failed", text
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""
    return "raised", f"{type(error).__name__}: {text}{place}"


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """An error and those that it was raised from: a judge's or controller's own is told by another."""
    while error is not None:
        yield error
        error = error.__cause__


def _line(error: BaseException) -> str:
    return " ".join(str(error).split())
