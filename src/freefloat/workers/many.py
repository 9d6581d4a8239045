"""Many runs of scenarios by a list, for tables and tests: no folder, no statistics."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from freefloat.errors import SimulationError
from freefloat.scenario.template import Template
from freefloat.workers.limits import Limits
from freefloat.workers.pool import Pool
from freefloat.workers.scenario_runs import Run, ScenarioRuns


def cores() -> int:
    """That this process may use."""
    return len(os.sched_getaffinity(0))


def metrics_of(
    runs: Iterable[tuple[str, Mapping[str, Any]]],
    workers: int = 1,
    limits: Limits | None = None,
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> list[dict[str, float]]:
    """Metrics of runs, each a scenario's name or file with overrides, in their order; the first that fails ends it."""
    wanted = list(runs)
    names = list(dict.fromkeys(name for name, _ in wanted))
    job = ScenarioRuns([Template.of(name) for name in names])
    tasks = [Run(changes, names.index(name), f"{name}, run {n}") for n, (name, changes) in enumerate(wanted)]
    found: dict[int, dict[str, float]] = {}
    if tasks:
        with Pool(job, min(workers, len(tasks)), limits) as pool:
            for n, outcome in pool.outcomes(enumerate(tasks)):
                if outcome.status != "ok":
                    raise SimulationError(f"{tasks[n].label}: {outcome.reason}")
                found[n] = outcome.value.metrics
                progress(len(found), len(tasks))
    return [found[n] for n in range(len(tasks))]
