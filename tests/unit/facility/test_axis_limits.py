import numpy as np
import pytest

from freefloat.errors import InputError
from freefloat.facility.axis_limits import AxisLimits, axis_limits


def test_limits_follow_the_robots_speeds_and_the_rails_table() -> None:
    limits = axis_limits()
    assert limits.speed[0] == 1.45
    assert np.degrees(limits.speed[7]) == pytest.approx(86.0)
    assert limits.acceleration[0] == 1.0
    assert limits.jerk[0] == 10.0
    assert limits.emergency[0] == 3.0
    np.testing.assert_allclose(limits.acceleration[1:], 2.5 * limits.speed[1:])
    np.testing.assert_allclose(limits.jerk[1:], 20.0 * limits.acceleration[1:])
    assert (limits.braking.acceleration > limits.motion.acceleration).all()


def test_a_limit_that_is_none_is_refused_with_its_axis() -> None:
    good = axis_limits()
    speed = good.speed.copy()
    speed[3] = -1.0
    with pytest.raises(InputError, match=r"speed of rob1 A3 -1\.0 .*allowed: > 0"):
        AxisLimits(speed, good.acceleration, good.jerk, good.emergency, good.emergency_jerk)
    with pytest.raises(InputError, match="allowed: 13 numbers"):
        AxisLimits(speed[:6], good.acceleration, good.jerk, good.emergency, good.emergency_jerk)
