import numpy as np
import pytest

from freefloat.facility.axes import COUNT, CYCLE
from freefloat.facility.axis_limits import axis_limits
from freefloat.facility.profile import Braking
from freefloat.facility.stop_step import stop_end, stop_ends

LIMITS = axis_limits()


def _end(q, v, a):
    out = np.empty(COUNT)
    stop_end(q, v, a, np.array(LIMITS.acceleration), np.array(LIMITS.jerk), out)
    return out


def test_axes_rest_where_the_planned_stop_ends_whatever_their_velocities_and_accelerations():
    rng = np.random.default_rng(5)
    for share in (1e-3, 0.03, 0.3, 1.0):
        for _ in range(50):
            v = share * rng.uniform(-1.0, 1.0, COUNT) * LIMITS.speed
            a = rng.choice([0.0, share, 1.0]) * rng.uniform(-1.0, 1.0, COUNT) * LIMITS.acceleration
            q = rng.uniform(-1.0, 1.0, COUNT)
            assert _end(q, v, a) == pytest.approx(Braking((q, v, a), LIMITS.motion).end, abs=1e-9)


def test_from_constant_velocity_the_way_is_the_closed_form():
    v = np.zeros(COUNT)
    v[0] = 1.0
    a, j = LIMITS.acceleration[0], LIMITS.jerk[0]
    assert _end(np.zeros(COUNT), v, np.zeros(COUNT))[0] == pytest.approx(0.5 / a + 0.5 * a / j, rel=1e-12)


def test_rows_of_commands_stop_where_their_parabola_does():
    t = CYCLE * np.arange(5)[:, None]
    rows = np.ones((1, COUNT)) * (0.3 * t + 0.2 * t**2)
    out = np.empty((3, COUNT))
    stop_ends(rows, CYCLE, np.array(LIMITS.acceleration), np.array(LIMITS.jerk), out)
    for k in range(3):
        now = rows[k + 2], np.full(COUNT, 0.3 + 0.4 * float(t[k + 2, 0])), np.full(COUNT, 0.4)
        assert out[k] == pytest.approx(_end(*now), abs=1e-9)
