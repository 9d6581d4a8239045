"""Mock-ups that come with the lab."""

from __future__ import annotations

import numpy as np
import pytest

from freefloat.facility.equipment import check_equipment
from freefloat.facility.mockups import client_mockup, mono_camera, servicer_mockup
from freefloat.facility.user_tool import FIG24


def test_both_may_hang_on_either_plate() -> None:
    check_equipment(1, [mono_camera()], servicer_mockup(), "epos")
    check_equipment(2, [mono_camera()], client_mockup(), "epos")
    check_equipment(2, (), servicer_mockup(), "epos")


def test_ring_and_probe_are_on_the_lines_of_the_user_tools_of_fig_24() -> None:
    ring = next(s for s in client_mockup().shapes if s.name == "launch ring")
    assert ring.X_LG.p + np.array([0.0, 0.0, ring.size[1]]) == pytest.approx(FIG24.rob2.p)
    tip = next(s for s in servicer_mockup().shapes if s.name == "tip of the probe")
    assert tip.X_LG.p[:2] == pytest.approx(FIG24.rob1.p[:2])
