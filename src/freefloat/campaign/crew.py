"""Who runs the cases: workers of this machine, or a cluster. Both do it by the same code: the rows are equal."""

from __future__ import annotations

from collections.abc import Iterator
from types import TracebackType
from typing import Protocol, Self

from freefloat.workers.job import Job
from freefloat.workers.limits import Limits
from freefloat.workers.outcome import Outcome
from freefloat.workers.pool import Numbered, Pool
from freefloat.workers.scenario_runs import Ran


class Tasks(Protocol):
    """Tasks with their numbers, made when they are asked for."""

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[Numbered]: ...


class Crew(Protocol):
    """A context; at its end nothing of it runs any more."""

    @property
    def nominal(self) -> Ran:
        """What the nominal run gave."""
        ...

    def outcomes(self, tasks: Tasks) -> Iterator[tuple[int, Outcome]]:
        """Each task's number with its outcome, once, in the order in which they end."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None: ...


class LocalCrew(Pool):
    """Workers of this machine."""

    def __init__(self, job: Job, workers: int, limits: Limits) -> None:
        super().__init__(job, workers, limits)

    @property
    def nominal(self) -> Ran:
        return self.hearth.told
