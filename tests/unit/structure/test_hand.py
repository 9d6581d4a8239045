"""Orders to a hand: those it takes, those it refuses, what fails, and what is left afterwards."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import freefloat as ff
from freefloat.gnc.control.sequence import Follow
from freefloat.hand_words import HandState, Order
from freefloat.scenario.files import load
from freefloat.verify.handling_rig import CLOSING, OPENING, QUICK, assembly, do, handling, reach, stack, top

UP = np.array([0.0, 0.0, 1.0])


def told(session: ff.Session) -> list[tuple[str, str]]:
    return [(e.name, e.result) for e in session.fired]


def state(session: ff.Session, hand: str = "hand") -> HandState:
    return HandState(int(session.read(f"modules.{hand}.state")[0]))


def started(cell: tuple[int, int, int] = (1, 0, 1), off: Any = (0.0, 0.0, 0.0), **options: Any) -> ff.Session:
    body = options.pop("body", None) or stack()
    return handling(body, top(body, cell) + np.array(off), **options).session()


def carrying(**options: Any) -> ff.Session:
    """Module 5 is in the hand, lifted."""
    session = started(**options)
    assert do(session, Order.LATCH, HandState.CLOSED)
    assert do(session, Order.PICK, HandState.CARRYING)
    reach(session, top(stack(), (1, 0, 1)) + 0.6 * UP)
    return session


def refused(session: ff.Session, order: Order, hand: str = "hand") -> str:
    """Give an order that is to be refused; returns what the event says of it."""
    alarms, events, before = session.read("modules.alarms")[0], len(session.fired), state(session, hand)
    session.write(f"modules.{hand}.order", [float(order)])
    session.step(0.021)
    assert state(session, hand) == before
    assert session.read("modules.alarms")[0] == alarms + 1.0
    (event,) = session.fired[events:]
    assert event.name == f"{hand}.{order.name.lower()}"
    assert event.result.startswith("refused: ")
    session.write(f"modules.{hand}.order", [0.0])
    session.step(0.02)
    return event.result.removeprefix("refused: ")


@pytest.mark.parametrize("coupling", ["tree", "constraint"])
def test_a_handover_goes_through_its_states_and_tells(coupling: str) -> None:
    session = started(off=(0.004, -0.003, 0.002), coupling=coupling)
    seen = [state(session)]

    def watch(order: Order, end: HandState) -> None:
        session.write("modules.hand.order", [float(order)])
        while state(session) != end:
            session.step(0.02)
            if state(session) != seen[-1]:
                seen.append(state(session))

    watch(Order.LATCH, HandState.CLOSED)
    loops = [loop.name for loop in session.world.compiled().loops]
    assert "grip" in loops, "the gantry is on the stack: this closes a loop"
    watch(Order.PICK, HandState.CARRYING)
    assert "grip" not in session.world.closed
    reach(session, top(stack(), (2, 0, 1)) + np.array([0.003, 0.0, -0.004]))
    watch(Order.PLACE, HandState.CLOSED)
    watch(Order.RELEASE, HandState.OPEN)
    S = HandState
    assert seen == [S.OPEN, S.CLOSING, S.CLOSED, S.PICKING, S.CARRYING, S.PLACING, S.CLOSED, S.OPENING, S.OPEN]
    assert [name for name, _ in told(session)] == [
        f"hand.{w}" for w in ("latch", "closed", "picked", "place", "placed", "opened")
    ]
    texts = dict(told(session))
    assert texts["hand.latch"].startswith("module 5 at cell (1, 0, 1), side +z, 0.00539 m and 0 rad; ")
    assert texts["hand.picked"] == "module 5 from cell (1, 0, 1)"
    assert texts["hand.placed"].startswith("module 5 at cell (2, 0, 1), residual ")
    assert session.read("modules.alarms")[0] == 0.0


def test_what_the_draw_leaves_stays_as_the_modules_offset() -> None:
    session = carrying()
    reach(session, top(stack(), (2, 0, 1)) + np.array([0.003, 0.0, -0.004]))
    assert do(session, Order.PLACE, HandState.CLOSED)
    body = assembly(session).bodies["stack"]
    offset = body.offset[body.grid.index((2, 0, 1))]
    assert 0.0 < np.abs(offset).max() < 1e-9
    assert body.identity[body.grid.index((2, 0, 1))] == 5


def test_the_misalignment_at_the_order_is_a_signal() -> None:
    session = started(off=(0.004, -0.003, 0.002))
    session.write("modules.hand.order", [float(Order.LATCH)])
    session.step(0.02)
    assert session.read("modules.hand.misaligned") == pytest.approx([np.sqrt(29.0) * 1e-3, 0.0], abs=1e-9)


@pytest.mark.parametrize(
    ("off", "says"),
    [
        (0.25 * UP, "misaligned by 0.25 m and 0 rad; allowed: 0.01 m and 0.0873 rad"),
        (0.011 * UP, "misaligned by 0.011 m"),
    ],
)
def test_latching_in_the_air_is_refused(off: Any, says: str) -> None:
    session = started(off=off)
    text = refused(session, Order.LATCH)
    assert text.startswith("at cell (1, 0, 1), side +z: ")
    assert says in text
    assert session.world.closed == {}


def test_orders_that_do_not_fit_the_state_are_refused() -> None:
    session = started()
    assert refused(session, Order.RELEASE) == "the hand is open; allowed: closed"
    assert refused(session, Order.PICK) == "the hand is open; allowed: closed"
    assert refused(session, Order.PLACE) == "the hand is open; allowed: carrying"
    assert refused(session, Order.RESET).startswith("the hand is open; allowed: failed")
    assert do(session, Order.LATCH, HandState.CLOSED)
    session.write("modules.hand.order", [0.0])
    session.step(0.02)
    assert refused(session, Order.LATCH) == "the hand is closed; allowed: open"
    assert refused(session, Order.PLACE) == "the hand is closed; allowed: carrying"


def test_an_order_that_does_not_exist_is_refused() -> None:
    session = started()
    session.write("modules.hand.order", [9.0])
    session.step(0.021)
    assert told(session) == [("hand.order", f"refused: 9; allowed: 0 to {max(Order)}")]
    assert session.read("modules.alarms")[0] == 1.0


def test_an_order_is_taken_once_however_long_it_stands() -> None:
    session = started(off=0.25 * UP)
    session.write("modules.hand.order", [float(Order.LATCH)])
    session.step(0.5)
    assert len(session.fired) == 1


def test_a_pick_that_would_split_the_structure_is_refused() -> None:
    row = stack({(0, 0, 0): "source", (1, 0, 0): "box", (2, 0, 0): "box"})
    session = started((1, 0, 0), body=row)
    assert do(session, Order.LATCH, HandState.CLOSED)
    assert refused(session, Order.PICK) == "without module 2 the rest is 2 pieces"
    assert assembly(session).bodies["stack"].identity[3] == 2


def test_placing_where_a_module_is_or_where_nothing_holds_is_refused() -> None:
    session = carrying()
    reach(session, top(stack(), (0, 0, 1)))
    assert refused(session, Order.PLACE) == "cell (0, 0, 1) is occupied by module 4"
    reach(session, top(stack(), (2, 0, 2)))
    assert refused(session, Order.PLACE) == "at cell (2, 0, 2): no neighbour with an interface that mates"
    reach(session, top(stack(), (2, 0, 1)) + 0.05 * UP)
    assert "at cell (2, 0, 1): misaligned by 0.05 m" in refused(session, Order.PLACE)
    assert state(session) == HandState.CARRYING
    reach(session, top(stack(), (2, 0, 1)))
    assert do(session, Order.PLACE, HandState.CLOSED), "a refused order can be given again"


def test_a_latch_that_fails_to_close_lets_go_and_says_so() -> None:
    session = started(fault="close")
    assert do(session, Order.LATCH, HandState.FAILED, limit=2.0 * CLOSING)
    assert told(session)[-1] == ("hand.latch", "failed: it did not close (injected fault)")
    assert session.world.closed == {}
    assert session.read("modules.alarms")[0] == 1.0
    session.write("modules.hand.order", [float(Order.RESET)])
    session.step(0.021)
    assert state(session) == HandState.OPEN
    assert do(session, Order.LATCH, HandState.CLOSED), "a reset repairs it"


def test_a_hand_that_fails_to_open_holds_on() -> None:
    session = started(fault="open")
    assert do(session, Order.LATCH, HandState.CLOSED)
    assert do(session, Order.RELEASE, HandState.FAILED, limit=2.0 * OPENING)
    assert told(session)[-1] == ("hand.release", "failed: it did not open (injected fault)")
    assert list(session.world.closed) == ["grip"]
    assert state(session) == HandState.FAILED


@pytest.mark.parametrize("fault", ["open", "close"])
def test_a_module_whose_neighbour_fails_stays_where_it_was(fault: str) -> None:
    session = carrying(faults={3: "close"}) if fault == "close" else started(faults={5: "open"})
    if fault == "close":
        reach(session, top(stack(), (2, 0, 1)))
        assert do(session, Order.PLACE, HandState.FAILED, limit=2.0 * CLOSING)
        assert told(session)[-1][0] == "hand.placing"
        assert "grip" not in session.world.closed, "the draw is given up"
    else:
        assert do(session, Order.LATCH, HandState.CLOSED)
        assert do(session, Order.PICK, HandState.FAILED, limit=2.0 * OPENING)
        assert told(session)[-1][0] == "hand.picking"
        assert "grip" in session.world.closed
    assert told(session)[-1][1].startswith("failed: interface at cell (")
    bodies = assembly(session).bodies
    assert bodies["tool" if fault == "close" else "stack"].find(5) is not None
    assert session.read("modules.alarms")[0] == 1.0
    session.write("modules.hand.order", [float(Order.RESET)])
    session.step(0.021)
    assert state(session) == (HandState.CARRYING if fault == "close" else HandState.CLOSED)


def test_an_overload_is_told_once_with_load_and_limits() -> None:
    session = carrying(interface=replace(QUICK, max_force=20.0))
    session.write("gantry.tau", [0.0, 0.0, 100.0])
    session.step(0.2)
    name, text = told(session)[-1]
    assert name == "hand.overload"
    assert text.endswith("N m; allowed: 20 N and 204 N m")
    assert float(text.split(" N,")[0]) > 20.0
    assert session.read("modules.alarms")[0] == 1.0
    assert state(session) == HandState.CARRYING, "it still holds"
    assert session.read("modules.hand.load")[0] > 0.0


def test_a_reset_after_an_overload_while_placing_gives_the_draw_up() -> None:
    session = carrying(interface=replace(QUICK, max_force=2.0))
    reach(session, top(stack(), (2, 0, 1)) + np.array([0.008, 0.0, -0.004]))
    session.write("modules.hand.order", [float(Order.PLACE)])
    session.step(0.2)
    assert told(session)[-1][0] == "hand.overload"
    assert state(session) == HandState.PLACING
    session.write("modules.hand.order", [float(Order.RESET)])
    session.step(0.021)
    assert state(session) == HandState.CARRYING
    assert "grip" not in session.world.closed
    assert assembly(session).latches.under_way == {}


def test_the_load_of_a_carried_module_is_its_mass_times_its_acceleration() -> None:
    session = carrying()
    session.write("gantry.tau", [0.0, 0.0, 30.0])
    session.step(0.06)
    session.step(1e-6)  # the hand has just looked
    load, felt = session.read("modules.hand.load"), session.read("tool.f_WB_B")
    assert load[0] == pytest.approx(10.0 * np.linalg.norm(felt), rel=0.02)
    assert load[0] > 1.0


@pytest.fixture(scope="module")
def walker() -> tuple[ff.Mission, np.ndarray]:
    """The walking manipulator that stands with end A on the stack, without tasks; joints at which B is on a module."""
    built = load("pick-and-place", {"attitude": "off", "duration": 60.0}).build()
    sequencer = next(task.controller for task in built.tasks if task.name == "plan")
    approach = next(step for step in sequencer.steps if isinstance(step, Follow))
    return ff.Mission(built.blueprint), approach.path.at(np.inf)[0]


def test_a_robot_does_not_let_go_of_its_only_foot(walker: Any) -> None:
    mission, _ = walker
    session = mission.session()
    session.step(0.02)
    assert state(session, "a") == HandState.CLOSED
    assert refused(session, Order.RELEASE, "a") == "nothing else holds the robot"
    assert refused(session, Order.PICK, "a") == "nothing else holds the robot"
    assert list(session.world.closed) == ["foot_a"]


def test_a_robot_on_two_feet_may_lift_either_but_not_both(walker: Any) -> None:
    mission, q = walker
    session = mission.session()
    joints = [name for name in session.world.compiled().rate if name.startswith("wm.")]
    for name, value in zip(joints, q, strict=True):
        session.set_joint(name, float(value), 0.0)
    assert do(session, Order.LATCH, HandState.CLOSED, limit=11.0, hand="b")
    assert [loop.name for loop in session.world.compiled().loops] == ["foot_b"]
    session.write("modules.a.order", [float(Order.RELEASE)])
    session.write("modules.b.order", [float(Order.RELEASE)])
    session.step(0.021)
    assert state(session, "a") == HandState.OPENING
    assert state(session, "b") == HandState.CLOSED
    assert told(session)[-1] == ("b.release", "refused: nothing else holds the robot")
    assert do(session, Order.RELEASE, HandState.OPEN, limit=11.0, hand="a")
    assert list(session.world.closed) == ["foot_b"]
    assert session.world.compiled().loops == ()
