import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp

from freefloat.verify.oracles.drive_equations import scalar_evaluator
from freefloat.verify.oracles.drive_symbols import parameters
from freefloat.verify.oracles.lugre import (
    Canonical,
    StickSlip,
    bristle,
    friction_at_speed,
    presliding,
    presliding_area,
    steady_friction,
)


def test_stick_slip_of_the_canonical_set():
    """Instants known to 1e-4 s."""
    instants, peak = StickSlip().slips(17.0)
    assert instants == pytest.approx([7.4581, 10.2236, 13.8208, 16.5863], abs=1e-4)
    assert peak == pytest.approx(0.36982, abs=1e-5)


def test_the_first_slip_by_another_solver():
    case, f = StickSlip(), Canonical()

    def rates(t, y):
        x, v, z = y
        g = f.coulomb + (f.stiction - f.coulomb) * np.exp(-((v / f.stribeck) ** 2))
        slip = v - f.bristle_stiffness * abs(v) * z / g
        force = f.bristle_stiffness * z + f.bristle_damping * slip + f.viscous * v
        return [v, case.spring * (case.pull * t - x) - force, slip]

    radau = solve_ivp(rates, (0.0, 8.0), np.zeros(3), "Radau", [7.8, 8.0], rtol=1e-9, atol=1e-13)
    x, v, _ = case.motion([0.0, 7.8, 8.0])
    np.testing.assert_allclose([x[1:], v[1:]], radau.y[:2], rtol=1e-6)


def test_steady_friction_is_stiction_at_rest_and_coulomb_with_viscous_at_speed():
    f = Canonical()
    assert steady_friction(f, [1e-9, -1e-9, 1.0, -2.0]) == pytest.approx([1.5, -1.5, 1.4, -1.8])
    assert steady_friction(f, 1.0, extra=0.2) == pytest.approx(1.6)


@pytest.mark.parametrize(("speed", "z0"), [(0.8, 0.0), (-0.4, 3e-4)])
def test_the_bristle_at_constant_speed_follows_the_drives_equations(speed, z0, shoulder):
    drive = shoulder()
    rates, params = scalar_evaluator(["z_t", "F"]), parameters(drive).tolist()
    h = 1e-4 * speed * 1.0

    def at(z: float) -> tuple[float, float]:
        return rates([0.0, h, 0.0, 0.0, 0.0, 0.0, z, 0.0, 293.15], [0.0] * 5, params)

    v, t = speed / 160.0, np.linspace(0.0, 0.3, 7)
    found = solve_ivp(lambda t, z: at(z[0])[0], (0.0, 0.3), [z0], "DOP853", t, rtol=1e-11, atol=1e-16).y[0]
    np.testing.assert_allclose(bristle(drive.friction, v, t, z0), found, rtol=1e-8)
    np.testing.assert_allclose(friction_at_speed(drive.friction, v, t, z0), [at(z)[1] for z in found], rtol=1e-8)
    assert friction_at_speed(drive.friction, v, 100.0) == pytest.approx(steady_friction(drive.friction, v))


@pytest.mark.parametrize("amplitude", [1e-6, 1e-5, 1e-4])
def test_the_presliding_loop_closes_and_has_its_area(amplitude):
    f = Canonical()
    up, down = (presliding(f, np.array([-1.0, 1.0]) * amplitude, amplitude, rising) for rising in (True, False))
    assert up == pytest.approx(down, rel=1e-12)
    up_work, down_work = (
        quad(lambda x, r=r: float(presliding(f, x, amplitude, r)), -amplitude, amplitude, epsabs=0.0, epsrel=1e-12)[0]
        for r in (True, False)
    )
    assert presliding_area(f, amplitude) == pytest.approx(up_work - down_work, rel=1e-9)
