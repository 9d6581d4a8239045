"""Campaigns whose cases, workers and parents end badly: one row each with its reason, all others present and equal."""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import freefloat as ff
from freefloat.campaign.report import Campaign
from freefloat.campaign.versions import versions
from freefloat.errors import InputError, SimulationError
from freefloat.scenario import registry

TROUBLED = f"{Path(__file__).parent / 'campaigns' / 'troubled.py'}:Raising"
ENDINGS = {
    "raise": ("raised", "ZeroDivisionError: no box at all (troubled.py:85)"),
    "refuse": ("refused", "no box of this mass today"),
    "diverge": ("failed", "the state is no longer finite"),
    "segv": ("died", "its process was ended by SIGSEGV"),
    "endless": ("time-limit", "no end after 3 s"),
    "memory": ("memory-limit", "m"),  # more than ..., or no more memory
    "killed": ("died", "its process was ended by SIGKILL"),
}
BAD: dict[str, Any] = {
    "sampling": "grid",
    "vary": {"trouble": f"grid(none, {', none, '.join(ENDINGS)}, none)"},  # each between two that end well
    "time_limit": 3.0,
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


def table(campaign: Campaign) -> pl.DataFrame:
    """results.parquet without the columns of the machine."""
    frame = pl.read_parquet(campaign.folder / "results.parquet")
    return frame.select([name for name in frame.columns if not name.startswith("run.")])


def same(one: Campaign, other: Campaign) -> bool:
    """Whether two campaigns have the same table: names, types and bits."""
    return table(one).schema == table(other).schema and table(one).equals(table(other))


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Campaign:
    """Forty cases by one worker."""
    return ff.campaign(TROUBLED, runs=40, workers=1, out=tmp_path_factory.mktemp("one") / "c", **GOOD)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Two dask workers on this machine."""
    distributed = pytest.importorskip("distributed")
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    with distributed.LocalCluster(**options) as found:
        yield found


def test_two_workers_give_the_rows_of_one(one: Campaign, tmp_path: Path) -> None:
    assert 0 < one.frame["success"].sum() < 40
    two = ff.campaign(TROUBLED, runs=40, workers=2, out=tmp_path / "c", **GOOD)
    assert same(two, one)


def test_runs_raised_later_give_the_rows_of_all_at_once(one: Campaign, tmp_path: Path) -> None:
    ff.campaign(TROUBLED, runs=15, workers=1, out=tmp_path / "c", **GOOD)
    found = ff.campaign(TROUBLED, runs=40, workers=1, out=tmp_path / "c", resume=True, **GOOD)
    assert same(found, one)


def test_a_replay_has_the_metrics_of_its_row_to_the_last_bit(one: Campaign) -> None:
    for n in (3, 17):
        assert one.repeats(n, one.replay(n).metrics) is True
    assert one.repeats(3, one.replay(17).metrics) is False


def expect(found: Campaign) -> None:
    """One row each, with its reason; what ended well has the metrics that it has alone, to the last bit."""
    rows = table(found).to_dicts()
    assert [row["case"] for row in rows] == list(range(2 * len(ENDINGS) + 1))
    assert [row["in.trouble"] for row in rows[1::2]] == list(ENDINGS)
    for row in rows:
        status, reason = ENDINGS.get(row["in.trouble"], ("ok", ""))
        assert row["status"] == status, row
        assert reason in row["reason"], row
        assert row["success"] == (row["last_rate"] is not None) == (status == "ok")
        if status == "ok":
            assert found.repeats(row["case"], found.replay(row["case"]).metrics), row


@pytest.fixture(scope="module")
def bad(tmp_path_factory: pytest.TempPathFactory) -> Campaign:
    """Every ending, by two workers."""
    return ff.campaign(TROUBLED, workers=2, out=tmp_path_factory.mktemp("bad") / "c", **BAD)


def test_every_bad_ending_is_one_row_with_its_reason(bad: Campaign) -> None:
    expect(bad)


def test_every_bad_ending_is_the_same_row_on_a_cluster(cluster: Any, tmp_path: Path) -> None:
    expect(ff.campaign(TROUBLED, scheduler=cluster.scheduler_address, out=tmp_path / "c", **BAD))


def test_cases_of_a_status_are_run_again_when_asked_for(bad: Campaign) -> None:
    before = table(bad)
    again = ff.campaign(TROUBLED, workers=1, out=bad.folder, retry=["raised", "failed"], **BAD)
    assert table(again).equals(before)


def test_a_killed_dask_worker_loses_nothing_doubles_nothing_and_leaves_nothing(
    one: Campaign, cluster: Any, tmp_path: Path
) -> None:
    folder = tmp_path / "c"
    victim = next(iter(cluster.workers.values())).pid
    below: list[int] = []

    def kill() -> None:
        wait_for(lambda: _count(folder) >= 3)
        below.extend(_below(victim))
        os.kill(victim, signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    found = ff.campaign(TROUBLED, runs=40, scheduler=cluster.scheduler_address, out=folder, **GOOD)
    killer.join()
    assert same(found, one)
    assert below, "a warm process"
    wait_for(lambda: not any(_running(pid) for pid in below))


def test_a_cluster_with_another_version_is_refused_by_name(
    cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = os.getpid()

    def told() -> dict[str, str]:
        return {**versions(), "numpy": "1.0"} if os.getpid() == here else versions()

    monkeypatch.setattr("freefloat.campaign.cluster.versions", told)
    with pytest.raises(InputError, match=r"not the same here and in worker tcp://.*: numpy 1\.0 and \d"):
        ff.campaign(TROUBLED, runs=4, scheduler=cluster.scheduler_address, out=tmp_path / "c", **GOOD)
    assert not (tmp_path / "c").exists()


def test_when_the_scheduler_leaves_what_has_ended_is_kept(one: Campaign, tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    folder = tmp_path / "c"
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0") as cluster:

        def leave() -> None:
            wait_for(lambda: _count(folder) >= 3)
            cluster.close()

        leaver = threading.Thread(target=leave)
        leaver.start()
        with pytest.raises(SimulationError, match="the scheduler has left; what has ended is kept"):
            ff.campaign(TROUBLED, runs=2000, scheduler=cluster.scheduler_address, out=folder, **GOOD)
        leaver.join()
    done = _count(folder)
    assert 3 <= done < 2000
    frame = table(Campaign(folder))
    assert len(frame) == done
    both = frame.join(table(one), on="case", suffix=" alone")
    assert len(both) >= 3
    assert all((both[name] == both[f"{name} alone"]).all() for name in frame.columns if name != "case")


def command(scenario: str, folder: Path, runs: int, given: dict[str, Any], *more: str) -> list[str]:
    """The command of a campaign by one worker."""
    vary = [text for path, how in given["vary"].items() for text in ("--vary", f"{path}={how}")]
    vary += [text for path, value in given.get("set", {}).items() for text in ("--set", f"{path}={value}")]
    options = ["--success", given["success"], "--runs", str(runs), "--workers", "1", "--out", str(folder), "--json"]
    return [sys.executable, "-m", "freefloat", "campaign", scenario, *vary, *options, *more]


def killed_and_resumed(line: list[str], folder: Path, kills: int, most: int) -> Campaign:
    """A campaign whose parent is killed at random instants, at most `most` cases after its start, each time resumed."""
    draw, done = random.Random(kills), 0
    for _ in range(kills):
        parent = subprocess.Popen([*line, "--resume"], stdout=subprocess.DEVNULL)
        after = done + draw.randrange(0, most)
        wait_for(lambda after=after: _count(folder) > after)
        time.sleep(draw.uniform(0.0, 0.02))  # anywhere between two cases
        parent.kill()
        parent.wait()
        assert _count(folder) >= done
        done = _count(folder)
    ended = subprocess.run([*line, "--resume"], stdout=subprocess.PIPE, text=True, check=False)
    assert ended.returncode == 0
    assert 0 < done < json.loads(ended.stdout)["cases"], "it was killed on the way"
    return Campaign(folder)


def test_a_campaign_killed_at_random_instants_goes_on_where_it_was(one: Campaign, tmp_path: Path) -> None:
    line = command(TROUBLED, tmp_path / "c", 40, GOOD)
    assert same(killed_and_resumed(line, tmp_path / "c", 2, 8), one)


@pytest.mark.slow
def test_two_hundred_cases_have_one_table_whoever_runs_them_and_however_often_they_are_killed(
    cluster: Any, tmp_path: Path
) -> None:
    given: dict[str, Any] = {
        "set": {"duration": 5.0},
        "vary": {"thrusters.strength_sigma": "uniform(0, 0.3)", "floor.seed": "choice(1, 2, 3)"},
        "success": "rms_position_m < 0.005",
    }

    def by(name: str, runs: int, **how: Any) -> Campaign:
        return ff.campaign("reacsa-line", runs=runs, out=tmp_path / name, progress=False, **given, **how)

    first = by("one", 200, workers=1)
    assert 20 < first.frame["success"].sum() < 180
    assert same(by("two", 200, workers=2), first)
    assert same(by("cluster", 200, scheduler=cluster.scheduler_address), first)
    for name, before, after in [
        ("raised", {"workers": 1}, {"workers": 2}),
        ("raised-on-cluster", {"workers": 1}, {"scheduler": cluster.scheduler_address}),
    ]:
        assert table(by(name, 100, **before)).equals(table(first).head(100))
        assert same(by(name, 200, resume=True, **after), first)
    line = command("reacsa-line", tmp_path / "killed", 200, given)
    assert same(killed_and_resumed(line, tmp_path / "killed", 5, 35), first)
    assert all(first.repeats(n, first.replay(n).metrics) for n in range(0, 200, 10))


def test_no_process_is_left_when_the_parent_is_killed_during_an_endless_run(tmp_path: Path) -> None:
    folder = tmp_path / "c"
    line = [sys.executable, "-m", "freefloat", "campaign", TROUBLED, "--sampling", "grid", "--workers", "1"]
    parent = subprocess.Popen([*line, "--vary", "trouble=grid(none, endless)", "--out", str(folder)])
    wait_for(lambda: _count(folder) == 1)
    below = _below(parent.pid)
    assert len(below) == 2, "the warm process and a worker"
    begun = time.monotonic()
    parent.kill()
    parent.wait()
    wait_for(lambda: not any(_running(pid) for pid in below))
    assert time.monotonic() - begun < 2.0, "what is promised; the kernel ends them one after the other in milliseconds"


def test_an_interrupt_keeps_all_and_says_how_to_go_on(one: Campaign, tmp_path: Path) -> None:
    folder = tmp_path / "c"
    parent = subprocess.Popen(
        command(TROUBLED, folder, 40, GOOD), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
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
    assert same(Campaign(folder), one)


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
