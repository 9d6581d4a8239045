"""The recorder: the same rows whatever the buffer, and dense output between adaptive steps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import freefloat as ff
from freefloat.engine import ground as ground_module
from freefloat.engine.plant import Plant

FIXED_AND_ADAPTIVE = [ff.RK4(), ff.Dopri5(), ff.Dopri54()]
IDS = ["rk4", "dopri5", "dopri54"]


@pytest.fixture
def rows_with(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Rows of a tumbling body recorded through buffers of a given size."""

    def run(buffer_rows: int, integrator: Any, rate: float, events: Any = ()) -> ff.Result:
        def small(*args: Any, **kw: Any) -> Plant:
            return Plant(*args, **kw, buffer_rows=buffer_rows)

        monkeypatch.setattr(ground_module, "Plant", small)
        body = ff.RigidBody("bus", inertia=(3.0, 2.0, 1.5), motion=ff.Motion(w_WL_L=(1.0, 2.0, 3.0), v_WL=(1, 0, 0)))
        return ff.Mission([body], integrator=integrator, record_rate=rate, events=events).run(1.0)

    return run


@pytest.mark.parametrize("integrator", FIXED_AND_ADAPTIVE[:2], ids=IDS[:2])
@pytest.mark.parametrize("rate", [100.0, 1000.0, 1700.0])
def test_a_tiny_buffer_gives_the_same_rows_as_a_large_one(rows_with: Any, integrator: Any, rate: float) -> None:
    large, tiny = rows_with(4096, integrator, rate), rows_with(8, integrator, rate)
    period = round(1e9 / rate)  # [ns]; the end is recorded too where it is off the grid
    assert large["bus.p_WB"].shape[0] == -(-1_000_000_000 // period) + 1
    for name in large.signals:
        assert np.array_equal(large[name], tiny[name]), name


@pytest.mark.parametrize("rate", [10.0, 300.0, 1700.0])
def test_a_tiny_buffer_shortens_adaptive_steps_but_loses_no_row(rows_with: Any, rate: float) -> None:
    large, tiny = rows_with(4096, ff.Dopri54(), rate), rows_with(8, ff.Dopri54(), rate)
    assert np.array_equal(large.time("bus.p_WB"), tiny.time("bus.p_WB"))
    assert np.allclose(large["bus.q_WB"], tiny["bus.q_WB"], rtol=0.0, atol=1e-8)


@pytest.mark.parametrize("integrator", FIXED_AND_ADAPTIVE, ids=IDS)
def test_rows_come_at_every_period_also_around_events(rows_with: Any, integrator: Any) -> None:
    events = [ff.Event(f"e{k}", lambda s: None, "bus.p_WB", 0, 0.01 * k + 1e-10 * k, "rising") for k in range(1, 20)]
    result = rows_with(64, integrator, 1000.0, events)
    assert len(result.events) == 19
    assert np.allclose(result.time("bus.p_WB"), np.arange(1001) * 1e-3, rtol=0.0, atol=1e-15)
    assert np.allclose(result["bus.p_WB"][:, 0], result.time("bus.p_WB"), rtol=0.0, atol=1e-12)


def test_rows_between_adaptive_steps_agree_with_a_run_that_steps_to_them() -> None:
    body = ff.RigidBody("bus", inertia=(3.0, 2.0, 1.5), motion=ff.Motion(w_WL_L=(0.5, 1.0, 1.5)))
    integrator = ff.Dopri54(rtol=1e-11, atol=1e-12)
    dense = ff.Mission([body], integrator=integrator, record_rate=300.0).run(2.0)
    steps = dense.metrics["steps"]
    assert steps < 600 / 2, "most rows lie inside steps"
    session = ff.Mission([body], integrator=integrator).session()
    for t, q, w in zip(dense.time("bus.q_WB"), dense["bus.q_WB"], dense["bus.w_WB_B"], strict=True):
        session.advance_to(round(t * 1e9))
        assert np.allclose(session.read("bus.q_WB"), q, rtol=0.0, atol=1e-9), t
        assert np.allclose(session.read("bus.w_WB_B"), w, rtol=0.0, atol=1e-9), t


def test_how_often_the_plant_is_recorded_changes_no_adaptive_step() -> None:
    body = ff.RigidBody("bus", inertia=(3.0, 2.0, 1.5), motion=ff.Motion(w_WL_L=(1.0, 2.0, 3.0)))
    few, many = (ff.Mission([body], integrator=ff.Dopri54(), record_rate=r).run(1.0) for r in (1.0, 1000.0))
    assert few.metrics["steps"] == many.metrics["steps"]
    assert np.array_equal(few["bus.q_WB"][-1], many["bus.q_WB"][-1])


def test_the_log_holds_the_same_rows_as_the_result(tmp_path: Any) -> None:
    from freefloat.engine.log.reader import read_log

    body = ff.RigidBody("bus", inertia=(3.0, 2.0, 1.5), motion=ff.Motion(w_WL_L=(1.0, 2.0, 3.0)))
    result = ff.Mission([body], record_rate=1000.0).run(3.0, log=tmp_path / "log.mcap")
    frames = read_log(tmp_path / "log.mcap").frames
    assert set(frames) == set(result.frames)
    for group, frame in result.frames.items():
        assert frames[group].columns == frame.columns
        for name in frame.columns[1:]:
            assert np.array_equal(frames[group][name].to_numpy(), result[name]), name
