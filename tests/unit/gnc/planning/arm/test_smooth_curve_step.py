"""Quintic B-splines over control points."""

from __future__ import annotations

import numpy as np

from freefloat.gnc.planning.arm.smooth_curve_step import controls, curve_at, full_speed, hermite, law_at

POINTS = np.random.default_rng(0).uniform(-1.0, 1.0, (9, 7))


def test_the_curve_begins_and_ends_in_its_points_and_is_smooth() -> None:
    out, near = np.empty((4, 7)), np.empty((4, 7))
    for u, k in ((0.0, 0), (8.0, -1)):
        curve_at(POINTS, u, out)
        assert np.abs(out[0] - POINTS[k]).max() < 1e-14
    for knot in range(1, 8):
        curve_at(POINTS, knot - 1e-9, near)
        curve_at(POINTS, knot + 1e-9, out)
        assert np.abs(out - near).max() < 1e-6
    curve_at(POINTS, 3.4, out)
    for k in range(3):
        ends = []
        for u in (3.4 - 1e-5, 3.4 + 1e-5):
            curve_at(POINTS, u, near)
            ends.append(near[k].copy())
        assert np.abs((ends[1] - ends[0]) / 2e-5 - out[k + 1]).max() < 1e-5


def test_fitted_control_points_give_a_curve_through_the_points() -> None:
    x = np.linspace(0.0, 1.0, 40)[:, None]
    points = np.sin(x * np.arange(1.0, 8.0))
    pace, control, at, out = np.empty(39), np.empty((15, 7)), np.empty(15), np.empty((4, 7))
    full_speed(points, np.ones(7), pace)
    off = []
    for fit in (0, 12):
        controls(points, pace, fit, control, at)
        worst = 0.0
        for k in range(1, 14):
            curve_at(control, float(k), out)
            there = out[0].copy()
            curve_at(points, at[k], out)
            worst = max(worst, np.abs(there - out[0]).max())
        off.append(worst)
    assert off[1] < 0.1 * off[0]


def test_hermite_has_its_ends_and_tangents() -> None:
    a, b, s, t = np.random.default_rng(1).uniform(-1.0, 1.0, (4, 7))
    out = np.empty((1000, 7))
    hermite(a, b, s, t, 1000, out)
    assert np.abs(out[-1] - b).max() < 1e-14
    assert np.abs((out[0] - a) * 1000 - s).max() < 0.02
    assert np.abs((out[-1] - out[-2]) * 1000 - t).max() < 0.02


def test_a_law_of_constant_jerks_is_integrated_exactly() -> None:
    phases, jerks, rows = np.array([1.0, 0.5, 1.0]), np.array([1.0, 0.0, -1.0]), np.empty((3, 3))
    law_at(phases, jerks, np.array([0.0, 1.0, 2.5]), rows)
    assert np.abs(rows[1] - [1 / 6, 0.5, 1.0]).max() < 1e-14
    assert np.abs(rows[2] - [1 / 6 + 0.25 + 0.125 + 1.0 + 0.5 - 1 / 6, 1.5, 0.0]).max() < 1e-14
