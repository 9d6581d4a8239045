"""The Earth's field, its split and third bodies."""

from __future__ import annotations

import numpy as np
import pytest

from freefloat.errors import InputError
from freefloat.kernels.gravity_difference import anchor, earth_difference
from freefloat.orbit.earth import pole_axis, rotation_eci_to_ecef
from freefloat.orbit.epoch import Epoch
from freefloat.orbit.gravity import GravityField, third_body, third_body_gradient
from freefloat.orbit.kepler import J2, MU, R_FIELD
from freefloat.orbit.offline import brahe

P = np.array([-4.1e6, 3.2e6, 4.3e6])
EPOCH = Epoch("2026-03-20T12:00:00Z")
R_FI = rotation_eci_to_ecef(EPOCH)


def test_degree_zero_is_the_central_term() -> None:
    np.testing.assert_allclose(
        GravityField(degree=0).acceleration(P, R_FI), -MU * P / np.linalg.norm(P) ** 3, rtol=1e-15
    )


def test_the_constants_are_those_of_the_model() -> None:
    field = GravityField()
    assert (field.mu, field.radius) == (MU, R_FIELD)
    assert field.j2 == pytest.approx(J2, rel=1e-12)


@pytest.mark.parametrize("model", ["EGM2008", "GGM05S", "JGM3"])
def test_the_field_agrees_with_brahes_own_evaluation_in_eci(model: str) -> None:
    bh = brahe()
    theirs = bh.GravityModel.from_model_type(getattr(bh.GravityModelType, {"EGM2008": "EGM2008_120"}.get(model, model)))
    expected = bh.accel_gravity_spherical_harmonics(P, R_FI, theirs, 20, 20)
    np.testing.assert_allclose(GravityField(model).acceleration(P, R_FI), expected, rtol=1e-14)


def test_the_rest_vanishes_for_a_field_of_central_and_j2_terms() -> None:
    field = GravityField(degree=2, order=0)
    assert np.abs(field.rest_gradient(P, R_FI)).max() < 1e-17
    assert np.abs(field.rest_curvature(P, R_FI)).max() < 1e-20


@pytest.mark.parametrize(("size", "error"), [(100.0, 1e-14), (1000.0, 2e-12)])
def test_closed_form_gradient_and_curvature_give_the_difference_of_the_full_field(size: float, error: float) -> None:
    field, k = GravityField(), pole_axis(EPOCH)
    G, T = field.rest_gradient(P, R_FI, k), field.rest_curvature(P, R_FI, k)
    rng = np.random.default_rng(1)
    for _ in range(20):
        d = rng.standard_normal(3)
        d *= size / np.linalg.norm(d)
        ours = np.array(earth_difference(anchor(field.mu, field.c_j2, k, P), d))
        ours += G @ d + 0.5 * np.einsum("ijk,j,k->i", T, d, d)
        full = field.acceleration(P + d, R_FI) - field.acceleration(P, R_FI)
        assert np.linalg.norm(ours - full) < error + 1e-14


def test_a_fixed_axis_a_year_old_changes_the_split_but_not_the_sum() -> None:
    field, old = GravityField(), pole_axis(Epoch("2025-03-20T12:00:00Z"))
    d = np.array([60.0, -70.0, 30.0])
    ours = np.array(earth_difference(anchor(field.mu, field.c_j2, old, P), d))
    ours += field.rest_gradient(P, R_FI, old) @ d
    ours += 0.5 * np.einsum("ijk,j,k->i", field.rest_curvature(P, R_FI, old), d, d)
    full = field.acceleration(P + d, R_FI) - field.acceleration(P, R_FI)
    assert np.linalg.norm(ours - full) < 2e-14


def test_rest_derivatives_are_symmetric_and_harmonic() -> None:
    field = GravityField()
    G, T = field.rest_gradient(P, R_FI), field.rest_curvature(P, R_FI)
    assert np.abs(G - G.T).max() < 1e-24
    assert abs(np.trace(G)) < 1e-6 * np.abs(G).max()
    assert np.abs(T - T.transpose(1, 2, 0)).max() < 1e-6 * np.abs(T).max()
    assert np.abs(np.einsum("ijj->i", T)).max() < 1e-2 * np.abs(T).max()


def test_third_bodies_agree_with_the_direct_difference_and_brahe() -> None:
    bh = brahe()
    stamp = EPOCH.stamp()
    sun, moon = bh.sun_position(stamp), bh.moon_position(stamp)
    np.testing.assert_allclose(third_body(bh.GM_SUN, sun, P), bh.accel_third_body_sun(stamp, P), rtol=1e-8)
    np.testing.assert_allclose(third_body(bh.GM_MOON, moon, P), bh.accel_third_body_moon(stamp, P), rtol=1e-8)


def test_the_third_body_gradient_is_the_derivative() -> None:
    moon, gm = np.array([3.0e8, -2.0e8, 1.0e8]), 4.9028e12
    G = third_body_gradient(gm, moon, P)
    for j in range(3):
        d = np.zeros(3)
        d[j] = 100.0
        slope = (third_body(gm, moon, P + d) - third_body(gm, moon, P - d)) / 200.0
        np.testing.assert_allclose(G[:, j], slope, rtol=0.0, atol=1e-8 * np.abs(G).max())


def test_bad_fields_are_refused_with_what_is_allowed() -> None:
    with pytest.raises(InputError, match="EGM2008, GGM05S, JGM3"):
        GravityField("EGM96")
    with pytest.raises(InputError, match="0 to 70 of JGM3"):
        GravityField("JGM3", 71)
    with pytest.raises(InputError, match="order 5"):
        GravityField(degree=4, order=5)
