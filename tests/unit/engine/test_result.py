"""What a run gives back."""

from __future__ import annotations

import dataclasses
import re
import sys
from typing import Any

import numpy as np
import polars as pl
import pytest

import freefloat as ff
from freefloat.errors import InputError


@pytest.fixture(scope="module")
def result() -> ff.Result:
    class Count:
        def update(self, t: float, meas: Any) -> Any:
            return {"n": t}

    task = ff.Task(Count(), 0.05, records={"n": ff.Signal("count.n", "-", meaning="of updates")})
    body = ff.RigidBody("bus", frames={"nose": ff.Pose.identity()}, motion=ff.Motion(v_WL=(1.0, 0.0, 0.0)))
    return ff.Mission([body], [task], record_rate=50.0).run(0.2)


def test_arrays_have_the_signals_shape_and_times(result: ff.Result) -> None:
    assert result["bus.p_WB"].shape == (11, 3)
    assert result["bus.q_WB"].shape == (11, 4)
    assert result["count.n"].shape == (4,)
    assert np.allclose(result.time("bus.p_WB"), np.arange(11) * 0.02)
    assert np.allclose(result["bus.p_WB"][:, 0], result.time("bus.p_WB"))


def test_arrays_are_copies(result: ff.Result) -> None:
    result["bus.p_WB"][:] = 7.0
    result.time("bus.p_WB")[:] = 7.0
    assert result["bus.p_WB"][0, 0] == 0.0
    assert result.time("bus.p_WB")[0] == 0.0


def test_frames_hold_every_signal_of_a_rate_in_one_table(result: ff.Result) -> None:
    frames = result.frames
    assert set(frames) == {"plant", "audit", "count"}
    plant = frames["plant"]
    assert isinstance(plant, pl.DataFrame)
    assert {"t", "bus.p_WB", "bus.q_WB", "bus.v_WB", "bus.w_WB_B", "bus.nose.p_WF"} <= set(plant.columns)
    assert np.array_equal(plant["bus.p_WB"].to_numpy(), result["bus.p_WB"])
    assert frames["count"]["count.n"].to_list() == pytest.approx([0.0, 0.05, 0.1, 0.15])
    assert {name for f in frames.values() for name in f.columns if name != "t"} == set(result.signals)


def test_every_signal_says_its_unit_and_meaning(result: ff.Result) -> None:
    assert all(s.unit and s.meaning for s in result.signals.values())


def test_an_unknown_signal_is_refused_with_the_nearest(result: ff.Result) -> None:
    for ask in (result.__getitem__, result.time, result.plot):
        with pytest.raises(InputError, match=r"'bus.p_WV'.*[Dd]id you mean 'bus.p_WB'"):
            ask("bus.p_WV")


def test_a_plot_is_a_figure_with_units_and_can_be_written(result: ff.Result, tmp_path: Any) -> None:
    figure = result.plot("bus.p_WB", "bus.v_WB", path=tmp_path / "p.png")
    labels = " ".join(axis.get_ylabel() for axis in figure.axes)
    assert "m/s" in labels
    assert "s" in figure.axes[-1].get_xlabel()
    assert (tmp_path / "p.png").read_bytes()[:4] == b"\x89PNG"


def test_a_notebook_shows_metrics_and_the_audits_verdict(result: ff.Result) -> None:
    html = result._repr_html_()
    assert "a mission of bus: 0.2 s in " in html
    assert "The audit passed" in html
    assert "<td style='text-align:left'>count.n</td>" in html
    assert "energy_drift</td><td style='text-align:right'>" in result.audit._repr_html_()


def test_metrics_hold_audit_duration_steps_and_events(result: ff.Result) -> None:
    assert result.metrics["duration_s"] == 0.2
    assert result.metrics["steps"] == 200.0
    assert result.metrics["events"] == 0.0
    assert result.metrics["audit.mass_drift"] == 0.0
    assert all(isinstance(v, float) for v in result.metrics.values())


def test_a_run_of_no_time_has_one_row() -> None:
    result = ff.Mission([ff.RigidBody("bus")]).run(0.0)
    assert result["bus.p_WB"].shape == (1, 3)
    assert result.audit.passed


def test_a_run_can_be_completed_in_parts_and_results_taken_in_between() -> None:
    mission = ff.Mission([ff.RigidBody("bus", motion=ff.Motion(v_WL=(1.0, 0.0, 0.0)))])
    session = mission.session()
    first = mission.complete(session, 0.1)
    both = mission.complete(session, 0.2)
    assert np.array_equal(both["bus.p_WB"][:11], first["bus.p_WB"])
    assert np.array_equal(both["bus.p_WB"], mission.run(0.2)["bus.p_WB"])


def test_a_result_prints_as_one_screen(result: ff.Result) -> None:
    text = str(result)
    assert text == repr(result)
    assert text.startswith("a mission of bus: 0.2 s in ")
    assert "The audit passed" in text
    assert len(text.splitlines()) <= 24
    assert max(map(len, text.splitlines())) <= 80
    assert re.search(r"plant +11 rows +\d+ of bus", text)
    assert re.search(r"count +4 rows +count.n", text)


def test_many_metrics_are_cut_to_a_screen(result: ff.Result) -> None:
    many = dataclasses.replace(result, metrics={f"metric_{k}_m": float(k) for k in range(50)})
    assert "... and 35 more" in str(many)
    assert len(str(many).splitlines()) <= 30


def test_an_audit_prints_each_law_beside_its_limit(result: ff.Result) -> None:
    assert re.search(r"energy_drift +\S+ +limit 1e-06 +ok", str(result.audit))


def test_a_group_becomes_a_pandas_table_over_time(result: ff.Result) -> None:
    table = result.to_pandas()
    assert table.index.name == "t"
    assert np.array_equal(table.index, result.time("bus.p_WB"))
    for k in range(3):
        assert np.array_equal(table[f"bus.p_WB[{k}]"], result["bus.p_WB"][:, k])
    assert table.attrs["units"]["bus.v_WB[0]"] == "m/s"
    assert list(result.to_pandas("count").columns) == ["count.n"]
    with pytest.raises(InputError, match=r"recorded group 'cuont'.*Did you mean 'count'"):
        result.to_pandas("cuont")


def test_without_pandas_it_is_said_how_to_install_it(result: ff.Result, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(InputError, match=r"needs the package 'pandas'.*\[notebook\]"):
        result.to_pandas()
