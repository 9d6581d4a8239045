"""Elements, states and presets."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from freefloat.errors import InputError
from freefloat.orbit import kepler
from freefloat.orbit.kepler import MU, Elements
from freefloat.orbit.offline import brahe

angles = st.floats(0.0, 2.0 * math.pi, exclude_max=True)


@given(st.floats(6.6e6, 5e7), st.floats(0.0, 0.95), st.floats(0.0, math.pi), angles, angles, angles)
def test_elements_and_state_describe_the_same_orbit(
    a: float, e: float, i: float, raan: float, argp: float, nu: float
) -> None:
    p, v = Elements(a, e, i, raan, argp, nu).state()
    p2, v2 = Elements.from_state(p, v).state()
    np.testing.assert_allclose(p2, p, rtol=0.0, atol=1e-9 * a)
    np.testing.assert_allclose(v2, v, rtol=0.0, atol=1e-9 * float(np.linalg.norm(v)) / (1.0 - e))


@pytest.mark.parametrize("i", [0.0, math.pi])
@pytest.mark.parametrize("e", [0.0, 0.3])
def test_singular_orbits_keep_their_state(e: float, i: float) -> None:
    p, v = Elements(7e6, e, i, 0.4, 0.5, 0.6).state()
    p2, v2 = Elements.from_state(p, v).state()
    np.testing.assert_allclose(p2, p, rtol=0.0, atol=1e-6)
    np.testing.assert_allclose(v2, v, rtol=0.0, atol=1e-9)


def test_states_agree_with_brahe() -> None:
    el = Elements(7.2e6, 0.1, 0.9, 1.0, 2.0, 0.7)
    koe = np.array([el.a, el.e, el.i, el.raan, el.argp, el.mean_anomaly()])
    theirs = brahe().state_koe_to_eci(koe, brahe().AngleFormat.RADIANS)
    np.testing.assert_allclose(np.concatenate(el.state(brahe().GM_EARTH)), theirs, rtol=1e-12)


@given(st.floats(-10.0, 10.0), st.floats(0.0, 0.99))
def test_keplers_equation_is_solved_to_rounding(mean: float, e: float) -> None:
    nu = kepler.true_anomaly(mean, e)
    again = Elements(7e6, e, nu=nu).mean_anomaly()
    assert math.remainder(again - mean, 2.0 * math.pi) == pytest.approx(0.0, abs=1e-13)


def test_one_period_returns_to_the_start() -> None:
    el = Elements(7.2e6, 0.1, 0.9, 1.0, 2.0, 0.7)
    np.testing.assert_allclose(el.advanced(el.period()).state()[0], el.state()[0], rtol=0.0, atol=1e-6)


def test_the_geostationary_preset_turns_with_the_earth() -> None:
    geo = kepler.preset("geo")
    assert geo.a == pytest.approx(42164.17e3, abs=10.0)
    assert geo.period() == pytest.approx(86164.1, abs=0.1)


def test_the_sun_synchronous_preset_has_the_published_inclination() -> None:
    """Vallado's figure for 700 km is near 98.19 deg."""
    sso = kepler.preset("sso-700")
    assert math.degrees(sso.i) == pytest.approx(98.19, abs=0.02)
    assert kepler.node_rate(sso) * 86400.0 == pytest.approx(math.radians(360.0 / 365.2421897), rel=1e-12)


def test_bad_orbits_are_refused_with_what_is_allowed() -> None:
    with pytest.raises(InputError, match="geo, leo-400, sso-700"):
        kepler.preset("leo")
    with pytest.raises(InputError, match=r"e 1.2; allowed: >= 0 and < 1"):
        Elements(7e6, 1.2)
    with pytest.raises(InputError, match=r"a nan; allowed: > 0 m"):
        Elements(math.nan)
    with pytest.raises(InputError, match="bound orbit"):
        Elements.from_state([7e6, 0.0, 0.0], [0.0, 1.1 * math.sqrt(2.0 * MU / 7e6), 0.0])
    with pytest.raises(InputError, match="bound orbit"):
        Elements.from_state([7e6, 0.0, 0.0], [100.0, 0.0, 0.0])
    with pytest.raises(InputError, match="sun-synchronous"):
        kepler.sun_synchronous_inclination(2e7)
