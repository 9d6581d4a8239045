import numpy as np
from tests.unit.gnc.planning.reconfiguration.reach_table import ReachTable

from freefloat.gnc.planning.reconfiguration.bound import least_transfers, walking_table
from freefloat.gnc.planning.reconfiguration.problem import Stance
from freefloat.gnc.planning.reconfiguration.reach import Reach
from freefloat.gnc.planning.reconfiguration.tables import setting_of
from freefloat.verify.rebuild_jobs import Laid, job, place_of, slab_to_tower_20, slab_to_tower_60, slab_to_tower_200


def bound(start: Laid, goal: Laid) -> int:
    base: Laid = [("solar", (i, 0, 0)) for i in range(4)]
    setting = setting_of(job((4, 2, 3), [*base, *start], [*base, *goal], [(0, 0, 0)]))
    return int(least_transfers(setting.tables, setting.start, setting.labels))


def test_known_cases_have_their_bounds():
    for problem, expected in ((slab_to_tower_20(), 16), (slab_to_tower_60(), 48), (slab_to_tower_200(), 120)):
        setting = setting_of(problem)
        assert least_transfers(setting.tables, setting.start, setting.labels) == expected


def test_a_module_in_a_wrong_cell_counts_once_and_a_closed_cycle_once_more():
    a, b, c, d = ((i, 0, 1) for i in range(4))
    assert bound([("bat", a)], [("bat", b)]) == 1
    assert bound([("bat", a), ("dms", b)], [("dms", a), ("bat", b)]) == 3
    three = [("bat", a), ("dms", b), ("payload", c)]
    assert bound(three, [("dms", a), ("payload", b), ("bat", c)]) == 4
    assert bound(three, [("dms", a), ("payload", b), ("bat", d)]) == 3  # d is free
    four = [*three, ("bus", d)]
    assert bound(four, [("dms", a), ("bat", b), ("bus", c), ("payload", d)]) == 6  # two cycles
    joined = [("bat", a), ("dms", b), ("bat", c), ("bus", d)]
    assert bound(joined, [("dms", a), ("bat", b), ("bus", c), ("bat", d)]) == 5  # two cycles through one type


def test_walks_are_zero_within_reach_and_grow_by_whole_steps():
    problem = job((8, 1, 2), [("solar", (0, 0, 0))], [("solar", (0, 0, 0))], [(0, 0, 0)])
    reach = Reach(problem.places, ReachTable(problem.places))
    table = walking_table(reach)
    foot = Stance(place_of(problem, (0, 0, 0)), 4)
    row = table[foot.place * 6 + foot.side]
    near = reach.hand(foot).reshape(-1, 6).any(axis=1)
    assert (row[near] == 0.0).all()
    assert (row[~near & np.isfinite(row)] >= 50.0).all()
    assert row[place_of(problem, (7, 0, 0))] == 50.0
