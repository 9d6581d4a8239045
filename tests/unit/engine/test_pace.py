"""Pacing: with the clock on the wall, or in step with somebody who answers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import freefloat as ff
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


def test_progress_is_told_in_real_time_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("freefloat.engine.recorder.DRAIN_PERIOD", 0.0)
    seen: list[float] = []
    ff.Mission([ff.RigidBody("a")]).run(0.05, pace=ff.RealTime(), progress=lambda t, end: seen.append(t))
    assert len(seen) > 3
