"""The reference orbit against closed forms, conservation laws, brahe and itself."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from numba import njit

from freefloat.errors import InputError
from freefloat.frames import Array
from freefloat.kernels import orbit_table as table
from freefloat.kernels.gravity_difference import anchor, earth_difference, rest_difference
from freefloat.orbit import march
from freefloat.orbit.earth import R_EQUATOR
from freefloat.orbit.epoch import Epoch
from freefloat.orbit.gravity import GravityField
from freefloat.orbit.kepler import Elements, preset
from freefloat.orbit.lvlh import lvlh_to_eci
from freefloat.orbit.offline import brahe
from freefloat.orbit.reference import GravityOnly, ReferenceOrbit

EPOCH = Epoch("2026-03-20T12:00:00Z")
CENTRAL = GravityOnly(GravityField(degree=0), ())


@pytest.mark.parametrize(
    "orbit", [preset("leo-400"), preset("geo"), Elements(24.4e6, 0.73, 0.5, 1.0, 2.0, 0.1)], ids=["leo", "geo", "gto"]
)
def test_two_body_motion_follows_kepler_within_10_um_over_an_orbit(orbit: Elements) -> None:
    reference = ReferenceOrbit.from_elements(EPOCH, orbit, CENTRAL)
    for t in np.linspace(0.0, orbit.period(), 97):
        p, v = orbit.advanced(t).state()
        assert np.linalg.norm(reference.position(t) - p) < 1e-5  # bar 1e-4
        assert np.linalg.norm(reference.velocity(t) - v) < 1e-8


def test_two_body_motion_keeps_energy_and_angular_momentum_over_10_orbits() -> None:
    orbit = preset("leo-400")
    reference = ReferenceOrbit.from_elements(EPOCH, orbit, CENTRAL)
    reference.extend(10.0 * orbit.period())
    p, v = reference.knots[:, :3], reference.knots[:, 3:6]
    energy = 0.5 * (v**2).sum(1) - CENTRAL.field.mu / np.linalg.norm(p, axis=1)
    h = np.cross(p, v)
    assert np.abs(energy / energy[0] - 1.0).max() < 1e-13  # bar 1e-12
    assert np.linalg.norm(h - h[0], axis=1).max() < 1e-13 * np.linalg.norm(h[0])


@pytest.mark.parametrize("t", [5000.0, pytest.param(86400.0, marks=pytest.mark.slow)])
def test_a_low_orbit_agrees_with_brahes_propagator_within_a_millimetre(t: float) -> None:
    reference = ReferenceOrbit.from_preset(EPOCH, "leo-400", GravityOnly(source="brahe"))
    bh = brahe()
    third = [
        bh.ThirdBodyConfiguration(body, bh.EphemerisSource.LowPrecision)
        for body in (bh.ThirdBody.SUN, bh.ThirdBody.MOON)
    ]
    forces = bh.ForceModelConfig(gravity=bh.GravityConfiguration.spherical_harmonic(20, 20), third_body=third)
    tight = bh.NumericalPropagationConfig.with_method(bh.IntegrationMethod.RKN1210)
    tight = tight.with_abs_tol(1e-9).with_rel_tol(1e-13)
    theirs = bh.NumericalOrbitPropagator(EPOCH.stamp(), reference.knots[0, :6].copy(), tight, forces, None)
    theirs.propagate_to(EPOCH.stamp(t))
    assert np.linalg.norm(theirs.current_state()[:3] - reference.position(t)) < 1e-3  # bar 0.1


def test_interpolation_between_knots_is_within_1e_8_m_of_a_finer_integration() -> None:
    coarse = ReferenceOrbit.from_preset(EPOCH, "leo-400")
    fine = ReferenceOrbit.from_preset(EPOCH, "leo-400", spacing=2.5)
    peak = np.abs(fine.knots[:, 9:15]).max()
    for t in np.arange(1.25, 1200.0, 7.5):
        assert np.linalg.norm(coarse.position(t) - fine.position(t)) < 2e-8
        assert np.linalg.norm(coarse.velocity(t) - fine.velocity(t)) < 4e-9
        ours, theirs = (np.array(table.rest_gradient(t, o.t0, o.dt, o.knots)) for o in (coarse, fine))
        assert np.abs(ours - theirs).max() < 1e-5 * peak


def fall(orbit: ReferenceOrbit, d: Array, v: Array, steps: int, h: float = 10.0) -> Array:
    """Offset and its rate [m, m/s] after steps of h in the falling frame, by the functions that compiled code uses."""
    mu, c, k = orbit.forces.field.mu, orbit.forces.field.c_j2, orbit.k_I
    y, carry = np.concatenate([d, v]), np.zeros(6)
    for i in range(steps):

        def acceleration(stage: int, x: Array, start: float = i * h) -> Array:
            t = start + h * march.NODES[stage]
            R = table.position(t, orbit.t0, orbit.dt, orbit.knots)
            G, T = (read(t, orbit.t0, orbit.dt, orbit.knots) for read in (table.rest_gradient, table.rest_curvature))
            return np.array(earth_difference(anchor(mu, c, k, R), x)) + rest_difference(G, T, x)

        y, carry = march.step(acceleration, y, carry, h)
    return y


@pytest.mark.parametrize(("size", "error"), [(100.0, 1e-7), (1000.0, 1e-6)])
def test_relative_motion_in_the_falling_frame_agrees_with_two_eci_orbits(size: float, error: float) -> None:
    first = ReferenceOrbit.from_preset(EPOCH, "leo-400")
    n, T = preset("leo-400").mean_motion(), 5550.0
    first.extend(T + 20.0)
    p, v = first.position(0.0), first.velocity(0.0)
    p2, v2 = lvlh_to_eci([0.0, 0.3 * size, -size], [-2.0 * n * size, 0.0, 0.0], p, v)
    second = ReferenceOrbit(EPOCH, p2, v2)
    y = fall(first, p2 - p, v2 - v, round(T / 10.0))
    assert np.linalg.norm(y[:3] - (second.position(T) - first.position(T))) < error


def test_clohessy_wiltshire_drift_and_its_absence() -> None:
    orbit = preset("leo-400")
    reference = ReferenceOrbit.from_elements(EPOCH, orbit, CENTRAL)
    n, T, x0 = orbit.mean_motion(), orbit.period(), 100.0
    steps = 500
    reference.extend(T + 20.0)
    p, v = reference.position(0.0), reference.velocity(0.0)
    drifts = []
    for along in (0.0, -2.0 * n * x0):
        p2, v2 = lvlh_to_eci([0.0, 0.0, -x0], [along, 0.0, 0.0], p, v)
        d = fall(reference, p2 - p, v2 - v, steps, T / steps)[:3]
        drifts.append(float(d @ v / np.linalg.norm(v)))  # after one orbit the axes are those of the start
    assert drifts[0] == pytest.approx(-12.0 * math.pi * x0, rel=1e-3)
    assert abs(drifts[1]) < 1e-3 * 12.0 * math.pi * x0


def test_the_same_rows_come_out_whether_extended_once_or_often() -> None:
    once, often = (ReferenceOrbit.from_preset(EPOCH, "sso-700") for _ in range(2))
    once.extend(3000.0)
    for t in (35.0, 36.0, 400.0, 1900.0, 3000.0):
        often.extend(t)
    np.testing.assert_array_equal(once.knots, often.knots)
    assert once.t_end == 3000.0


def test_the_rows_are_ready_for_compiled_code() -> None:
    orbit = ReferenceOrbit.from_preset(EPOCH, "leo-400")
    orbit.extend(200.0)
    rows = orbit.knots
    assert rows.flags.c_contiguous
    assert rows.dtype == np.float64
    assert not rows.flags.writeable
    locate = njit(error_model="numpy")(table.locate)
    assert [locate(t, 0.0, 10.0, 21) for t in (-1.0, 0.0, 57.5, 999.0)] == [(0, -0.1), (0, 0.0), (5, 0.75), (19, 80.9)]


def test_compiled_reading_equals_reading_in_python(monkeypatch: pytest.MonkeyPatch) -> None:
    orbit = ReferenceOrbit.from_preset(EPOCH, "leo-400")
    orbit.extend(200.0)
    rows, names = orbit.knots.copy(), ("position", "velocity", "rest_gradient", "rest_curvature")
    plain = [getattr(table, name)(57.3, 0.0, 10.0, rows) for name in names]
    for name in ("locate", "_hermite5", "_hermite5_rate", *names):
        monkeypatch.setattr(table, name, njit(error_model="numpy")(getattr(table, name)))
    for name, expected in zip(names, plain, strict=True):
        np.testing.assert_allclose(getattr(table, name)(57.3, 0.0, 10.0, rows), expected, rtol=1e-14)


def test_a_reference_survives_pickling_and_goes_on_alike() -> None:
    orbit = ReferenceOrbit.from_preset(EPOCH, "leo-400")
    orbit.extend(300.0)
    again = pickle.loads(pickle.dumps(orbit))
    np.testing.assert_array_equal(again.position(999.0), orbit.position(999.0))


def test_a_new_anchor_keeps_every_state_in_eci() -> None:
    orbit = ReferenceOrbit.from_preset(EPOCH, "leo-400")
    t, p, v = 1234.5, np.array([700.0, -800.0, 300.0]), np.array([0.4, -0.3, 0.8])
    moved, shift_p, shift_v = orbit.anchored(t, p, v)
    np.testing.assert_array_equal(moved.position(t) - shift_p, orbit.position(t))
    np.testing.assert_array_equal(moved.knots[0, 3:6] - shift_v, orbit.velocity(t))
    np.testing.assert_allclose(shift_p, p, rtol=0.0, atol=2e-9)
    assert moved.t0 == t


def test_an_orbit_below_the_surface_is_refused() -> None:
    with pytest.raises(InputError, match="below the surface: perigee 6300"):
        ReferenceOrbit.from_elements(EPOCH, Elements(6.3e6))
    diver = ReferenceOrbit.from_elements(EPOCH, Elements(R_EQUATOR + 200.0))
    with pytest.raises(InputError, match=r"km below the surface at t = \d+ s"):
        diver.extend(6000.0)
    last = diver.t_end
    with pytest.raises(InputError, match="below the surface"):
        diver.extend(6000.0)
    assert diver.t_end == last


def test_bad_requests_name_what_is_allowed() -> None:
    with pytest.raises(InputError, match=r"spacing 100.0 s; allowed: >= 0\.1 and <= 60 s"):
        ReferenceOrbit.from_preset(EPOCH, "leo-400", spacing=100.0)
    with pytest.raises(InputError, match="moon, sun"):
        GravityOnly(bodies=("mars",))
    with pytest.raises(InputError, match="starts at"):
        ReferenceOrbit.from_preset(EPOCH, "leo-400", t0=50.0).position(0.0)
    with pytest.raises(InputError, match="cannot be extended"):
        ReferenceOrbit.from_preset(EPOCH, "leo-400").extend(math.inf)
    late = Epoch("2027-10-03T23:50:00Z")
    with pytest.raises(InputError, match="Earth-orientation"):
        ReferenceOrbit.from_preset(late, "leo-400").extend(3.0 * 86400.0)
