"""Plans gone through on paper agree with the rules of the search, and say why an operation cannot be done."""

from __future__ import annotations

import numpy as np
import pytest

from freefloat.gnc.planning.reconfiguration.candidates import step_allowed, transfer_allowed
from freefloat.gnc.planning.reconfiguration.problem import Carry, Contents, Excluded, Operation, Problem, Stance
from freefloat.gnc.planning.reconfiguration.tables import setting_of
from freefloat.missions.modular.design_pair import DesignPair, pair_of
from freefloat.missions.modular.plan_replay import Replay, turn_between, turned
from freefloat.structure.design.file import load_design

TOP = 4


@pytest.fixture(scope="module")
def slab() -> DesignPair:
    return pair_of(load_design("slab-20"), load_design("tower-20"))


def at(replay: Replay) -> Problem:
    """The problem from where a replay is now."""
    now = replay.contents
    p = replay.problem
    contents = Contents(now.type, now.orientation, now.identity)
    return Problem(p.places, p.kinds, contents, p.goal, list(replay.feet), p.match, p.excluded)


@pytest.mark.parametrize("name", ["slab-20", "slab-10x2"])
def test_random_operations_are_allowed_by_both_or_refused_by_both(name: str) -> None:
    pair = pair_of(load_design(name), load_design({"slab-20": "tower-20", "slab-10x2": "two-towers"}[name]))
    rng, replay = np.random.default_rng(20), Replay(pair.problem)
    n, told = pair.grid.n, {True: 0, False: 0}
    for _ in range(250):
        setting = setting_of(at(replay), every_orientation=True)
        t, content = setting.tables, setting.start
        feet = np.array([(f.place, f.side) for f in replay.feet], np.int64)
        robot = int(rng.integers(len(replay.feet)))
        if rng.random() < 0.3:
            place, side = int(rng.choice(np.flatnonzero(replay.type))), int(rng.integers(6))
            wanted = step_allowed(t, content, feet, place, side)
            operation = Operation(1, robot, replay.feet[robot], to=Stance(place, side))
        else:
            source, target = int(rng.choice(np.flatnonzero(replay.type))), int(rng.integers(n))
            grip, turn = int(rng.integers(6)), int(rng.integers(24)) if rng.random() < 0.5 else 0
            wanted = transfer_allowed(t, content, feet, source, target, grip, turn)
            operation = Operation(1, robot, replay.feet[robot], carry=Carry(source, target, grip, turn))
        assert (replay.do(operation) is None) == wanted
        told[bool(wanted)] += 1
    assert min(told.values()) >= 10


def test_turns_take_orientations_to_each_other(slab: DesignPair) -> None:
    for before in range(24):
        for after in (0, 7, 23):
            assert turned(slab.problem, turn_between(slab.problem, before, after), before) == after


@pytest.mark.parametrize(
    ("source", "target", "grip", "turn", "field", "told"),
    [
        ((2, 1, 1), (0, 1, 2), TOP, 0, "module", "a robot stands on module 15 (dms) in cell (2, 1, 1)"),
        ((2, 1, 0), (0, 1, 2), TOP, 0, "grip", "side +z of module 5 (bus) in cell (2, 1, 0) is covered by module 15"),
        ((3, 1, 1), (2, 1, 2), TOP, 0, "to", "a robot stands in cell (2, 1, 2)"),
        ((3, 1, 1), (3, 1, 1), TOP, 0, "to", "is there already, so turned"),
        ((3, 1, 1), (4, 1, 1), TOP, 0, "to", "module 19 (payload) in cell (4, 1, 1) is there"),
        ((3, 1, 1), (0, 0, 4), TOP, 0, "to", "no interface closes on a neighbour of cell (0, 0, 4), so turned"),
        ((2, 1, 0), (0, 1, 2), 3, 0, "module", "without module 5 (bus), the rest falls apart at "),
    ],
)
def test_what_cannot_be_carried_is_told_with_its_reason(
    slab: DesignPair, source: tuple[int, ...], target: tuple[int, ...], grip: int, turn: int, field: str, told: str
) -> None:
    replay, index = Replay(slab.problem), slab.grid.index
    before = replay.contents
    carry = Carry(index(source), index(target), grip, turn)
    misstep = replay.do(Operation(1, 0, replay.feet[0], carry=carry))
    assert misstep is not None
    assert misstep.field == field
    assert told in misstep.message
    assert np.array_equal(before.identity, replay.identity)


def test_what_is_excluded_is_neither_gripped_nor_opened_nor_a_way_of_power(slab: DesignPair) -> None:
    p, index = slab.problem, slab.grid.index

    def message(excluded: Excluded, operation: Operation) -> str:
        problem = Problem(p.places, p.kinds, p.start, p.goal, p.robots, p.match, excluded)
        misstep = Replay(problem).do(operation)
        return "" if misstep is None else misstep.message

    lift = Operation(1, 0, p.robots[0], carry=Carry(index((3, 1, 1)), index((4, 1, 2)), TOP))
    assert message(Excluded(), lift) == ""
    assert "does not let go" in message(Excluded(opens=frozenset({17})), lift)
    assert "no interface that works" in message(Excluded(faces=frozenset({(17, TOP)})), lift)
    step = Operation(1, 0, p.robots[0], to=Stance(index((3, 1, 1)), TOP))
    assert "no path to a source" in message(Excluded(dead=frozenset({11, 12})), step)
