"""A warm process: what it tells, when it is refused, and that it is as warm where threads forbid to fork it."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType

import pytest

from freefloat.errors import InputError, SimulationError
from freefloat.workers.hearth import Hearth
from freefloat.workers.limits import Limits, private, resident
from freefloat.workers.pool import Pool


def test_a_rehearsal_that_starts_threads_is_done_in_a_process_that_does_not_fork(plain_jobs: ModuleType) -> None:
    with Pool(plain_jobs.Words(begins=2, first="rehearsed"), 1) as pool:
        assert pool.hearth.told == "rehearsed"
        [(_, outcome)] = pool.outcomes([(0, "threads")])
    assert outcome.value == 1


@pytest.mark.parametrize(
    ("first", "kind", "told"),
    [
        ("refuse", InputError, "the nominal run: not that"),
        ("fail", SimulationError, "the nominal run: no further"),
        ("raise", SimulationError, "the nominal run: ValueError: not this"),
        ("segv", SimulationError, "the nominal run: its process was ended by SIGSEGV"),
    ],
)
def test_a_job_whose_rehearsal_ends_badly_is_refused(
    plain_jobs: ModuleType, first: str, kind: type[Exception], told: str
) -> None:
    with pytest.raises(kind, match=told):
        Hearth(plain_jobs.Words(first=first))


def test_a_memory_limit_below_what_a_worker_has_is_refused(plain_jobs: ModuleType) -> None:
    with pytest.raises(InputError, match=r"memory limit 10 MB: a worker has \d+ MB before its first run"):
        Hearth(plain_jobs.Words(), Limits(memory=10_000_000))


def test_a_worker_shares_the_memory_of_the_warm_process(plain_jobs: ModuleType) -> None:
    with Pool(plain_jobs.Words(), 1) as pool:
        [(_, outcome)] = pool.outcomes([(0, "process")])
        pid, parent = outcome.value
        assert parent == pool.hearth.pid
        assert 0 < private(pid) < 0.5 * resident(parent)


def test_what_a_run_leaves_in_cycles_is_given_back_before_the_next(plain_jobs: ModuleType) -> None:
    with Pool(plain_jobs.Words(), 1) as pool:
        list(pool.outcomes(enumerate(["cycle"] * 10)))
        assert 0 < private(pool.processes()[0]) < 60_000_000, "each leaves 20 MB"


def test_a_branch_forks_workers_of_its_own(plain_jobs: ModuleType) -> None:
    hearth = Hearth(plain_jobs.Words())
    try:
        for _ in range(3):
            with Pool(plain_jobs.Words(), 1, hearth=hearth.branch()) as pool:
                [(_, one), (_, other)] = pool.outcomes([(0, "process"), (1, "segv")])
            assert one.value[1] != hearth.pid
            assert other.status == "died"
        assert hearth.alive()
    finally:
        hearth.close()
    assert not hearth.alive()


PARENT = """
import sys
sys.path.insert(0, sys.argv[1])
from plain_jobs import Words
from freefloat.workers.pool import Pool
with Pool(Words(), 2) as pool:
    tasks = pool.outcomes([(0, "process"), (1, "sleep"), (2, "sleep")])
    print(*next(tasks)[1].value, flush=True)
    next(tasks)
"""


def test_workers_end_when_the_parent_is_killed(plain_jobs: ModuleType) -> None:
    folder = str(Path(plain_jobs.__file__ or "").parent)
    parent = subprocess.Popen([sys.executable, "-c", PARENT, folder], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    processes = [int(word) for word in parent.stdout.readline().split()]
    assert all(Path(f"/proc/{pid}").exists() for pid in processes)
    parent.kill()
    parent.wait()
    for _ in range(1000):
        if not any(_alive(pid) for pid in processes):
            return
        time.sleep(0.01)
    pytest.fail("a worker or the warm process has outlived its parent by 10 s")


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/exe").readlink() != Path()
    except OSError:
        return False
