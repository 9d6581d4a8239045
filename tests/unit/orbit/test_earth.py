"""Earth rotation, geodetic coordinates."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from freefloat.errors import InputError
from freefloat.orbit import earth
from freefloat.orbit.earth import EarthRotation, Geodetic, geodetic
from freefloat.orbit.epoch import Epoch
from freefloat.orbit.offline import brahe, erfa

EPOCH = Epoch("2026-03-20T22:00:00Z")


def test_rotation_agrees_with_the_iau_2006_chain_of_erfa() -> None:
    t = 1234.5
    day, fraction = EPOCH.utc(t)
    x, y, ut1_utc, dx, dy, _ = brahe().get_global_eop(float(day - 2400000.5 + fraction))
    tt = EPOCH.tt(t)
    cx, cy, s = erfa().xys06a(*tt)
    q = erfa().c2ixys(cx + dx, cy + dy, s)
    era = erfa().era00(*erfa().utcut1(day, fraction, ut1_utc))
    R = erfa().c2tcio(q, era, erfa().pom00(x, y, erfa().sp00(*tt)))
    assert np.abs(R - earth.rotation_eci_to_ecef(EPOCH, t)).max() < 1e-10


def test_the_rotation_table_stays_within_1e_10_of_the_chain_through_midnight() -> None:
    table = EarthRotation(EPOCH)
    table.cover(-500.0, 20000.0)
    t = np.linspace(-500.0, 20000.0, 151)
    exact = np.array([earth.rotation_eci_to_ecef(EPOCH, x) for x in t])
    assert np.abs(table.matrices(t) - exact).max() < 1e-10


def test_states_survive_the_way_to_the_earth_and_back() -> None:
    p, v = np.array([-4.0e6, 3.0e6, 4.5e6]), np.array([-3.0e3, -6.0e3, 2.5e3])
    p_F, v_F = earth.state_eci_to_ecef(EPOCH, p, v, 77.0)
    back = earth.state_ecef_to_eci(EPOCH, p_F, v_F, 77.0)
    np.testing.assert_allclose(back[0], p, rtol=0.0, atol=1e-8)
    np.testing.assert_allclose(back[1], v, rtol=0.0, atol=1e-11)
    np.testing.assert_allclose(earth.position_ecef_to_eci(EPOCH, p_F, 77.0), p, rtol=0.0, atol=1e-8)


def test_earth_fixed_velocity_is_the_rate_of_the_earth_fixed_position() -> None:
    p, v, h = np.array([-4.0e6, 3.0e6, 4.5e6]), np.array([-3.0e3, -6.0e3, 2.5e3]), 0.5
    before, after = (earth.position_eci_to_ecef(EPOCH, p + s * h * v, s * h) for s in (-1.0, 1.0))
    np.testing.assert_allclose(earth.state_eci_to_ecef(EPOCH, p, v)[1], (after - before) / (2 * h), rtol=0.0, atol=1e-3)


@given(st.floats(-math.pi, math.pi), st.floats(-math.pi / 2, math.pi / 2), st.floats(-1e4, 4e7, allow_subnormal=False))
def test_geodetic_coordinates_return_to_their_point(longitude: float, latitude: float, altitude: float) -> None:
    place = Geodetic(longitude, latitude, altitude)
    again = geodetic(place.ecef())
    assert np.linalg.norm(again.ecef() - place.ecef()) < 1e-7
    assert again.altitude == pytest.approx(altitude, abs=1e-7)
    assert again.latitude == pytest.approx(latitude, abs=1e-13)


def test_geodetic_coordinates_agree_with_brahe() -> None:
    p = np.array([-4.0e6, 3.0e6, 4.5e6])
    place = geodetic(p)
    theirs = brahe().position_ecef_to_geodetic(p, brahe().AngleFormat.RADIANS)
    np.testing.assert_allclose([place.longitude, place.latitude, place.altitude], theirs, rtol=1e-9)


def test_the_earths_centre_has_no_geodetic_coordinates() -> None:
    with pytest.raises(InputError, match="centre"):
        geodetic([0.0, 0.0, 0.0])


def test_an_instant_outside_the_data_is_refused_before_brahe_sees_it() -> None:
    with pytest.raises(InputError, match="Earth-orientation"):
        earth.rotation_eci_to_ecef(EPOCH, 1e10)
