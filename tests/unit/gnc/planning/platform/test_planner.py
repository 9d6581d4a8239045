"""Plans of the floating platform."""

import math
import sys
from dataclasses import replace
from itertools import cycle

import numpy as np
import pytest

from freefloat.errors import InputError
from freefloat.gnc.planning import optional
from freefloat.gnc.planning.platform import search as plan_search
from freefloat.gnc.planning.platform.check import failures, true_motion
from freefloat.gnc.planning.platform.planner import Planner, plan
from freefloat.gnc.planning.platform.problem import Obstacle, PlanError, PlanLimits

pytest.importorskip("casadi")

LINE = ((0.0, 0.0, 0.0), (1.0, 2.0, math.pi))
FLOOR = PlanLimits(floor=(-2.4, 2.4, -4.5, 4.5))


@pytest.fixture(scope="module")
def coarse() -> Planner:
    return Planner(knots=24, limits=FLOOR)


def truth(found):
    return true_motion(found.model, found.times, found.controls, found.states[0], found.slope)


def test_linear_cost_saves_propellant_and_quadratic_cost_saves_squares(coarse):
    linear, quadratic = (coarse.in_duration(*LINE, 104.0, cost) for cost in ("propellant", "quadratic"))
    assert linear.on_time < 0.7 * quadratic.on_time
    assert replace(linear, kind="quadratic").cost > quadratic.cost
    for found in (linear, quadratic):
        assert found.duration == pytest.approx(104.0)
        assert found.on_time > 0.9  # two changes of velocity by 2.236 m / 104 s cannot cost less
        assert found.on_times.sum() == pytest.approx(found.on_time)


def test_plan_takes_alpha_times_the_least_duration_or_the_cap(coarse):
    fastest = coarse.time_optimal(*LINE)
    least = fastest.duration
    assert least == fastest.cost
    assert least > 8.6
    assert fastest.iterations > 0
    assert coarse.plan(*LINE, alpha=3.0).duration == pytest.approx(3.0 * least)
    assert plan(*LINE, cap=30.0, knots=24, limits=FLOOR).duration == pytest.approx(30.0)
    with pytest.raises(PlanError, match="the fastest plan takes"):
        coarse.plan(*LINE, cap=0.5 * least)


def test_coarse_plans_are_trimmed_to_end_in_their_goal(monkeypatch):
    planner = Planner(knots=24)
    np.testing.assert_allclose(
        truth(planner.in_duration(*LINE, 104.0))[-1, -1], (*LINE[1], 0.0, 0.0, 0.0, 0.0), atol=1e-7
    )
    monkeypatch.setattr(plan_search, "TRIM", np.inf)
    monkeypatch.setattr(plan_search, "failures", lambda *_: [])
    assert np.abs(truth(planner.in_duration(*LINE, 104.0))[-1, -1, :2] - LINE[1][:2]).max() > 1e-4


def test_the_same_question_gives_the_same_plan(coarse):
    a, b = (coarse.in_duration(*LINE, 60.0) for _ in range(2))
    np.testing.assert_array_equal(a.states, b.states)
    np.testing.assert_array_equal(a.controls, b.controls)


def test_a_plan_in_too_short_a_time_is_an_error_that_says_how_long_the_fastest_takes():
    with pytest.raises(PlanError, match=r"plan duration: 5 s; the fastest plan takes 8\.\d+ s"):
        Planner(knots=12).in_duration(*LINE, 5.0)


def test_a_solver_that_lies_is_found_out(monkeypatch):
    honest, lies = plan_search.Program.unpacked, cycle((0.05, -0.05))

    def lying(self, z, scales):
        states, controls, durations = honest(self, z, scales)
        controls[: len(controls) // 2, 0] += next(lies)
        return states, controls, durations

    monkeypatch.setattr(plan_search.Program, "unpacked", lying)
    with pytest.raises(PlanError, match="re-integration misses the goal"):
        Planner(knots=10).in_duration(*LINE, 60.0)


def test_failures_name_defects_bounds_and_goal(coarse):
    found = coarse.in_duration(*LINE, 60.0)
    assert failures(found, FLOOR, truth(found)) == []
    bent = found.states.copy()
    bent[10, 0] += 1e-6
    assert "defect" in failures(replace(found, states=bent), FLOOR, truth(found))[0]
    tight = PlanLimits(speed=0.01)
    assert any("state" in text and "bounds" in text for text in failures(found, tight, truth(found)))
    moved = truth(found)
    moved[-1, -1, 0] += 2e-3
    assert "misses the goal by 0.002" in failures(found, FLOOR, moved)[0]


def test_reference_and_plan_agree(coarse):
    found = coarse.in_duration(*LINE, 60.0)
    reference = found.reference()
    assert reference.duration == found.duration
    for t in np.linspace(0.0, 60.0, 17)[1:-1]:
        pose, rate, _ = reference.at(t)
        state, control = found.at(t)
        np.testing.assert_allclose(state[:3], pose, atol=3e-3)
        np.testing.assert_allclose(state[3:6], rate, atol=3e-3)
        assert (control[1:] >= 0.0).all()
    np.testing.assert_array_equal(reference.at(60.0)[0], found.goal[:3])
    np.testing.assert_array_equal(found.at(61.0)[1], np.zeros(9))


def test_starts_off_the_floor_or_in_an_obstacle_are_refused(coarse):
    with pytest.raises(InputError, match=r"start x: 2.3; allowed: -2.05 to 2.05"):
        coarse.time_optimal((2.3, 0.0, 0.0), (0.0, 0.0, 0.0))
    with pytest.raises(InputError, match=r"goal .* too near to the obstacle"):
        replace(coarse, obstacles=[Obstacle(1.0, 2.0, 0.1)]).time_optimal(*LINE)
    with pytest.raises(InputError, match="unknown cost 'fuel'"):
        coarse.in_duration(*LINE, 60.0, "fuel")


def test_without_casadi_one_line_tells_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "casadi", None)
    with pytest.raises(InputError, match=r"needs the package 'casadi', .*: pip install .*\[plan\]'"):
        optional.casadi()
