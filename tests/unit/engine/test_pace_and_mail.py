"""Pacing, ports for outsiders, mail from other threads, and controllers with a live link."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import freefloat as ff
from freefloat.actuators import ReactionWheels, Thruster, Thrusters, Valves
from freefloat.engine import pace
from freefloat.errors import InputError, SimulationError


class Clock:
    """A wall clock that only sleeping and work move."""

    def __init__(self) -> None:
        self.now, self.slept = 100.0, 0.0

    def perf_counter(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        self.slept += seconds


def paced(monkeypatch: pytest.MonkeyPatch, work: dict[int, float]) -> tuple[int, Clock, ff.Session]:
    """A run of 0.1 s in cycles of 4 ms, of which cycle n takes work[n] of the wall clock."""
    clock = Clock()
    monkeypatch.setattr(pace, "time", clock)
    session = ff.Mission([ff.RigidBody("a")]).session()
    advance, cycles = session.advance_to, iter(range(10**6))

    def busy(end_ns: int) -> None:
        advance(end_ns)
        clock.now += work.get(next(cycles), 0.0)

    monkeypatch.setattr(session, "advance_to", busy)
    return ff.RealTime(0.004).advance(session, 100_000_000), clock, session


def test_real_time_sleeps_what_is_left_of_each_cycle(monkeypatch: pytest.MonkeyPatch) -> None:
    late, clock, session = paced(monkeypatch, dict.fromkeys(range(25), 0.001))
    assert late == 0
    assert clock.now == pytest.approx(100.1)
    assert clock.slept == pytest.approx(0.075)
    assert session.time == 0.1


def test_a_late_cycle_is_counted_and_what_is_lost_is_never_replayed(monkeypatch: pytest.MonkeyPatch) -> None:
    late, clock, session = paced(monkeypatch, {5: 0.0105})
    assert late == 1
    assert session.time == 0.1, "nothing of the simulation is left out"
    assert clock.now == pytest.approx(100.104), "one whole cycle of the clock is lost, the rest is caught up"


def test_lockstep_asks_after_every_cycle_and_ends_without_an_answer() -> None:
    asked: list[float] = []

    def answer(t: float, timeout: float) -> bool:
        asked.append(t)
        return len(asked) < 4

    mission = ff.Mission([ff.RigidBody("a")])
    with pytest.raises(SimulationError, match=r"lockstep: no answer within 0.5 s at t = 0.040000 s"):
        mission.run(1.0, pace=ff.Lockstep(0.01, answer, 0.5))
    assert asked == pytest.approx([0.01, 0.02, 0.03, 0.04])


def test_pacing_changes_no_bit() -> None:
    mission = ff.Mission([ff.RigidBody("a", motion=ff.Motion(w_WL_L=(0.3, 0.1, 0.2)))], integrator=ff.RK4(7e-4))
    free = mission.run(0.2, pace=ff.Free())
    locked = mission.run(0.2, pace=ff.Lockstep(0.004, lambda t, timeout: True))
    assert locked.metrics == free.metrics
    assert np.array_equal(locked["a.q_WB"], free["a.q_WB"])


@pytest.mark.parametrize("make", [lambda: ff.RealTime(0.0), lambda: ff.Lockstep(1.0, lambda t, s: True, 0.0)])
def test_an_impossible_pace_is_refused(make: Any) -> None:
    with pytest.raises(InputError, match="allowed"):
        make()


def test_a_session_lists_its_ports() -> None:
    jets = Thrusters("jets", "bus", [Thruster((-1.0, 0.0, 0.0), (1.0, 0.0, 0.0))], valves=Valves(0.1, 0.1))
    wheels = ReactionWheels("wheels", "bus", np.eye(3), max_torque=0.2)
    session = ff.Mission([ff.RigidBody("bus"), jets, wheels]).session()
    commands = {port.name: port for port in session.commands()}
    assert commands["jets.open"].writer == "task jets-valves"
    assert commands["jets.open"].limits == ((0.0,), (1.0,))
    assert commands["jets.request"].writer == ""
    assert commands["wheels.tau"].limits == ((-0.2,) * 3, (0.2,) * 3)
    assert commands["bus.wrench"].limits is None
    signals = {port.name: port for port in session.signals()}
    assert signals["bus.p_WB"] == ff_port("bus.p_WB", "m", (3,), "W", "position of the origin")
    assert set(commands) <= set(signals)


def ff_port(name: str, unit: str, shape: tuple[int, ...], frame: str, meaning: str) -> Any:
    from freefloat.engine.signals import Port

    return Port(name, unit, shape, frame, meaning, world="")


class Push:
    """Forces the body as the mail says."""

    def update(self, t: float, meas: Any) -> dict[str, Any]:
        return {"wrench": [0.0, 0.0, 0.0, float(meas["force"][0]), 0.0, 0.0]}


def pushed(mail: Any) -> ff.Mission:
    task = ff.Task(Push(), 0.01, writes={"wrench": "a.wrench"}, mail={"force": mail}, name="push")
    return ff.Mission([ff.RigidBody("a", 10.0)], tasks=[task])


def test_mail_from_another_thread_is_read_at_task_instants_and_can_be_repeated() -> None:
    box = ff.Mailbox([0.0])
    mission = pushed(box)
    session = mission.session()
    for force in (1.0, -3.0, 2.0):
        thread = threading.Thread(target=box.put, args=([force],))
        thread.start()
        thread.join()
        session.step(0.1)
    live = mission.complete(session, 0.3)
    taken = session.mail()["push"]["force"]
    assert [(t, float(v[0])) for t, v in taken] == [(0.0, 1.0), (0.1, -3.0), (0.2, 2.0)]
    again = pushed(ff.Replay(taken)).run(0.3)
    assert np.array_equal(again["a.v_WB"], live["a.v_WB"])
    assert again.metrics == live.metrics


def test_a_session_with_mail_from_outside_refuses_snapshots_and_a_replayed_one_does_not() -> None:
    session = pushed(ff.Mailbox([0.0])).session()
    session.step(0.1)
    with pytest.raises(InputError, match="snapshot: task 'push' has a live link, and the outside does not go back"):
        session.snapshot()
    repeated = pushed(ff.Replay(session.mail()["push"]["force"])).session()
    repeated.step(0.05)
    repeated.restore(repeated.snapshot())


def test_what_was_taken_goes_with_a_snapshot() -> None:
    taken = [(0.0, np.array([1.0])), (0.1, np.array([2.0])), (0.2, np.array([3.0]))]
    mission = pushed(ff.Replay(taken))
    session = mission.session()
    session.step(0.15)
    kept = session.snapshot()
    session.step(0.15)
    session.restore(kept)
    forked = mission.session()
    forked.restore(kept)
    for other in (session, forked):
        other.step(0.15)
        assert [t for t, _ in other.mail()["push"]["force"]] == [0.0, 0.1, 0.2]
    with pytest.raises(InputError, match="the instants must increase"):
        ff.Replay(taken[::-1])
    with pytest.raises(InputError, match="is not finite"):
        ff.Mailbox([np.nan])


def test_progress_is_told_in_real_time_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("freefloat.engine.recorder.DRAIN_PERIOD", 0.0)
    seen: list[float] = []
    ff.Mission([ff.RigidBody("a")]).run(0.05, pace=ff.RealTime(), progress=lambda t, end: seen.append(t))
    assert len(seen) > 3


def test_a_controller_with_a_live_link_runs_uncopied() -> None:
    class Linked:
        def __init__(self) -> None:
            self.lock, self.count = threading.Lock(), 0  # cannot be copied

        def update(self, t: float, meas: Any) -> dict[str, Any]:
            with self.lock:
                self.count += 1
            return {}

    link = Linked()
    mission = ff.Mission([ff.RigidBody("a")], tasks=[ff.Task(link, 0.1, live=True)])
    mission.run(0.5)
    assert link.count == 5
    with pytest.raises(InputError, match="restore: task 'linked' has a live link"):
        mission.session().restore(ff.Mission([ff.RigidBody("a")]).session().snapshot())
    with pytest.raises(InputError, match="cannot be copied"):
        ff.Mission([ff.RigidBody("a")], tasks=[ff.Task(link, 0.1)]).session()


@pytest.mark.parametrize(
    ("bad", "message"),
    [([1.0, 2.0], r"a value of shape \(2,\); allowed: \(1,\)"), ([np.nan], r"value \[nan\] is not finite")],
)
def test_mail_that_does_not_fit_is_refused_where_it_is_put(bad: Any, message: str) -> None:
    box = ff.Mailbox([0.0])
    with pytest.raises(InputError, match=message):
        box.put(bad)
    assert box.newest(0.0).tolist() == [0.0]


def test_a_name_that_is_both_read_and_mailed_is_refused() -> None:
    with pytest.raises(InputError, match="'p' is both read from a signal and taken from the mail"):
        ff.Task(Push(), 0.1, {"p": "a.p_WB"}, mail={"p": ff.Mailbox([0.0])})
