import numpy as np
import pytest

from freefloat.missions.facility.glide import glide, glide_time, ramped


def test_a_glide_is_nowhere_faster_than_told_and_rests_at_its_ends():
    T = glide_time(3.0, 0.5)
    t = np.linspace(-1.0, T + 1.0, 20_001)
    way = 3.0 * np.array([glide(x, T) for x in t])
    speed = np.gradient(way, t)
    assert way[[0, -1]].tolist() == [0.0, 3.0]
    assert speed.max() == pytest.approx(0.5, rel=1e-6)


def test_a_ramped_turn_is_its_rate_times_the_time_less_a_ramp_and_even():
    assert ramped(20.0, 2.0, 4.0, 20.0) == pytest.approx(2.0 * 16.0)
    t = np.linspace(0.0, 20.0, 200_001)
    rate = np.gradient([ramped(x, 2.0, 4.0, 20.0) for x in t], t)
    assert rate.max() == pytest.approx(2.0, rel=1e-9)
    assert rate[[0, -1]] == pytest.approx([0.0, 0.0], abs=1e-6)
    assert np.abs(np.diff(rate)).max() < 2e-4
