"""Faults by name, time and place: what each does, how often, and what a reset repairs."""

from __future__ import annotations

import math
from typing import Any

import pytest

import freefloat as ff
from freefloat.errors import InputError
from freefloat.hand_words import HandState, Order
from freefloat.structure.faults import Fault, Faults
from freefloat.verify.handling_rig import assembly, do, handling, reach, stack, top

CELL = (1, 0, 1)  # of module 5


def started(*faults: Fault, **options: Any) -> ff.Session:
    body = stack()
    return handling(body, top(body, CELL), faults=faults, **options).session()


def told(session: ff.Session) -> list[tuple[str, str]]:
    return [(e.name, e.result) for e in session.fired]


def again(session: ff.Session, order: Order, state: HandState, limit: float = 3.0) -> bool:
    """Give an order once more, whatever stands."""
    session.write("modules.hand.count", session.read("modules.hand.count") + 1.0)
    return do(session, order, state, limit)


def test_a_module_that_does_not_open_stays_with_structure_and_hand_and_opens_at_the_next_try() -> None:
    session = started(Fault("no-open", module=5))
    assert do(session, Order.LATCH, HandState.CLOSED)
    assert do(session, Order.PICK, HandState.FAILED)
    assert told(session)[-1][1].endswith("it did not open (injected fault)")
    modules = assembly(session)
    assert modules.bodies["stack"].find(5) == 4
    assert modules.latches.closed["stack"][4].sum() == 2
    assert "grip" in session.world.closed
    assert do(session, Order.RESET, HandState.CLOSED)
    assert do(session, Order.PICK, HandState.CARRYING), "it failed once"


def test_a_module_that_never_opens_can_be_let_go() -> None:
    session = started(Fault("no-open", module=5, count=None))
    assert do(session, Order.LATCH, HandState.CLOSED)
    for _ in range(2):
        assert do(session, Order.PICK, HandState.FAILED)
        assert do(session, Order.RESET, HandState.CLOSED)
    assert do(session, Order.RELEASE, HandState.OPEN)
    assert assembly(session).bodies["stack"].find(5) == 4


def test_a_place_that_does_not_close_leaves_the_module_in_the_hand_for_another_try() -> None:
    session = started(Fault("no-close", module=5))
    assert do(session, Order.LATCH, HandState.CLOSED)
    assert do(session, Order.PICK, HandState.CARRYING)
    reach(session, top(stack(), (2, 0, 1)))
    assert do(session, Order.PLACE, HandState.FAILED)
    assert assembly(session).bodies["tool"].identity[0] == 5
    assert session.read("modules.hand.failed").tolist() == [stack().grid.index((2, 0, 1)), 5]
    assert do(session, Order.RESET, HandState.CARRYING)
    assert do(session, Order.PLACE, HandState.CLOSED)


def test_a_side_that_is_left_out_of_an_order_to_place_stays_open_and_is_not_waited_for() -> None:
    session = started(Fault("no-close", module=5, side=5, count=None))
    assert do(session, Order.LATCH, HandState.CLOSED)
    assert do(session, Order.PICK, HandState.CARRYING)
    reach(session, top(stack(), (2, 0, 1)))
    assert do(session, Order.PLACE, HandState.FAILED)
    assert do(session, Order.RESET, HandState.CARRYING)
    session.write("modules.hand.without", [float(1 << 5)])
    session.write("modules.hand.order", [float(Order.PLACE)])
    session.step(0.1)
    assert "stay open" in told(session)[-1][1], "nothing else would hold it"


def test_a_pair_that_never_closes_fails_as_often_as_it_is_told_to() -> None:
    session = started(Fault("no-close", module=5, count=None))
    assert do(session, Order.LATCH, HandState.CLOSED)
    assert do(session, Order.PICK, HandState.CARRYING)
    reach(session, top(stack(), (2, 0, 1)))
    for _ in range(4):
        assert do(session, Order.PLACE, HandState.FAILED)
        assert do(session, Order.RESET, HandState.CARRYING)


def test_a_fault_of_one_side_strikes_that_interface_only() -> None:
    faults = Faults.of([Fault("no-close", module=5, side=1, count=None)])
    assert not faults.of_pair("close", 0.0, (5, 0), (4, 1))
    assert faults.of_pair("close", 0.0, (5, 1), (4, 0))
    assert faults.of_pair("close", 0.0, (4, 0), (5, 1)), "either half of the pair"
    stuck = Faults.of([Fault("no-open", module=5, count=None)])
    assert not stuck.of_pair("open", 0.0, (4, 0), (5, 1)), "module 4 is picked, not 5"


def test_only_orders_in_the_window_count() -> None:
    faults = Faults.of([Fault("no-close", at=1.0, hand="a", until=2.0, count=None)])
    struck = [t for t in (0.5, 1.0, 1.5, 2.0) if faults.of_hand("close", t, "a")]
    assert struck == [1.0, 1.5]
    assert not faults.of_hand("close", 1.5, "b")


def test_a_repairable_fault_ends_with_a_reset_and_another_does_not() -> None:
    for repairable in (True, False):
        faults = Faults.of([Fault("no-open", hand="a", count=None, repairable=repairable)])
        faults.repair()
        assert faults.of_hand("open", 0.0, "a"), "nothing has failed yet"
        faults.repair()
        assert faults.of_hand("open", 0.0, "a") is not repairable


def test_an_order_is_lost_once_and_taken_when_it_is_repeated() -> None:
    session = started(Fault("lost-order", hand="hand"))
    session.write("modules.hand.order", [float(Order.LATCH)])
    session.step(0.5)
    assert told(session) == [("hand.order", "1 lost (injected fault)")]
    assert session.read("modules.hand.state")[0] == HandState.OPEN
    assert session.read("modules.alarms")[0] == 0.0, "nobody on board knows"
    assert again(session, Order.LATCH, HandState.CLOSED)


def test_a_dead_module_passes_no_power_from_its_instant_on() -> None:
    session = started(Fault("dead-module", at=1.013, module=2))
    session.step(1.0)
    grid = stack().grid
    chain = [grid.index(cell) for cell in ((1, 0, 0), (2, 0, 0))]
    assert session.read("stack.powered")[chain].tolist() == [1.0, 1.0]
    session.step(0.02)
    assert told(session) == [("modules.fault", "module 2 passes no power (injected fault)")]
    assert session.fired[-1].t == 1.013
    assert session.read("stack.powered")[chain].tolist() == [0.0, 0.0], "module 3 hangs on it"
    assert session.read("stack.powered")[grid.index((1, 0, 1))] == 1.0, "module 5 has another way"


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        (lambda: Fault("rust", hand="a"), "fault 'rust'; allowed: no-close, no-open"),  # pyright: ignore[reportArgumentType]
        (lambda: Fault("no-close"), "module 0 and hand ''; allowed: a module or a hand"),
        (lambda: Fault("dead-module", hand="a"), "allowed: a module"),
        (lambda: Fault("lost-order", module=3), "allowed: a hand"),
        (lambda: Fault("no-open", module=3, count=0), "count"),
        (lambda: Fault("no-open", at=-1.0, module=3), "at"),
        (lambda: Fault("overload", hand="a", max_force=-1.0), "max_force"),
    ],
)
def test_a_fault_that_cannot_be_is_refused(fault: Any, says: str) -> None:
    with pytest.raises(InputError, match=says):
        fault()


def test_a_fault_of_a_hand_that_is_not_there_is_refused() -> None:
    with pytest.raises(InputError, match="hand"):
        started(Fault("lost-order", hand="foot"))


def test_nothing_begins_where_nothing_was_given() -> None:
    assert Faults().next() == math.inf
    assert Faults().begin(1e9) == []
