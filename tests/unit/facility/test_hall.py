"""Floor and fence around the robots."""

from __future__ import annotations

import numpy as np

from freefloat.facility.geometry import LabGeometry
from freefloat.facility.hall import draw_hall, fence
from freefloat.geometry.shape import Shape

LAB = LabGeometry()


def test_the_fence_leaves_room_for_both_robots_at_every_place_of_the_rail() -> None:
    left, right, near, far = fence(LAB)
    for robot, rail in ((1, LAB.rail[0]), (1, LAB.rail[1]), (2, 0.0)):
        x, y, _ = LAB.base(robot, rail).p
        reach = 2.7
        assert left < x - reach < x + reach < right
        assert near < y - reach < y + reach < far


def test_the_floor_is_below_the_bases_and_the_fence_stands_on_it() -> None:
    shapes = [s for s in draw_hall(LAB).drawings if isinstance(s, Shape)]
    tops = {s.name: float(s.X_LG.p[2] + s.size[2]) for s in shapes}
    assert np.isclose(tops["floor"], LAB.floor)
    assert np.isclose(tops["fence post"], LAB.floor + 2.0)
    lowest = min(float(s.X_LG.p[2] - s.size[2]) for s in shapes if s.name == "fence post")
    assert np.isclose(lowest, LAB.floor)
