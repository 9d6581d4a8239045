"""Least times against ruckig's."""

from __future__ import annotations

import numpy as np
import pytest

from freefloat.gnc.planning.arm.jerk_limited import JerkLimited, MotionLimits
from freefloat.gnc.planning.arm.limb_bounds_step import rest_to_rest


@pytest.mark.parametrize("limits", [(0.35, 0.175, 0.175), (0.1, 1.0, 0.5), (2.0, 0.1, 0.5)])
@pytest.mark.parametrize("d", [1e-4, 0.01, 0.3, 1.0, 5.0])
def test_rest_to_rest_is_ruckigs_time(limits: tuple[float, float, float], d: float) -> None:
    found = JerkLimited(np.zeros(1), np.array([d]), MotionLimits.uniform(1, *limits)).duration
    assert rest_to_rest(d, *limits) == pytest.approx(found, rel=1e-9)
