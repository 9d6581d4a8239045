import math

import pytest
from tests.unit.gnc.planning.reconfiguration.reach_table import ReachTable

from freefloat.gnc.planning.reconfiguration.planner import plan
from freefloat.verify.cases.reconfiguration import against_exhaustive
from freefloat.verify.oracles.exhaustive_rebuild import least_cost
from freefloat.verify.rebuild_jobs import Laid, job, small_job


def test_two_cases_with_verified_motions_cost_what_looking_at_everything_costs():
    found = list(against_exhaustive(2))
    assert len(found) == 3
    for comparison in found:
        assert comparison.passed, comparison.quantity


def test_with_reach_alone_optimal_is_exhaustive_and_a_swap_is_found():
    grid = job((3, 3, 2), [("solar", (0, 0, 0))], [("solar", (0, 0, 0))], [(0, 0, 0)]).places
    asked = ReachTable(grid, refuted=0.4)
    for seed in range(4):
        problem = small_job(seed, asked)
        assert plan(problem, asked, "optimal").cost == pytest.approx(least_cost(problem, asked).cost, rel=1e-12)


def test_what_nothing_reaches_costs_infinitely_much():
    start: Laid = [("solar", (0, 0, 0)), ("bus", (1, 0, 0)), ("dms", (2, 0, 0))]
    goal: Laid = [("solar", (0, 0, 0)), ("bus", (1, 0, 0)), ("dms", (1, 1, 0))]
    problem = job((3, 2, 1), start, goal, [(0, 0, 0)])
    looked = least_cost(problem, ReachTable(problem.places, refuted=1.0))
    assert math.isinf(looked.cost)
    assert looked.states == 1
