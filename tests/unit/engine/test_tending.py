"""Upkeeps that say when they are due, that commands wake, and that are told of crossings."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

import freefloat as ff
from freefloat.errors import InputError

MS = 1_000_000


@dataclass
class Keeper:
    """Writes down when it was tended and what crossed; due at instants of its own."""

    due_at: tuple[int, ...] = ()
    wakes: tuple[str, ...] = ("bus.wrench",)
    watches: tuple[str, ...] = ()
    name: str = "keeper"
    period: float = 0.5
    tended: list[int] = field(default_factory=list)
    told: list[tuple[float, str]] = field(default_factory=list)

    def tend(self, world: Any, now_ns: int) -> None:
        self.tended.append(now_ns)

    def due(self, now_ns: int) -> int:
        return min((ns for ns in self.due_at if ns > now_ns), default=1 << 60)

    def crossed(self, world: Any, signal: str) -> None:
        self.told.append((world.time, signal))

    def restored(self, world: Any) -> None:
        pass


def keeper(session: ff.Session) -> Keeper:
    return session.upkeeps[0]  # pyright: ignore[reportReturnType]


def test_it_is_tended_at_the_start_and_where_it_says() -> None:
    session = ff.Mission([ff.RigidBody("bus")], upkeeps=[Keeper((3 * MS, 700 * MS))]).session()
    session.step(1.0)
    assert keeper(session).tended == [0, 3 * MS, 700 * MS]


def test_a_command_that_a_task_changes_wakes_it_at_that_instant_behind_all_tasks(law: Any) -> None:
    heard: list[str] = []
    push = law(lambda t, m: {"wrench": [0.0, 0.0, 0.0, float(t > 0.05), 0.0, 0.0]})
    last = law(lambda t, m: heard.append(f"task {round(t * 1e3)}") or {})
    tasks = [ff.Task(push, 0.03, writes={"wrench": "bus.wrench"}, name="push"), ff.Task(last, 0.03, name="last")]

    class Loud(Keeper):
        def tend(self, world: Any, now_ns: int) -> None:
            heard.append(f"tend {now_ns // MS}")

    session = ff.Mission([ff.RigidBody("bus")], tasks, upkeeps=[Loud()]).session()
    session.step(0.1)
    assert heard == ["tend 0", "task 0", "task 30", "task 60", "tend 60", "task 90"]


def test_a_value_that_stays_wakes_nobody() -> None:
    session = ff.Mission([ff.RigidBody("bus")], upkeeps=[Keeper()]).session()
    session.step(0.01)
    session.write("bus.wrench", [0.0] * 6)
    session.step(0.01)
    assert keeper(session).tended == [0]
    session.write("bus.wrench", [1.0] + [0.0] * 5)
    session.step(0.01)
    assert keeper(session).tended == [0, 20 * MS]


def test_it_is_told_where_a_signal_rises_through_one() -> None:
    bus = ff.RigidBody("bus", 10.0, motion=ff.Motion(v_WL=(0.0, 0.0, 0.0)))
    session = ff.Mission([bus], upkeeps=[Keeper(watches=("bus.p_WB",))], integrator=ff.RK4(0.01)).session()
    session.write("bus.wrench", [0.0, 0.0, 0.0, 30.0, 0.0, 0.0])
    session.step(1.0)
    ((t, signal),) = keeper(session).told
    assert signal == "bus.p_WB"
    assert t == pytest.approx((2.0 / 3.0) ** 0.5, abs=1e-11)
    assert session.fired == [], "the upkeep decides what is told"


def test_a_run_goes_on_the_same_from_a_snapshot() -> None:
    def mission() -> ff.Mission:
        bus = ff.RigidBody("bus", 10.0, motion=ff.Motion(v_WL=(1.7, 0.0, 0.0)))
        return ff.Mission([bus], upkeeps=[Keeper((3 * MS, 700 * MS), watches=("bus.p_WB",))])

    whole, cut, other = mission().session(), mission().session(), mission().session()
    whole.step(1.0)
    cut.step(0.2)
    other.restore(cut.snapshot())
    other.step(0.8)
    assert keeper(other).tended == keeper(whole).tended == [0, 3 * MS, 700 * MS]
    assert keeper(other).told == keeper(whole).told


def test_a_command_that_does_not_exist_is_refused() -> None:
    with pytest.raises(InputError, match="nobody"):
        ff.Mission([ff.RigidBody("bus")], upkeeps=[Keeper(wakes=("nobody",))]).session()
