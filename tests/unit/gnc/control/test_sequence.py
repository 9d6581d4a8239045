"""A plan step by step: paths, orders and waits in their order; an alarm is a safe stop."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from freefloat.gnc.control.inverse_dynamics import Mass
from freefloat.gnc.control.sequence import Ask, Follow, Know, Sequencer
from freefloat.gnc.planning.arm.jerk_limited import MotionLimits, through

LIMITS = MotionLimits.uniform(2, 0.5, 1.0, 2.0)
HEAVY = Mass(3.0, np.zeros(3), np.eye(3))


@dataclass
class Footing:
    stack: Any = None
    payload: Any = None

    def set_stack(self, mass: Mass) -> None:
        self.stack = mass

    def set_payload(self, mass: Mass) -> None:
        self.payload = mass


@dataclass
class Modes:
    """Stands for the joint modes and writes down what it is asked."""

    asked: list[tuple[Any, ...]] = field(default_factory=list)
    footing: Footing = field(default_factory=Footing)

    def stand_on(self, base: str) -> None:
        self.asked.append(("stand", base))

    def follow(self, path: Any, t: float) -> None:
        self.asked.append(("follow", t))

    def comply(self, q: Any = None) -> None:
        self.asked.append(("comply", tuple(q)))

    def stop(self, t: float, limits: MotionLimits) -> None:
        self.asked.append(("stop", t))


def path() -> Any:
    return through([np.zeros(2), np.array([0.1, 0.0])], LIMITS)


def meas(state: int = 0, alarms: float = 0.0) -> dict[str, np.ndarray]:
    return {"q": np.array([0.1, 0.2]), "alarms": np.array([alarms]), "b.state": np.array([float(state)])}


def sequencer(steps: list[Any]) -> tuple[Sequencer, Modes]:
    modes = Modes()
    return Sequencer(modes, steps, ["b"], LIMITS), modes  # pyright: ignore[reportArgumentType]


def test_a_path_is_followed_to_its_end_and_settles() -> None:
    way = path()
    plan, modes = sequencer([Follow("go", way, settle=0.5)])
    assert plan.update(1.0, meas())["step"].tolist() == [0.0, 0.0, 0.0]
    plan.update(1.0 + way.duration, meas())
    assert not plan.finished
    out = plan.update(1.0 + way.duration + 0.5, meas())
    assert plan.finished
    assert out["step"].tolist() == [1.0, 1.0, 0.0]
    assert modes.asked == [("follow", 1.0)], "it is begun once"


def test_an_order_stands_until_the_hand_says_that_it_is_done() -> None:
    plan, modes = sequencer([Ask("latch", "b", 1, 2, comply=True), Ask("pick", "b", 3, 5)])
    out = plan.update(0.0, meas(0))
    assert out["b.order"].tolist() == [1.0]
    assert modes.asked == [("comply", (0.1, 0.2))]
    assert plan.update(1.0, meas(1))["b.order"].tolist() == [1.0]
    out = plan.update(2.0, meas(2))
    assert out["b.order"].tolist() == [3.0]
    assert out["step"][0] == 1.0
    assert len(modes.asked) == 1, "the second does not comply"
    assert plan.update(3.0, meas(5))["step"].tolist() == [2.0, 1.0, 0.0]
    assert plan.update(4.0, meas(5))["b.order"].tolist() == [3.0], "an order stays as it was"
    assert plan.started_at == [0.0, 2.0]


def test_what_the_robot_knows_changes_at_once_and_takes_no_time() -> None:
    way = path()
    plan, modes = sequencer([Know("loaded", "a", HEAVY, HEAVY), Know("empty", "b", HEAVY), Follow("go", way)])
    out = plan.update(0.0, meas())
    assert out["step"][0] == 2.0
    assert modes.asked == [("stand", "a"), ("stand", "b"), ("follow", 0.0)]
    assert modes.footing.stack is HEAVY
    assert modes.footing.payload.mass == 0.0


@pytest.mark.parametrize("step", ["follow", "ask"])
def test_an_alarm_stops_the_plan_for_good(step: str) -> None:
    first = Follow("go", path()) if step == "follow" else Ask("latch", "b", 1, 2)
    plan, modes = sequencer([first, Ask("pick", "b", 3, 5)])
    plan.update(0.0, meas())
    order = plan.orders["b"]
    out = plan.update(0.1, meas(2, alarms=1.0))
    assert out["step"].tolist() == [0.0, 0.0, 1.0]
    assert modes.asked[-1] == ("stop", 0.1)
    for t in (0.2, 100.0):
        out = plan.update(t, meas(2, alarms=0.0))
        assert out["step"].tolist() == [0.0, 0.0, 1.0], "it does not go on by itself"
        assert out["b.order"].tolist() == [order], "and gives no further order"
    assert [a for a in modes.asked if a[0] == "stop"] == [("stop", 0.1)], "it brakes once"
    assert plan.stopped == 0.1


def test_a_plan_without_steps_is_done() -> None:
    plan, _ = sequencer([])
    assert plan.update(0.0, meas())["step"].tolist() == [0.0, 1.0, 0.0]


def test_an_alarm_after_the_end_is_a_stop_too() -> None:
    plan, modes = sequencer([])
    plan.update(0.0, meas())
    assert plan.update(1.0, meas(alarms=2.0))["step"].tolist() == [0.0, 1.0, 1.0]
    assert modes.asked == [("stop", 1.0)]


def test_after_a_collision_the_joints_give_way_at_once_instead_of_braking() -> None:
    modes = Modes()
    sequencer = Sequencer(modes, [Follow("go", path())], ["b"], LIMITS)  # pyright: ignore[reportArgumentType]
    sequencer.update(0.0, {**meas(), "collisions": np.zeros(1)})
    out = sequencer.update(0.02, {**meas(alarms=1.0), "collisions": np.ones(1)})
    assert modes.asked[-1] == ("comply", (0.1, 0.2))
    assert out["step"].tolist() == [0.0, 0.0, 1.0]
    other = Modes()
    sequencer = Sequencer(other, [Follow("go", path())], ["b"], LIMITS)  # pyright: ignore[reportArgumentType]
    sequencer.update(0.02, {**meas(alarms=1.0), "collisions": np.zeros(1)})
    assert other.asked[-1] == ("stop", 0.02)
