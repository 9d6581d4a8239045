"""Second derivatives of a height map against differences of its slope; the floor's tests judge height and slope."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from freefloat.kernels.height_map import curvature, height

ROWS, COLUMNS, SPACING = 7, 9, 0.2
MAP = np.concatenate([[99.0], np.random.default_rng(5).normal(0.0, 0.02, ROWS * COLUMNS)])  # the first is not its own


@njit
def _height(x, y):
    return height(MAP, 1, SPACING, ROWS, COLUMNS, x, y)


@njit
def _curvature(x, y):
    return curvature(MAP, 1, SPACING, ROWS, COLUMNS, x, y)


def test_curvature_is_the_derivative_of_the_slope() -> None:
    step = 1e-6
    for x, y in np.random.default_rng(6).uniform([-0.39, -0.59], [0.39, 0.59], (200, 2)):
        xx, xy, yy = _curvature(x, y)
        along_x = np.subtract(_height(x + step, y), _height(x - step, y))[1:] / (2.0 * step)
        along_y = np.subtract(_height(x, y + step), _height(x, y - step))[1:] / (2.0 * step)
        assert (xx, xy) == pytest.approx(tuple(along_x), abs=2e-4)  # a cell's border lies within the step
        assert (xy, yy) == pytest.approx(tuple(along_y), abs=2e-4)


def test_the_ground_goes_on_level_beyond_the_edge() -> None:
    assert _height(0.5, 0.1)[0] == _height(0.4, 0.1)[0]
    assert _height(0.5, 0.1)[1] == 0.0
    assert _curvature(0.5, 0.1)[:2] == (0.0, 0.0)
    assert _curvature(0.5, 0.1)[2] != 0.0
    assert _curvature(0.5, 0.9) == (0.0, 0.0, 0.0)
