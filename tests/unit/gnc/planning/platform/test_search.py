"""Walls, obstacles, way-points, warm starts and several starts of the planner."""

import math
from dataclasses import replace

import numpy as np
import pytest

from freefloat.gnc.planning.platform.check import true_motion
from freefloat.gnc.planning.platform.planner import Planner
from freefloat.gnc.planning.platform.problem import Obstacle, PlanError, PlanLimits, WayPoint

pytest.importorskip("casadi")

LINE = ((0.0, 0.0, 0.0), (1.0, 2.0, math.pi))
FLOOR = PlanLimits(floor=(-2.4, 2.4, -4.5, 4.5))


@pytest.fixture(scope="module")
def coarse() -> Planner:
    return Planner(knots=24, limits=FLOOR)


def truth(found):
    return true_motion(found.model, found.times, found.controls, found.states[0], found.slope)


def test_walls_and_obstacles_are_kept_off_between_knots_too():
    disc = Obstacle(0.5, 1.0, 0.3)
    limits = PlanLimits(floor=(-1.0, 1.4, -1.0, 3.0), clearance=0.02)
    planner = Planner(knots=24, obstacles=[disc], limits=limits)
    for found in (planner.time_optimal(*LINE), planner.in_duration(*LINE, 120.0)):
        place = truth(found)[..., :2]
        assert np.hypot(place[..., 0] - disc.x, place[..., 1] - disc.y).min() >= 0.3 + 0.37 - 1e-9
        assert place[..., 0].max() <= 1.4 - 0.37 + 1e-3
    free = Planner(knots=24, limits=limits).time_optimal(*LINE)
    assert planner.time_optimal(*LINE).duration > free.duration


def test_way_points_that_the_true_motion_misses_are_told():
    way = [
        WayPoint(np.array([1.0, 0.5, math.pi / 2])),
        WayPoint(np.array([0.3, 1.5, math.pi]), np.array([0.02, 0.05, 0.0])),
    ]
    with pytest.raises(PlanError, match=r"way-point . is missed by .* m and .* deg; use more knots"):
        Planner(knots=17).time_optimal(LINE[0], (1.0, 2.0, 0.0), way)


def test_way_points_are_passed_with_their_rates():
    fine = Planner(knots=60)
    way = [WayPoint(np.array([1.0, 0.0, 0.5]), np.array([0.0, 0.05, 0.0])), WayPoint(np.array([1.0, 2.0, 1.0]))]
    goal = (0.0, 2.0, math.pi)
    for found in (fine.time_optimal(LINE[0], goal, way), fine.in_duration(LINE[0], goal, 90.0, "quadratic", way)):
        off = np.abs(found.states[:, None, :3] - np.array([w.pose for w in way])).max(axis=2)
        first, second = off.argmin(axis=0)
        assert off[first, 0] < 1e-5
        assert off[second, 1] < 1e-5
        assert 0 < first < second
        np.testing.assert_allclose(found.states[first, 3:6], way[0].rate, atol=1e-5)
    assert found.duration == pytest.approx(90.0)


def test_a_warm_start_gives_a_plan_as_good(coarse):
    cold = coarse.in_duration(*LINE, 100.0)
    warm = coarse.in_duration(LINE[0], (1.02, 2.0, math.pi), 104.0, warm=cold)
    assert warm.on_time <= coarse.in_duration(LINE[0], (1.02, 2.0, math.pi), 104.0).on_time * 1.05


def test_more_starts_and_turns_never_cost_more(coarse):
    start, goal = (1.0, -2.0, 2.5), (0.0, 0.0, 0.0)
    one = coarse.in_duration(start, goal, 80.0)
    many = replace(coarse, starts=4, turns=(0, 1)).in_duration(start, goal, 80.0)
    assert many.on_time <= one.on_time
    assert many.starts == 4
    assert round((many.goal[2] - goal[2]) / (2.0 * math.pi)) in (0, 1)
