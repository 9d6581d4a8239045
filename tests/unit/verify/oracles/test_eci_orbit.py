"""The ECI integrations that judge the falling frame are judged by Kepler and by the laws of their forces."""

from __future__ import annotations

import numpy as np
import pytest

from freefloat.orbit.epoch import Epoch
from freefloat.orbit.gravity import GravityField
from freefloat.orbit.kepler import MU, Elements
from freefloat.verify.oracles.eci_orbit import eci_states, gravity_acceleration, sphere_acceleration

EPOCH = Epoch("2026-03-20T12:00:00Z")
ORBIT = Elements(8.0e6, 0.1, 0.9, 0.4, 1.0, 0.2)


def test_an_integration_with_central_gravity_follows_kepler() -> None:
    times = np.linspace(0.0, ORBIT.period(), 9)
    p, v = ORBIT.state()
    found = eci_states(lambda t, p, v: -MU * p / np.linalg.norm(p) ** 3, p, v, times, max_step=20.0)
    expected = np.array([np.concatenate(ORBIT.advanced(t).state()) for t in times])
    assert np.abs(found - expected)[:, :3].max() < 2e-7
    np.testing.assert_array_equal(found[0], np.concatenate([p, v]))


def test_sun_and_moon_pull_as_strongly_as_tides_at_that_height() -> None:
    p, v = ORBIT.state()
    all_of_it = gravity_acceleration(EPOCH, GravityField(degree=0))(0.0, p, v)
    third = all_of_it + MU * p / np.linalg.norm(p) ** 3
    assert 3e-7 < np.linalg.norm(third) < 3e-6  # GM r / d^3: Moon 0.7e-6, Sun 0.3e-6 m/s^2, up to twice that


def test_air_brakes_a_sphere_and_light_pushes_it_from_the_sun() -> None:
    p, v = Elements(6.7e6, i=0.9).state()
    a = sphere_acceleration(EPOCH, 500.0, 2.0, 2.2, 1.3)(0.0, p, v)
    assert a @ v < 0.0
    high = sphere_acceleration(EPOCH, 1.0, 1.0, 0.0, 1.0)
    p, v = Elements(4.2e7, i=0.9, nu=1.0).state()
    assert np.linalg.norm(high(0.0, p, v)) == pytest.approx(4.56e-6, rel=0.04)
