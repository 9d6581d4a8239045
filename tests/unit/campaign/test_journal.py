"""The journal: rows as they were recorded, once each, and a table that is made of them."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from freefloat.campaign.journal import Journal, Row
from freefloat.campaign.results import frame_of
from freefloat.errors import InputError
from freefloat.workers.outcome import Cost, Outcome
from freefloat.workers.scenario_runs import Course


def row(n: int, metrics: dict[str, float], success: bool = True, status: str = "ok") -> Row:
    outcome = Outcome(status, "" if status == "ok" else "why", None, Cost(0.1, 0.2, 0.3, "host", "chip"))  # type: ignore[arg-type]
    return Row(n, 7 + n, [0.1 * n, "a"], metrics, success, outcome, {"q": Course("rad", np.full((2, 3), float(n)))})


def test_rows_come_back_in_the_order_of_cases_to_the_last_bit(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    given = [row(2, {"x": 0.1 + 0.2, "y": math.nan}), row(0, {"x": -0.0, "success": 1.0}), row(1, {}, False, "died")]
    for one in given:
        assert journal.record(one)
    assert not journal.record(row(2, {"x": 5.0})), "a row is written once"
    found = list(Journal(tmp_path, reading=True).rows())
    assert [r.case for r in found] == [0, 1, 2]
    assert found[2].metrics["x"] == 0.1 + 0.2
    assert math.isnan(found[2].metrics["y"])
    assert found[1].outcome.status == "died"
    assert journal.counts() == (3, 1, 2)
    assert [(n, c.unit, c.samples.shape) for n, c in journal.signals("q")] == [(n, "rad", (2, 3)) for n in range(3)]


def test_rows_of_a_status_are_forgotten(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    for one in (row(0, {"x": 1.0}), row(1, {}, False, "died"), row(2, {}, False, "failed")):
        journal.record(one)
    assert journal.forget(["died", "time-limit"]) == 1
    assert journal.done() == {0, 2}
    assert journal.record(row(1, {"x": 2.0}))


def test_the_table_has_nulls_for_what_is_missing_and_no_column_twice(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    for one in (row(1, {"y": 2.0, "success": 0.0}), row(0, {"x": math.nan}), row(2, {}, False, "died")):
        journal.record(one)
    frame = frame_of(journal, ["a.b", "c"])
    assert frame.columns[:7] == ["case", "seed", "in.a.b", "in.c", "metric.success", "x", "y"]
    assert frame["y"].to_list() == [None, 2.0, None]
    assert math.isnan(frame["x"][0])
    assert frame["x"].null_count() == 2
    assert frame["success"].to_list() == [True, True, False]
    assert frame["in.c"].to_list() == ["a"] * 3
    assert frame["run.cpu_s"].to_list() == [0.1] * 3


def test_a_folder_without_a_journal_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"it has no runs.sqlite"):
        Journal(tmp_path, reading=True)
    (tmp_path / "runs.sqlite").write_text("no base")
    with pytest.raises(InputError, match="not the journal of a campaign"):
        Journal(tmp_path, reading=True)
