"""View factors, albedo, infrared and absorbed power."""

from __future__ import annotations

import math

import numpy as np
import pytest

from freefloat.errors import InputError
from freefloat.frames import Array
from freefloat.orbit.earth import R_EQUATOR
from freefloat.orbit.heat import albedo_irradiance, earth_infrared, heat_input, sphere_view_factor
from freefloat.orbit.lighting import Sunlight

TILTS = np.radians([0.0, 25.0, 60.0, 80.0, 90.0, 100.0, 125.0, 155.0, 180.0])


def brute_force(H: float, n: Array, lit: Array | None = None) -> float:
    """The view factor (or, with a Sun direction, the reflected share) on a fine grid over the sphere's visible cap."""
    rings, sectors = 1200, 300
    c = (np.arange(rings) + 0.5) / rings * (1.0 - 1.0 / H) + 1.0 / H
    C, phi = np.meshgrid(c, 2.0 * np.pi * (np.arange(sectors) + 0.5) / sectors, indexing="ij")
    S = np.sqrt(1.0 - C * C)
    u = np.stack([S * np.cos(phi), S * np.sin(phi), C], -1)
    line = np.array([0.0, 0.0, H]) - u
    d2 = (line**2).sum(-1)
    value = np.maximum((u * line).sum(-1), 0.0) * np.maximum(-(line @ n), 0.0) / (np.pi * d2**2)
    if lit is not None:
        value = value * np.maximum(u @ lit, 0.0)
    return float(value.sum()) * (1.0 - 1.0 / H) / rings * 2.0 * np.pi / sectors


@pytest.mark.parametrize("H", [1.05, 1.3, 6.6])
@pytest.mark.parametrize("tilt", TILTS)
def test_the_closed_view_factor_agrees_with_brute_force(H: float, tilt: float) -> None:
    n = np.array([math.sin(tilt), 0.0, -math.cos(tilt)])
    assert sphere_view_factor(math.cos(tilt), H) == pytest.approx(brute_force(H, n), abs=2e-4)


def test_the_view_factor_is_continuous_where_its_branches_meet() -> None:
    H = 1.2
    for cosine in (1.0 / H, -1.0 / H):
        below, above = (sphere_view_factor(cosine + s, H) for s in (-1e-9, 1e-9))
        assert below == pytest.approx(above, abs=1e-8)


def test_the_mean_view_factor_over_all_normals_is_the_earths_share_of_the_sky() -> None:
    H, x = 1.3, np.linspace(-1.0, 1.0, 20001)
    mean = np.mean([sphere_view_factor(c, H) for c in x])
    assert mean == pytest.approx(0.5 * (1.0 - math.sqrt(1.0 - 1.0 / H**2)), rel=1e-3)


@pytest.mark.parametrize("H", [1.05, 6.6])
@pytest.mark.parametrize("sun", [(0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (-0.6, 0.7, 0.4)])
def test_albedo_agrees_with_brute_force_and_hides_the_night_side(H: float, sun: tuple[float, float, float]) -> None:
    s = np.array(sun) / np.linalg.norm(sun)
    p = np.array([0.0, 0.0, H * R_EQUATOR])
    n = np.array([[math.sin(a), 0.0, -math.cos(a)] for a in TILTS])
    facing = sphere_view_factor(1.0, H)
    ours = albedo_irradiance(n, p, s, 1.0, 1.0)
    np.testing.assert_allclose(ours, [brute_force(H, x, s) for x in n], rtol=0.0, atol=1e-3 * facing)


def test_the_night_side_reflects_nothing_and_radiates_all_the_same() -> None:
    p = np.array([0.0, 0.0, R_EQUATOR + 400e3])
    down = [0.0, 0.0, -1.0]
    assert albedo_irradiance(down, p, [0.0, 0.0, -1.0], 1361.0)[0] == 0.0
    assert earth_infrared(down, p)[0] == pytest.approx(237.0 * (R_EQUATOR / p[2]) ** 2)


def test_absorbed_power_is_area_times_absorbed_irradiance() -> None:
    p = np.array([0.0, 0.0, R_EQUATOR + 400e3])
    light = Sunlight(np.array([0.0, 0.0, 1.0]), 1361.0, 0.5)
    heat = heat_input(np.array([[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]]), p, light)
    np.testing.assert_allclose(heat.sun, [680.5, 0.0])
    np.testing.assert_allclose(heat.albedo[0], 0.0)
    assert heat.albedo[1] == pytest.approx(0.3 * 1361.0 * 0.886, rel=0.01)
    power = heat.absorbed([2.0, 1.0], [0.2, 0.3], [0.9, 0.8])
    assert power[0] == pytest.approx(2.0 * 0.2 * 680.5)
    assert power[1] == pytest.approx(0.3 * heat.albedo[1] + 0.8 * heat.infrared[1])


def test_points_inside_the_earth_are_refused() -> None:
    with pytest.raises(InputError, match="outside the sphere"):
        sphere_view_factor(1.0, 0.9)
    with pytest.raises(InputError, match="above the Earth"):
        albedo_irradiance([0.0, 0.0, 1.0], [0.0, 0.0, 6e6], [1.0, 0.0, 0.0], 1361.0)
