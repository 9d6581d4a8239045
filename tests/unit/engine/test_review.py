"""A mission's review: its figures and events are in the result and in the log, wherever the rows are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from freefloat.engine.blueprint import Motion
from freefloat.engine.event import Event, Fired
from freefloat.engine.log.reader import read_log
from freefloat.engine.mission import Mission
from freefloat.engine.result import Result
from freefloat.engine.review import Review
from freefloat.structure.body import RigidBody


def farthest(result: Result) -> Review:
    x = result["body.p_WB"][:, 0]
    return Review({"farthest_m": float(x.max())}, [Fired(float(result.time("body.p_WB")[len(x) // 2]), "half", "way")])


def mission() -> Mission:
    body = RigidBody("body", motion=Motion(v_WL=(1.0, 0.0, 0.0)))
    return Mission([body], events=[Event("late", lambda _: "it is late", at=0.8)], record_rate=10.0, review=farthest)


@pytest.mark.parametrize("keep", [True, False])
def test_a_review_sees_all_rows_and_its_events_stand_in_the_log(tmp_path: Path, keep: bool) -> None:
    result = mission().run(1.0, log=tmp_path / "log.mcap", keep=keep)
    assert result.metrics["farthest_m"] == pytest.approx(1.0)
    assert result.metrics["events"] == 1.0, "of the run itself"
    assert [(e.name, e.t) for e in result.events] == [("half", 0.5), ("late", 0.8)]
    log = read_log(tmp_path / "log.mcap")
    assert log.complete
    assert sorted(zip(log.events["t"], log.events["name"], strict=True)) == [(0.5, "half"), (0.8, "late")]


def test_a_review_needs_no_log() -> None:
    assert mission().run(2.0).metrics["farthest_m"] == pytest.approx(2.0)


def test_a_run_that_breaks_off_is_not_reviewed(tmp_path: Path) -> None:
    def stop(_: object) -> None:
        raise KeyboardInterrupt

    def never(_: Result) -> Review:
        raise AssertionError

    broken = Mission([RigidBody("body")], events=[Event("stop", stop, at=0.5)], review=never)
    with pytest.raises(KeyboardInterrupt):
        broken.run(1.0, log=tmp_path / "log.mcap")
    assert np.isfinite(read_log(tmp_path / "log.mcap").frames["plant"]["t"].to_numpy()).all()
