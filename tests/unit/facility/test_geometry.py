"""Where the robots of the lab stand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from freefloat.errors import InputError
from freefloat.facility.axes import COUNT
from freefloat.facility.geometry import LabGeometry

UPRIGHT = np.radians([0.0, -90.0, 90.0, 0.0, 0.0, 0.0])


def test_robot_one_rides_on_the_rail_and_looks_at_robot_two() -> None:
    lab = LabGeometry()
    one, two = lab.robot(1, 10.0).forward(UPRIGHT), lab.robot(2).forward(UPRIGHT)
    assert one.p == pytest.approx((10.0 - 1.58, 0.0, 0.945), abs=1e-12)
    assert two.p == pytest.approx((1.68, 1.5, 0.445), abs=1e-12)
    assert np.allclose(one.R[:, 2], [-1.0, 0.0, 0.0], atol=1e-15)
    assert np.allclose(two.R[:, 2], [1.0, 0.0, 0.0], atol=1e-15)


def test_limits_are_those_of_rail_and_arms_with_two_endless_axes() -> None:
    lab = LabGeometry()
    assert len(lab.lower) == len(lab.upper) == len(lab.speed) == COUNT
    assert (lab.lower[0], lab.upper[0], lab.speed[0]) == (0.0, 25.0, 1.45)
    assert np.flatnonzero(np.isinf(lab.upper)).tolist() == [10, 12]
    assert lab.speed[6] == pytest.approx(math.radians(238.0))


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"arms": ("kr100-ha", "kr5")}, "unknown industrial arm 'kr5'"),
        ({"rail": (25.0, 0.0)}, "rail from 25.0 to 0.0 m; allowed"),
        ({"rail_speed": 0.0}, "rail_speed 0.0 m/s; allowed"),
        ({"base2": (0.0, math.nan, 0.0)}, "base2 .* allowed: three finite numbers"),
        ({"endless": ((), ("A7",))}, "endless axis 'A7'; allowed"),
    ],
)
def test_a_lab_that_cannot_be_is_refused(fields: dict, told: str) -> None:
    with pytest.raises(InputError, match=told):
        LabGeometry(**fields)


def test_there_are_two_robots() -> None:
    with pytest.raises(InputError, match="robot 3 of the lab; allowed: 1, 2"):
        LabGeometry().robot(3)
