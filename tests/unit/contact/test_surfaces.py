"""Cones, rings and corner sets are where they say, and what cannot be is refused."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numba import njit

from freefloat.contact import Wall, cone, corners, ring
from freefloat.errors import InputError
from freefloat.kernels.surfaces import to_revolved

_distance = njit(lambda data, n, half, x, z: to_revolved(data, 0, n, half, x, 0.0, z)[0])


def gap(walls: tuple[Wall, ...], x: float, z: float) -> float:
    """Distance of a point to the nearest of some walls [m]."""
    found = []
    for wall in walls:
        line = np.array(wall.points, dtype=np.float64)
        found.append(_distance(line.ravel(), len(line), 0.5 * wall.thickness, x, z))
    return min(found)


def test_the_inner_face_of_a_cone_is_where_its_sizes_say() -> None:
    angle = math.radians(35.0)
    walls = cone(angle, 0.36, 0.01, (0.03, 0.05))
    for along in (0.1, 0.2, 0.3):  # on the generator
        assert gap(walls, along * math.sin(angle), along * math.cos(angle)) == pytest.approx(0.0, abs=1e-12)
    top = 0.03 / math.tan(angle)
    assert gap(walls, 0.03, top - 0.025) == pytest.approx(0.0, abs=1e-12)  # the socket's wall
    assert gap(walls, 0.0, top - 0.05) == pytest.approx(0.0, abs=1e-12)  # its floor
    assert gap(walls, 0.0, top - 0.05 + 0.02) == pytest.approx(0.02)
    middle = 0.2
    assert gap(walls, 0.0, middle) == pytest.approx(middle * math.sin(angle))  # from the axis
    off = 0.02  # outside, behind the wall
    x, z = 0.2 * math.sin(angle), 0.2 * math.cos(angle)
    assert gap(walls, x + off * math.cos(angle), z - off * math.sin(angle)) == pytest.approx(off - 0.01)


def test_corners_and_rings_lie_inside() -> None:
    assert len(corners((0.1, 0.2, 0.3), 0.02)) == 8
    assert max(abs(ball.p_BC[1]) + ball.radius for ball in corners((0.1, 0.2, 0.3), 0.02)) == pytest.approx(0.2)
    rim = ring(0.5, 0.1, 6, 0.01)
    assert np.array([ball.p_BC for ball in rim]).sum(axis=0) == pytest.approx(np.array([0.0, 0.0, 0.6]), abs=1e-12)
    assert {round(math.hypot(*ball.p_BC[:2]), 12) for ball in rim} == {0.5}


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: cone(0.0, 0.3, 0.01), "half_angle 0.0 rad; allowed: > 0 and < 1.57"),
        (lambda: cone(0.5, 0.3, 0.01, (0.5, 0.1)), "narrower than the mouth"),
        (lambda: Wall([(0.1, 0.0), (0.1, 0.2)], 0.0), "thickness 0.0 m; allowed: > 0 m"),
        (lambda: Wall([(-0.1, 0.0)], 0.1), "radii of 0 or more"),
        (lambda: Wall([(0.1, math.nan)], 0.1), r"points\[0\]\[1\] nan; allowed: any number in m"),
        (lambda: ring(0.1, 0.0, 0), "count 0; allowed: a whole number >= 1"),
        (lambda: corners((0.1, 0.1, 0.01), 0.02), "allowed: at most the box's half edges"),
    ],
)
def test_what_cannot_be_is_refused(make: Any, told: str) -> None:
    with pytest.raises(InputError, match=told):
        make()
