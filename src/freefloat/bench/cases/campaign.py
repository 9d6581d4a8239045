"""Campaigns: what a case costs beyond its run, how fast a worker is there, and what memory all this takes.

The case is 5 s of `reacsa-line`, about 30 ms of CPU: short, so that what is beside it shows.
"""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from freefloat import api
from freefloat.bench.case import Figure, bench
from freefloat.bench.race import Runner, race
from freefloat.campaign.campaign import Request, conduct
from freefloat.campaign.crew import LocalCrew
from freefloat.campaign.file import campaign_of
from freefloat.campaign.plan import Plan
from freefloat.errors import FreefloatError
from freefloat.workers.limits import Limits, private, resident
from freefloat.workers.outcome import Outcome
from freefloat.workers.pool import Pool
from freefloat.workers.scenario_runs import Run, ScenarioRuns
from freefloat.workers.worker import carried_out

DURATION = 5.0  # [s] simulated
_SPIN = "import time\nfor _ in range({n}):\n    sum(i * i for i in range(100000))"


@dataclass(frozen=True)
class Effort:
    """How much is measured."""

    few: int = 40  # cases of the smaller campaign
    many: int = 240  # of the larger one
    turns: int = 5  # of both
    rounds: int = 30  # of a case against a run
    replaced: int = 7  # workers killed
    recorded: tuple[int, int] = (100, 10_000)  # cases recorded for the memory of the parent
    spins: int = 150  # of a bare process, some 8 ms each


@bench("campaign")
def campaign() -> Iterator[Figure]:
    """Cases of a campaign against single runs; workers against processes that start cold."""
    yield from figures(Effort())


def figures(effort: Effort) -> Iterator[Figure]:
    """All figures of campaigns."""
    with tempfile.TemporaryDirectory() as folder:
        yield from _overhead(effort, Path(folder))
    yield _case_over_run(effort)
    yield from _workers(effort)
    yield _parent(effort)
    yield _bare(effort)


class _Watched(LocalCrew):
    """Notes the CPU time of its workers beyond their cases, and what they waited."""

    def outcomes(self, tasks: Any) -> Iterator[tuple[int, Outcome]]:
        before = {pid: _spent(pid) for pid in self.processes()}
        spent, self.idle = 0.0, 0.0
        for n, outcome in super().outcomes(tasks):
            if outcome.status != "ok":
                raise FreefloatError(f"benchmark 'campaign': case {n}: {outcome.reason}")
            spent += outcome.cost.cpu
            self.idle += outcome.cost.idle if n >= self._most else 0.0  # not before the first case of each worker
            yield n, outcome
        self.beyond = sum(_spent(pid) - before.get(pid, 0.0) for pid in self.processes()) - spent

    def __exit__(self, *_: object) -> None:
        pass  # it is used several times


def _overhead(effort: Effort, folder: Path) -> Iterator[Figure]:
    with closing(_Watched(_plan(1).job, 1, Limits())) as crew:
        _conducted(crew, effort.few, folder / "first")
        pairs = [
            (_conducted(crew, effort.few, folder / f"few-{n}"), _conducted(crew, effort.many, folder / f"many-{n}"))
            for n in range(effort.turns)
        ]
    with closing(_Watched(_plan(1).job, 2, Limits())) as crew:  # its workers wait for nobody else
        both = [_conducted(crew, effort.many, folder / f"both-{n}") for n in range(effort.turns)]
    count = effort.many - effort.few
    parents = [1e3 * (many.parent - few.parent) / count for few, many in pairs]
    workers = [1e3 * (many.worker - few.worker) / count for few, many in pairs]
    both_of = [sum(one) for one in zip(parents, workers, strict=True)]
    how = f"{effort.many} cases of {DURATION:g} s of reacsa-line less {effort.few}, one worker, journal with fsync"
    told = f"CPU of parent and worker beyond it; {how}; median of {_spread(both_of)}, {_load()}"
    yield Figure("overhead_per_run_ms", median(both_of), told)
    told = f"the parent's share of it, validation of values included; median of {_spread(parents)}"
    yield Figure("parent_per_run_ms", median(parents), told)
    shares = [one.idle / (2.0 * one.wall) for one in both]
    told = f"wall, between cases, of two workers over {effort.many} cases; median of {_spread(shares)}, {_load()}"
    yield Figure("worker_idle_share", median(shares), told)
    told = f"wall of {effort.many} cases by one worker over that by two; {os.cpu_count()} cores, {_load()}"
    yield Figure("scaling_2_workers", median(many.wall for _, many in pairs) / median(one.wall for one in both), told)


@dataclass(frozen=True)
class _Spent:
    parent: float  # [s] CPU
    worker: float  # [s] CPU beyond the cases
    idle: float  # [s] wall
    wall: float  # [s]


def _conducted(crew: _Watched, cases: int, folder: Path) -> _Spent:
    cpu, wall = time.process_time(), time.perf_counter()
    conduct(_plan(cases), Request(folder), lambda: crew)
    return _Spent(time.process_time() - cpu, crew.beyond, crew.idle, time.perf_counter() - wall)


def _plan(cases: int) -> Plan:
    return Plan.of(campaign_of({"scenario": "reacsa-line", "set": {"duration": DURATION}, "runs": cases}))


def _case_over_run(effort: Effort) -> Figure:
    job, seeds = _plan(1).job, iter(range(10**6))
    runners = {  # what one leaves is collected before the other; a case collects its own
        "case": Runner(lambda: carried_out(job, Run({"seed": next(seeds)})), gc.collect),
        "run": Runner(
            lambda: api.run("reacsa-line", {"duration": DURATION}, seed=next(seeds), progress=False), gc.collect
        ),
    }
    race(runners, 1)
    gc.collect()
    gc.freeze()  # as in a warm process
    try:
        times = race(runners, effort.rounds)
    finally:
        gc.unfreeze()
    own = f"{1e3 * times.median('case'):.3g} ms"
    told = (
        f"CPU, a case ({own}, its garbage collected) over ff.run in one warm process, {effort.rounds} rounds in turns"
    )
    return Figure("case_over_run_ratio", times.ratio("case", "run"), told)


@dataclass(frozen=True)
class _Ready(ScenarioRuns):
    """Answers at once where no run is asked for."""

    def run(self, task: Run | None) -> Any:
        return os.getpid() if task is None else super().run(task)


def _workers(effort: Effort) -> Iterator[Figure]:
    begun = time.perf_counter()
    job = _Ready(_plan(1).job.templates)
    with Pool(job, 2) as pool:
        [(_, first)] = pool.outcomes([(0, None)])
        start = time.perf_counter() - begun
        replaced: list[float] = []
        for _ in range(effort.replaced):
            os.kill(first.value, signal.SIGKILL)
            begun = time.perf_counter()
            for _, outcome in pool.outcomes([(0, None), (1, None)]):
                first = outcome if outcome.status == "ok" else first
            replaced.append(time.perf_counter() - begun)
        seconds = median(replaced)
        told = f"wall, {1e3 * seconds:.3g} ms from SIGKILL to an answer over {start:.3g} s of a cold start; {_load()}"
        yield Figure("replacement_over_start_ratio", seconds / start, told)
        list(pool.outcomes((n, Run({"seed": n})) for n in range(20)))
        own, warm = private(pool.processes()[-1]), resident(pool.hearth.pid)
        told = f"{own / 1e6:.0f} MB of a worker's own after ten cases over {warm / 1e6:.0f} MB of the warm process"
        yield Figure("worker_memory_ratio", own / warm, told)


def _parent(effort: Effort) -> Figure:
    few, many = effort.recorded
    line = [sys.executable, "-m", "freefloat.bench.campaign_parent", str(few), str(many)]
    small, large = map(int, subprocess.run(line, capture_output=True, text=True, check=True).stdout.split())
    told = f"resident {small / 1e6:.0f} MB after {few} recorded cases, {large / 1e6:.0f} MB after {many}, table written"
    return Figure("parent_memory_growth_ratio", large / small, told)


def _bare(effort: Effort) -> Figure:
    def spin(processes: int, n: int) -> float:
        line = [sys.executable, "-c", _SPIN.format(n=n)]
        begun = time.perf_counter()
        for process in [subprocess.Popen(line) for _ in range(processes)]:
            process.wait()
        return time.perf_counter() - begun

    one, two = spin(1, 2 * effort.spins), spin(2, effort.spins)
    return Figure(
        "scaling_2_bare", one / two, f"wall of one bare Python process over two with half the work; {_load()}"
    )


def _spent(pid: int) -> float:
    """[s] of CPU of a process."""
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) * 1e-9


def _spread(values: list[float]) -> str:
    """How many, and from where to where."""
    return f"{len(values)}, {min(values):.3g} to {max(values):.3g}"


def _load() -> str:
    return f"load {os.getloadavg()[0]:.1f}"
