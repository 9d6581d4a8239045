import math

import numpy as np
import pytest
from numba import njit

from freefloat.gnc.control.platform.thrust import open_wrench, wrench_on_floor
from freefloat.gnc.planning.platform.model import PlatformModel

MODEL = PlatformModel()


@pytest.mark.parametrize("kind", [np.float64, np.bool_])
def test_open_valves_push_with_the_sum_of_their_wrenches(kind):
    compiled = njit(open_wrench)
    for seed in range(20):
        valves = np.random.default_rng(seed).integers(0, 2, 8).astype(kind)
        expected = 2.5 * MODEL.thrusters @ valves
        assert compiled(valves, MODEL.thrusters.copy(), 2.5) == pytest.approx(expected, abs=1e-14)


def test_forces_turn_with_the_body_to_the_middle_of_the_tick():
    valves = np.array([1.0, 0, 0, 0, 0, 0, 0, 0])
    x = np.array([[0.0, 0.0], [0.0, 0.0], [0.3, 2.0]])
    force = wrench_on_floor(valves, MODEL.thrusters, MODEL.thrust, x, 0.1)
    push = MODEL.derivative(np.array([0, 0, 0.3 + 0.1, 0, 0, 0, 0]), np.append(0.0, MODEL.thrust * valves))
    assert force == pytest.approx([*(MODEL.mass * push[3:5]), MODEL.inertia * push[5]], rel=1e-12)
    assert math.hypot(*force[:2]) == pytest.approx(MODEL.thrust)
