"""A crew on a dask.distributed cluster that is there already.

A dask worker cannot end a run that hangs, so a task does its cases in a warm child of the dask worker, by the same code
as on one machine: limits and reasons hold there too. Dask repeats what a lost worker had; a row is written once.
"""

from __future__ import annotations

import logging
import pickle
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any

from freefloat.campaign.crew import Tasks
from freefloat.campaign.versions import difference, versions
from freefloat.errors import InputError, SimulationError
from freefloat.extras import imported
from freefloat.workers.hearth import Hearth
from freefloat.workers.limits import Limits
from freefloat.workers.outcome import Outcome
from freefloat.workers.pool import Numbered, Pool
from freefloat.workers.scenario_runs import Ran, ScenarioRuns

PATIENCE = 10.0  # [s] for a scheduler to answer
BATCH = 1.0  # [s] of runs in a task, about: a task costs dask some milliseconds
LARGEST = 64  # runs in a task
AHEAD = 2  # tasks that each thread of the cluster has
SHARES = 4  # tasks for each thread at least, so that all end at about the same time


class ClusterCrew:
    """Workers of a dask cluster. The nominal run is done here, on this machine."""

    def __init__(self, job: ScenarioRuns, address: str, limits: Limits) -> None:
        distributed = imported("distributed", "campaign", "a cluster needs")
        logging.getLogger("distributed.client").setLevel(logging.CRITICAL)  # what is lost is told here, in a sentence
        try:
            self._client = distributed.Client(address, timeout=PATIENCE, set_as_default=False)
        except (OSError, ValueError, TimeoutError) as error:
            told = " ".join(str(error).split()) or type(error).__name__
            raise InputError(
                f"--scheduler {address}: no answer: {told}; allowed: HOST:PORT of a dask scheduler"
            ) from None
        try:
            self._check()
            portable = ScenarioRuns([template.portable() for template in job.templates], job.signals)
            hearth = Hearth(portable, limits)
            self.nominal: Ran = hearth.told
            self._size = max(1, min(LARGEST, round(BATCH / max(hearth.cpu, 1e-3))))
            hearth.close()
            self._work = (pickle.dumps(portable), limits, versions())
        except BaseException:
            self._client.close()
            raise

    def _check(self) -> None:
        found: dict[str, dict[str, str]] = self._client.run(versions)
        if not found:
            raise InputError("--scheduler: the cluster has no workers; start one with `dask worker ADDRESS`")
        here = versions()
        for worker, theirs in found.items():
            told = difference(here, theirs)
            if told:
                raise InputError(f"--scheduler: not the same here and in worker {worker}: {told}; allowed: the same")

    def outcomes(self, tasks: Tasks) -> Iterator[tuple[int, Outcome]]:
        """Each task's number with its outcome, in the order in which they end."""
        from distributed import CancelledError, as_completed

        source = iter(tasks)
        threads = max(1, sum(self._client.nthreads().values()))
        size = max(1, min(self._size, len(tasks) // (SHARES * threads)))
        given: dict[Any, list[Numbered]] = {}
        completed = as_completed(loop=self._client.loop)
        try:
            for _ in range(AHEAD * threads):
                self._submit(given, completed, list(islice(source, size)))
            for future in completed:
                batch = given.pop(future)
                found, error = _answer(future)
                if error is None:
                    yield from found
                elif isinstance(error, InputError):
                    raise error
                elif isinstance(error, CancelledError):
                    raise SimulationError("the scheduler has left; what has ended is kept, and --resume goes on")
                elif len(batch) > 1:  # the workers of this task were lost again and again: find the case
                    for one in batch:
                        self._submit(given, completed, [one])
                else:
                    yield batch[0][0], Outcome("died", f"dask: {type(error).__name__}: {' '.join(str(error).split())}")
                self._submit(given, completed, list(islice(source, size)))
        finally:
            self._client.cancel(list(given), force=True)

    def _submit(self, given: dict[Any, list[Numbered]], completed: Any, batch: list[Numbered]) -> None:
        if batch:
            future = self._client.submit(run_batch, *self._work, batch, pure=False)
            given[future] = batch
            completed.add(future)

    def __enter__(self) -> ClusterCrew:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()


def _answer(future: Any) -> tuple[list[tuple[int, Outcome]], Exception | None]:
    """What a task has given, or why it has given nothing; its scheduler may leave at any moment."""
    try:
        return future.result(), None
    except Exception as error:
        return [], error


def run_batch(
    pickled: bytes, limits: Limits, expected: dict[str, str], batch: list[Numbered]
) -> list[tuple[int, Outcome]]:
    """In a dask worker, in one of its threads: the cases of a task, in a warm child."""
    told = difference(expected, versions())
    if told:  # a worker that came after the others were asked
        raise InputError(f"--scheduler: not the same here and in a worker: {told}; allowed: the same")
    with _branch(pickled, limits) as branch, Pool(pickle.loads(pickled), 1, limits, hearth=branch) as pool:
        return list(pool.outcomes(batch))


class _Warm:
    """A warm process of this dask worker, and how many of its threads use it."""

    def __init__(self, hearth: Hearth) -> None:
        self.hearth, self.users = hearth, 0


_lock = threading.Lock()
_warm: dict[tuple[bytes, Limits], _Warm] = {}  # of campaigns that are running, and of the last one


@contextmanager
def _branch(pickled: bytes, limits: Limits) -> Iterator[Hearth]:
    key = (pickled, limits)
    with _lock:
        warm = _warm.get(key)
        if warm is None or not warm.hearth.alive():
            for other in [k for k, w in _warm.items() if not w.users]:
                _warm.pop(other).hearth.close()
            warm = _warm[key] = _Warm(Hearth(pickle.loads(pickled), limits))
        warm.users += 1
        branch = warm.hearth.branch()
    try:
        yield branch
    finally:
        with _lock:
            warm.users -= 1
