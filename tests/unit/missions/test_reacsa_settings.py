"""Settings of the platform's scenarios: what is drawn from the seed, and the figures by which runs are judged."""

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
    MotionCaptureSettings,
    ThrusterSettings,
    WheelSettings,
)
from freefloat.platforms.catalogue import REACSA
from freefloat.platforms.height_map import flat
from freefloat.scenario.files import load

MODEL = onboard_model(REACSA)
LINE = hermite_reference.line()
REFERENCES = {
    "reacsa-line": (104.0, (1.0, 2.0, math.pi)),
    "reacsa-circle": (40 * 15.708, (0.0, 0.0, 2.0 * math.pi)),
    "reacsa-semicircle": (20 * 15.708, (0.0, 2.0, math.pi)),
    "reacsa-s": (40 * 15.708, (0.0, math.pi, 0.0)),
}


@pytest.mark.parametrize("name", sorted(REFERENCES))
def test_a_scenario_lasts_as_long_as_its_reference_and_ends_where_it_does(name: str) -> None:
    scenario: Any = load(name)
    duration, end = REFERENCES[name]
    reference = scenario.reference()
    assert reference.duration == pytest.approx(duration, abs=1e-9)
    assert scenario.duration == pytest.approx(duration, abs=0.01)
    assert reference.poses[-1] == pytest.approx(end, abs=1e-12)
    assert scenario.start() == pytest.approx((0.0, 0.0, 0.0))


def test_strengths_are_drawn_from_the_seed_and_clipped() -> None:
    settings = ThrusterSettings(strength_sigma=0.1)
    assert settings.strengths(3, 8).tolist() == settings.strengths(3, 8).tolist()
    assert settings.strengths(3, 8).tolist() != settings.strengths(4, 8).tolist()
    many = np.concatenate([settings.strengths(seed, 8) for seed in range(500)])
    assert many.mean() == pytest.approx(1.0, abs=4.0 * 0.1 / math.sqrt(4000))
    assert many.std() == pytest.approx(0.1, rel=4.0 / math.sqrt(2.0 * 4000))
    wild = np.concatenate([ThrusterSettings(strength_sigma=0.5).strengths(seed, 8) for seed in range(50)])
    assert wild.min() == pytest.approx(0.7)
    assert wild.max() == pytest.approx(1.3)
    assert ThrusterSettings().strengths(3, 8).tolist() == [1.0] * 8


def test_strengths_and_tilts_reach_the_part_and_do_not_depend_on_each_other() -> None:
    def part(seed: int, **changes: float) -> Any:
        return ThrusterSettings(**changes).part("jets", "body", REACSA, seed).thrusters

    both, strong, tilted = (
        part(7, **changes)
        for changes in (
            {"strength_sigma": 0.1, "tilt_sigma": 0.02},
            {"strength_sigma": 0.1},
            {"tilt_sigma": 0.02},
        )
    )
    assert [t.strength for t in both] == [t.strength for t in strong]
    assert [t.tilt for t in both] == [t.tilt for t in tilted]
    assert {t.strength for t in tilted} == {1.0}
    assert all(t.tilt[:2] == (0.0, 0.0) for t in both), "directions err in the plane"
    assert [t.tilt for t in part(8, tilt_sigma=0.02)] != [t.tilt for t in tilted]
    spread = [t.tilt[2] for seed in range(100) for t in part(seed, tilt_sigma=0.02)]
    assert np.std(spread) == pytest.approx(0.02, rel=0.1)


def test_dwell_times_ask_for_a_valve_driver() -> None:
    assert not ThrusterSettings().dwells
    assert ThrusterSettings(min_on=0.1).dwells
    assert ThrusterSettings(min_off=0.2).part("jets", "body", REACSA, 0).valves is not None


def test_the_kind_of_floor_is_flat_seeded_or_loaded() -> None:
    assert not FloorSettings(kind="flat").heights().heights.any()
    one, two = FloorSettings(seed=2).heights(), FloorSettings(seed=3).heights()
    assert np.ptp(one.heights) == pytest.approx(0.8e-3)
    assert not np.array_equal(one.heights, two.heights)
    assert FloorSettings(size=(3.0, 5.0)).floor().size == (3.0, 5.0)


def test_a_wheel_that_idles_on_a_turning_body_starts_at_its_idle_speed() -> None:
    part = WheelSettings(idle=10.0).part("wheel", "body", 0.047, 0.5)
    assert part.momentum == pytest.approx(0.047 * 10.5)


def test_motion_capture_becomes_the_two_sensors() -> None:
    sensors = MotionCaptureSettings(angle_variance=4e-6, delay=0.02, dropout=0.05).sensors()
    assert np.asarray(sensors["pose"].noise) == pytest.approx([math.sqrt(1e-5), math.sqrt(1e-5), 2e-3])
    assert (sensors["pose"].delay, sensors["pose"].dropout) == (0.02, 0.05)
    assert (sensors["wheel"].delay, sensors["wheel"].dropout) == (0.0, 0.0)
    assert float(np.asarray(sensors["wheel"].noise)) == pytest.approx(1e-2)


# figures


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
