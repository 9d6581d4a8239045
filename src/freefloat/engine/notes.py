"""Notes that banks leave while compiled code runs, by name."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Note:
    """Something that happened in a row of a bank."""

    t: float  # [s]
    bank: str
    row: str
    kind: int  # of the bank's own
    numbers: tuple[float, ...]
    text: str | None  # what the event log says of it; None: nothing
