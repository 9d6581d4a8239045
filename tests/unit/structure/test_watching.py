"""What hands feel: an overload is located, whatever holds the connection, and however the load comes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from freefloat.hand_words import HandState, Order
from freefloat.structure.faults import Fault
from freefloat.verify.cases.hands import overloaded
from freefloat.verify.handling_rig import QUICK, assembly, do, handling, reach, stack, top

UP = np.array([0.0, 0.0, 1.0])


@pytest.mark.parametrize("hold", ["tree", "constraint"])
@pytest.mark.parametrize("kind", ["force", "torque"])
def test_an_overload_under_a_ramp_is_located_to_the_closed_form(kind: str, hold: str) -> None:
    told, expected = overloaded(kind, hold)  # pyright: ignore[reportArgumentType]
    assert told == pytest.approx(expected, abs=1e-9), "the step is 4 ms"
    assert expected % 0.004 > 1e-3


def test_a_jump_of_the_load_between_two_looks_is_seen_at_its_instant() -> None:
    body = stack()
    session = handling(body, top(body, (1, 0, 1)), interface=replace(QUICK, max_force=20.0), slow=10.0).session()
    assert do(session, Order.LATCH, HandState.CLOSED)
    assert do(session, Order.PICK, HandState.CARRYING)
    reach(session, top(body, (1, 0, 1)) + 0.6 * UP)
    session.step(0.0137)
    jump = session.time
    session.write("gantry.tau", [0.0, 0.0, 200.0])
    session.step(0.003)
    session.write("gantry.tau", [0.0, 0.0, 0.0])
    session.step(0.5)
    (told,) = [e for e in session.fired if e.name == "hand.overload"]
    assert told.t == pytest.approx(jump, abs=1e-9), "it lasted for 3 ms only"
    assert session.read("modules.hand.overloaded")[0] == 1.0
    assert session.read("modules.alarms")[0] == 1.0


def test_a_limit_that_falls_below_the_load_is_an_overload_at_once() -> None:
    body = stack()
    weak = Fault("overload", at=2.0, hand="hand", max_force=0.5, max_torque=100.0)
    session = handling(body, top(body, (1, 0, 1)), faults=[weak], slow=10.0).session()
    assert do(session, Order.LATCH, HandState.CLOSED)
    assert do(session, Order.PICK, HandState.CARRYING)
    reach(session, top(body, (1, 0, 1)) + 0.6 * UP)
    session.step(1.99 - session.time)
    session.write("gantry.tau", [0.0, 0.0, 40.0])
    session.step(0.02)
    told = [(e.t, e.name) for e in session.fired if "overload" in e.name or "fault" in e.name]
    assert told == [(2.0, "modules.fault"), (2.0, "hand.overload")]
    assert session.read("modules.hand.limit").tolist() == [0.5, 100.0]
    assert session.read("modules.hand.load_share")[0] == pytest.approx(session.read("modules.hand.load")[0] / 0.5)
    session.write("gantry.tau", [0.0, 0.0, 0.0])
    session.write("modules.hand.order", [float(Order.RESET)])
    session.step(1.0)
    assert assembly(session).hands["hand"].limits == (0.5, 100.0), "a reset does not make it stronger"
