"""Campaigns whose cases, workers and parents end badly: one row each with its reason, all others present and equal."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import freefloat as ff
from freefloat.campaign.report import Campaign
from freefloat.scenario import registry

TROUBLED = f"{Path(__file__).parent / 'campaigns' / 'troubled.py'}:Raising"
ENDINGS = {
    "none": ("ok", ""),
    "raise": ("raised", "ZeroDivisionError: no box at all (troubled.py:85)"),
    "refuse": ("refused", "no box of this mass today"),
    "diverge": ("failed", "the state is no longer finite"),
    "segv": ("died", "its process was ended by SIGSEGV"),
    "endless": ("time-limit", "no end after 6 s"),
    "memory": ("memory-limit", "m"),  # more than ..., or no more memory
    "killed": ("died", "its process was ended by SIGKILL"),
}
BAD: dict[str, Any] = {
    "sampling": "grid",
    "vary": {"trouble": f"grid({', '.join(ENDINGS)})", "mass": "grid(1 kg to 3 kg, 2)"},
    "time_limit": 6.0,
    "memory_limit": "400 MB",
    "progress": False,
}
GOOD: dict[str, Any] = {
    "vary": {"mass": "uniform(1 kg, 3 kg)", "duration": "choice(0.1 s, 0.2 s)"},
    "success": "last_rate > 0.5",
    "progress": False,
}


@pytest.fixture(scope="module", autouse=True)
def _leave_no_kind() -> Iterator[None]:
    """Scenarios of these tests are forgotten: other tests list all that there are."""
    yield
    for kind in ("troubled", "raising"):
        registry.scenarios.remove(kind)


def rows(campaign: Campaign) -> list[dict[str, Any]]:
    """All columns but those of the machine."""
    frame = campaign.frame
    return frame.select([name for name in frame.columns if not name.startswith("run.")]).to_dicts()


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Campaign:
    """Forty cases by one worker."""
    return ff.campaign(TROUBLED, runs=40, workers=1, out=tmp_path_factory.mktemp("one") / "c", **GOOD)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Two dask workers on this machine."""
    distributed = pytest.importorskip("distributed")
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with distributed.LocalCluster(**options) as found:
        yield found


def test_two_workers_give_the_rows_of_one(one: Campaign, tmp_path: Path) -> None:
    assert 0 < one.frame["success"].sum() < 40
    two = ff.campaign(TROUBLED, runs=40, workers=2, out=tmp_path / "c", **GOOD)
    assert rows(two) == rows(one)


def test_a_dask_cluster_gives_the_rows_of_one_worker(one: Campaign, cluster: Any, tmp_path: Path) -> None:
    found = ff.campaign(TROUBLED, runs=40, scheduler=cluster.scheduler_address, out=tmp_path / "c", **GOOD)
    assert rows(found) == rows(one)


def test_runs_raised_later_give_the_rows_of_all_at_once(one: Campaign, tmp_path: Path) -> None:
    ff.campaign(TROUBLED, runs=15, workers=1, out=tmp_path / "c", **GOOD)
    found = ff.campaign(TROUBLED, runs=40, workers=1, out=tmp_path / "c", resume=True, **GOOD)
    assert rows(found) == rows(one)


def test_a_replay_has_the_metrics_of_its_row_to_the_last_bit(one: Campaign) -> None:
    for n in (3, 17):
        assert one.repeats(n, one.replay(n).metrics) is True
    assert one.repeats(3, one.replay(17).metrics) is False


def expect(found: Campaign) -> None:
    table = rows(found)
    assert [row["case"] for row in table] == list(range(2 * len(ENDINGS)))
    for row in table:
        status, reason = ENDINGS[row["in.trouble"]]
        assert row["status"] == status, row
        assert reason in row["reason"], row
        assert row["success"] == (row["last_rate"] is not None) == (status == "ok")


@pytest.fixture(scope="module")
def bad(tmp_path_factory: pytest.TempPathFactory) -> Campaign:
    """Every ending twice, by two workers; the folders of those that failed are kept."""
    return ff.campaign(TROUBLED, workers=2, out=tmp_path_factory.mktemp("bad") / "c", **BAD)


def test_every_bad_ending_is_one_row_with_its_reason(bad: Campaign) -> None:
    expect(bad)


def test_every_bad_ending_is_the_same_row_on_a_cluster(bad: Campaign, cluster: Any, tmp_path: Path) -> None:
    found = ff.campaign(TROUBLED, scheduler=cluster.scheduler_address, out=tmp_path / "c", **BAD)
    expect(found)
    assert [r for r in rows(found) if r["status"] == "ok"] == [r for r in rows(bad) if r["status"] == "ok"]


def test_cases_of_a_status_are_run_again_when_asked_for(bad: Campaign) -> None:
    before = rows(bad)
    again = ff.campaign(TROUBLED, workers=1, out=bad.folder, retry=["raised", "failed"], **BAD)
    assert rows(again) == before


def test_a_killed_dask_worker_loses_nothing_and_doubles_nothing(one: Campaign, cluster: Any, tmp_path: Path) -> None:
    import threading

    folder = tmp_path / "c"
    victim = next(iter(cluster.workers.values())).pid

    def kill() -> None:
        wait_for(lambda: _count(folder) >= 3)
        os.kill(victim, signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    found = ff.campaign(TROUBLED, runs=40, scheduler=cluster.scheduler_address, out=folder, **GOOD)
    killer.join()
    assert rows(found) == rows(one)


def command(folder: Path, *more: str) -> list[str]:
    """The command of the forty cases."""
    vary = [text for path, how in GOOD["vary"].items() for text in ("--vary", f"{path}={how}")]
    options = ["--success", GOOD["success"], "--runs", "40", "--workers", "1", "--out", str(folder), "--json", *more]
    return [sys.executable, "-m", "freefloat", "campaign", TROUBLED, *vary, *options]


@pytest.mark.parametrize("kills", [2, pytest.param(5, marks=pytest.mark.slow)])
def test_a_campaign_killed_at_random_instants_goes_on_where_it_was(one: Campaign, tmp_path: Path, kills: int) -> None:
    draw = random.Random(kills)
    folder, done = tmp_path / "c", 0
    for _ in range(kills):
        parent = subprocess.Popen([*command(folder), "--resume"], stdout=subprocess.DEVNULL)
        after = done + draw.randrange(0, 8)
        wait_for(lambda after=after: _count(folder) > after)
        parent.kill()
        parent.wait()
        assert _count(folder) >= done
        done = _count(folder)
    assert 0 < done < 40
    assert subprocess.run([*command(folder), "--resume"], stdout=subprocess.DEVNULL, check=False).returncode == 0
    assert rows(Campaign(folder)) == rows(one)


def test_no_process_is_left_when_the_parent_is_killed_during_an_endless_run(tmp_path: Path) -> None:
    folder = tmp_path / "c"
    line = [sys.executable, "-m", "freefloat", "campaign", TROUBLED, "--sampling", "grid", "--workers", "1"]
    parent = subprocess.Popen([*line, "--vary", "trouble=grid(none, endless)", "--out", str(folder)])
    wait_for(lambda: _count(folder) == 1)
    below = _below(parent.pid)
    assert len(below) == 2, "the warm process and a worker"
    parent.kill()
    parent.wait()
    deadline = time.monotonic() + 10.0  # 2 s on a machine that does nothing else
    while any(_running(pid) for pid in below):
        assert time.monotonic() < deadline, "a process has outlived its parent by 10 s"
        time.sleep(0.01)


def test_an_interrupt_keeps_all_and_says_how_to_go_on(one: Campaign, tmp_path: Path) -> None:
    folder = tmp_path / "c"
    parent = subprocess.Popen(command(folder), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_for(lambda: _count(folder) >= 2)
    parent.send_signal(signal.SIGINT)
    out, err = parent.communicate()
    assert parent.returncode == 130
    assert out == ""
    told = err.strip().splitlines()[-1]
    assert f"go on with: freefloat campaign {folder} --resume --workers 1" in told
    assert (folder / "results.parquet").is_file()
    line = told.partition("go on with: freefloat ")[2].split()
    assert (
        subprocess.run([sys.executable, "-m", "freefloat", *line], check=False, stdout=subprocess.DEVNULL).returncode
        == 0
    )
    assert rows(Campaign(folder)) == rows(one)


def _count(folder: Path) -> int:
    """Rows of the journal, of a campaign that may not have begun."""
    with (
        contextlib.suppress(sqlite3.Error),
        contextlib.closing(sqlite3.connect(f"file:{folder}/runs.sqlite?mode=ro", uri=True)) as base,
    ):
        return base.execute("SELECT count(*) FROM cases").fetchone()[0]
    return 0


def wait_for(is_so: Callable[[], bool]) -> None:
    """Five minutes at most: a process starts slowly beside many others."""
    for _ in range(60_000):
        if is_so():
            return
        time.sleep(0.005)
    pytest.fail("waited for five minutes")


def _below(pid: int) -> list[int]:
    """Processes started by a process, and by those."""
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text().split():
            found += [int(child), *_below(int(child))]
    return found


def _running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
