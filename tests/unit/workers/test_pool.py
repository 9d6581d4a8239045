"""Many tasks on few workers: whatever becomes of one, the others have their outcome."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from freefloat.workers.limits import Limits
from freefloat.workers.pool import Pool


def outcomes(pool: Pool, tasks: list[str]) -> list[tuple[str, str, Any]]:
    """Status, reason and value of each task, in the order of the tasks."""
    found = list(pool.outcomes(enumerate(tasks)))
    assert sorted(n for n, _ in found) == list(range(len(tasks))), "each task has one outcome"
    return [(o.status, o.reason, o.value) for _, o in sorted(found, key=lambda one: one[0])]


@pytest.mark.parametrize("workers", [1, 3])
def test_every_task_has_its_own_outcome_whatever_becomes_of_others(plain_jobs: ModuleType, workers: int) -> None:
    tasks = ["a", "raise", "b", "refuse", "segv", "fail", "c", "leave", "killed", "exit", "d", "lambda", "large", "e"]
    with Pool(plain_jobs.Words(), workers) as pool:
        found = outcomes(pool, tasks)
        again = outcomes(pool, ["f", "segv", "g"])
    assert [f[:2] for f in found] == [
        ("ok", ""),
        ("raised", "ValueError: not this (plain_jobs.py:37)"),
        ("ok", ""),
        ("refused", "not that"),
        ("died", "its process was ended by SIGSEGV"),
        ("failed", "no further"),
        ("ok", ""),
        ("died", "its process left with exit code 3"),
        ("died", "its process was ended by SIGKILL"),
        ("raised", "SystemExit: 4 (plain_jobs.py:45)"),
        ("ok", ""),
        (
            "raised",
            "its answer cannot be sent: AttributeError: Can't pickle local object 'Words.run.<locals>.<lambda>'",
        ),
        ("ok", ""),
        ("ok", ""),
    ]
    assert [f[2] for f, task in zip(found, tasks, strict=True) if len(task) == 1] == list("abcde")
    assert [f[0] for f in again] == ["ok", "died", "ok"]


def test_what_takes_too_long_is_ended_and_the_next_is_not_blamed(plain_jobs: ModuleType) -> None:
    with Pool(plain_jobs.Words(), 2, Limits(time=3.0)) as pool:
        found = outcomes(pool, ["sleep", "a", "b", "sleep", "c", "d"])
    assert [f[:2] for f in found if f[0] != "ok"] == [("time-limit", "no end after 3 s")] * 2
    assert [f[2] for f in found if f[0] == "ok"] == list("abcd")


def test_what_fills_the_memory_is_ended_and_the_next_is_not_blamed(plain_jobs: ModuleType) -> None:
    with Pool(plain_jobs.Words(), 1, Limits(memory=200_000_000)) as pool:
        found = outcomes(pool, ["a", "memory", "b", "memory", "c"])
    assert [f[0] for f in found] == ["ok", "memory-limit", "ok", "memory-limit", "ok"]


def test_an_allocation_beyond_what_anybody_watches_is_a_memory_error(
    plain_jobs: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("freefloat.workers.pool.resident", lambda pid: 0)
    with Pool(plain_jobs.Words(), 1, Limits(memory=150_000_000)) as pool:
        found = outcomes(pool, ["memory", "b"])
    assert found[0][0] == "memory-limit"
    assert found[0][1].startswith("no more memory: ")
    assert found[1][:1] == ("ok",)


def test_workers_have_one_thread_and_one_thread_of_blas(plain_jobs: ModuleType) -> None:
    with Pool(plain_jobs.Words(), 1) as pool:
        assert [f[2] for f in outcomes(pool, ["threads", "blas"])] == [1, "1"]


def test_a_worker_killed_from_outside_loses_one_task(plain_jobs: ModuleType) -> None:
    with Pool(plain_jobs.Words(), 1) as pool:
        [(_, first)] = pool.outcomes([(0, "process")])
        threading.Timer(1.0, os.kill, (first.value[0], signal.SIGKILL)).start()
        found = outcomes(pool, ["sleep", "a", "b"])
        assert [f[0] for f in found] == ["died", "ok", "ok"]


def test_a_warm_process_that_is_killed_is_started_again(plain_jobs: ModuleType) -> None:
    with Pool(plain_jobs.Words(), 2) as pool:
        before = pool.hearth.pid
        threading.Timer(1.0, os.kill, (before, signal.SIGKILL)).start()
        found = outcomes(pool, ["sleep", "sleep", "a", "b"])
        assert pool.hearth.pid != before
    assert [f[0] for f in found] == ["died", "died", "ok", "ok"]
    assert "the warm process above its own: its process was ended by SIGKILL" in found[0][1]


def test_nothing_runs_after_a_pool_is_closed(plain_jobs: ModuleType) -> None:
    with Pool(plain_jobs.Words(), 2) as pool:
        found = [o.value for _, o in pool.outcomes([(0, "process"), (1, "process")])]
        processes = {pool.hearth.pid, *(pid for pid, _ in found), *(parent for _, parent in found)}
        assert all(Path(f"/proc/{pid}").exists() for pid in processes)
        tasks = pool.outcomes([(0, "a"), (1, "sleep"), (2, "sleep")])
        next(tasks)
    assert gone(processes)


def gone(processes: set[int]) -> bool:
    """Whether all end within ten seconds; two do where nothing else runs."""
    for _ in range(1000):
        if not any(_runs(pid) for pid in processes):
            return True
        time.sleep(0.01)
    return False


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
