"""A modular spacecraft while it is rebuilt: what goes with a module, what is told, where a run may be cut."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import freefloat as ff
from freefloat.errors import InputError
from freefloat.hand_words import HandState, Order
from freefloat.robots.gantry import gantry, joints_for
from freefloat.structure.assembly import Assembly
from freefloat.structure.hand import Hand, HandSetup
from freefloat.structure.heat.climate import Climate
from freefloat.structure.tensor_part import DUMMY_MASS, TensorPart, empty_hand
from freefloat.verify.handling_rig import CATALOGUE, QUICK, assembly, do, handling, reach, stack, top

TUMBLE = ff.Motion(w_WL_L=(0.05, -0.03, 0.04), v_WL=(0.1, 0.2, 0.3))


def rig(cell: tuple[int, int, int] = (0, 0, 1), **options: Any) -> ff.Mission:
    body = options.pop("body", None) or stack()
    return handling(body, top(body, cell), options.pop("motion", TUMBLE), climate=Climate(), **options)


def pick(session: ff.Session) -> None:
    assert do(session, Order.LATCH, HandState.CLOSED)
    assert do(session, Order.PICK, HandState.CARRYING)


def test_charge_and_heat_go_with_the_battery() -> None:
    session = rig().session()
    session.step(0.02)
    modules = assembly(session)
    place, hand = stack().grid.index((0, 0, 1)), stack().grid.n
    charge = session.read("modules.charge")[0]
    assert charge == pytest.approx(0.6e5, rel=1e-4)
    session.step(1.0)
    T = session.read("stack.temperature")[place]
    pick(session)
    assert session.read("tool.identity")[0] == 4.0
    assert session.read("stack.identity")[place] == 0.0
    assert session.read("tool.temperature")[0] == pytest.approx(T, abs=0.04), "some 250 W are radiated meanwhile"
    assert session.read("modules.charge")[0] == pytest.approx(charge, rel=1e-3)
    assert modules.supply.charge[hand] > 0.59
    assert modules.supply.charge[place] == 0.0


def test_a_module_taken_from_the_bus_is_dark_in_a_hand_without_power_and_lit_again_where_it_is_placed() -> None:
    session = rig((1, 0, 1)).session()
    pick(session)
    session.step(0.1)
    assert session.read("tool.powered")[0] == 0.0, "the gantry has no line"
    assert session.read("modules.power")[1] == pytest.approx(10.0, rel=1e-9)
    reach(session, top(stack(), (2, 0, 1)))
    assert do(session, Order.PLACE, HandState.CLOSED)
    session.step(0.1)
    assert session.read("stack.powered")[stack().grid.index((2, 0, 1))] == 1.0
    assert session.read("modules.power")[1] == pytest.approx(15.0, rel=1e-9)


def test_a_carried_module_stays_powered_through_a_robot_that_stands_on_a_powered_one() -> None:
    """One hand holds on to the structure, the other carries: both are of one robot with a line between them."""

    body = stack()
    parts = [
        TensorPart(n, b)
        for n, b in (
            ("stack", body),
            ("tool_a", empty_hand("tool_a", CATALOGUE)),
            ("tool_b", empty_hand("tool_b", CATALOGUE)),
        )
    ]
    hands = [HandSetup(h, f"{h}.frame", f"tool_{h}", f"foot_{h}", QUICK) for h in "ab"]
    modules = Assembly("modules", parts, hands, robots={"wm": "ab"}, robot_demand=20.0)
    n = body.grid.n
    a, b = (modules.hands[h] for h in "ab")
    a.state, a.place = HandState.CLOSED, body.grid.index((0, 0, 0))
    module = modules.bodies["stack"].remove(body.grid.index((1, 0, 1)))
    modules.bodies["tool_b"].insert(0, module)
    b.state = HandState.CARRYING
    for state, lit in ((HandState.CLOSED, True), (HandState.OPENING, False)):
        a.state = state
        modules.supply.rewire(list(modules.bodies.values()), modules.latches, modules.services.wires(modules.hands))
        assert bool(modules.supply.powered[n + 1]) is lit
        assert bool(modules.supply.powered[n + 2]) is lit


def test_a_module_that_another_hand_stands_on_is_not_picked() -> None:
    mission = rig((1, 0, 1))
    session = mission.session()
    assert do(session, Order.LATCH, HandState.CLOSED)
    modules = assembly(session)
    world, hand = session.world, modules.hands["hand"]
    other = HandSetup("foot", "gantry.hand", "tool", "grip", QUICK)
    foot = modules.hands["foot"] = Hand(other, "stack", "tree", 50.0, HandState.FAILED, place=hand.place)
    foot.side = hand.side
    assert modules._also_holding(world, "hand") == "foot"
    assert modules._barred(world, "hand") == {(hand.place, hand.side)}
    foot.state = HandState.PICKING
    assert modules._barred(world, "hand") == {(hand.place, side) for side in range(6)}
    foot.place = 0
    assert modules._also_holding(world, "hand") == ""
    foot.place, foot.setup = hand.place, HandSetup("foot", "gantry.hand", "tool", "open", QUICK)
    assert modules._also_holding(world, "hand") == ""
    assert modules._barred(world, "hand") == frozenset()


def test_mass_is_told_with_the_dummy_apart() -> None:
    session = rig().session()
    pick(session)
    assert session.read("modules.mass").tolist() == [56.0, 0.0]
    assert session.world.links["tool"].mass == 12.0
    assert session.world.links["stack"].mass == 44.0


def test_a_structure_whose_last_module_is_taken_has_the_dummy_mass_and_the_audit_books_it() -> None:
    mission = rig((1, 0, 0), body=stack({(1, 0, 0): "box"}))
    session = mission.session()
    pick(session)
    session.step(0.1)
    assert session.read("modules.mass").tolist() == [10.0, DUMMY_MASS]
    tree = session.world.compiled()
    assert tree.model.body_mass[tree.body["stack"]] == DUMMY_MASS
    result = mission.complete(session, session.time + 0.1, strict=True)
    assert result.metrics["audit.mass_drift"] < 1e-15
    assert result.metrics["audit.angular_momentum_drift"] < 1e-10


def test_a_structure_that_hangs_on_its_robot_can_be_emptied_and_let_go() -> None:
    """The robot's body is the root: the empty structure must float by itself afterwards."""

    body = stack({(1, 0, 0): "box"})
    drift = ff.Motion(v_WL=(0.1, 0.0, 0.0))
    part, bus = TensorPart("stack", body, motion=drift), ff.RigidBody("bus", 100.0, motion=drift)
    arm = ff.Arm("gantry", gantry(), on="bus", q=tuple(joints_for(top(body, (1, 0, 0)))))
    tool = TensorPart("tool", empty_hand("tool", body.catalogue), on="gantry.hand")
    hand = HandSetup("hand", "gantry.hand", "tool", "grip", QUICK)
    modules = Assembly("modules", [part, tool], [hand])
    mission = ff.Mission(
        [bus, arm, part, tool, modules],
        connections=[ff.Connection("grip", "stack", "gantry.hand")],
    )
    session = mission.session()
    pick(session)
    assert "stack" in session.world.roots
    session.step(0.1)
    assert session.read("modules.mass").tolist() == [10.0, DUMMY_MASS]
    mission.complete(session, session.time + 0.1, strict=True)


CUTS = {"closing": 0.3, "picking": 0.6, "carrying": 0.9, "placing": 1.3}


def scripted() -> ff.Mission:
    """A whole handover by events, with heat and power."""

    def order(value: Order) -> Any:
        return lambda s: s.write("modules.hand.order", [float(value)])

    events = [
        ff.Event("latch", order(Order.LATCH), at=0.0),
        ff.Event("pick", order(Order.PICK), at=0.55),
        ff.Event("move", lambda s: reach(s, top(stack(), (2, 0, 1)) + np.array([0.003, 0.0, -0.004])), at=0.9),
        ff.Event("place", order(Order.PLACE), at=1.0),
        ff.Event("release", order(Order.RELEASE), at=1.6),
    ]
    mission = rig((1, 0, 1))
    mission.events = tuple(events)
    return mission


@pytest.fixture(scope="module")
def whole() -> ff.Result:
    return scripted().run(2.0)


def test_the_scripted_handover_does_all_that_it_should(whole: ff.Result) -> None:
    told = [e.name for e in whole.events if e.name.startswith("hand.")]
    assert told == [f"hand.{w}" for w in ("latch", "closed", "picked", "place", "placed", "opened")]
    assert whole.metrics["audit.mass_drift"] == 0.0


@pytest.mark.parametrize("cut", CUTS)
def test_a_run_cut_in_the_middle_of_a_handover_goes_on_bit_for_bit(cut: str, whole: ff.Result) -> None:
    mission = scripted()
    session = mission.session()
    session.step(CUTS[cut])
    assert HandState(int(session.read("modules.hand.state")[0])).name.lower() == cut
    saved = pickle.dumps(session.snapshot())
    other = scripted()
    fresh = other.session()
    fresh.restore(pickle.loads(saved))
    result = other.complete(fresh, 2.0)
    signals = ("stack.q_WB", "gantry.q", "modules.hand.load", "modules.power", "stack.temperature", "stack.identity")
    for name in signals:
        assert np.array_equal(result[name], whole[name]), name
    assert result.metrics == whole.metrics
    assert list(result.events) == list(whole.events)


def test_going_back_undoes_a_handover(whole: ff.Result) -> None:
    mission = scripted()
    session = mission.session()
    session.step(0.5)
    early = session.snapshot()
    session.step(1.5)
    assert session.read("stack.identity")[7] == 5.0
    session.restore(early)
    assert assembly(session).bodies["stack"].find(5) == 4
    assert session.world.links["stack"].mass == 56.0
    again = mission.complete(session, 2.0)
    assert np.array_equal(again["gantry.q"], whole["gantry.q"])


def test_two_sessions_of_one_mission_do_not_share_their_contents() -> None:
    mission = rig()
    first, second = mission.session(), mission.session()
    pick(first)
    second.step(0.02)
    assert second.read("stack.identity")[1] == 4.0
    assert second.read("tool.identity")[0] == 0.0


def test_the_same_module_in_two_bodies_is_refused() -> None:
    with pytest.raises(InputError, match="module 1 is at stack place 0 and at other place 0; allowed: one of each"):
        Assembly("modules", [TensorPart("stack", stack()), TensorPart("other", stack())])


def test_another_way_to_hold_is_refused() -> None:
    with pytest.raises(InputError, match="coupling 'glue'; allowed: auto, tree, constraint"):
        Assembly("modules", [TensorPart("stack", stack())], coupling="glue")


def test_two_assemblies_cannot_look_after_one_body() -> None:
    body = stack()
    part = TensorPart("stack", body)
    pair = [Assembly(n, [part]) for n in ("first", "second")]
    with pytest.raises(InputError, match="'second' and 'first' both look after the contents of stack"):
        ff.Mission([part, *pair]).session()
