"""ATMOS in a closed loop: it tracks on an uneven floor, has no wheel anywhere, and its run is judged and drawn."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import freefloat as ff
from freefloat.api import execute
from freefloat.engine.integrator import Dopri5
from freefloat.errors import FreefloatError, InputError
from freefloat.platforms.catalogue import ATMOS
from freefloat.scenario.files import load
from freefloat.view.floor import _actuation

REAL = {
    "thrusters.opening": 3.3e-3,
    "thrusters.closing": 3.3e-3,
    "thrusters.drop": 0.11,
    "thrusters.strength_sigma": 0.1,
    "capture.delay": 0.02,
    "capture.dropout": 0.05,
}


@pytest.fixture(scope="module")
def flown() -> ff.Result:
    return execute(load("atmos-line", {"duration": 25.0}), strict=True)


@pytest.mark.parametrize("contact", ["three", "single"])
@pytest.mark.parametrize("floor", [1, 2, 3])
def test_it_tracks_and_holds_within_a_centimetre_and_half_a_degree_on_uneven_floors(contact: str, floor: int) -> None:
    changes = {"floor.contact": contact, "floor.seed": floor, "seed": floor, "duration": 25.0}
    found = execute(load("atmos-line", changes), strict=True).metrics
    assert found["largest_position_error_m"] < 0.01
    assert found["largest_angle_error_deg"] < 0.5
    assert found["hold_position_max_m"] < 0.01
    assert found["hold_angle_max_deg"] < 0.5
    assert found["end_reached"] == 1.0


def test_real_thrusters_and_cameras_stay_within_two_centimetres_and_two_degrees() -> None:
    found = execute(load("atmos-line", {"duration": 25.0, **REAL}), strict=True).metrics
    assert max(found["largest_position_error_m"], found["hold_position_max_m"]) < 0.02
    assert max(found["largest_angle_error_deg"], found["hold_angle_max_deg"]) < 2.0


def test_the_filter_is_told_how_good_the_cameras_are() -> None:
    def estimate(variance: float) -> dict[str, float]:
        changes = {"duration": 12.0, "capture.position_variance": variance, "capture.angle_variance": variance}
        return dict(execute(load("atmos-line", changes), strict=True).metrics)

    exact, poor = estimate(0.0), estimate(1e-4)
    assert exact["estimate_rms_x_m"] < 1e-4
    assert poor["estimate_rms_x_m"] < 0.25 * math.sqrt(1e-4)


def test_dwell_times_go_through_the_valve_driver() -> None:
    changes = {"duration": 22.0, "thrusters.min_on": 0.02, "thrusters.min_off": 0.03}
    result = execute(load("atmos-line", changes), strict=True)
    t, on = result.time("thrusters.thrust"), result["thrusters.thrust"] > 0.0
    for row in on.T:
        edges = np.flatnonzero(np.diff(row.astype(int))) + 1
        spans, opens = np.diff(t[edges]), row[edges[:-1]]
        assert (spans[opens] > 0.02 - 1e-9).all()
        assert (spans[~opens] > 0.03 - 1e-9).all()
    assert result.metrics["largest_position_error_m"] < 0.02


def test_the_open_time_is_near_what_slope_and_inertia_take(flown: ff.Result) -> None:
    found = flown.metrics
    assert found["slope_on_time_s"] < found["total_on_time_s"] < 1.3 * found["slope_on_time_s"]


def test_the_pulses_and_the_propellant_are_those_of_its_nozzles(flown: ff.Result) -> None:
    thrust = flown["thrusters.thrust"]
    assert set(np.unique(thrust)) == {0.0, ATMOS.thrust}
    on = flown["thrusters.on_time"][-1].sum()
    assert flown.metrics["propellant_kg"] == pytest.approx(on * ATMOS.thrust / (65.0 * 9.80665), rel=1e-9)


def test_the_hold_is_judged_from_the_references_end_on(flown: ff.Result) -> None:
    t, off = flown.time("atmos.pose"), flown["atmos.pose"] - (1.0, 1.0, 0.5 * math.pi)
    held = off[t >= 20.0]
    assert flown.metrics["hold_position_max_m"] == pytest.approx(np.hypot(held[:, 0], held[:, 1]).max())
    assert flown.metrics["hold_angle_max_deg"] == pytest.approx(np.rad2deg(np.abs(held[:, 2]).max()))
    short = execute(load("atmos-line", {"duration": 1.0}), strict=True).metrics
    assert not any(name.startswith("hold") for name in short)


def test_it_has_no_wheel(flown: ff.Result) -> None:
    assert not any("wheel" in name for name in flown.metrics)
    with pytest.raises(InputError, match=r"wheel\.speed"):
        flown["wheel.speed"]
    assert not any("wheel" in name for name in load("atmos-line").build().plots)
    for change in ({"wheel.idle": 1.0}, {"controller": "best"}, {"mpc.iterations": 1}):
        with pytest.raises(InputError, match=next(iter(change)).split(".")[0]):
            load("atmos-line", change)


def test_goal_turn_and_travel_make_the_reference() -> None:
    scenario: Any = load("atmos-line", {"goal": [-0.5, 2.0], "turn": -1.0, "travel": 33.0})
    reference = scenario.reference()
    assert reference.duration == 33.0
    assert reference.poses.tolist() == [[0.0, 0.0, 0.0], [-0.5, 2.0, -1.0]]


def test_short_pulses_of_slow_valves_are_stepped_finely() -> None:
    mission = load("atmos-line", {"thrusters.opening": 3.3e-3, "thrusters.closing": 3.3e-3}).build()
    assert mission.grounds[""].integrator == Dopri5(1e-3)


def test_dwell_times_beyond_the_pulses_period_are_refused_before_the_run() -> None:
    with pytest.raises(FreefloatError, match=r"min_off 20; allowed: 0 or more, sum <= 10"):
        load("atmos-line", {"thrusters.min_off": 0.2}).build()


def test_both_pictures_are_drawn_and_the_actuation_shows_valves_alone(flown: ff.Result, tmp_path: Path) -> None:
    for write in load("atmos-line").build().writers:
        write(flown, tmp_path)
    made = sorted((tmp_path / "plots").iterdir())
    assert [p.name for p in made] == ["actuation.png", "track.png"]
    assert all(p.stat().st_size > 10_000 for p in made)
    axes = _actuation(flown, None).axes
    assert [ax.get_ylabel() for ax in axes] == ["number of the thruster [-]"]
    assert axes[0].get_xlabel() == "time [s]"
    assert f"{flown['thrusters.on_time'][-1].sum():.1f} s" in axes[0].get_title(loc="left")
