from __future__ import annotations

import numpy as np
import pytest

from freefloat.errors import InputError
from freefloat.frames import Pose, so3_exp
from freefloat.gnc.planning.arm.joint_path import state_at
from freefloat.gnc.planning.arm.paced_line import Pace, TipLine


@pytest.mark.parametrize(("rate", "acceleration"), [(0.2, 0.1), (1.0, 0.1), (0.01, 5.0)])
def test_a_pace_goes_from_rest_to_rest_and_keeps_both_limits(rate: float, acceleration: float) -> None:
    pace = Pace.of(rate, acceleration)
    times = np.linspace(0.0, pace.duration, 4001)
    s, ds, dds = (np.array([state_at(pace.times, pace.knots, t)[k][0] for t in times]) for k in range(3))
    assert (s[0], s[-1], ds[0], ds[-1]) == pytest.approx((0.0, 1.0, 0.0, 0.0), abs=1e-9)
    assert ds.max() <= rate * (1.0 + 1e-9)
    assert np.abs(dds).max() <= acceleration * (1.0 + 1e-6)
    assert ds.min() >= -1e-12
    assert max(ds.max() / rate, np.abs(dds).max() / acceleration) > 0.98  # one of them is met
    np.testing.assert_allclose(np.gradient(s, times)[2:-2], ds[2:-2], atol=2e-5 * rate + 1e-6)


def test_a_turn_in_place_keeps_the_turn_rate() -> None:
    line = TipLine.at(Pose.identity(), Pose(so3_exp([0.0, 0.5, 0.0]), (0.0, 0.0, 0.0)), 0.1, 0.05, turn_rate=0.1)
    assert line.pace.rate * 0.5 == pytest.approx(0.1)
    np.testing.assert_allclose(line.turn, [0.0, 0.5, 0.0], atol=1e-12)


def test_a_pace_without_speed_is_refused() -> None:
    with pytest.raises(InputError, match="allowed: above 0"):
        Pace.of(0.0, 1.0)
