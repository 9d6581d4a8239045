"""Rehearsed worlds: reading ahead changes nothing, what is done again is as if it had been done so at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import freefloat as ff
from freefloat.contact import Ball, Contact, Plane, SpringDamper
from freefloat.errors import InputError, SimulationError

FACING = ff.Pose(np.array([[0.0, 0.0, -1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]), [-0.45, 0.0, 0.0])  # z along -x
START = np.array([*FACING.p, *FACING.q])
V = 0.1  # [m/s]; tip and plate meet at 0.5 s
AHEAD = 0.02  # [s]


class Facility:
    """Finds out at `seen` [s] where the plate really is, and does everything since `since` again."""

    def __init__(self, seen: float, since: float | None, shift: float = 0.002) -> None:
        self.seen, self.since, self.shift, self.done = seen, since, shift, False

    def update(self, t: float, meas: Any) -> dict[str, Any]:
        place, since = START.copy(), None
        if t >= self.seen - 1e-9:
            place[0] -= self.shift
            since, self.done = None if self.done else self.since, True
        return {"place": place[None], "since": since, "sent": [meas["v"][0] if "v" in meas else 0.0]}


def _mission(facility: Any, reads: Any = None, horizon: float = 0.2, k: float = 5e4, **more: Any) -> ff.Mission:
    client = ff.RigidBody("client", 100.0, motion=ff.Motion(ff.Pose(np.eye(3), [1.0, 0.0, 0.0])))
    servicer = ff.RigidBody("servicer", 100.0, motion=ff.Motion(v_WL=(V, 0.0, 0.0)))
    solids: Any = {"surfaces": [Plane(FACING)], "balls": [Ball((0.5, 0.0, 0.0))]}
    touch = Contact("touch", "client", "servicer", SpringDamper(k), placed=True, **solids)
    space = ff.WorldSetup("space", [client, servicer, touch], rehearsed=ff.Rehearsal(horizon))
    lab = ff.WorldSetup("lab", [ff.RigidBody("mockup", 10.0)])
    sent = {"sent": ff.Signal("sent", "m/s", (1,))}
    task = ff.Task(facility, 0.004, reads or {}, {"place": "touch.place"}, name="facility", records=sent, **more)
    return ff.Mission(worlds=[space, lab], tasks=[task], record_rate=1000.0)


def _bytes(result: ff.Result) -> list[bytes]:
    return [
        result[name].tobytes() for name in ("servicer.p_WB", "client.v_WB", "touch.force", "audit.space.energy_stored")
    ]


def test_what_is_done_again_is_as_if_it_had_been_done_so_at_once() -> None:
    at_once = _mission(Facility(0.4, None)).run(0.8, strict=True)
    again = _mission(Facility(0.56, 0.4)).run(0.8, strict=True)
    assert _bytes(again) == _bytes(at_once)
    assert again.touches == at_once.touches
    assert len(again.touches) == 1
    assert (np.diff(again.time("servicer.p_WB")) > 0.0).all()
    forward = _mission(Facility(0.56, None)).run(0.8, strict=True)
    assert _bytes(forward) != _bytes(at_once)


def test_it_may_be_done_again_from_between_two_updates_and_every_cycle() -> None:
    class Doubtful(Facility):
        """Is wrong in another way each cycle, and right in the end."""

        def update(self, t: float, meas: Any) -> dict[str, Any]:
            out = super().update(t, meas)
            if 0.5 <= t < 0.57:
                out["place"][0, 0] -= 0.001 * np.sin(1e3 * t)
            return {**out, "since": 0.4505 if 0.5 <= t < 0.58 else None}

    class Known(Facility):
        def update(self, t: float, meas: Any) -> dict[str, Any]:
            return {**super().update(t, meas), "since": 0.4505 if abs(t - 0.452) < 1e-9 else None}

    again = _mission(Doubtful(0.452, None)).run(0.8, strict=True)
    assert _bytes(again) == _bytes(_mission(Known(0.452, None)).run(0.8, strict=True))


def test_reading_ahead_tells_what_comes_and_changes_nothing() -> None:
    reads = {"v": ff.Ahead("servicer.v_WB", AHEAD), "far": ff.Ahead("client.p_WB", 0.1), "now": "servicer.v_WB"}
    facility = Facility(0.4, None)
    looked, blind = _mission(facility, reads).run(0.8), _mission(facility).run(0.8)
    assert _bytes(looked) == _bytes(blind)
    t, sent = looked.time("sent"), looked["sent"][:, 0]
    later = np.interp(t + AHEAD, looked.time("servicer.v_WB"), looked["servicer.v_WB"][:, 0])
    known = ((t < 0.4 - 1e-9) | (t > 0.4 + 1e-9)) & (t + AHEAD <= 0.8)  # at 0.4 s the command changes after the look
    assert np.abs(sent - later)[known].max() < 1e-12
    assert np.abs(sent - V).max() > 0.09  # and it saw the impact


def test_the_log_has_what_was_done_again_once(tmp_path: Path) -> None:
    result = _mission(Facility(0.56, 0.4)).run(0.8, log=tmp_path / "log.mcap")
    logged = _mission(Facility(0.56, 0.4)).run(0.8, log=tmp_path / "only.mcap", keep=False)
    assert _bytes(logged) == _bytes(result)
    assert len(logged["servicer.p_WB"]) == 801


@pytest.mark.parametrize("at", [0.3, 0.52, 0.6])
def test_a_snapshot_keeps_what_may_still_be_done_again(at: float) -> None:
    mission = _mission(Facility(0.56, 0.4))
    session = mission.session()
    session.step(at)
    saved = session.snapshot()
    session.step(0.1)
    session.restore(saved)
    resumed = mission.complete(session, 0.8)
    whole = mission.run(0.8)
    assert _bytes(resumed) == _bytes(whole)
    assert resumed.touches == whole.touches


def test_the_past_beyond_the_horizon_and_the_future_are_refused() -> None:
    for since, told in (
        (0.3, r"since 0.3 s at t = 0.56 s; allowed: from 0.36 s on, for its horizon of 0.2 s"),
        (0.6, "to now"),
    ):
        with pytest.raises(InputError, match=told) as refused:
            _mission(Facility(0.56, since)).run(0.6)
        assert "task 'facility'" in str(refused.value)
    with pytest.raises(InputError, match="nan"):
        _mission(Facility(0.56, float("nan"))).run(0.6)


def test_a_change_from_outside_cannot_be_done_again() -> None:
    session = _mission(Facility(0.56, 0.4)).session()
    session.step(0.45)
    session.set_velocity("servicer", (0.0, 0.0, 0.0), (V, 0.0, 0.0))
    with pytest.raises(InputError, match=r"from 0\.452 s on, for a change from outside"):
        session.step(0.2)


def test_other_worlds_refuse_to_be_read_ahead_and_done_again() -> None:
    with pytest.raises(InputError, match=r"'mockup\.p_WB' ahead would be peeking: world 'lab' is not rehearsed"):
        _mission(Facility(1.0, None), {"p": ff.Ahead("mockup.p_WB", 0.01)}).session()
    with pytest.raises(InputError, match=r"0\.3 s ahead; allowed: at most the horizon of 0\.2 s"):
        _mission(Facility(1.0, None), {"p": ff.Ahead("client.p_WB", 0.3)}).session()

    class Peeking:
        def update(self, t: float, meas: Any) -> dict[str, Any]:
            return {"wrench": np.zeros(6), "since": 0.0}

    task = ff.Task(Peeking(), 0.01, writes={"wrench": "body.wrench"})
    with pytest.raises(InputError, match="none of its commands is in a rehearsed world"):
        ff.Mission([ff.RigidBody("body", 1.0)], [task]).run(0.1)
    with pytest.raises(InputError, match=r"'-1 ms'|-0\.001"):
        ff.Ahead("client.p_WB", -1e-3)


def test_one_task_commands_a_rehearsed_world_at_once_and_without_events() -> None:
    with pytest.raises(InputError, match=r"latency 0\.01 s into the rehearsed world 'space'; allowed: 0"):
        _mission(Facility(1.0, None), latency=0.01).session()
    mission = _mission(Facility(1.0, None))
    second = ff.Task(Facility(1.0, None), 0.004, writes={"gate": "touch.gate"}, name="second")
    with pytest.raises(InputError, match="'space' is rehearsed by task 'facility', and 'second' commands it too"):
        ff.Mission(worlds=_worlds(mission), tasks=[*mission.tasks, second]).session()
    far = ff.Event("far", lambda session: None, signal="servicer.p_WB", level=1.0)
    with pytest.raises(InputError, match="events on its signals cannot be done again"):
        ff.Mission(worlds=_worlds(mission), tasks=mission.tasks, events=[far]).session()


def _worlds(mission: ff.Mission) -> list[ff.WorldSetup]:
    return [ff.WorldSetup(name, g.blueprint, rehearsed=g.rehearsed) for name, g in mission.grounds.items()]


def test_a_failure_while_it_is_done_again_is_told() -> None:
    class Wild(Facility):
        def update(self, t: float, meas: Any) -> dict[str, Any]:
            return {**super().update(t, meas), "place": np.full((1, 7), np.nan if t > 0.1 else 1.0)}

    with pytest.raises(SimulationError, match="not finite"):
        _mission(Wild(0.5, 0.4)).run(0.8)


def test_a_restored_run_does_not_undo_a_change_from_outside_either() -> None:
    session = _mission(Facility(0.56, 0.4)).session()
    session.step(0.45)
    session.set_velocity("servicer", (0.0, 0.0, 0.0), (V, 0.0, 0.0))
    session.restore(session.snapshot())
    with pytest.raises(InputError, match=r"from 0\.452 s on"):
        session.step(0.2)


def test_a_snapshot_of_another_rehearsal_is_refused() -> None:
    saved = _mission(Facility(1.0, None), horizon=4.0).session()
    saved.step(3.9)
    with pytest.raises(InputError, match="holds back more rows of world 'space'"):
        _mission(Facility(1.0, None)).session().restore(saved.snapshot())


def test_more_contacts_than_a_horizon_has_room_for_end_the_run() -> None:
    class Flicker(Facility):
        def update(self, t: float, meas: Any) -> dict[str, Any]:
            return {"gate": [float(round(t / 0.001) % 2)], "sent": [0.0]}

    mission = _mission(Flicker(1.0, None), horizon=4.0, k=1.0)
    task = ff.Task(Flicker(1.0, None), 0.001, writes={"gate": "touch.gate"}, name="facility")
    with pytest.raises(InputError, match=r"rehearsed worlds 'space' \(4 s\); allowed: a shorter horizon"):
        ff.Mission(worlds=_worlds(mission), tasks=[task], record_rate=10.0).run(3.0)


def test_a_horizon_without_measure_is_refused() -> None:
    with pytest.raises(InputError, match=r"a horizon of 100000 s holds \d+ rows; allowed: at most 200000"):
        _mission(Facility(1.0, None), horizon=1e5).session()


def test_an_interrupted_redo_leaves_the_world_where_the_instant_began(monkeypatch: pytest.MonkeyPatch) -> None:
    from freefloat.engine import rehearsal

    mission = _mission(Facility(0.56, 0.4))
    session = mission.session()
    session.step(0.55)
    advance, calls = rehearsal.Rehearsed._advance, [0]

    def interrupted(self: Any, end_ns: int) -> None:
        calls[0] += 1
        if calls[0] == 5:
            raise KeyboardInterrupt
        advance(self, end_ns)

    monkeypatch.setattr(rehearsal.Rehearsed, "_advance", interrupted)
    with pytest.raises(KeyboardInterrupt):
        session.step(0.1)
    assert session.worlds["space"].time == 0.56
    assert session.read("servicer.p_WB")[0] == pytest.approx(_forward(0.56), abs=1e-9)
    monkeypatch.undo()
    result = mission.complete(session, 0.8, strict=True)
    assert (np.diff(result.time("servicer.p_WB")) > 0.0).all()


def _forward(t: float) -> float:
    """Where the servicer is [m] in a run in which nothing was done again yet."""
    session = _mission(Facility(1.0, None)).session()
    session.step(t)
    return float(session.read("servicer.p_WB")[0])
