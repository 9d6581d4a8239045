from typing import Any

import numpy as np
import pytest

from freefloat.api import execute
from freefloat.engine.result import Result
from freefloat.missions.satellite.leo_satellite import LeoSatellite
from freefloat.orbit.epoch import Epoch
from freefloat.orbit.flown import eci_motion, flown_ephemeris
from freefloat.orbit.oem import format_oem, parse_oem
from freefloat.scenario.files import load


def flown(name: Any = "leo-satellite", **changes: Any) -> tuple[LeoSatellite, Result]:
    scenario = load(name, changes)
    assert isinstance(scenario, LeoSatellite)
    return scenario, execute(scenario, strict=True)


@pytest.fixture(scope="module")
def settling():
    """Ten minutes from the tumble on."""
    return flown(duration=600.0)


def test_a_tumbling_satellite_comes_to_rest_and_points_to_the_earth(settling):
    scenario, result = settling
    t, error = scenario.true_error(result)
    assert result.metrics["detumble_time_s"] < 120.0
    assert result.metrics["pointing_time_s"] < 500.0
    assert np.rad2deg(3.0 * np.sqrt(np.mean(error[t > 520.0] ** 2, axis=0))).max() <= 0.03
    assert result.metrics["wheel_momentum_max_N_m_s"] < 2.0


def test_the_tracker_is_blind_until_the_tumble_is_slow(settling):
    scenario, result = settling
    t, _, P = scenario.estimator_error(result)
    sigma = np.sqrt(P[:, 0, 0])
    fast = np.interp(t, result.time("satellite.w_WB_B"), np.linalg.norm(result["satellite.w_WB_B"], axis=1)) > 0.04
    assert fast[1:10].all()
    assert np.diff(sigma[1:10]).min() > 0.0
    assert sigma[-1] < 5e-5


def test_the_filters_error_stays_inside_its_own_bounds():
    nees, inside = [], []
    for seed in range(5):
        scenario, result = flown(
            duration=200.0, seed=seed, **{"satellite.rate": (0.0, 0.0, 0.0), "control.handover": 0.05}
        )
        t, error, P = scenario.estimator_error(result)
        chosen = t > 40.0
        e, P = error[chosen], P[chosen]
        nees.append(np.mean(np.einsum("ni,ni->n", e, np.linalg.solve(P, e[..., None])[..., 0])) / 3.0)
        inside.append(np.mean(np.abs(e) <= 3.0 * np.sqrt(np.diagonal(P, axis1=1, axis2=2))))
    # wide bounds: errors within one run are correlated; the chi-square test proper stands with the filter
    assert 0.75 < np.mean(nees) < 1.3
    assert np.mean(inside) > 0.985


@pytest.mark.parametrize(("dry", "limit"), [(0.0, 1e-10), (1e-4, 1e-7)])  # dry friction turns within a step
def test_half_the_step_gives_the_same_motion(dry, limit):
    (_, coarse), (_, fine) = (flown(duration=60.0, **{"integrator.step": h, "wheels.dry": dry}) for h in (0.05, 0.025))
    assert np.abs(coarse["satellite.q_WB"] - fine["satellite.q_WB"]).max() < limit


def test_drag_alone_slows_the_satellite_along_its_flight():
    changes: dict[str, Any] = {"surface.pressure": False, "satellite.rate": (0.0, 0.0, 0.0)}
    _, result = flown(duration=30.0, **changes, **{"satellite.centre_of_mass": (0.0, 0.0, 0.0)})
    _, _, v = eci_motion(result, "satellite")
    force = result["satellite.wrench"][-1, 3:]
    assert 1e-5 < np.linalg.norm(force) < 1e-3
    change = result["satellite.v_WB"][-1] @ v[-1] / np.linalg.norm(v[-1])
    assert change == pytest.approx(-np.linalg.norm(force) / 100.0 * 30.0, rel=0.1)


def test_putting_the_frame_back_on_the_satellite_changes_no_eci_motion():
    (_, one), (_, many) = (flown(duration=400.0, **{"orbit.reach": reach}) for reach in (1000.0, 0.06))
    steps = np.linalg.norm(np.diff(many["satellite.p_WB"], axis=0), axis=1)
    assert steps.max() > 0.03  # it was put back
    (_, p, v), (_, p_many, v_many) = (eci_motion(r, "satellite") for r in (one, many))
    assert np.abs(p - p_many).max() < 1e-7
    assert np.abs(v - v_many).max() < 1e-8


def test_a_run_makes_an_ephemeris_file(settling):
    _, result = settling
    text = format_oem([flown_ephemeris(result, "satellite", Epoch("2026-03-20T12:00:00Z"))])
    (again,) = parse_oem(text)
    _, p, _ = eci_motion(result, "satellite")
    assert again.t == pytest.approx(np.arange(0.0, 601.0, 60.0))
    assert again.p_I[-1] == pytest.approx(p[-1], abs=1e-6)


def test_a_geostationary_satellite_turns_to_the_sun():
    scenario, result = flown("geo-satellite", duration=600.0)
    t, error = scenario.true_error(result)
    assert np.rad2deg(np.abs(error[t > 520.0]).max()) < 0.03
    assert np.all(result["satellite.density"] == 0.0)
