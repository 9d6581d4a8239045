"""Air density, and the forces of air and light on plates."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numba import njit

from freefloat.errors import InputError
from freefloat.orbit import surface_force
from freefloat.orbit.atmosphere import air, air_velocity
from freefloat.orbit.earth import R_EQUATOR, Geodetic, pole_axis, rotation_eci_to_ecef
from freefloat.orbit.epoch import Epoch
from freefloat.orbit.offline import brahe

EPOCH = Epoch("2024-03-20T12:00:00Z")
P = np.array([R_EQUATOR + 400e3, 0.0, 0.0])


def test_density_is_that_of_brahe_at_the_earth_fixed_point() -> None:
    p_F = rotation_eci_to_ecef(EPOCH, 600.0) @ P
    theirs = brahe().density_nrlmsise00(EPOCH.stamp(600.0), p_F)
    assert air(EPOCH, 600.0, P).density == pytest.approx(theirs, rel=1e-9)
    assert 1e-12 < theirs < 2e-11


def test_the_exponential_law_holds_over_two_kilometres() -> None:
    sample = air(EPOCH, 0.0, P)
    for h in (-2000.0, 2000.0):
        there = air(EPOCH, 0.0, P + np.array([h, 0.0, 0.0]))
        assert sample.density_at(there.altitude) == pytest.approx(there.density, rel=1e-4)
    assert 5e4 < sample.scale_height < 8e4


def test_an_epoch_without_space_weather_is_refused_with_the_range(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(brahe(), "get_global_sw_mjd_max", lambda: 60000.0)
    with pytest.raises(InputError, match="space-weather data, which cover"):
        air(EPOCH, 0.0, P)


def test_the_air_turns_with_the_earth() -> None:
    assert np.linalg.norm(air_velocity(P, [0.0, 0.0, 1.0])) == pytest.approx(7.2921151e-5 * P[0])


def test_drag_on_a_sphere_agrees_with_brahe() -> None:
    p, v = P, np.array([10.0, 4700.0, 6000.0])
    k = pole_axis(EPOCH)
    w = v - air_velocity(p, k)
    ours = np.array(surface_force.plate_drag(5e-12, 2.2, 3.0, w / np.linalg.norm(w), w)) / 500.0
    turn = brahe().bias_precession_nutation(EPOCH.stamp())
    theirs = brahe().accel_drag(np.concatenate([p, v]), 5e-12, 500.0, 3.0, 2.2, turn)
    np.testing.assert_allclose(ours, theirs, rtol=0.0, atol=1e-5 * np.linalg.norm(theirs))


def test_light_on_a_sphere_agrees_with_brahe() -> None:
    sun = np.array([1.2e11, 0.9e11, 0.1e11])
    to_sun = sun - P
    s = to_sun / np.linalg.norm(to_sun)
    pressure = 4.56e-6 * (brahe().AU / np.linalg.norm(to_sun)) ** 2
    ours = np.array(surface_force.plate_light(pressure, 0.0, 0.45, 3.0, s, s)) / 500.0
    theirs = brahe().accel_solar_radiation_pressure(P, sun, 500.0, 1.3, 3.0, 4.56e-6)
    np.testing.assert_allclose(ours, theirs, rtol=1e-12)


@pytest.mark.parametrize("compiled", [False, True])
def test_a_tilted_plate_feels_its_projected_area(compiled: bool) -> None:
    drag, light = surface_force.plate_drag, surface_force.plate_light
    if compiled:
        drag, light = njit(error_model="numpy")(drag), njit(error_model="numpy")(light)
    n, v = np.array([math.cos(1.0), math.sin(1.0), 0.0]), np.array([7500.0, 0.0, 0.0])
    assert drag(1e-12, 2.0, 1.0, n, v)[0] == pytest.approx(-1e-12 * 7500.0**2 * math.cos(1.0))
    assert drag(1e-12, 2.0, 1.0, -n, v) == (0.0, 0.0, 0.0)
    s = np.array([1.0, 0.0, 0.0])
    assert light(1.0, 0.0, 0.0, 1.0, n, s) == pytest.approx((-math.cos(1.0), 0.0, 0.0))
    mirror = np.array(light(1.0, 1.0, 0.0, 1.0, n, s))
    np.testing.assert_allclose(mirror, -2.0 * math.cos(1.0) ** 2 * n, rtol=0.0, atol=1e-15)
    assert light(1.0, 1.0, 0.0, 1.0, -n, s) == (0.0, 0.0, 0.0)


def test_the_spheroid_height_follows_the_geodetic_altitude() -> None:
    k = np.array([0.0, 0.0, 1.0])
    for latitude in np.linspace(-1.5, 1.5, 31):
        p = Geodetic(0.4, float(latitude), 400e3).ecef()
        assert surface_force.spheroid_height(p, k) == pytest.approx(400e3, abs=50.0)
    h = surface_force.spheroid_height(p, k)
    assert surface_force.exponential_density(1e-12, 6e4, h + 6e4, p, k) == pytest.approx(math.e * 1e-12)
