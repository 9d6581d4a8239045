"""The scenario of calibrations: its bars, and the world beside the study."""

from __future__ import annotations

import pytest

import freefloat as ff
from freefloat.scenario.files import load


def test_five_facilities_are_as_accurate_as_the_published_one_and_the_plant_agrees() -> None:
    """The published 1.56 mm and 0.2 deg are what gear errors are scaled to; raw and modelled are not."""
    metrics = ff.run("epos-calibration").metrics
    assert metrics["raw_3sigma_least_m"] >= 5e-3
    assert metrics["modelled_3sigma_most_m"] <= 1.5e-4
    assert metrics["modelled_3sigma_most_deg"] <= 0.01
    assert metrics["calibrated_3sigma_m"] == pytest.approx(1.56e-3, rel=0.1)
    assert metrics["calibrated_3sigma_deg"] == pytest.approx(0.2, rel=0.1)
    assert metrics["plant_difference_m"] < 1e-10
    assert metrics["plant_difference_deg"] < 1e-8


def test_settings_reach_the_errors() -> None:
    scenario = load("epos-calibration", {"errors.gear_arm": "1 mrad", "errors.shift": "0 mm"})
    sizes = scenario.errors.sizes()  # pyright: ignore[reportAttributeAccessIssue]
    assert sizes.gear == pytest.approx((1e-3,) * 3 + (9.3e-4,) * 3)
    assert sizes.shift == 0.0
