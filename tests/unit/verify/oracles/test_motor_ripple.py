import numpy as np
import pytest
from scipy.integrate import solve_ivp

from freefloat.errors import InputError
from freefloat.verify.oracles.drive_equations import scalar_evaluator
from freefloat.verify.oracles.drive_symbols import parameters
from freefloat.verify.oracles.motor_ripple import (
    harmonic_balance,
    mean_torque,
    offset_ripple,
    third_harmonic_ripple,
    unbalance_ripple,
)

SPEED = 955.0 * np.pi / 30.0  # [rad/s]
CURRENT = 4.0  # [A]
D, U, A3 = 0.06, 0.015, 0.008  # offset [A], unbalance, third harmonic
FAST = {"driver__kp": 20 * 6.28, "driver__ki": 20 * 6283.0}
CLEAN = {"motor__cogging": 0.0}
ALL = {"driver__offset": (D, 0.0), "motor__unbalance": U, "motor__third_harmonic": A3}


@pytest.mark.parametrize(
    ("loop", "mean", "percent"),
    [({}, 0.33517, (1.79, 0.74, 0.57)), (FAST, 0.39735, (1.51, 0.745, 0.787))],
    ids=["1 kHz", "20 kHz"],
)
def test_closed_forms_of_the_loops_at_955_rpm_and_4_ampere(loop, mean, percent, shoulder):
    drive = shoulder(**loop)
    assert mean_torque(drive, SPEED, CURRENT) == pytest.approx(mean, abs=1e-5)
    found = (
        offset_ripple(drive, D),
        unbalance_ripple(drive, SPEED, CURRENT, U),
        third_harmonic_ripple(drive, SPEED, CURRENT, A3),
    )
    assert 100.0 * np.array(found) / mean == pytest.approx(percent, abs=5e-3)


@pytest.mark.parametrize("loop", [{}, FAST], ids=["1 kHz", "20 kHz"])
@pytest.mark.parametrize(
    ("imperfection", "multiple", "relative"),
    [
        ({"driver__offset": (D, 0.0)}, 1, 1e-12),
        ({"motor__unbalance": 1e-5}, 2, 1e-4),
        ({"motor__third_harmonic": A3}, 4, 1e-10),
    ],
    ids=["offset", "unbalance", "third"],
)
def test_the_balance_has_the_closed_forms_one_at_a_time(loop, imperfection, multiple, relative, shoulder):
    drive = shoulder(**CLEAN, **loop, **imperfection)
    closed = {
        1: offset_ripple(drive, D),
        2: unbalance_ripple(drive, SPEED, CURRENT, 1e-5),
        4: third_harmonic_ripple(drive, SPEED, CURRENT, A3),
    }[multiple]
    found = harmonic_balance(drive, SPEED, CURRENT)
    assert found.amplitudes[7 * multiple] == pytest.approx(closed, rel=relative)
    assert found.voltage < drive.driver.supply


def test_all_imperfections_together_on_a_20_khz_loop(shoulder):
    found = harmonic_balance(shoulder(**CLEAN, **FAST, **ALL), SPEED, CURRENT)
    percent = [100.0 * found.at(k) for k in (1, 2, 3, 4)]
    assert percent == pytest.approx([1.521, 0.745, 0.012, 0.787], abs=6e-4)


def test_a_slow_loop_at_half_an_ampere_brakes(shoulder):
    assert mean_torque(shoulder(), SPEED, 0.5) == pytest.approx(-0.0106, abs=1e-4)


def test_the_balance_is_where_the_equations_settle(shoulder):
    """Phase currents and integrators of the drive's equations at an imposed speed, all imperfections and more."""
    drive = shoulder(**ALL, driver__gain=(0.02, -0.01), motor_resolver__error=2e-3, motor__viscous=1e-4)
    rates, torque = scalar_evaluator(["iA_t", "iB_t", "xA_t", "xB_t"]), scalar_evaluator(["T_m"])
    params, inputs = parameters(drive).tolist(), [CURRENT * 0.1 * 160.0, 0.0, 0.0, 0.0, 0.0]

    def at(t: float, y: np.ndarray) -> list[float]:
        return [SPEED * t, SPEED * 1e-4, *y.tolist(), 0.0, 0.0, 293.15]

    turn = 2.0 * np.pi / SPEED
    points = 1024
    t = turn * (1.0 + np.arange(points) / points)
    found = solve_ivp(
        lambda t, y: rates(at(t, y), inputs, params), (0.0, t[-1]), np.zeros(4), "LSODA", t, rtol=1e-9, atol=1e-9
    )
    T = np.array([torque(at(t, y), inputs, params)[0] for t, y in zip(t, found.y.T, strict=True)])
    balance = harmonic_balance(drive, SPEED, CURRENT)
    assert T.mean() == pytest.approx(balance.mean, rel=1e-6)
    amplitudes = np.abs(np.fft.rfft(T)) * 2.0 / points
    np.testing.assert_allclose(amplitudes[1:200], balance.amplitudes[1:200], atol=1e-6)


def test_other_motors_and_drivers_are_refused(shoulder):
    with pytest.raises(InputError, match="allowed: brushless, current"):
        harmonic_balance(shoulder(motor__kind="dc"), SPEED, CURRENT)
