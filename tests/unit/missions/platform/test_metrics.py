"""The figures by which runs of platforms are judged."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.interpolate import RectBivariateSpline

from freefloat.gnc.planning.platform import hermite_reference
from freefloat.missions.platform.control import onboard_model
from freefloat.missions.platform.metrics import end_state, on_times, slope_on_time, tracking_errors
from freefloat.missions.platform.settings import (
    FloorSettings,
)
from freefloat.platforms.catalogue import REACSA
from freefloat.platforms.height_map import flat

MODEL = onboard_model(REACSA)
LINE = hermite_reference.line()
REFERENCES = {
    "reacsa-line": (104.0, (1.0, 2.0, math.pi)),
    "reacsa-circle": (40 * 15.708, (0.0, 0.0, 2.0 * math.pi)),
    "reacsa-semicircle": (20 * 15.708, (0.0, 2.0, math.pi)),
    "reacsa-s": (40 * 15.708, (0.0, math.pi, 0.0)),
}


def test_errors_are_root_mean_squares_of_truth_minus_reference() -> None:
    t = np.linspace(0.0, 104.0, 1001)
    off = np.column_stack([0.01 * np.ones_like(t), 0.02 * np.sin(t), np.full_like(t, -0.03)])
    found = tracking_errors(LINE, t, LINE.sampled(t)[0] + off)
    assert found["rms_x_m"] == pytest.approx(0.01, rel=1e-12)
    assert found["rms_y_m"] == pytest.approx(0.02 * math.sqrt(np.mean(np.sin(t) ** 2)), rel=1e-12)
    assert found["rms_position_m"] == pytest.approx(math.hypot(found["rms_x_m"], found["rms_y_m"]), rel=1e-12)
    assert found["rms_angle_deg"] == pytest.approx(math.degrees(0.03), rel=1e-12)
    assert found["largest_position_error_m"] == pytest.approx(np.hypot(off[:, 0], off[:, 1]).max(), rel=1e-9)
    assert found["largest_angle_error_deg"] == pytest.approx(math.degrees(0.03), rel=1e-9)


def test_on_times_sum_up() -> None:
    found = on_times(np.arange(8.0))
    assert found["total_on_time_s"] == 28.0
    assert found["on_time_s.5"] == 5.0
    assert len(found) == 9


@pytest.mark.parametrize(
    ("pose", "rate", "reached"),
    [
        ((0.03, 0.03, 0.0), (0.0, 0.0, 0.0), 1.0),
        ((0.04, 0.04, 0.0), (0.0, 0.0, 0.0), 0.0),
        ((0.0, 0.0, -0.06), (0.0, 0.0, 0.0), 0.0),
        ((0.0, 0.0, 0.04), (0.03, -0.03, 0.04), 1.0),
        ((0.0, 0.0, 0.0), (0.04, -0.04, 0.0), 0.0),
        ((0.0, 0.0, 0.0), (0.0, 0.0, 0.06), 0.0),
        ((0.0, 0.0, 2.0 * math.pi), (0.0, 0.0, 0.0), 0.0),
    ],
)
def test_the_end_is_reached_where_eq_5_6_holds(pose: Any, rate: Any, reached: float) -> None:
    found = end_state(LINE, 104.0, np.array([1.0, 2.0, math.pi]) + pose, np.array(rate))
    assert found["end_reached"] == reached
    assert found["end_position_m"] == pytest.approx(math.hypot(pose[0], pose[1]), abs=1e-12)
    assert found["end_rate_deg_s"] == pytest.approx(math.degrees(abs(rate[2])), abs=1e-12)


def test_the_slope_on_time_of_the_line_on_a_level_floor_is_scipys_integral() -> None:
    def share(t: float) -> float:
        pose, _, a = LINE.at(t)
        c, s = math.cos(pose[2]), math.sin(pose[2])
        return 221.67 * (abs(c * a[0] + s * a[1]) + abs(c * a[1] - s * a[0])) / 10.36

    expected = quad(share, 0.0, 104.0, limit=400, points=[52.0], epsrel=1e-9)[0]
    found = slope_on_time(LINE, flat((4.8, 9.0)), np.zeros((1, 2)), MODEL)
    assert found == pytest.approx(expected, rel=1e-5)
    assert found == pytest.approx(1.79, abs=0.01), "the reconstruction of Table 5.5's optimum, published 1.72"


@pytest.mark.parametrize("single", [True, False], ids=["single", "three"])
def test_the_slope_on_time_on_the_uneven_floor_is_that_of_an_independent_spline(single: bool) -> None:
    m = FloorSettings(seed=2).heights()
    nx, ny = m.heights.shape
    x, y = (m.spacing * (np.arange(-24, n + 24) - 0.5 * (n - 1)) for n in (nx, ny))
    spline = RectBivariateSpline(x, y, np.pad(m.heights, 24, mode="reflect"), s=0)
    contacts = REACSA.body.contacts(single)
    t = np.linspace(0.0, 104.0, 20001)
    pose, _, a = LINE.sampled(t)
    c, s = np.cos(pose[:, 2]), np.sin(pose[:, 2])
    slope = np.zeros((len(t), 2))
    for x, y in contacts:
        at = pose[:, 0] + c * x - s * y, pose[:, 1] + s * x + c * y
        slope += np.column_stack([spline.ev(*at, dx=1), spline.ev(*at, dy=1)]) / len(contacts)
    f = 221.67 * (a[:, :2] + 9.80665 * slope)
    share = (np.abs(c * f[:, 0] + s * f[:, 1]) + np.abs(c * f[:, 1] - s * f[:, 0])) / 10.36
    assert slope_on_time(LINE, m, contacts, MODEL) == pytest.approx(np.trapezoid(share, t), rel=1e-4)


@pytest.mark.parametrize(("name", "published"), [("circle", 2.06), ("s_shape", 1.92)])
def test_the_optima_of_circle_and_s_are_the_reconstructed_ones(name: str, published: float) -> None:
    reference = getattr(hermite_reference, name)()
    found = slope_on_time(reference, flat((4.8, 9.0)), np.zeros((1, 2)), MODEL, step=0.5)
    assert found == pytest.approx(published, abs=0.02)
