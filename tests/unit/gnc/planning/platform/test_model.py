import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import nnls

from freefloat.errors import InputError
from freefloat.gnc.planning.platform.model import PlatformModel, reacsa_thrusters

MODEL = PlatformModel()
X0 = np.array([0.3, -0.2, 0.7, 0.02, -0.01, 0.0, 5.0])


def integrated(x: np.ndarray, u: np.ndarray, T: float) -> np.ndarray:
    """Eq. 3.11 by an adaptive method."""
    return solve_ivp(lambda t, x: MODEL.derivative(x, u), (0.0, T), x, method="DOP853", rtol=1e-13, atol=1e-15).y[:, -1]


def test_actuator_columns_are_those_of_equation_3_11():
    theta, m, r = 0.4, MODEL.mass, 0.35
    c, s = np.cos(theta), np.sin(theta)
    B = MODEL.B(theta)
    np.testing.assert_allclose(B[3, 1:], np.array([-s, s, -c, c, s, -s, c, -c]) / m)
    np.testing.assert_allclose(B[4, 1:], np.array([c, -c, -s, s, -c, c, s, -s]) / m)
    np.testing.assert_allclose(B[5], np.array([-1, r, -r, r, -r, r, -r, r, -r]) / MODEL.inertia)
    np.testing.assert_allclose(B[6], [1.0 / 0.047] + [0.0] * 8)
    assert not B[:3].any()


@pytest.mark.parametrize("theta", [0.0, 0.7, -2.5])
def test_discrete_model_is_the_integral_while_the_body_does_not_turn(theta):
    rng = np.random.default_rng(4)
    f = rng.uniform(0.0, 10.36, 8)
    u = np.concatenate([[MODEL.thrusters[2] @ f], f])
    x = X0.copy()
    x[2] = theta
    A, B = MODEL.discrete(theta, 0.1)
    np.testing.assert_allclose(A @ x + B @ u, integrated(x, u, 0.1), rtol=1e-12, atol=1e-13)


def test_discrete_model_is_the_integral_of_wheel_and_angle_for_any_torque():
    u = np.zeros(9)
    u[0] = 1.7
    A, B = MODEL.discrete(X0[2], 0.1)
    after = A @ X0 + B @ u
    np.testing.assert_allclose(after, integrated(X0, u, 0.1), rtol=1e-12, atol=1e-13)
    assert after[6] - X0[6] == pytest.approx(0.1 * 1.7 / 0.047)


def test_discrete_model_of_a_turning_body_is_off_by_second_order_in_the_velocity():
    u = np.zeros(9)
    u[4] = u[7] = 10.36
    x = X0.copy()
    x[5] = 0.3
    errors = []
    for T in (0.02, 0.04):
        A, B = MODEL.discrete(x[2], T)
        errors.append(np.linalg.norm((A @ x + B @ u - integrated(x, u, T))[3:5]))
        assert errors[-1] == pytest.approx(2 * 10.36 / MODEL.mass * 0.3 * T**2 / 2, rel=0.01)
    assert errors[1] / errors[0] == pytest.approx(4.0, rel=0.01)


def test_linearisation_matches_differences():
    rng = np.random.default_rng(5)
    x, u = rng.normal(size=7), rng.uniform(0.0, 10.0, 9)
    A, B = MODEL.linearised(x, u)
    for J, size, vary in ((A, 7, lambda d: (x + d, u)), (B, 9, lambda d: (x, u + d))):
        steps = 1e-6 * np.eye(size)
        differences = [(MODEL.derivative(*vary(d)) - MODEL.derivative(*vary(-d))) / 2e-6 for d in steps]
        np.testing.assert_allclose(J, np.array(differences).T, atol=1e-8)


def test_wheel_torque_conserves_angular_momentum():
    u = np.zeros(9)
    u[0] = -1.2
    after = integrated(X0, u, 0.5)
    momentum = [MODEL.inertia * x[5] + MODEL.wheel_inertia * x[6] for x in (X0, after)]
    assert momentum[1] == pytest.approx(momentum[0], abs=1e-13)
    assert after[5] != X0[5]


def test_feedforward_makes_the_acceleration_with_the_least_squares_of_thrust():
    rng = np.random.default_rng(6)
    for _ in range(50):
        theta, acceleration = rng.uniform(-4, 4), rng.normal(0.0, [1e-2, 1e-2, 1e-1])
        u = MODEL.feedforward(theta, acceleration)
        np.testing.assert_allclose((MODEL.B(theta) @ u)[3:6], acceleration, atol=1e-15)
        force = MODEL.wrench(theta, acceleration)[:2]
        weak = 1e-6 * np.eye(8)
        least = nnls(np.vstack([MODEL.thrusters[:2], weak]), np.concatenate([force, np.zeros(8)]))[0]
        np.testing.assert_allclose(u[1:], least, atol=1e-9)


def test_body_inertia_gives_the_published_rate_at_250_rpm():
    rate = 250.0 * 2.0 * np.pi / 60.0 * MODEL.wheel_inertia / MODEL.inertia
    assert np.rad2deg(rate) == pytest.approx(5.81, abs=0.005)


def test_impossible_platforms_are_refused():
    with pytest.raises(InputError, match="mass: -1"):
        PlatformModel(mass=-1.0)
    with pytest.raises(InputError, match="thrusters"):
        PlatformModel(thrusters=np.zeros((2, 8)))
    assert reacsa_thrusters(0.5)[2].tolist() == [0.5, -0.5] * 4
