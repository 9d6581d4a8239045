"""Closest points of cylinders, boxes and segments, judged by the planes that separate them."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from freefloat.kernels.closest import closest
from freefloat.kernels.surfaces import BOX, CAPSULE, CYLINDER

ROD = np.array([CYLINDER, 0.1, 0.2, 0.0])
OTHERS = {"rod": ROD, "box": np.array([BOX, 0.1, 0.2, 0.15]), "segment": np.array([CAPSULE, 0.0, 0.2, 0.0])}


@njit
def _closest(solid_a, R_a, solid_b, R_b, o, points):
    closest(solid_a, R_a, solid_b, R_b, o, points)


def turned(rng: np.random.Generator) -> np.ndarray:
    q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    return np.ascontiguousarray(q * np.linalg.det(q)).ravel()


def support(solid: np.ndarray, R: np.ndarray, n: np.ndarray) -> float:
    """How far a solid reaches along n from its origin."""
    x, y, z = R.reshape(3, 3).T @ n
    if solid[0] == BOX:
        return float(np.abs([x, y, z]) @ solid[1:])
    if solid[0] == CYLINDER:
        return float(solid[1] * np.hypot(x, y) + solid[2] * abs(z))
    return float(solid[1] + solid[2] * abs(z))


@pytest.mark.parametrize("kind", OTHERS)
def test_points_that_are_nearly_right_become_those_between_which_the_solids_have_parallel_planes(kind: str) -> None:
    """The distance is that of the supporting planes across n = (b - a) / |b - a|: the dual problem's optimum."""
    rng, solid, worst = np.random.default_rng(11), OTHERS[kind], 0.0
    for _ in range(200):
        R_a, R_b, u = turned(rng), turned(rng), rng.normal(size=3)
        o = 0.6 * u / np.linalg.norm(u)
        points = np.concatenate([0.1 * o, 0.9 * o])
        for _ in range(100):
            _closest(ROD, R_a, solid, R_b, o, points)  # from far off, again and again
        right, d = points.copy(), float(np.linalg.norm(points[3:] - points[:3]))
        n = (points[3:] - points[:3]) / d
        assert o @ n - support(ROD, R_a, n) - support(solid, R_b, -n) == pytest.approx(d, abs=1e-9)
        points += rng.normal(0.0, 1e-5, 6)
        _closest(ROD, R_a, solid, R_b, o, points)
        m = (points[3:] - points[:3]) / np.linalg.norm(points[3:] - points[:3])
        worst = max(worst, float(np.abs(m - n).max()))
        assert float(np.linalg.norm(right[3:] - points[3:])) < 1e-3
    assert worst < 1e-9
