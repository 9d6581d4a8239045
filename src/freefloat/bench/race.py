"""Measuring things side by side: the runners take turns, so that what else the machine does meets all of them.

Times are CPU times of this process, which leave out what other programs took, unless another clock is given.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import median

Clock = Callable[[], float]


def _nothing() -> None:
    pass


@dataclass(frozen=True)
class Runner:
    """What is timed, and what puts it back to its start before every round, untimed."""

    run: Callable[[], object]
    prepare: Callable[[], object] = _nothing


@dataclass(frozen=True)
class Times:
    """Seconds of every round, by runner."""

    rounds: dict[str, list[float]]

    def median(self, name: str) -> float:
        """Median time of a runner [s]."""
        return median(self.rounds[name])

    def ratio(self, name: str, other: str) -> float:
        """Median over the rounds of the ratio within a round: a machine that changes its pace changes both alike."""
        return median(a / b for a, b in zip(self.rounds[name], self.rounds[other], strict=True))


def race(runners: Mapping[str, Runner], rounds: int, clock: Clock = time.process_time) -> Times:
    """Time all runners in every round, after one round that does not count; the order is reversed every time."""
    order = list(runners.items())
    times: dict[str, list[float]] = {name: [] for name in runners}
    for turn in range(rounds + 1):
        for name, runner in order:
            runner.prepare()
            start = clock()
            runner.run()
            elapsed = clock() - start
            if turn > 0:
                times[name].append(elapsed)
        order.reverse()
    return Times(times)
