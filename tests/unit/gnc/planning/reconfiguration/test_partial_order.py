from itertools import pairwise

from tests.unit.gnc.planning.reconfiguration.reach_table import ReachTable

from freefloat.gnc.planning.reconfiguration.candidates import step_allowed, transfer_allowed
from freefloat.gnc.planning.reconfiguration.partial_order import makespan
from freefloat.gnc.planning.reconfiguration.planner import plan
from freefloat.gnc.planning.reconfiguration.problem import Plan, Problem
from freefloat.gnc.planning.reconfiguration.space import Act, Space
from freefloat.verify.rebuild_jobs import slab_to_towers_20


def every_order(problem: Problem, made: Plan) -> set[bytes]:
    """What all orders that a plan allows end with; none breaks a rule."""
    space = Space(problem, ReachTable(problem.places))
    ends: set[bytes] = set()
    todo, seen = [(frozenset[int](), space.start)], {frozenset[int]()}
    while todo:
        done, state = todo.pop()
        left = [o for o in made.operations if o.n not in done and done.issuperset(o.after)]
        if not left:
            assert len(done) == len(made.operations)
            ends.add(state.content.tobytes())
        for o in left:
            t, feet, content = space.tables, state.standing, state.content
            if o.to is not None:
                assert step_allowed(t, content, feet, o.to.place, o.to.side)
                act = Act(o.robot, o.to.place, -1, o.to.side, 0, 0)
            else:
                c = o.carry
                assert c is not None
                assert transfer_allowed(t, content, feet, c.source, c.target, c.grip, c.turn)
                act = Act(o.robot, c.source, c.target, c.grip, c.turn, int(content[c.source]))
            if done | {o.n} not in seen:
                seen.add(done | {o.n})
                todo.append((done | {o.n}, state.after(act)))
    return ends


def test_every_order_that_the_plan_allows_reaches_the_goal_and_both_robots_share_the_work():
    problem = slab_to_towers_20()
    made = plan(problem, ReachTable(problem.places))
    assert len(every_order(problem, made)) == 1
    assert makespan(made.operations) <= 0.6 * made.cost


def test_where_other_orders_have_no_motion_operations_wait():
    problem = slab_to_towers_20()
    made = plan(problem, ReachTable(problem.places, refuted=0.5))
    assert len(every_order(problem, made)) == 1
    for robot in range(2):
        own = [o for o in made.operations if o.robot == robot]
        assert all(a.n in b.after for a, b in pairwise(own))
