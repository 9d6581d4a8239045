"""Distances to surfaces: gradients against differences, closed forms, walls of revolution."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numba import njit

from freefloat.kernels.surfaces import BOX, CAPSULE, CYLINDER, PLANE, PRISM, SPHERE, distance, to_revolved

KINDS = {
    "plane": (PLANE, 0.0, 0.0, 0.0),
    "sphere": (SPHERE, 0.3, 0.0, 0.0),
    "capsule": (CAPSULE, 0.2, 0.4, 0.0),
    "box": (BOX, 0.2, 0.3, 0.4),
    "cylinder": (CYLINDER, 0.25, 0.4, 0.0),
    "prism": (PRISM, 0.25, 0.4, 0.0),
}
# mouth, narrow end and bottom of a socket
CONE = np.array([0.0, 0.0, 0.2, 0.3, 0.03, 0.05, 0.03, 0.0])  # behind two numbers that are not its own
HALF_WALL = 0.002


@njit
def _distance(kind, a, b, c, x, y, z):
    return distance(kind, a, b, c, x, y, z)


@njit
def _to_revolved(data, first, n, half_wall, x, y, z):
    return to_revolved(data, first, n, half_wall, x, y, z)


def cone(*p: float) -> Any:
    return _to_revolved(CONE, 2, 3, HALF_WALL, *p)


def check_gradient(function: Any, p: np.ndarray, step: float = 3e-8) -> bool:
    """Whether the point counts: near a jump of the gradient it does not."""
    sides = [(function(*(p + step * e)), function(*(p - step * e))) for e in np.eye(3)]
    n = np.array(function(*p)[1:])
    assert float(n @ n) == pytest.approx(1.0, abs=1e-14)
    if any(np.dot(a[1:], n) < 0.9999 or np.dot(b[1:], n) < 0.9999 for a, b in sides):
        return False
    assert n == pytest.approx([(a[0] - b[0]) / (2.0 * step) for a, b in sides], abs=1e-7)
    return True


@pytest.mark.parametrize("kind", KINDS)
def test_the_gradient_is_that_of_the_distance_inside_and_outside(kind: str) -> None:
    rng = np.random.default_rng(1)
    points = rng.uniform(-0.6, 0.6, (400, 3))
    near = rng.choice([-1.0, 1.0], (200, 3)) * [0.2, 0.3, 0.4] + rng.normal(0.0, 1e-2, (200, 3))  # edges of the box
    counted = [check_gradient(lambda *p: _distance(*KINDS[kind], *p), p) for p in np.concatenate([points, near])]
    assert np.mean(counted) > 0.95


def test_the_gradient_of_a_wall_of_revolution_is_that_of_its_distance() -> None:
    rng = np.random.default_rng(2)
    s, angle = rng.uniform(0.0, 2.0, 600), rng.uniform(0.0, 2.0 * np.pi, 600)
    line = np.array([np.interp(s, [0.0, 1.0, 2.0], column) for column in CONE[2:].reshape(3, 2).T])
    rho, z = line + rng.normal(0.0, 0.01, line.shape)
    points = np.column_stack([rho * np.cos(angle), rho * np.sin(angle), z])
    assert np.mean([check_gradient(cone, p) for p in points]) > 0.95
    depths = [cone(*p)[0] for p in points]
    assert min(depths) < 0.0 < max(depths)


def test_a_wall_of_revolution_has_two_sides_and_round_rims() -> None:
    slope = np.array([0.17, 0.25]) / math.hypot(0.17, 0.25)
    out = np.array([slope[1], -slope[0]])
    middle = 0.5 * np.add([0.2, 0.3], [0.03, 0.05])
    for side in (out, -out):
        rho, z = middle + 0.01 * side
        d, *n = cone(0.6 * rho, 0.8 * rho, z)
        assert d == pytest.approx(0.008, abs=1e-15)
        assert n == pytest.approx([0.6 * side[0], 0.8 * side[0], side[1]], abs=1e-13)
    for angle in np.linspace(-0.5, 0.5, 11):  # round the mouth's rim
        along = math.cos(angle) * slope + math.sin(angle) * out
        rho, z = np.array([0.2, 0.3]) + 0.005 * along
        d, *n = cone(rho, 0.0, z)
        assert d == pytest.approx(0.003, abs=1e-15)
        assert n == pytest.approx([along[0], 0.0, along[1]], abs=1e-12)


def test_a_disc_and_a_ring_are_walls_of_revolution() -> None:
    disc = np.array([0.0, 0.1, 0.05, 0.1])
    assert _to_revolved(disc, 0, 2, 0.001, 0.01, 0.02, 0.2) == pytest.approx((0.099, 0.0, 0.0, 1.0), abs=1e-15)
    assert _to_revolved(disc, 0, 2, 0.001, 0.0, 0.0, 0.05) == pytest.approx((0.049, 0.0, 0.0, -1.0), abs=1e-15)
    ring = np.array([0.3, 0.0])
    assert _to_revolved(ring, 0, 1, 0.1, 0.0, 0.7, 0.3) == pytest.approx((0.4, 0.0, 0.8, 0.6), abs=1e-15)


def test_the_gradient_is_defined_on_the_axis_in_the_middle_of_the_wall_and_at_doubled_points() -> None:
    assert cone(0.0, 0.0, 0.02) == pytest.approx((0.028, -1.0, 0.0, 0.0), abs=1e-15)
    assert cone(0.0, 0.03, 0.02) == pytest.approx((-HALF_WALL, 0.0, -1.0, 0.0), abs=1e-15)
    twice = np.array([0.1, 0.0, 0.1, 0.0])
    assert _to_revolved(twice, 0, 2, 0.01, 0.2, 0.0, 0.0) == pytest.approx((0.09, 1.0, 0.0, 0.0), abs=1e-15)
    assert _to_revolved(twice, 0, 2, 0.01, 0.1, 0.0, 0.0) == pytest.approx((-0.01, 1.0, 0.0, 0.0), abs=1e-15)


def test_a_prism_is_the_hull_of_its_twelve_corners() -> None:
    """Distances to faces, edges and corners as the largest over planes, or the nearest over corners and edges."""
    a, b = 0.25, 0.4
    normals = np.array([[math.cos(w), math.sin(w), 0.0] for w in np.radians(60.0 * np.arange(6))])
    rng = np.random.default_rng(3)
    for p in rng.uniform(-0.24, 0.24, (200, 3)):
        inside = max(float((normals @ p).max()) - a, abs(p[2]) - b)
        assert _distance(PRISM, a, b, 0.0, *p)[0] == pytest.approx(inside, abs=1e-15) or inside > 0.0
    reach = a / math.cos(math.pi / 6.0)
    for k in range(6):
        angle = math.radians(60.0 * k + 30.0)
        corner = np.array([reach * math.cos(angle), reach * math.sin(angle), b])
        out = np.array([0.6 * math.cos(angle), 0.6 * math.sin(angle), 0.8])
        d, *n = _distance(PRISM, a, b, 0.0, *(corner + 0.1 * out))
        assert d == pytest.approx(0.1, abs=1e-15)
        assert n == pytest.approx(out, abs=1e-14)
        side = normals[k]
        assert _distance(PRISM, a, b, 0.0, *((a + 0.1) * side)) == pytest.approx((0.1, *side), abs=1e-15)
