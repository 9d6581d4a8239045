import numpy as np
import pytest
from scipy.optimize import brentq

from freefloat.verify.oracles.dc_motor import DcMotor, by_mujoco, reference, speed_error

VOLTS = 12.0
TIMES = np.linspace(0.0, 0.2, 201)


@pytest.fixture(scope="module")
def truth():
    return reference(DcMotor(), VOLTS, TIMES)


def test_mujocos_motor_comes_to_the_reference_with_its_step(truth):
    """First order, with one to three percent at its usual step of 1 ms."""
    coarse, middle, fine = (speed_error(by_mujoco(DcMotor(), VOLTS, 0.2, step), truth) for step in (1e-3, 1e-4, 1e-5))
    assert 0.005 < coarse < 0.04
    assert middle == pytest.approx(0.1 * coarse, rel=0.3)
    assert fine == pytest.approx(0.1 * middle, rel=0.3)
    assert fine < 3e-4


def test_current_and_temperature_agree_too(truth):
    fine = by_mujoco(DcMotor(), VOLTS, 0.2, 1e-5)
    assert np.interp(TIMES, fine.t, fine.current) == pytest.approx(truth.current, abs=5e-3)
    assert np.interp(TIMES, fine.t, fine.temperature) == pytest.approx(truth.temperature, abs=1e-3)


def test_a_clean_motor_steps_as_its_two_poles_say():
    """Without cogging, warming and bristles: L i' = V - R i - K w, J w' = K i - s2 w."""
    motor = DcMotor(cogging=0.0, coulomb=0.0, thermal_capacity=1e12)
    A = np.array([[-1e-4 / 1e-4, 0.05 / 1e-4], [-0.05 / 1e-3, -1.0 / 1e-3]])
    rest = -np.linalg.solve(A, [0.0, VOLTS / 1e-3])
    values, vectors = np.linalg.eig(A)
    modes = np.linalg.solve(vectors, -rest)
    exact = rest[0] + ((vectors[0] * modes) * np.exp(np.outer(TIMES, values))).sum(axis=1).real
    found = reference(motor, VOLTS, TIMES)
    np.testing.assert_allclose(found.speed, exact, atol=1e-6)


def test_the_final_speed_balances_torque_and_voltage():
    motor = DcMotor(cogging=0.0)
    end = reference(motor, VOLTS, [0.0, 0.6])
    R = 1.0 + 0.00393 * (end.temperature[-1] - 293.15)
    speed = brentq(lambda w: VOLTS - R * (0.02 + 1e-4 * w) / 0.05 - 0.05 * w, 0.0, 300.0)
    assert end.speed[-1] == pytest.approx(speed, rel=1e-4)
