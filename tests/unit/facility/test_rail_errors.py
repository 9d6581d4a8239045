"""The rail's errors: a spline that a model has, beside that of SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.interpolate import BSpline

from freefloat.facility.rail_errors import spline_rows, waves_at

ENDS = np.array([0.0, 25.0])


def test_the_spline_is_scipys_and_is_held_beyond_its_ends() -> None:
    coefficients = np.random.default_rng(2).normal(size=(13, 6))
    step = 2.5
    knots = ENDS[0] + step * np.arange(-3, 14)
    e1 = np.linspace(0.0, 25.0, 101)
    out = np.empty((101, 6))
    spline_rows(coefficients, ENDS, e1, out)
    assert out == pytest.approx(BSpline(knots, coefficients, 3)(e1), abs=1e-13)
    beyond = np.empty((2, 6))
    spline_rows(coefficients, ENDS, np.array([-1.0, 26.0]), beyond)
    assert np.array_equal(beyond, out[[0, -1]])


def test_waves_add_up_and_the_scale_is_along_x() -> None:
    waves = np.zeros((2, 13))
    waves[:, 0] = 0.5, 2.0
    waves[:, 1:7] = 1e-3
    waves[1, 7:] = 0.3
    out = np.empty(6)
    waves_at(waves, np.array([1e-4]), 7.0, out)
    expected = 1e-3 * (np.sin(3.5) + np.sin(14.3))
    assert out == pytest.approx([expected] * 3 + [expected + 7e-4] + [expected] * 2, abs=1e-15)
