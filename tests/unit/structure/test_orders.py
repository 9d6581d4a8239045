"""When orders are taken: at the instant at which they are written, once, and again when they are repeated."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import freefloat as ff
from freefloat.hand_words import HandState, Order
from freefloat.structure.assembly import Assembly
from freefloat.verify.handling_rig import CLOSING, OPENING, assembly, do, handling, stack, top


def mission(**options: Any) -> ff.Mission:
    body = stack()
    return handling(body, top(body, (1, 0, 1)), **options)


def test_an_order_acts_at_the_instant_it_is_written_and_is_done_when_its_time_is_over() -> None:
    session = mission(slow=10.0).session()
    session.step(0.0137)
    session.write("modules.hand.order", [float(Order.LATCH)])
    session.step(1e-3)
    assert session.read("modules.hand.state")[0] == HandState.CLOSING
    session.step(1.0)
    session.write("modules.hand.order", [float(Order.PICK)])
    session.step(1.0)
    times = {e.name: e.t for e in session.fired}
    assert times["hand.latch"] == 0.0137
    assert times["hand.closed"] == pytest.approx(0.0137 + CLOSING, abs=1e-9)
    assert times["hand.picked"] == pytest.approx(1.0147 + OPENING, abs=1e-9)


@pytest.mark.parametrize("latency", [0.0, 0.003])
def test_an_order_of_a_task_acts_at_its_tick_or_when_it_arrives(latency: float, law: Any) -> None:
    when = 0.0365
    given = law(lambda t, m: {"order": [float(Order.LATCH) if t >= when - 1e-9 else 0.0]})
    task = ff.Task(given, 0.0073, writes={"order": "modules.hand.order"}, latency=latency)
    plan = mission(slow=10.0)
    plan.tasks = (task,)
    session = plan.session()
    session.step(0.1)
    assert [(e.name, e.t) for e in session.fired] == [("hand.latch", pytest.approx(when + latency, abs=1e-12))]


def test_an_order_of_a_located_event_acts_there() -> None:
    plan = mission(slow=10.0)

    def order(session: ff.Session) -> None:
        session.write("modules.hand.order", [float(Order.LATCH)])

    plan.events = (ff.Event("far", order, "stack.p_WB", level=1.0),)
    session = plan.session()
    session.set_velocity("stack", np.zeros(3), (7.0, 0.0, 0.0))
    session.step(0.2)
    times = {e.name: e.t for e in session.fired}
    assert times["hand.latch"] == pytest.approx(times["far"], abs=1e-9)


def test_an_order_counts_again_when_its_count_changes() -> None:
    session = mission().session()
    session.write("modules.hand.order", [float(Order.PICK)])
    session.step(0.1)
    session.write("modules.hand.order", [float(Order.PICK)])
    session.step(0.1)
    assert len(session.fired) == 1, "the same value is no order"
    session.write("modules.hand.count", [1.0])
    session.step(0.1)
    assert [e.name for e in session.fired] == ["hand.pick", "hand.pick"]
    session.write("modules.hand.count", [2.0])
    session.write("modules.hand.order", [float(Order.LATCH)])
    session.step(0.1)
    assert [e.name for e in session.fired[2:]] == ["hand.latch"], "both at once are one order"


def test_a_count_without_an_order_is_none() -> None:
    session = mission().session()
    session.write("modules.hand.count", [1.0])
    session.step(0.1)
    assert session.fired == []


def test_python_looks_only_when_something_is_due(monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[int] = []
    tend = Assembly.tend
    monkeypatch.setattr(Assembly, "tend", lambda self, world, now: (looks.append(now), tend(self, world, now)))
    session = mission(slow=2.0).session()
    session.step(5.0)
    assert looks == [0, 2_000_000_000, 4_000_000_000]
    assert do(session, Order.LATCH, HandState.CLOSED)
    drawn = len(looks) - 3
    assert drawn == 1 + round(CLOSING / 0.02), "the order, then every 20 ms until it is closed"
    looks.clear()
    assert do(session, Order.RELEASE, HandState.OPEN)
    assert [now for now in looks if now % 2_000_000_000] == [looks[0], looks[0] + round(OPENING * 1e9)]


def test_a_snapshot_between_an_order_and_its_instant_keeps_it() -> None:
    session = mission().session()
    session.step(0.05)
    session.write("modules.hand.order", [float(Order.LATCH)])
    saved = session.snapshot()
    session.step(1.0)
    other = mission().session()
    other.restore(saved)
    other.step(1.0)
    assert other.fired == session.fired
    assert other.fired[0].t == 0.05
    assert assembly(other).hands["hand"].state == HandState.CLOSED
