"""Kinds of robots that stand on designs are the shipped ones."""

from __future__ import annotations

import numpy as np
import pytest

from freefloat.robots.shipped import load_robot
from freefloat.structure.design.robot_kinds import ROBOT_KINDS, RobotKind


@pytest.mark.parametrize("kind", ROBOT_KINDS.values(), ids=list(ROBOT_KINDS))
def test_a_kind_has_the_joints_and_limits_of_the_shipped_robot_of_its_name(kind: RobotKind) -> None:
    moving = load_robot(kind.name).moving
    assert kind.joints == len(moving)
    np.testing.assert_allclose(kind.lower, [j.lower for j in moving], rtol=1e-15)
    np.testing.assert_allclose(kind.upper, [j.upper for j in moving], rtol=1e-15)
