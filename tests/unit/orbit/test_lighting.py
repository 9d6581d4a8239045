"""Shadows and sunlight."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from freefloat.orbit.earth import R_EQUATOR
from freefloat.orbit.ephemeris import AU, moon_position, sun_position
from freefloat.orbit.epoch import Epoch
from freefloat.orbit.kepler import MU
from freefloat.orbit.lighting import hidden_fraction, sunlight, sunlight_from, visible_fraction
from freefloat.orbit.offline import brahe

SUN = np.array([AU, 0.0, 0.0])


def shadow_seconds(inside: Callable[[float], bool], radius: float = R_EQUATOR + 400e3) -> float:
    """Time per orbit in the part of the shadow that `inside` accepts, circular orbit with the Sun in its plane."""
    low, high = math.pi / 2.0, math.pi
    for _ in range(60):
        middle = 0.5 * (low + high)
        p = radius * np.array([math.cos(middle), math.sin(middle), 0.0])
        low, high = (low, middle) if inside(visible_fraction(p, SUN)) else (middle, high)
    return 2.0 * (math.pi - low) / math.sqrt(MU / radius**3)


def test_umbra_and_penumbra_at_400_km_last_as_long_as_the_cones_say() -> None:
    assert shadow_seconds(lambda f: f <= 0.0) == pytest.approx(2158.3, abs=0.1)  # bar 2 s
    assert shadow_seconds(lambda f: f < 1.0) == pytest.approx(2174.8, abs=0.1)


@given(st.floats(1e-3, 0.02), st.floats(1e-3, 1.2), st.floats(0.0, 1.3))
def test_the_hidden_share_falls_from_one_to_zero_with_the_separation(a: float, b: float, c: float) -> None:
    here, further = hidden_fraction(a, b, c), hidden_fraction(a, b, c + 1e-4)
    assert 0.0 <= further <= here + 1e-6
    assert here <= 1.0


def test_overlap_of_equal_discs_is_the_lens_of_two_circles() -> None:
    a = 0.0047
    lens = 2.0 * math.acos(0.5) - 0.5 * math.sqrt(3.0)
    assert hidden_fraction(a, a, a) == pytest.approx(lens / math.pi, rel=1e-12)
    assert hidden_fraction(2e-3, 1e-3, 0.5e-3) == pytest.approx(0.25)


def test_the_earths_shadow_agrees_with_brahe() -> None:
    rng = np.random.default_rng(2)
    for _ in range(300):
        p = 6778e3 * np.array([-math.cos(x := rng.uniform(1.15, 1.3)), math.sin(x), 0.0])
        assert visible_fraction(p, SUN, earth_radius=brahe().R_EARTH) == pytest.approx(
            brahe().eclipse_conical(p, SUN), abs=1e-6
        )


def test_the_moon_shades_an_orbit_in_the_eclipse_of_august_2026() -> None:
    e = Epoch("2026-08-12T17:46:00Z")
    sun, moon = sun_position(e), moon_position(e)
    axis = (sun - moon) / np.linalg.norm(sun - moon)
    along = moon - axis * (float(moon @ axis) - math.sqrt(7.0e6**2 - float(moon @ moon) + float(moon @ axis) ** 2))
    assert np.linalg.norm(along) == pytest.approx(7.0e6)
    assert visible_fraction(along, sun) == 1.0
    assert visible_fraction(along, sun, moon) < 0.05
    assert sunlight(e, 0.0, along).irradiance < 0.05 * 1361.0


def test_irradiance_scales_with_the_distance_to_the_sun() -> None:
    assert sunlight_from([0.0, 7e6, 0.0], 0.983 * SUN).unshadowed == pytest.approx(1361.0 / 0.983**2, rel=1e-8)
    light = sunlight(Epoch("2026-01-03T17:00:00Z"), 0.0, [0.0, 0.0, 4.2e7])
    assert light.irradiance == pytest.approx(1407.5, abs=1.0)
    assert np.linalg.norm(light.direction_I) == pytest.approx(1.0)


def test_a_point_below_the_surface_is_dark() -> None:
    assert visible_fraction([1e6, 0.0, 0.0], SUN) == 0.0
