"""Table 3 as data."""

from __future__ import annotations

import math

import pytest

from freefloat.facility.ranges import TABLE3, continued


def test_only_robot_two_rolls_without_end() -> None:
    assert TABLE3["rob1"].roll == pytest.approx((math.radians(-300.0), math.radians(300.0)))
    assert TABLE3["rob2"].roll == (-math.inf, math.inf)


def test_an_angle_goes_on_over_half_a_turn() -> None:
    assert continued(math.radians(-179.0), math.radians(179.0)) == pytest.approx(math.radians(181.0))
    assert continued(0.1, 20.0 * math.pi) == pytest.approx(20.0 * math.pi + 0.1)
    assert continued(0.1, 0.2) == 0.1
