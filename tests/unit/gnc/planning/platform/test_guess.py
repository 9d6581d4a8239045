"""Plans from random starts to the origin, on the floor of 4.8 x 9 m."""

import math

import numpy as np
import pytest

from freefloat.gnc.planning.platform.check import true_motion
from freefloat.gnc.planning.platform.planner import Planner
from freefloat.gnc.planning.platform.problem import PlanLimits

pytest.importorskip("casadi")


@pytest.mark.parametrize("starts", [6, pytest.param(20, marks=pytest.mark.slow)])
def test_random_starts_reach_the_origin(starts):
    planner = Planner(knots=40, limits=PlanLimits(floor=(-2.4, 2.4, -4.5, 4.5)))
    rng = np.random.default_rng(7)
    for start in rng.uniform([-2.0, -4.0, -np.pi], [2.0, 4.0, np.pi], (starts, 3)):
        found = planner.plan(start, (0.0, 0.0, 0.0), cap=125.0)
        end = true_motion(found.model, found.times, found.controls, found.states[0], None)[-1, -1]
        assert np.hypot(*end[:2]) <= 1e-3
        assert abs(end[2]) <= math.radians(0.05)
        assert found.duration <= 125.0 + 1e-9
