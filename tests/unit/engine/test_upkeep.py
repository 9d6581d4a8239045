"""Upkeep: Python that looks after the plant, before everything else at its instants."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import freefloat as ff
from freefloat.errors import InputError

Hear = Callable[[str, int], None]


@dataclass
class Push:
    """Pushes the bus a little harder every time, and says so."""

    hear: Hear = lambda what, now: None
    name: str = "push"
    period: float = 0.1
    count: int = 0
    returned: int = 0

    def tend(self, world: Any, now_ns: int) -> None:
        self.count += 1
        self.hear("tend", now_ns)
        world.write("bus.wrench", [0.0, 0.0, 0.0, float(self.count), 0.0, 0.0])

    def restored(self, world: Any) -> None:
        self.returned += 1


def listened() -> tuple[list[tuple[str, int]], Hear]:
    heard: list[tuple[str, int]] = []
    return heard, lambda what, now: heard.append((what, now))


def test_upkeep_runs_at_the_start_and_then_every_period_before_events_and_tasks(law: Any) -> None:
    heard, hear = listened()
    task = ff.Task(law(lambda t, m: hear("task", round(t * 1e9)) or {}), 0.05)
    event = ff.Event("e", lambda s: hear("event", s.world.now_ns), at=0.1)
    ff.Mission([ff.RigidBody("bus")], [task], [event], upkeeps=[Push(hear)]).session().step(0.11)
    order = [("tend", 0), ("task", 0), ("task", 50_000_000), ("tend", 100_000_000), ("event", 100_000_000)]
    assert heard == [*order, ("task", 100_000_000)]


def test_what_an_upkeep_writes_acts_from_its_instant_on() -> None:
    session = ff.Mission([ff.RigidBody("bus", 100.0)], upkeeps=[Push()]).session()
    session.step(0.2)
    assert session.read("bus.v_WB")[0] == pytest.approx((0.1 * 1.0 + 0.1 * 2.0) / 100.0, rel=1e-12)


def test_each_session_has_its_own_copy() -> None:
    push = Push()
    mission = ff.Mission([ff.RigidBody("bus")], upkeeps=[push])
    first, second = mission.session(), mission.session()
    first.step(1.0)
    second.step(0.1)
    assert [push.count, first.upkeeps[0].count, second.upkeeps[0].count] == [0, 10, 1]  # pyright: ignore[reportAttributeAccessIssue]


def test_a_snapshot_holds_the_upkeep_and_a_restored_run_has_the_same_bits() -> None:
    mission = ff.Mission([ff.RigidBody("bus")], upkeeps=[Push()])
    whole = mission.run(1.0)
    session = mission.session()
    session.step(0.45)
    snapshot = session.snapshot()
    session.step(0.4)
    session.restore(snapshot)
    restored: Any = session.upkeeps[0]
    assert (restored.count, restored.returned) == (5, 2), "once at the start, once from the snapshot"
    again = mission.complete(session, 1.0)
    fresh = mission.session()
    fresh.restore(snapshot)
    other = mission.complete(fresh, 1.0)
    for result in (again, other):
        assert np.array_equal(result["bus.p_WB"], whole["bus.p_WB"])
    assert snapshot.upkeeps[0].count == 5, "the snapshot itself stays as it was"


@pytest.mark.parametrize("period", [0.0, -1.0, float("nan"), 1e-12, float("inf")])
def test_a_period_that_never_ends_is_refused(period: float) -> None:
    with pytest.raises(InputError, match=r"upkeep 'push': period"):
        ff.Mission([ff.RigidBody("bus")], upkeeps=[Push(period=period)]).session()
