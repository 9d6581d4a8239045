"""Settings of the platform's scenarios, and what is drawn from the seed."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from freefloat.gnc.planning.platform import hermite_reference
from freefloat.missions.platform.control import onboard_model
from freefloat.missions.platform.settings import (
    FloorSettings,
    MotionCaptureSettings,
    ThrusterSettings,
    WheelSettings,
)
from freefloat.platforms.catalogue import REACSA
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
