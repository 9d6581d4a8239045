"""Distance to the ground of a height map: against brute force, and its gradient against differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numba import njit
from scipy.optimize import minimize

from freefloat.kernels.height_field import to_height_field
from freefloat.kernels.height_map import curvature, height
from freefloat.platforms.height_map import HeightMap

SPACING = 0.1
GRID = SPACING * (np.arange(31) - 15)
HILLS = HeightMap(0.05 * np.sin(4.0 * GRID[:, None]) * np.cos(3.0 * GRID), SPACING)  # curvature below 1 / m
F = HILLS.coefficients.ravel()
ROWS, COLUMNS = HILLS.coefficients.shape


@njit
def _to(f, spacing, rows, columns, x, y, z):
    return to_height_field(f, 0, spacing, rows, columns, x, y, z)


@njit
def _height(x, y):
    return height(F, 0, SPACING, ROWS, COLUMNS, x, y)


@njit
def _curvature(x, y):
    return curvature(F, 0, SPACING, ROWS, COLUMNS, x, y)


def hills(*p: float) -> Any:
    return _to(F, SPACING, ROWS, COLUMNS, *p)


def points(n: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).uniform([-1.2, -1.2, -0.3], [1.2, 1.2, 0.3], (n, 3))


def test_the_distance_is_that_to_the_nearest_point() -> None:
    for p in points(60, 1):
        d, *n = hills(*p)

        def away(q: np.ndarray, p: np.ndarray = p) -> float:
            return float((q - p[:2]) @ (q - p[:2]) + (_height(*q)[0] - p[2]) ** 2)

        best = minimize(away, p[:2], method="Nelder-Mead", options={"xatol": 1e-10, "fatol": 1e-18}).fun
        assert abs(d) == pytest.approx(np.sqrt(best), abs=1e-9)
        assert np.sign(d) == np.sign(p[2] - _height(*p[:2])[0])
        foot = p - d * np.array(n)
        h, hx, hy = _height(*foot[:2])
        assert foot[2] == pytest.approx(h, abs=1e-14)
        assert n == pytest.approx(np.array([-hx, -hy, 1.0]) / np.sqrt(1.0 + hx**2 + hy**2), abs=1e-13)


def test_the_gradient_is_that_of_the_distance_and_has_length_one() -> None:
    step = 1e-6
    for p in points(300, 2):
        _, *n = hills(*p)
        slope = [(hills(*(p + step * e))[0] - hills(*(p - step * e))[0]) / (2.0 * step) for e in np.eye(3)]
        assert n == pytest.approx(slope, abs=1e-7)
        assert float(np.dot(n, n)) == pytest.approx(1.0, abs=1e-14)


def test_a_tilted_plane_and_the_level_beyond_the_edge_are_exact() -> None:
    plane = HeightMap(0.3 * GRID[:, None] - 0.4 * GRID + 0.1, SPACING).coefficients
    tilted = np.array([-0.3, 0.4, 1.0]) / np.sqrt(1.25)
    foot = np.array([0.02, 0.03, 0.1 + 0.3 * 0.02 - 0.4 * 0.03])
    for d in (0.2, 1e-9, 0.0, -0.1):
        found = _to(plane.ravel(), SPACING, *plane.shape, *(foot + d * tilted))
        assert found == pytest.approx((d, *tilted), abs=1e-8)  # the spline is level at its edge
    edge = hills(1.9, 1.9, 1.0)
    assert edge == pytest.approx((1.0 - _height(1.5, 1.5)[0], 0.0, 0.0, 1.0), abs=1e-15)


def test_far_from_a_rugged_ground_the_answer_stays_finite_and_no_nearer_point_is_below() -> None:
    rugged = np.random.default_rng(3).normal(0.0, 0.05, ROWS * COLUMNS)
    for p in np.add(points(300, 4), [0.0, 0.0, 1.0]):
        d, *n = _to(rugged, SPACING, ROWS, COLUMNS, *p)
        assert np.isfinite([d, *n]).all()
        below = _to(rugged, SPACING, ROWS, COLUMNS, *(p - d * np.array(n)))
        assert abs(below[0]) < 0.5 * abs(d)
