"""Weights and stiffness of an arm against what the plant says."""

from __future__ import annotations

import numpy as np
import pytest

from freefloat.errors import InputError
from freefloat.frames import Pose
from freefloat.gnc.planning.arm.six_axis import SixAxis
from freefloat.gnc.planning.arm.six_axis_statics import Statics
from freefloat.robots.industrial import IndustrialRobot, Mockup

STAND = Pose.from_rpy((0.1, -0.2, 0.4), (0.3, -0.2, 0.1))
Q = np.radians([10.0, -80.0, 95.0, 20.0, 40.0, -30.0])


@pytest.mark.parametrize("model", ["kr16-2", "kr240-2"])
def test_torques_and_wind_up_are_those_of_the_part(model: str) -> None:
    tool = Mockup(8.0, (0.01, -0.02, 0.12))
    part = IndustrialRobot("robot", model, STAND, Q, tool, "elastic")
    links = [(link.mass, link.p_LLcm) for link in part.graph().links[1:]]
    known = Statics(SixAxis.of(model, STAND), links, (tool.mass, tool.p_FFcm), part.stiffness)
    assert known.holding_torques(Q) == pytest.approx(part.holding_torques(), abs=1e-9)
    assert Q + known.sag(Q) == pytest.approx(part.motor_start(), abs=1e-12)


def test_a_straight_forearm_gives_way_by_the_levers_of_its_axes() -> None:
    k = (4e5, 4e5, 4e5, 4e4, 4e4, 4e4)
    known = Statics(SixAxis.of("kr16-2"), [(0.0, (0.0, 0.0, 0.0))] * 6, stiffness=k)
    C = known.compliance(np.radians([0.0, -90.0, 90.0, 0.0, 0.0, 0.0]))
    assert C[0, 0] == pytest.approx((0.645**2 + 0.035**2) / 4e5, rel=1e-12)  # A2 and A3, seen from the side
    assert C[1, 1] == pytest.approx(1.088**2 / 4e5, rel=1e-12)  # A1, from above
    assert C[2, 2] == pytest.approx((0.828**2 + 0.828**2) / 4e5 + 0.158**2 / 4e4, rel=1e-12)
    assert np.allclose(C, C.T, atol=1e-20)


def test_bad_numbers_are_refused() -> None:
    known = SixAxis.of("kr16-2")
    with pytest.raises(InputError, match="5 links; allowed: 6"):
        Statics(known, [(1.0, (0.0, 0.0, 0.0))] * 5)
    with pytest.raises(InputError, match="stiffness"):
        Statics(known, [(1.0, (0.0, 0.0, 0.0))] * 6, stiffness=(0.0,) * 6)
