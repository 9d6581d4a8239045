"""Poses of a robot in its own base."""

from __future__ import annotations

import numpy as np
import pytest

from freefloat.errors import InputError
from freefloat.facility.arm_poses import ArmPoses
from freefloat.facility.geometry import LabGeometry
from freefloat.facility.user_tool import FIG24
from freefloat.verify.facility_rig import CHECK

GEOMETRY = LabGeometry()
AXES = (10.0, -80.0, 110.0, 20.0, 40.0, -30.0)


@pytest.mark.parametrize("number", [1, 2])
def test_a_pose_is_that_of_the_tool_in_the_robots_base(number: int) -> None:
    tool = (FIG24.rob1, FIG24.rob2)[number - 1]
    x, y, z, a, b, c = ArmPoses(GEOMETRY, number, tool).pose(CHECK[f"rob{number}"])
    place = GEOMETRY.base(number, 6.55).inverse() @ GEOMETRY.robot(number, 6.55, tool).forward(
        np.radians(CHECK[f"rob{number}"])
    )
    assert (x, y, z) == pytest.approx(tuple(1e3 * place.p), abs=1e-9)
    if number == 2:  # unturned, at (1.9, 1.5, 0) m in the lab
        assert (x, y, z) == pytest.approx((1900.0, 0.0, 1500.0), abs=0.01)
        assert (a, b, c) == pytest.approx((0.0, 0.0, 0.0), abs=1e-3)


def test_a_correction_moves_along_and_turns_about_the_axes_of_the_base() -> None:
    arm = ArmPoses(GEOMETRY, 2, FIG24.rob2)
    before = arm.arm.forward(np.radians(AXES))
    moved = arm.corrected(AXES, (10.0, -20.0, 30.0, 0.0, 0.0, 5.0), AXES)
    after = arm.arm.forward(np.radians(moved))
    assert 1e3 * (after.p - before.p) == pytest.approx((10.0, -20.0, 30.0), abs=1e-9)
    turn = after.R @ before.R.T
    c, s = np.cos(np.radians(5.0)), np.sin(np.radians(5.0))
    assert np.allclose(turn, [[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]], atol=1e-12)  # C is about x
    assert arm.corrected(AXES, (0.0,) * 6, AXES) == pytest.approx(AXES, abs=1e-9)


def test_what_is_out_of_reach_is_refused() -> None:
    with pytest.raises(InputError, match="out of reach"):
        ArmPoses(GEOMETRY, 2).corrected(AXES, (9000.0, 0.0, 0.0, 0.0, 0.0, 0.0), AXES)
