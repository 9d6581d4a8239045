from dataclasses import replace

import numpy as np
import pytest
from tests.unit.gnc.planning.reconfiguration.reach_table import ReachTable

from freefloat.gnc.planning.reconfiguration.candidates import step_allowed, transfer_allowed
from freefloat.gnc.planning.reconfiguration.planner import Limits, plan
from freefloat.gnc.planning.reconfiguration.problem import Plan, Problem
from freefloat.gnc.planning.reconfiguration.space import Space
from freefloat.verify.rebuild_jobs import job, slab_to_tower_20


def replayed(problem: Problem, made: Plan) -> np.ndarray:
    """Types at the end, by the rules alone."""
    space = Space(problem, ReachTable(problem.places))
    t, content = space.tables, space.start.content.copy()
    feet = space.start.standing
    for o in made.operations:
        assert (o.stance.place, o.stance.side) == tuple(feet[o.robot])
        if o.to is not None:
            assert step_allowed(t, content, feet, o.to.place, o.to.side)
            feet[o.robot] = o.to.place, o.to.side
            continue
        assert o.carry is not None
        c = o.carry
        assert transfer_allowed(t, content, feet, c.source, c.target, c.grip, c.turn)
        after = next(int(v) for turn, v in t.turns[content[c.source]] if turn == c.turn)
        content[c.source] = 0
        content[c.target] = after
    return t.aim[content]


def test_a_slab_of_20_becomes_a_tower_with_at_most_17_transfers_though_most_operations_have_no_motion():
    problem = slab_to_tower_20()
    made = plan(problem, ReachTable(problem.places, refuted=0.6), limits=Limits((3.0, 2.0, 1.5)))
    assert made.transfers_bound == 16
    assert made.transfers <= 17
    assert (replayed(problem, made) == Space(problem, ReachTable(problem.places)).tables.goal).all()
    assert made.cost == pytest.approx(sum(o.seconds for o in made.operations))
    assert made.bound <= made.cost


def test_a_plan_is_the_same_each_time():
    problem = slab_to_tower_20()
    few = Limits((3.0,), 300)
    one, two = (plan(problem, ReachTable(problem.places, 0.6), limits=few) for _ in range(2))
    assert one == two


def test_nothing_to_do_is_an_empty_plan():
    row = [("solar", (0, 0, 0)), ("bus", (1, 0, 0)), ("bus", (2, 0, 0))]
    problem = job((3, 2, 2), row, row, [(1, 0, 0)])
    made = plan(problem, ReachTable(problem.places))
    assert made.operations == ()
    assert made.cost == made.bound == 0.0


def test_a_swap_costs_one_transfer_more_than_wrong_cells():
    row = [("solar", (0, 0, 0)), ("bus", (1, 0, 0)), ("bus", (2, 0, 0)), ("dms", (1, 0, 1)), ("payload", (2, 0, 1))]
    other = [("solar", (0, 0, 0)), ("bus", (1, 0, 0)), ("bus", (2, 0, 0)), ("payload", (1, 0, 1)), ("dms", (2, 0, 1))]
    problem = job((3, 2, 3), row, other, [(0, 0, 0)])
    made = plan(problem, ReachTable(problem.places), "optimal")
    assert made.transfers_bound == 3
    assert made.transfers == 3
    assert made.cost == made.bound


def test_a_plan_goes_on_from_where_a_robot_stopped():
    problem = slab_to_tower_20()
    motions = ReachTable(problem.places)
    few = Limits((3.0,))
    made = plan(problem, motions, limits=few)
    half = made.operations[: len(made.operations) // 2]
    start = [np.array(x) for x in (problem.start.type, problem.start.orientation, problem.start.identity)]
    stance = problem.robots[0]
    for o in half:
        if o.carry is not None:
            for x in start:
                x[o.carry.target], x[o.carry.source] = x[o.carry.source], 0
        stance = o.to or stance
    middle = replace(problem, start=type(problem.start)(*start), robots=[stance])
    rest = plan(middle, motions, limits=few)
    assert rest.transfers_bound <= made.transfers_bound - sum(o.kind == "transfer" for o in half) + 1
    assert (replayed(middle, rest) == Space(problem, motions).tables.goal).all()
