"""The recorder: the same rows whatever the buffer, records with rates of their own, live views, runs without rows."""

from __future__ import annotations

import copy
import pickle
import signal
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import freefloat as ff
from freefloat.engine import ground as ground_module
from freefloat.engine.recorder import Live
from freefloat.errors import InputError, RecordWarning

FIXED_AND_ADAPTIVE = [ff.RK4(), ff.Dopri5(), ff.Dopri54()]
IDS = ["rk4", "dopri5", "dopri54"]


@pytest.fixture
def rows_with(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Rows of a tumbling body recorded through buffers of a given size."""

    def run(buffer_rows: int, integrator: Any, rate: float, events: Any = ()) -> ff.Result:
        monkeypatch.setattr(ground_module, "ROWS", buffer_rows)
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


SPIN = ff.Motion(w_WL_L=(0.3, 0.1, 0.2), v_WL=(0.1, 0.0, 0.0))


def mission(**options: Any) -> ff.Mission:
    return ff.Mission([ff.RigidBody("a", motion=SPIN), ff.RigidBody("b")], **options)


def test_a_record_has_its_own_rate_and_the_rest_keeps_its() -> None:
    plain = mission(record_rate=50.0).run(0.5)
    result = mission(record_rate=50.0, records=[ff.Record("fine", ["a.p_WB", "a.f_WB_B"], 500.0)]).run(0.5)
    assert np.array_equal(result["a.p_WB"], plain["a.p_WB"]), "on the grid of the steps nothing else changes"
    fine = result.of("fine")
    assert np.array_equal(fine.t, np.arange(251) / 500.0)
    assert np.array_equal(fine["a.p_WB"][::10], result["a.p_WB"])
    assert list(fine) == ["a.p_WB", "a.f_WB_B"]
    assert "a.f_WB_B" not in plain.frames["plant"].columns
    assert np.array_equal(result["a.f_WB_B"], fine["a.f_WB_B"]), "the only group that has it"
    assert result.frames["fine"].height == 251


def test_a_record_faster_than_the_step_cuts_it_and_says_so() -> None:
    fast = mission(records=[ff.Record("fast", ["a.p_WB"], 5000.0)])
    with pytest.warns(RecordWarning, match=r"'fast' at 5000 Hz is faster than the step of 1 ms: .* cut to 0.2 ms"):
        session = fast.session()
    session.step(0.01)
    assert session.world.steps == 50
    with pytest.warns(RecordWarning, match=r"'odd' at 300 Hz does not fall on steps of 1 ms"):
        mission(records=[ff.Record("odd", ["a.p_WB", "a.p_WB"], 300.0)]).session()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ff.Record("r", [], 10.0), "record 'r': no signals"),
        (lambda: ff.Record("r", ["a.p_WB"], 0.0), "record 'r': rate 0.0 Hz; allowed"),
        (lambda: ff.Record("r", "a.p_WB", 1.0), "signals 'a.p_WB'; allowed: a list of names"),
        (lambda: mission().session().recorder.live(0), "live view of 0 rows; allowed: 1 or more"),
        (lambda: ff.Record("a b", ["a.p_WB"], 1.0), "record name 'a b'"),
        (lambda: mission(records=[ff.Record("audit", ["a.p_WB"], 1.0)]).session(), "a group of that name"),
        (lambda: mission(records=[ff.Record("x", ["a.p"], 1.0)]).session(), "unknown signal 'a.p'"),
    ],
)
def test_an_impossible_record_is_refused(make: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        make()


def test_a_run_that_only_logs_keeps_no_rows_and_gives_the_same_result(tmp_path: Path) -> None:
    records = [ff.Record("fine", ["a.q_WB"], 200.0)]
    kept = mission(records=records).run(2.0, log=tmp_path / "kept.mcap")
    session = mission(records=records).session()
    logged = mission(records=records).complete(session, 2.0, log=tmp_path / "logged.mcap", keep=False)
    assert session.recorder.memory is None
    assert logged.metrics == kept.metrics, "to the last bit: the audit ran along"
    for name in kept.signals:
        assert np.array_equal(logged[name], kept[name]), name
        assert np.array_equal(logged.time(name), kept.time(name)), name
    assert np.array_equal(logged.of("fine")["a.q_WB"], kept.of("fine")["a.q_WB"])
    for name, errors in kept.audit.history.items():
        assert np.array_equal(logged.audit.history[name], errors), name
    with pytest.raises(InputError, match="needs a log"):
        mission().run(1.0, keep=False)


def test_a_session_that_keeps_no_rows_runs_once_and_says_so(tmp_path: Path) -> None:
    m = mission()
    session = m.session()
    (tmp_path / "there.mcap").touch()
    with pytest.raises(InputError, match="exists"):
        m.complete(session, 0.5, log=tmp_path / "there.mcap", keep=False)
    m.complete(session, 0.5, log=tmp_path / "log.mcap", keep=False)
    with pytest.raises(InputError, match="this session has run with keep=False"):
        m.complete(session, 1.0)
    with pytest.raises(InputError, match="keeps no rows"):
        session.recorder.rows("plant")
    fresh = m.session()
    with pytest.raises(InputError, match="a session that keeps no rows in memory, and this one does not"):
        fresh.restore(session.snapshot())


@pytest.mark.parametrize("keep", [True, False])
def test_a_result_can_be_copied_and_saved(tmp_path: Path, keep: bool) -> None:
    result = mission().run(0.2, log=tmp_path / "log.mcap", keep=keep)
    for again in (copy.deepcopy(result), pickle.loads(pickle.dumps(result))):
        assert np.array_equal(again["a.p_WB"], result["a.p_WB"])
        assert np.array_equal(again.audit.history["energy_drift"], result.audit.history["energy_drift"])


def test_a_fork_keeps_the_rows_from_before_it(tmp_path: Path) -> None:
    m = mission()
    session = m.session()
    session.step(0.5)
    forked = m.session()
    forked.restore(session.snapshot())
    assert len(m.complete(forked, 1.0, log=tmp_path / "log.mcap", keep=False)["a.p_WB"]) == 101


@pytest.mark.parametrize("other", [ff.Record("d", ["a.v_WB"], 10.0), ff.Record("d", ["a.p_WB"], 20.0)])
def test_a_snapshot_with_other_records_is_refused(other: ff.Record) -> None:
    session = mission(records=[ff.Record("d", ["a.p_WB"], 10.0)]).session()
    with pytest.raises(InputError, match="it does not record 'd' as this one"):
        mission(records=[other]).session().restore(session.snapshot())


def test_an_interrupt_inside_a_drain_waits_for_its_end(tmp_path: Path) -> None:
    session = mission().session()
    session.step(0.3)
    live = session.recorder.live(rows=100)
    live.write = lambda group, rows: signal.raise_signal(signal.SIGINT)  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(KeyboardInterrupt):
        session.recorder.drain()
    assert len(session.recorder.rows("plant")) == len(session.recorder.rows("audit")) == 30


def test_rows_recorded_before_the_log_was_opened_are_not_lost(tmp_path: Path) -> None:
    m = mission()
    session = m.session()
    session.step(0.5)
    session.snapshot()  # drains
    result = m.complete(session, 1.0, log=tmp_path / "log.mcap", keep=False)
    assert len(result["a.p_WB"]) == 101


def test_a_snapshot_holds_the_audit_of_what_came_before() -> None:
    m = mission()
    session = m.session()
    session.set_velocity("b", (0, 0, 0), (0, 0, 0))
    session.step(0.3)
    kept = session.snapshot()
    straight = m.complete(session, 1.0)
    forked = m.session()
    forked.restore(kept)
    assert m.complete(forked, 1.0).metrics == straight.metrics


def test_a_live_view_has_the_newest_row_and_never_delays_the_writer() -> None:
    session = mission().session()
    live = session.recorder.live(rows=3)
    assert live.newest("plant") is None
    session.step(0.5)
    session.pause()
    newest = live.newest("plant")
    assert newest is not None
    assert newest[0] == 0.49, "what is due at the end waits for the next step"
    assert live.rows("plant")[:, 0].tolist() == [0.47, 0.48, 0.49]
    with pytest.raises(InputError, match="unknown recorded group 'plan'"):
        live.newest("plan")


def test_readers_in_other_threads_see_whole_rows() -> None:
    live = Live({"g": [ff.Signal("x", "m", (50,))]}, rows=4)
    stop, torn = threading.Event(), []

    def look() -> None:
        while not stop.is_set():
            torn.extend(1 for row in live.rows("g") if len(set(row.tolist())) > 1)

    thread = threading.Thread(target=look)
    thread.start()
    for n in range(3000):
        live.write("g", np.full((2, 51), float(n)))
    stop.set()
    thread.join()
    assert torn == []


def test_a_drain_is_bounded_in_rows() -> None:
    session = mission(record_rate=1000.0).session()
    session.step(0.1)
    session.recorder.drain(most=30)
    assert len(session.recorder.rows("plant")) == 30
    session.recorder.drain(most=30)
    assert np.array_equal(session.recorder.rows("plant")[:, 0], np.arange(60) / 1000.0)
