"""A slew by thrusters alone: it arrives, holds, and does so with little more than the ideal propellant."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from freefloat.api import execute
from freefloat.engine.result import Result
from freefloat.errors import InputError
from freefloat.frames import quat_conj, quat_exp, quat_log, quat_mul
from freefloat.scenario.files import load
from freefloat.units import G0


@pytest.fixture(scope="module")
def flown() -> Result:
    return execute(load("slew-by-thrusters"), strict=True)


def test_it_turns_by_60_deg_and_holds_to_a_tenth_of_a_degree(flown: Result) -> None:
    q = flown["satellite.q_WB"]
    goal = quat_mul(q[0], quat_exp([0.0, 0.0, np.pi / 3.0]))
    off = np.rad2deg([np.linalg.norm(quat_log(quat_mul(quat_conj(goal), now))) for now in q])
    m = flown.metrics
    assert off[0] == pytest.approx(60.0)
    assert m["pointing_error_deg"] == pytest.approx(off[-1], abs=1e-9)
    assert m["pointing_error_deg"] <= 0.1
    assert m["pointing_error_max_deg"] == pytest.approx(off[flown.time("satellite.q_WB") >= 90.0].max(), abs=1e-9)
    assert m["pointing_error_max_deg"] <= 0.1
    assert m["tracking_error_max_deg"] < 0.2


def test_its_propellant_is_what_its_pulses_draw_and_little_above_the_ideal(flown: Result) -> None:
    m = flown.metrics
    assert m["propellant_kg"] == pytest.approx(flown["jets.impulse"][-1].sum() / (65.0 * G0), rel=1e-9)
    assert m["propellant_kg"] == pytest.approx(0.1 * m["on_time_s"] / (65.0 * G0), rel=0.05)  # strengths differ
    rate = (np.pi / 3.0) / (60.0 - 2.08)  # of a coast between bangs of 2.08 s
    arm = 0.9 * 0.77 / 2.0
    assert m["propellant_bang_bang_kg"] == pytest.approx(2.0 * 8.0 * rate / (arm * 65.0 * G0), rel=1e-3)
    assert 1.0 < m["propellant_ratio"] < 1.25
    assert m["propellant_ratio"] == pytest.approx(m["propellant_kg"] / m["propellant_bang_bang_kg"])


def test_at_rest_it_does_not_chatter(flown: Result) -> None:
    t, on = flown.time("attitude.on_time"), flown["attitude.on_time"]
    assert np.count_nonzero(on[t >= 90.0]) < 60  # in a minute, of 12 x 240 that could be
    assert np.all((on == 0.0) | (on >= 0.01 - 1e-12))
    np.testing.assert_allclose(on, 0.005 * np.round(on / 0.005), atol=1e-12)
    assert flown.metrics["propellant_at_rest_per_minute_kg"] < 1e-4


def test_valves_are_open_or_closed_for_exactly_the_time_asked_for(flown: Result) -> None:
    assert set(np.round(np.unique(flown["jets.open"]), 12)) <= {0.0, 1.0}
    asked = flown["attitude.on_time"].sum(axis=0)
    full = flown["jets.impulse"][-1]
    used = asked > 0.0
    strength = full[used] / (0.1 * asked[used])
    assert np.all(full[~used] == 0.0)
    assert np.all(np.abs(strength - 1.0) < 0.15)  # 3 % of standard deviation


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"slew.time": 10.0}, r"slew\.time: 10 s; allowed: 24\.6 s or more"),
        ({"slew.axis": [0.0, 0.0, 0.0]}, r"slew\.axis"),
        ({"control.rate": 3.0}, r"jets\.tick: 0\.005 s"),
        ({"jets.min_on": 0.3}, r"jets\.min_on: 0\.3 s; allowed: below 0\.25 s"),
    ],
)
def test_settings_that_do_not_go_together_are_refused_by_name(changes: dict[str, Any], told: str) -> None:
    with pytest.raises(InputError, match=told):
        load("slew-by-thrusters", changes).build()


CASES: list[dict[str, Any]] = [
    *({"seed": s} for s in range(1, 9)),
    {"slew.axis": [1, 0, 0]},
    {"slew.axis": [0, 1, 0]},
    {"slew.axis": [1, 1, 1]},
    {"slew.axis": [1, -1, 0.3], "slew.angle": 3.0, "slew.time": 150.0, "duration": 300.0},
    {"slew.axis": [1, 2, -1], "slew.time": 30.0},
    {"slew.angle": 0.1, "slew.time": 30.0},
    {"slew.time": 26.0},
    {"jets.strength_sigma": 0.1, "jets.tilt_sigma": 0.05},
    {"jets.min_on": 0.04},
    {"control.rate": 10},
    {"satellite.rate": [0.002, -0.001, 0.001]},
]


@pytest.mark.slow
@pytest.mark.parametrize("changes", CASES, ids=str)
def test_other_seeds_axes_angles_and_thrusters_point_as_well(changes: dict[str, Any]) -> None:
    m = execute(load("slew-by-thrusters", {"seed": 5, **changes}), strict=True).metrics
    assert m["pointing_error_deg"] <= 0.1
    assert m["pointing_error_max_deg"] <= 0.1
    assert m["propellant_ratio"] < 1.5
