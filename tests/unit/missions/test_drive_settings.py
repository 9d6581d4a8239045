"""Drives in missions with an arm."""

from __future__ import annotations

import numpy as np
import pytest

import freefloat as ff
from freefloat.errors import InputError, StepWarning
from freefloat.scenario.files import load


def test_elastic_and_full_drives_follow_the_path_and_tell_where_the_energy_goes() -> None:
    ideal = ff.run("planar-two-link", duration=1.0)
    for level in ("elastic", "full"):
        result = ff.run("planar-two-link", {"robot.drives": level}, duration=1.0)
        metrics = result.metrics
        assert metrics["tracking_error_rms_rad"] < 2e-3
        assert np.abs(result["robot.q"] - ideal["robot.q"]).max() < 5e-3
        assert metrics["audit.energy_drift"] < 1e-7
        heat = metrics["heat_copper_J"] + metrics["heat_friction_J"]
        assert heat == pytest.approx(metrics["audit.heat_J"], rel=1e-9, abs=1e-12)
        standby = 2 * 4.3 * 1.0
        assert metrics["energy_electric_J"] - standby == pytest.approx(metrics["audit.work_supplied_J"], rel=1e-9)
        assert metrics["power_mean_W"] * 1.0 == pytest.approx(metrics["energy_electric_J"], rel=1e-12)
    assert "energy_electric_J" not in ideal.metrics


def test_levels_may_be_listed_but_not_mixed_with_ideal_ones_behind_a_servo() -> None:
    result = load("planar-two-link", {"robot.drives": ["elastic", "full"]}).build().run(0.1)
    assert result["robot.motor_q"].shape[1] == 2
    with pytest.raises(InputError, match=r"robot.drives: ideal, full: the servo of this mission needs"):
        load("planar-two-link", {"robot.drives": ["ideal", "full"]}).build()


def test_a_step_that_is_too_long_for_the_lightest_link_is_warned_of_and_auto_takes_a_shorter_one() -> None:
    arm = {"arm.drives": "elastic", "integrator.method": "rk4"}
    session = load("free-floating-arm", arm).build().session()
    assert session.world.step == 2.5e-4
    with pytest.warns(StepWarning, match=r"arm: a step of 1 ms is too long; 0.25 ms would do \(joint 'arm"):
        load("free-floating-arm", {**arm, "integrator.step": 1e-3}).build().session()
    assert load("free-floating-arm", {"arm.drives": "elastic"}).build().session().world.step == 1e-3  # dopri5
