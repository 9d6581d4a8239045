"""The pictures of a plan are its states: the start, then every transfer in one of them, the goal last."""

from __future__ import annotations

import numpy as np

from freefloat.gnc.planning.reconfiguration.problem import Carry, Operation, Plan, Stance
from freefloat.missions.modular.design_pair import DesignPair, pair_of
from freefloat.missions.modular.plan_pictures import plan_states
from freefloat.structure.design.file import load_design

TOP = 4


def up_and_down(pair: DesignPair, times: int) -> Plan:
    """A payload that goes up and down again, after a step."""
    low, high, foot = (pair.grid.index(c) for c in ((3, 1, 1), (4, 1, 2), (1, 1, 1)))
    operations = [Operation(1, 0, pair.problem.robots[0], to=Stance(foot, TOP), module=13)]
    for k in range(times):
        carry = Carry(low, high, TOP) if k % 2 == 0 else Carry(high, low, TOP)
        operations.append(Operation(k + 2, 0, Stance(foot, TOP), carry=carry, module=17, after=(k + 1,)))
    return Plan(tuple(operations), 100.0, 50.0, times, 1, 1)


def test_every_operation_is_in_one_picture_and_the_last_is_the_end() -> None:
    pair = pair_of(load_design("slab-20"), load_design("slab-20"))
    for times in (1, 2, 5, 30):
        states = plan_states(up_and_down(pair, times), pair, most=6)
        assert len(states) == min(times, 5) + 1
        assert states[0].title == "start"
        assert "step" in states[1].caption
        assert states[-1].title.startswith("operation")
        assert states[-1].title.split(":")[0].endswith(f" {times + 1}")
        assert states[-1].title.endswith(": goal") == (times % 2 == 0)
        assert all(state.stances["wm"] == (pair.grid.index((1, 1, 1)), TOP) for state in states[1:])


def test_placed_modules_are_marked_where_they_are_then() -> None:
    pair = pair_of(load_design("slab-20"), load_design("slab-20"))
    states = plan_states(up_and_down(pair, 2), pair)
    assert [list(s.moved) for s in states] == [[], [pair.grid.index((4, 1, 2))], [pair.grid.index((3, 1, 1))]]
    assert states[1].caption == "step onto 13 +z; 17 to (4, 1, 2)"
    assert np.array_equal(states[0].contents.identity, states[-1].contents.identity)


def test_a_plan_of_nothing_is_one_picture() -> None:
    pair = pair_of(load_design("slab-20"), load_design("slab-20"))
    (state,) = plan_states(Plan((), 0.0, 0.0, 0, 0, 0), pair)
    assert state.caption == "module 1 is in cell (0, 1, 0)"
