"""Plans of REACSA Table 4.1 with 100 knots."""

import math

import numpy as np
import pytest

from freefloat.gnc.planning.platform.check import defects, true_motion
from freefloat.gnc.planning.platform.planner import Planner

pytest.importorskip("casadi")

LINE = ((0.0, 0.0, 0.0), (1.0, 2.0, math.pi))
SIZES = np.array([1.0, 1.0, 1.0, 0.5, 0.5, 1.0, 500.0 * math.pi / 30.0])  # [m, m, rad, m/s, m/s, rad/s, rad/s]


@pytest.fixture(scope="module")
def table() -> Planner:
    return Planner()


def test_the_fastest_line_keeps_its_limit_and_its_defects(table):
    found = table.time_optimal(*LINE)
    end = true_motion(found.model, found.times, found.controls, found.states[0], None)[-1, -1]
    assert 8.6 < found.duration <= 8.67
    assert np.abs(defects(found.model, found.times, found.states, found.controls, None) / SIZES).max() <= 1e-9
    assert np.hypot(*(end - found.goal)[:2]) <= 1e-3
    assert abs(end[2] - found.goal[2]) <= math.radians(0.05)
    assert found.cost == found.duration
    assert found.iterations > 0


@pytest.mark.parametrize(("cost", "most"), [("quadratic", 1.85), ("propellant", 1.00)])
def test_the_line_in_104_s_needs_little_on_time(table, cost, most):
    found = table.in_duration(*LINE, 104.0, cost)
    assert found.duration == pytest.approx(104.0)
    assert found.on_time <= most
    assert found.on_time > 0.9  # two changes of velocity by 2.236 m / 104 s cannot cost less
    assert found.on_times.sum() == pytest.approx(found.on_time)
