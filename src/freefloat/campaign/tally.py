"""How far a campaign is."""

from __future__ import annotations

import time
from dataclasses import dataclass, field


@dataclass
class Tally:
    """Counts of cases: all, those with a row, those among them that are not `ok`, and successes."""

    cases: int
    done: int
    failed: int
    succeeded: int
    judged: bool  # whether there is a criterion
    _begun: float = field(default_factory=time.monotonic)
    _before: int = -1  # cases that had a row when this began

    def __post_init__(self) -> None:
        self._before = self.done

    def count(self, ok: bool, success: bool) -> None:
        """One more has a row."""
        self.done += 1
        self.failed += not ok
        self.succeeded += success

    @property
    def rate(self) -> float:
        """[1/s] cases that end, since this began."""
        elapsed = time.monotonic() - self._begun
        return (self.done - self._before) / elapsed if elapsed > 0.0 else 0.0

    def __str__(self) -> str:
        parts = [f"{self.done} of {self.cases}"]
        rate = self.rate
        if rate > 0.0:
            left = (self.cases - self.done) / rate
            parts += [f"{rate:.3g}/s" if rate >= 0.1 else f"{60.0 * rate:.3g}/min", f"{_clock(left)} left"]
        parts.append(f"{self.failed} failed")
        if self.judged and self.done:
            parts.append(f"success {100.0 * self.succeeded / self.done:.1f} %")
        return ", ".join(parts)


def _clock(seconds: float) -> str:
    """Such as "7 s", "3:20 min" or "2:05 h"."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    return f"{whole // 60}:{whole % 60:02d} min" if whole < 3600 else f"{whole // 3600}:{whole % 3600 // 60:02d} h"
